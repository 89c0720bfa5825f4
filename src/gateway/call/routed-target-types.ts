import type { ProviderFormat } from '#domain/accounts/provider-kinds.ts'
import type { PlannedTarget } from '#routing/route-tree-types.ts'
import type { AnswerStream, WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Plan, RouteLeaf, ServedName } from './targets-of-model-name.ts'

export interface Way {
  readonly plan: Plan
  readonly dispatch: Dispatch
}

export interface Routed {
  readonly name: ServedName
  readonly ways: readonly [Way, ...Way[]]
  /** Includes the skipped targets, with reasons. Null if the model name has only one target. */
  readonly order: readonly PlannedTarget<RouteLeaf>[] | null
}

export interface Dispatch {
  readonly wire: ProviderFormat
  /** Tools that a provider would run, and fields that the wire does not have. */
  readonly lost: readonly string[]
  /**
   * Whether the provider's wire requires a maximum and the client set none. The gateway then sends the maximum of the
   * hold.
   */
  readonly needsMaximum: boolean
  /**
   * The maximum output per choice that is sent instead of the client's maximum, because the provider's wire rejects such
   * a small maximum. Absent if the client's maximum is sent. The hold covers this maximum.
   */
  readonly outputTokensRaised?: number | undefined
  /**
   * @param outputTokensMax the reduced maximum per choice; null keeps the client's value
   * @param toolUsesMax maximum number of tool uses at the provider; null if no provider-run tool costs a fee
   */
  body(model: string, outputTokensMax: number | null, toolUsesMax: number | null): ByteText
  openStream(): AnswerStream
  /** Null if the bytes are not a valid response. */
  readAnswer(text: ByteText): WholeAnswer | null
}

export interface UpstreamMaximum {
  /** The maximum per choice that the gateway sets. Null if the client's maximum is kept, or if no maximum applies. */
  readonly imposed: number | null
  /**
   * The maximum of all choices together, set by the client or the gateway. The hold is never extended beyond it. Null
   * if there is no maximum. The hold of a stream is then extended as long as the balance and the limits allow.
   */
  readonly told: number | null
}
