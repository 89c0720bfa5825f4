import { sqlitePath } from '#store/sqlite/engine.ts'
import type { Told } from '#store/ledger/verify/verify.ts'
import type { Verification } from '#store/ledger/verify/store-reading.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import type { StorePlace } from './store-location.ts'

/** Every check of a store, in order. @throws when there is no store that can be read */
export function verifyStore(place: StorePlace, told?: Told): Promise<Verification[]> {
  return place.engine === 'postgres'
    ? verifyPostgres(place.url, told)
    : verifySqlite(sqlitePath(place.folder), told)
}
