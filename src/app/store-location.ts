import { readConfig } from './config.ts'

/** The store that a command works on. */
export type StoreLocation =
  | {
      readonly engine: 'sqlite'
      readonly folder: string
      /** The text of TOLLGATE_MASTER_KEY. Null to use the folder's key. */
      readonly masterKey: string | null
    }
  | { readonly engine: 'postgres'; readonly url: string }

/**
 * DATABASE_URL names a PostgreSQL store. Without it, the store is the embedded one. A folder on the command line
 * overrides it.
 */
export function storeLocation(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string | undefined,
): StoreLocation {
  const { DATABASE_URL: url, ...rest } = environment
  // An empty variable counts as unset, as in readConfig.
  if (folder === undefined && url !== undefined && url !== '') return { engine: 'postgres', url }
  const { dataFolder, masterKey } = readConfig(rest, folder === undefined ? {} : { data: folder })
  return { engine: 'sqlite', folder: dataFolder, masterKey }
}

/**
 * Returns the embedded store, for commands that support no other. @throws Error with `instead` if the location is a
 * database
 */
export function embedded(
  location: StoreLocation,
  instead: string,
): Extract<StoreLocation, { engine: 'sqlite' }> {
  if (location.engine === 'sqlite') return location
  throw new Error(instead)
}
