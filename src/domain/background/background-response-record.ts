import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'

/**
 * A response that a provider generates in the background, for a single request or in a batch. The hold of the call
 * stores this record, which contains no text of the request.
 */
export interface BackgroundResponse {
  /** The provider's ID of the response, or of the batch. */
  readonly id: string
  /** Absent if the response is not part of a batch. */
  readonly batched?: BatchedCall
  readonly isStreamed: boolean
  /**
   * At this time, the hold ends even if the response has not ended. The time is in milliseconds since 1970, by the real
   * clock.
   */
  readonly deadlineMs: number
  /** When the first byte was written to the client, in milliseconds since the start of the call. */
  readonly firstByteMs: number | null
  /** The steps of the call so far, as JSON (explain/sections-of-trace.ts). */
  readonly trace: string
}

export interface BatchedCall {
  readonly customId: string
  readonly wire: UpstreamFormat
}
