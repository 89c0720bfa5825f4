import { sqlitePath } from '#store/engines/sqlite.ts'
import { type Told, type Verification, verifyPostgres, verifySqlite } from '#store/verify.ts'
import type { StorePlace } from './store-place.ts'

/** Every check of a store, in order. @throws when there is no store that can be read */
export function verifyStore(place: StorePlace, told?: Told): Promise<Verification[]> {
  return place.engine === 'postgres'
    ? verifyPostgres(place.url, told)
    : verifySqlite(sqlitePath(place.folder), told)
}
