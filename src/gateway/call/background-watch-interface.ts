import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import type { Account } from '#domain/billing/money-account-key.ts'
import type { EndedAttempt } from '#domain/ledger-interface.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { BackgroundReport } from '#wire/responses/non-streaming-response.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Caller } from './caller-of-request.ts'
import type { DayShare } from './count-daily-limit-use.ts'
import type { SharedShare } from './enforce-shared-limits.ts'
import type { WaitingLine } from './calls-waiting-for-money.ts'

/**
 * The facts with which this process updates its limit counts at the end. The call itself contains the text of its
 * request, and is not kept.
 */
export interface BackgroundOrigin {
  readonly attempts: readonly EndedAttempt[]
  readonly key: Caller['key']
  readonly line: WaitingLine
  readonly share: DayShare | null
  readonly shared: SharedShare | null
}

export interface BackgroundWatch {
  /**
   * Resolves when the provider's ID of the response is durable. From then on, another process can take over the hold.
   * @param stream the stream that the client reads; null if the client reads no stream
   */
  begin(call: BackgroundCall, stream: Pick<AnswerStream, 'outputTokens'> | null): Promise<void>
  /** Call this after the stream of `begin` has ended. */
  streamed(callId: string): void
  watch(call: BackgroundCall, origin: BackgroundOrigin): void
  /** Returns null if the call has ended. */
  find(owner: Account, callId: string): Promise<BackgroundCall | null>
  /** Safe to repeat, in any process. */
  settleIfOver(call: BackgroundCall, body: ByteText): Promise<boolean>
  /** Safe to repeat, in any process. */
  settleReported(call: BackgroundCall, report: BackgroundReport): Promise<void>
  /** Stores the usage that a stream has delivered. If the provider reports no usage, at least this usage is charged. */
  noteDelivered(call: BackgroundCall, usage: Usage): Promise<void>
}
