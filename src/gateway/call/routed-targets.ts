import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { PlannedTarget } from '#routing/route.ts'
import type { AnswerStream, WholeAnswer } from '#wire/stream/answer-stream.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Plan, RouteLeaf, ServedName } from './served-name.ts'

/** A target that can serve a call, and how the request is sent to it. */
export interface Way {
  readonly plan: Plan
  readonly dispatch: Dispatch
}

/** The targets that can serve a call, in the order in which they are called. */
export interface Routed {
  readonly name: ServedName
  readonly ways: readonly [Way, ...Way[]]
  /** All targets, with the reason for each skipped one. Null if there is only one target and no decision was made. */
  readonly order: readonly PlannedTarget<RouteLeaf>[] | null
}

/** Writes a request for its provider, and the provider's response for the client. */
export interface Dispatch {
  /** The wire of the provider. */
  readonly wire: UpstreamFormat
  /** Parts of the request that are not sent to the provider: server-side tools, and fields unknown to its wire. */
  readonly lost: readonly string[]
  /**
   * Whether the provider's wire requires a maximum and the client set no maximum. The maximum of the hold is then sent.
   */
  readonly needsMaximum: boolean
  /**
   * @param outputTokensMax the clamped maximum per choice; null keeps the client's value
   * @param toolUsesMax maximum uses of tools that the provider runs; null if the request has no such tools with a cost
   */
  body(model: string, outputTokensMax: number | null, toolUsesMax: number | null): ByteText
  openStream(): AnswerStream
  /** Returns null if the bytes are not a valid response. */
  readAnswer(text: ByteText): WholeAnswer | null
}

/** The maximum number of output tokens in the provider's request. */
export interface UpstreamMaximum {
  /** Maximum per choice, set by the gateway. Null if the client's value is kept, or if no maximum applies. */
  readonly imposed: number | null
  /**
   * Maximum over all choices, set by the client or the gateway. The hold is never extended beyond it. Null if the
   * request has no maximum. A stream is then extended as long as there is room.
   */
  readonly told: number | null
}
