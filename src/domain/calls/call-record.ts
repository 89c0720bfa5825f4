import type { Mode } from '#domain/application-config.ts'
import type { Figures, PaidFigures, RecordName } from '#domain/sums-of-request-figures.ts'
import type { RequestRecord, SettleRequest, SettleResult, Target } from '#domain/ledger-interface.ts'
import type { Hold } from '#money/decision-types.ts'
import type { Usage } from '#money/usage-counts.ts'

/**
 * A call as a list shows it: finished, rejected, or in flight (a hold without an end). If the record was written before
 * charges were split by payer, the parts of its charge are 0.
 */
export interface CallRecord extends Readonly<Figures<RecordName>> {
  readonly callId: string
  readonly mode: Mode
  readonly endUserId: string | null
  /** Null for a rejected call whose caller is unknown. */
  readonly externalId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  readonly tags: readonly string[]
  /** The payer of the end user's team at the time of the call. */
  readonly payerId: string | null
  /** Null while the call is in flight, because the wire is stored only when the call ends. */
  readonly wire: string | null
  readonly isStreamed: boolean | null
  readonly status: CallStatus
  readonly httpStatus: number | null
  readonly errorCode: string | null
  readonly atMs: number
  readonly latencyMs: number | null
  readonly firstByteMs: number | null
  readonly assumedMicros: bigint
  /**
   * Whether the recorded cost may differ from the amount that the provider charges. Null if nothing was compared, or if
   * the call was not charged.
   */
  readonly isDisputed: boolean | null
  readonly cachedInputTokens: number
  /**
   * The target that returned the response, or that was chosen for the call. Null if no target was chosen, or if the
   * target is no longer known.
   */
  readonly target: Target | null
}

export type CallStatus = RequestRecord['status'] | 'recovered' | 'in_flight'

export interface CallStory {
  readonly call: CallRecord
  readonly trace: string | null
  readonly hold: CallHold | null
  readonly settlement: CallSettlement | null
}

export interface CallHold extends Omit<Hold, 'callId'> {
  readonly reservedAtMs: number
  readonly dispatchedAtMs: number | null
  readonly checkpoint: Usage | null
  readonly inputEstimate: number
  readonly target: Target
}

export interface CallSettlement
  extends
    Omit<SettleResult, 'walletPostedMicros' | 'remainingMicros'>,
    Pick<Hold, 'quote' | 'worstMicros' | 'legs'> {
  /** Null if the record was written before charges were split by payer. */
  readonly paid: PaidFigures | null
  readonly usage: Usage
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly outcomeSlug: string | null
  readonly runId: string | null
  readonly settledAtMs: number
  readonly target: Target
  /**
   * Whether the provider's stated costs differ from the computed costs, or another model than the requested one
   * answered. Null if the requested model answered and the usage states no cost.
   */
  readonly isDisputed: boolean | null
}
