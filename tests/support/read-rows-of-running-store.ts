import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { Client } from 'pg'
import { WaitingSources } from '#store/sqlite/views-with-buffered-balances.ts'
import type { Server } from './start-product.ts'

/** Every value is returned as text or null. */
export async function storedRows(
  { databaseUrl, folder }: Pick<Server, 'databaseUrl' | 'folder'>,
  query: string,
): Promise<Record<string, string | null>[]> {
  if (typeof databaseUrl !== 'string') {
    const file = new DatabaseSync(join(folder, 'tollgate.db'), { readOnly: true, timeout: 10_000 })
    try {
      file.exec('BEGIN')
      new WaitingSources(file).refresh()
      const statement = file.prepare(query)
      statement.setReadBigInts(true)
      return statement.all().map(asTexts)
    } finally {
      file.close()
    }
  }
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Record<string, SQLOutputValue>>(query)).rows.map(asTexts)
  } finally {
    await client.end()
  }
}

function asTexts(row: Readonly<Record<string, SQLOutputValue>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
  )
}
