import { assertDatabaseUrl, readConfig } from './server-configuration.ts'
import { setVariables } from './setting-names.ts'

export type StoreLocation =
  | {
      readonly engine: 'sqlite'
      readonly folder: string
      /** Null means to use the key in the folder. */
      readonly masterKey: string | null
    }
  | { readonly engine: 'postgres'; readonly url: string }

/**
 * DATABASE_URL names a PostgreSQL store. Without it, or with a folder on the command line, the embedded store is used.
 * @throws ConfigFaults
 */
export function storeLocation(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string | undefined,
): StoreLocation {
  const { DATABASE_URL: url, ...rest } = setVariables(environment)
  if (folder === undefined && url !== undefined) {
    assertDatabaseUrl(url)
    return { engine: 'postgres', url }
  }
  const { dataFolder, masterKey } = readConfig(rest, folder === undefined ? {} : { data: folder })
  return { engine: 'sqlite', folder: dataFolder, masterKey }
}

/** @throws Error with the text `instead` if the location is a database */
export function embedded(
  location: StoreLocation,
  instead: string,
): Extract<StoreLocation, { engine: 'sqlite' }> {
  if (location.engine === 'sqlite') return location
  throw new Error(instead)
}
