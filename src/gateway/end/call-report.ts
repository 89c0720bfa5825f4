import type { SettleResult } from '#domain/ledger.ts'
import type { CallReport } from '#gateway/call/call-states.ts'

/**
 * Returns the report of a settled call: decimal strings of micros. The remaining balance is null if nothing limits it.
 * It is absent if the settle was repeated, because the balance has changed since the first one.
 */
export function callReport({ chargeMicros, remainingMicros }: SettleResult): CallReport {
  return {
    chargeMicros: String(chargeMicros),
    ...(remainingMicros !== undefined && {
      remainingMicros: remainingMicros === null ? null : String(remainingMicros),
    }),
  }
}
