import { readConfig } from './config.ts'

/** Which store a command works on. */
export type StorePlace =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string }

/**
 * DATABASE_URL names a PostgreSQL store, without it there is the embedded one. A folder named on the command
 * line is meant in either case.
 */
export function storePlace(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string | undefined,
): StorePlace {
  const { DATABASE_URL: url, ...rest } = environment
  if (folder === undefined && url !== undefined) return { engine: 'postgres', url }
  return {
    engine: 'sqlite',
    folder: readConfig(rest, folder === undefined ? {} : { data: folder }).dataFolder,
  }
}
