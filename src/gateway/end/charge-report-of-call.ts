import type { SettleResult } from '#domain/ledger-interface.ts'
import type { CallReport } from '#gateway/call/call-state-types.ts'

/**
 * Returns the report of a settled call, with amounts in micros as decimal strings. The remaining balance is null if the
 * end user has no limit. The remaining balance is absent if the settle was repeated, because the balance may have
 * changed since the first settle.
 */
export function callReport({ chargeMicros, remainingMicros }: SettleResult): CallReport {
  return {
    chargeMicros: String(chargeMicros),
    ...(remainingMicros !== undefined && {
      remainingMicros: remainingMicros === null ? null : String(remainingMicros),
    }),
  }
}
