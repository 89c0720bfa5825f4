import { readConfig } from './config.ts'

/** Which store a command works on. */
export type StoreLocation =
  | {
      readonly engine: 'sqlite'
      readonly folder: string
      /** The text of TOLLGATE_MASTER_KEY; null: the one in the folder. */
      readonly masterKey: string | null
    }
  | { readonly engine: 'postgres'; readonly url: string }

/**
 * DATABASE_URL names a PostgreSQL store, without it there is the embedded one. A folder named on the command
 * line is meant in either case.
 */
export function storeLocation(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string | undefined,
): StoreLocation {
  const { DATABASE_URL: url, ...rest } = environment
  if (folder === undefined && url !== undefined) return { engine: 'postgres', url }
  const { dataFolder, masterKey } = readConfig(rest, folder === undefined ? {} : { data: folder })
  return { engine: 'sqlite', folder: dataFolder, masterKey }
}

/** The embedded store, for what only it can do. @throws Error with `instead` when the location is a database */
export function embedded(
  location: StoreLocation,
  instead: string,
): Extract<StoreLocation, { engine: 'sqlite' }> {
  if (location.engine === 'sqlite') return location
  throw new Error(instead)
}
