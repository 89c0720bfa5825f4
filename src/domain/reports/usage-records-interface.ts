import type { Mode } from '#domain/billing/money-account-key.ts'
import type { RecordFigures } from '#domain/sums-of-request-figures.ts'
import type { SettleRequest, Target } from '#domain/ledger-interface.ts'
import type { Usage } from '#money/usage-counts.ts'

/** The permanent record of a charged call, or of a correction of a call. */
export interface UsageRecord extends RecordFigures {
  readonly callId: string
  /**
   * Null in the record of the call itself. In the record of a correction, the amounts are the changes to the call's
   * amounts, and the usage is 0.
   */
  readonly correction: { readonly id: string; readonly kind: 'refund' | 'late_usage' } | null
  readonly endUserId: string
  /** For a deleted end user, this is the server's own ID of the end user. */
  readonly externalId: string
  readonly keyId: string
  readonly alias: string
  readonly target: Target
  readonly wire: string
  readonly isStreamed: boolean
  /** Slug of the bundle that sold the call. Null if the process that served the call died. */
  readonly bundle: string | null
  readonly usage: Usage
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly assumedMicros: bigint
  /** Whether the recorded cost may differ from the amount that the provider charges. */
  readonly isDisputed: boolean | null
  readonly quoteId: string
  readonly outcomeSlug: string | null
  readonly runId: string | null
  readonly tags: readonly string[]
  /** The payer of the end user's team at the time of the call. */
  readonly payerId: string | null
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly atMs: number
  readonly settledAtMs: number
  readonly latencyMs: number
  readonly firstByteMs: number | null
}

export interface SettledSpan {
  readonly applicationId: string
  readonly mode: Mode
  readonly endUserId: string | null
  /** Start of the time range (inclusive). */
  readonly fromMs: number
  /** End of the time range (exclusive). */
  readonly toMs: number
}

/**
 * Calls that took up to ten minutes come first, sorted by the time they started. The few longer calls follow, sorted by
 * the time they settled. Corrections come last, sorted by the time they were made. Two database indexes have this
 * order, so a page is found without reading the earlier pages.
 */
export type RecordPlace =
  | { readonly part: 'short'; readonly callId: string }
  | { readonly part: 'long'; readonly settledAtMs: number; readonly callId: string }
  | { readonly part: 'correction'; readonly createdAtMs: number; readonly id: string }

export interface RecordPage {
  /** The list may be empty even if `next` is not null. */
  readonly records: readonly UsageRecord[]
  /** Null if the range has no more records. */
  readonly next: RecordPlace | null
}

export interface UsageRecords {
  /**
   * Returns the records after a position; null means from the start. Each call of this method reads a limited number of
   * rows.
   */
  settledIn(span: SettledSpan, after: RecordPlace | null): Promise<RecordPage>
  placeOf(applicationId: string, mode: Mode, callId: string): Promise<RecordPlace | null>
  placeOfCorrection(applicationId: string, mode: Mode, id: string): Promise<RecordPlace | null>
}
