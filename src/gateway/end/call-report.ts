import type { SettleResult } from '#domain/ledger.ts'
import type { CallReport } from '#gateway/call/call-states.ts'

/**
 * Returns the report of a settled call: decimal strings of micros. A remaining balance without a limit is null. It is
 * absent if the settle was repeated, because the balance has changed since.
 */
export function callReport({ chargeMicros, remainingMicros }: SettleResult): CallReport {
  return {
    chargeMicros: String(chargeMicros),
    ...(remainingMicros !== undefined && {
      remainingMicros: remainingMicros === null ? null : String(remainingMicros),
    }),
  }
}
