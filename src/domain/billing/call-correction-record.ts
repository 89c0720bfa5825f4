import type { CorrectedName, Figures } from '#domain/sums-of-request-figures.ts'
import type { Leg } from '#money/decision-types.ts'

/**
 * A refund of a call, or the true usage of a recovered call. The amounts are the changes to the call's recorded
 * amounts, so the amounts of a refund are negative.
 */
export interface CallCorrection extends CorrectionSums {
  readonly id: string
  readonly callId: string
  readonly kind: 'refund' | 'late_usage'
  readonly legs: readonly Leg[]
  readonly entryIds: readonly string[]
  readonly reason: string
  /** Null if the server found the difference itself. */
  readonly actor: string | null
  readonly createdAtMs: number
}

export interface CorrectionSums extends Readonly<Figures<CorrectedName>> {
  /**
   * The charge of calls that were recorded before charges were split by payer. For these calls, the amounts for each
   * payer are all 0n.
   */
  readonly unattributedMicros: bigint
}
