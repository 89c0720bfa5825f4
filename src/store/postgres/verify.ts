import type { Verification } from '#store/ledger/verify/reading.ts'
import { type Told, verify } from '#store/ledger/verify/verify.ts'
import { postgresSnapshot } from './reading.ts'

/** One result per check, in a fixed order. @throws when the database cannot be read as this store */
export async function verifyPostgres(url: string, told: Told = () => {}): Promise<Verification[]> {
  return verify(await postgresSnapshot(url), told)
}
