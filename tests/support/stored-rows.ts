import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import type { Server } from './harness.ts'

/** Rows by SQL, of either store, as anyone may read them beside the server. Integers are bigint or text. */
export async function storedRows(
  { databaseUrl, folder }: Pick<Server, 'databaseUrl' | 'folder'>,
  query: string,
): Promise<Record<string, unknown>[]> {
  if (typeof databaseUrl !== 'string') {
    const file = new DatabaseSync(join(folder, 'tollgate.db'), { readOnly: true, timeout: 10_000 })
    try {
      const statement = file.prepare(query)
      statement.setReadBigInts(true)
      return statement.all()
    } finally {
      file.close()
    }
  }
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(query)).rows
  } finally {
    await client.end()
  }
}
