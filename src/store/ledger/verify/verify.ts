/**
 * Computes every balance again from the ledger, and tests the invariants of docs/reference/rules.md "Invariants" that
 * rows can show. Servers can run at the same time. The check reads one snapshot, writes nothing, and loads at most a
 * few hundred rows together. Differences are not corrected, because a correction would hide their cause.
 */
import { callChecks } from './call-checks.ts'
import { Differences } from './first-difference-and-count.ts'
import { correctionCheck } from './correction-checks.ts'
import { type RowCheck, rowChecks } from './checks-in-sql.ts'
import { spendingCheck } from './spending-check.ts'
import { walletCheck } from './gifted-credit-check.ts'
import type { StoreReading, Verification } from './store-snapshot-interface.ts'

/** Called after each check, because some checks of large stores take minutes. */
export type Told = (verification: Verification) => void

/** Closes the snapshot at the end. */
export async function verify(reading: StoreReading, told: Told): Promise<Verification[]> {
  const results: Verification[] = []
  try {
    for await (const result of checksOn(reading)) {
      results.push(result)
      told(result)
    }
    return results
  } finally {
    await reading.close()
  }
}

/** @throws an error with the sentence if a check found a difference */
export function assertSound(sentence: string, results: readonly Verification[]): void {
  const wrong = results.find(({ difference }) => difference !== null)
  if (wrong !== undefined) throw new Error(`${sentence}: ${wrong.check}: ${wrong.difference}`)
}

async function* checksOn(reading: StoreReading): AsyncGenerator<Verification> {
  yield* await reading.itself()
  for (const check of rowChecks(reading.words)) yield await runRowCheck(reading, check)
  yield await spendingCheck(reading)
  yield await correctionCheck(reading)
  yield await walletCheck(reading)
  yield* callChecks(reading)
}

async function runRowCheck(reading: StoreReading, { check, rows, broken }: RowCheck): Promise<Verification> {
  const found = new Differences()
  for await (const row of reading.stream(broken)) found.add(String(row.difference))
  return { check, rows: await reading.count(rows), difference: found.text() }
}
