import type { Mode } from '#domain/accounts/account.ts'
import type { RecordFigures } from '#domain/figure-sums.ts'
import type { SettleRequest, Target } from '#domain/ledger.ts'
import type { Usage } from '#money/usage.ts'

/** The permanent record of a charged call, or of a correction of a call. */
export interface UsageRecord extends RecordFigures {
  readonly callId: string
  /** Null for the call itself. Amounts of a correction are differences, and its usage is 0. */
  readonly correction: { readonly id: string; readonly kind: 'refund' | 'late_usage' } | null
  readonly endUserId: string
  /** The end user's external ID. For a deleted end user, the service's own ID. */
  readonly externalId: string
  readonly keyId: string
  readonly alias: string
  readonly target: Target
  readonly wire: string
  readonly isStreamed: boolean
  /** Slug of the bundle that sold the call. Null if the call died with its process. */
  readonly bundle: string | null
  readonly usage: Usage
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  /** Part of the provider cost at assumed rates. */
  readonly assumedMicros: bigint
  /** Whether the provider may charge a different amount. Null if nothing was compared. */
  readonly isDisputed: boolean | null
  readonly quoteId: string
  readonly outcomeSlug: string | null
  readonly runId: string | null
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly atMs: number
  /** For a correction, when it was made. */
  readonly settledAtMs: number
  readonly latencyMs: number
  readonly firstByteMs: number | null
}

/** The records that settled, and the corrections that were made, in a time range. */
export interface SettledSpan {
  readonly applicationId: string
  readonly mode: Mode
  /** Null means all end users. */
  readonly endUserId: string | null
  /** Inclusive. */
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

/**
 * A position in the records of a time range. Calls of up to ten minutes come first, by their start. The few longer
 * calls follow by their settle time, then corrections by their time. Two indexes have this order, so a page is found
 * without counting from the start.
 */
export type RecordPlace =
  | { readonly part: 'short'; readonly callId: string }
  | { readonly part: 'long'; readonly settledAtMs: number; readonly callId: string }
  | { readonly part: 'correction'; readonly createdAtMs: number; readonly id: string }

export interface RecordPage {
  /** May be empty even if `next` is not null. */
  readonly records: readonly UsageRecord[]
  /** Null if there are no more records. */
  readonly next: RecordPlace | null
}

export interface UsageRecords {
  /** Returns the records after a place; null means from the start. Each page reads a limited number of rows. */
  settledIn(span: SettledSpan, after: RecordPlace | null): Promise<RecordPage>
  /** Returns null if the record does not exist. */
  placeOf(applicationId: string, mode: Mode, callId: string): Promise<RecordPlace | null>
  /** Returns null if the correction does not exist. */
  placeOfCorrection(applicationId: string, mode: Mode, id: string): Promise<RecordPlace | null>
}
