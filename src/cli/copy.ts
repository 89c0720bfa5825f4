import { embedded, type StoreLocation } from '#app/store-location.ts'
import { copyStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

export interface CopyOptions {
  /** Defaults to DATABASE_URL. */
  readonly to?: string
  readonly data?: string
}

/**
 * `tollgate copy`: copies the embedded store into an empty PostgreSQL database, and verifies both. The database is
 * DATABASE_URL, or `--to`, whose password other users of the machine could read in the process list. If the copy fails,
 * prints a sentence and exits 2; the database is then as empty as before.
 */
export function copy({ data, to: given }: CopyOptions): Promise<void> {
  // The source is always a folder.
  const { DATABASE_URL: url, ...environment } = process.env
  const to = given ?? url ?? ''
  const work = async (location: StoreLocation): Promise<void> => {
    const from = embedded(location, 'a copy is made from the embedded store')
    if (to === '') throw new Error('no database is named: set DATABASE_URL to its postgres:// address')
    if (!/^postgres(?:ql)?:\/\//.test(to)) {
      throw new Error(`${given === undefined ? 'DATABASE_URL' : '--to'} must be a postgres:// address`)
    }
    if (given !== undefined && URL.parse(given)?.password) {
      console.error('The password in --to is visible in the list of processes; use DATABASE_URL instead.')
    }
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
