import type { ProviderFormat } from '#domain/accounts/provider-kinds.ts'
import type { PlannedTarget } from '#routing/route-tree-types.ts'
import type { AnswerStream, WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Plan, RouteLeaf, ServedName } from './targets-of-model-name.ts'

/** A target that can serve a call, and how the request is sent to the target. */
export interface Way {
  readonly plan: Plan
  readonly dispatch: Dispatch
}

/** The targets that can serve a call, in the order in which they are called. */
export interface Routed {
  readonly name: ServedName
  readonly ways: readonly [Way, ...Way[]]
  /**
   * All targets of the model name. Each skipped target has the reason why it is skipped. Null if there is only one
   * target.
   */
  readonly order: readonly PlannedTarget<RouteLeaf>[] | null
}

/** Writes the request for the provider, and the provider's response for the client. */
export interface Dispatch {
  /** The wire of the provider. */
  readonly wire: ProviderFormat
  /**
   * Parts of the request that are not sent to the provider: tools that a provider would run, and fields that the wire
   * does not have.
   */
  readonly lost: readonly string[]
  /**
   * Whether the gateway must send the maximum that the hold covers, because the provider's wire requires a maximum and
   * the client set no maximum.
   */
  readonly needsMaximum: boolean
  /**
   * @param outputTokensMax the reduced maximum per choice; null keeps the client's value
   * @param toolUsesMax maximum number of tool uses at the provider; null if the request has no tools that the provider
   *   runs for a fee
   */
  body(model: string, outputTokensMax: number | null, toolUsesMax: number | null): ByteText
  openStream(): AnswerStream
  /** Returns null if the bytes are not a valid response. */
  readAnswer(text: ByteText): WholeAnswer | null
}

/** The maximum number of output tokens in the request to the provider. */
export interface UpstreamMaximum {
  /**
   * Maximum output tokens per choice that the gateway sets. Null if the client's maximum is kept, or if no maximum
   * applies.
   */
  readonly imposed: number | null
  /**
   * Maximum number of output tokens of all choices together, set by the client or the gateway. The hold is never
   * extended beyond this maximum. Null if the request has no maximum. Without a maximum, the hold of a stream is
   * extended as long as the balance and the limits allow.
   */
  readonly told: number | null
}
