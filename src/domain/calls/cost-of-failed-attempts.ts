import type { EndedAttempt } from '#domain/ledger-interface.ts'

/**
 * Returns the amount that providers charge for the failed attempts of a call, in micros. If the end user is charged for
 * the call, the cost of the settled call already includes this amount.
 */
export function costOfFailedAttempts(attempts: readonly Pick<EndedAttempt, 'costMicros'>[]): bigint {
  return attempts.reduce((sum, { costMicros = '0' }) => sum + BigInt(costMicros), 0n)
}
