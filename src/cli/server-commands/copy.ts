import { embedded, type StoreLocation } from '#app/store-location.ts'
import { copyStore } from '#app/store-maintenance.ts'
import { runOnStore } from './run-on-store.ts'

export interface CopyOptions {
  /** Defaults to DATABASE_URL. */
  readonly to?: string
  readonly data?: string
}

/**
 * `tollgate copy`: copies the embedded store into an empty PostgreSQL database, and verifies both stores. DATABASE_URL
 * or `--to` names the database. With `--to`, other users of the machine can read the password in the process list. If
 * the copy fails, the command prints a sentence and exits 2, and the database remains empty.
 */
export function copy({ data, to: given }: CopyOptions): Promise<void> {
  // The source is always a data folder, so ignore DATABASE_URL here.
  const { DATABASE_URL: url, ...environment } = process.env
  const to = given ?? url ?? ''
  const work = async (location: StoreLocation): Promise<void> => {
    const from = embedded(location, 'only the embedded store can be copied')
    if (to === '') throw new Error('no target database: set DATABASE_URL to its postgres:// address')
    if (!/^postgres(?:ql)?:\/\//.test(to)) {
      throw new Error(`${given === undefined ? 'DATABASE_URL' : '--to'} must be a postgres:// address`)
    }
    if (given !== undefined && URL.parse(given)?.password) {
      console.error('Other users can see the password of --to in the process list. Use DATABASE_URL instead.')
    }
    const tables = await copyStore({
      folder: from.folder,
      url: to,
      told: ({ rows, table }) => console.log(`copied ${table} (${rows} rows)`),
    })
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    console.log(
      `\nCopied ${rows} rows. All counts and amounts are equal in both stores, and all checks passed.`,
    )
    console.log(
      `Start the server with DATABASE_URL and the same master key. The folder ${from.folder} still contains all data, but only this version or a newer one can open it. Keep this folder until the new store works, and never run servers on both stores.`,
    )
  }
  return runOnStore('copy', data, work, environment)
}
