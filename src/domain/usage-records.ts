import type { Mode } from './account.ts'
import type { PaidFigures } from './figures.ts'
import type { SettleRequest, SettleResult, Target } from './ledger.ts'
import type { Usage } from '#money/usage.ts'

/** What is kept for ever of a call that was charged, or of a correction of one. */
export interface UsageRecord extends Omit<SettleResult, 'walletPostedMicros'> {
  readonly callId: string
  /** Null: the call itself. Amounts of a correction are differences, and its usage is 0. */
  readonly correction: { readonly id: string; readonly kind: 'refund' | 'late_usage' } | null
  readonly endUserId: string
  /** The customer's own id of the person; of a removed one the service's. */
  readonly externalId: string
  readonly keyId: string
  readonly alias: string
  readonly target: Target
  readonly wire: string
  readonly isStreamed: boolean
  /** Slug of the bundle that sold it; null: the call died with its process. */
  readonly bundle: string | null
  readonly usage: Usage
  readonly inputTokens: number
  readonly outputTokens: number
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  /** The charge by who paid; null: the record is from before the split. */
  readonly paid: PaidFigures | null
  readonly quoteId: string
  readonly outcomeSlug: string | null
  readonly runId: string | null
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly atMs: number
  /** Of a correction: when it was made. */
  readonly settledAtMs: number
  readonly latencyMs: number
  readonly firstByteMs: number | null
}

/** Records that settled, and corrections that were made, in a span of time. */
export interface SettledSpan {
  readonly applicationId: string
  readonly mode: Mode
  /** Null: everybody's. */
  readonly endUserId: string | null
  /** Included. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
}

/**
 * A place in the order of a span: calls of up to ten minutes as they began, the few longer ones as they settled, and
 * then corrections as they were made.
 * The order is that of two indexes, so that a page is found without counting from the start.
 */
export type RecordPlace =
  | { readonly part: 'short'; readonly callId: string }
  | { readonly part: 'long'; readonly settledAtMs: number; readonly callId: string }
  | { readonly part: 'correction'; readonly createdAtMs: number; readonly id: string }

export interface RecordPage {
  /** May be empty while `next` goes on. */
  readonly records: readonly UsageRecord[]
  /** Null: there are no more. */
  readonly next: RecordPlace | null
}

export interface UsageRecords {
  /** The records behind a place; null: from the start. Each page reads so many rows at most. */
  settledIn(span: SettledSpan, after: RecordPlace | null): Promise<RecordPage>
  /** Null: there is no such record. */
  placeOf(applicationId: string, mode: Mode, callId: string): Promise<RecordPlace | null>
  /** Null: there is no such correction. */
  placeOfCorrection(applicationId: string, mode: Mode, id: string): Promise<RecordPlace | null>
}
