import { sqlitePath } from '#store/engines/sqlite.ts'
import { verifySqlite } from '#store/verify.ts'

/** Every check of a data folder's store, in order. @throws when there is no store that can be read */
export function verifyStore(dataFolder: string): ReturnType<typeof verifySqlite> {
  return verifySqlite(sqlitePath(dataFolder))
}
