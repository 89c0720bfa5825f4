/**
 * A hold stores these facts about a response that a provider generates in the background, alone or in a batch. They
 * contain no text of the request.
 */
export interface BackgroundResponse {
  /** The provider's ID of the response, or of the batch. */
  readonly id: string
  /** The client's name for the request in its batch. Absent if the response is not part of a batch. */
  readonly customId?: string
  readonly isStreamed: boolean
  /** When the hold ends even if the response has not ended, in milliseconds since 1970, by the real clock. */
  readonly deadlineMs: number
  /** When the first byte was written to the client, in milliseconds since the start of the call. Null if none was. */
  readonly firstByteMs: number | null
  /** The steps of the call so far, as JSON (explain/trace.ts). */
  readonly trace: string
}
