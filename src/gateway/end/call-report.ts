import type { SettleResult } from '#domain/ledger.ts'
import type { CallReport } from '#gateway/call/call-states.ts'

/**
 * Returns the report of a settled call, with amounts in micros as decimal strings. The remaining balance is null if
 * nothing limits it. It is absent if the settle was repeated, because the balance has changed since the first settle.
 */
export function callReport({ chargeMicros, remainingMicros }: SettleResult): CallReport {
  return {
    chargeMicros: String(chargeMicros),
    ...(remainingMicros !== undefined && {
      remainingMicros: remainingMicros === null ? null : String(remainingMicros),
    }),
  }
}
