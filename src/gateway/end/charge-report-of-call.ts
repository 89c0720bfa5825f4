import type { SettleResult } from '#domain/ledger-interface.ts'
import type { CallReport } from '#gateway/call/call-state-types.ts'

/**
 * Amounts are decimal strings of micros. The remaining balance is null if the end user has no limit. It is absent after
 * a repeated settle, because it may have changed since the first settle.
 */
export function callReport({ chargeMicros, remainingMicros }: SettleResult): CallReport {
  return {
    chargeMicros: String(chargeMicros),
    ...(remainingMicros !== undefined && {
      remainingMicros: remainingMicros === null ? null : String(remainingMicros),
    }),
  }
}
