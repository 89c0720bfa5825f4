import { embedded, type StoreLocation } from '#app/store-location.ts'
import { copyStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

export interface CopyOptions {
  readonly to: string
  readonly data?: string
}

/**
 * `tollgate copy --to <url>`: everything of the embedded store into an empty PostgreSQL database, verified
 * on both ends. Exits 2 with a sentence when it could not: the database is as empty then as before.
 */
export function copy({ data, to }: CopyOptions): Promise<void> {
  // DATABASE_URL may already name the target; the source is always a folder.
  const { DATABASE_URL: _, ...environment } = process.env
  const work = async (location: StoreLocation): Promise<void> => {
    const from = embedded(location, 'a copy is made from the embedded store')
    if (!/^postgres(?:ql)?:\/\//.test(to)) throw new Error('--to must be a postgres:// address')
    const tables = await copyStore({
      folder: from.folder,
      url: to,
      told: ({ rows, table }) => console.log(`copied ${table} (${rows} rows)`),
    })
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    console.log(
      `\n${rows} rows; every count and every sum of money is the same on both sides, and both add up.`,
    )
    console.log(
      `Serve it with DATABASE_URL and the same master key. The folder ${from.folder} is as it was: keep it until you are sure, and do not serve both.`,
    )
  }
  return runOnStore('copy', data, work, environment)
}
