import type { Verification } from '#store/ledger/verify/reading.ts'
import { type Told, verify } from '#store/ledger/verify/verify.ts'
import { sqliteSnapshot } from './reading.ts'

/** One result per check, in a fixed order. @throws when the file cannot be read as this store */
export async function verifySqlite(path: string, told: Told = () => {}): Promise<Verification[]> {
  return verify(sqliteSnapshot(path), told)
}
