import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

export interface BatchedRequest {
  readonly customId: string
  readonly params: ByteText
}

export interface BatchResult {
  readonly customId: string
  /** `unreadable`: a result with an ID, but in an unknown format, which the provider may have billed. */
  readonly type: 'succeeded' | 'errored' | 'canceled' | 'expired' | 'unreadable'
  /** Null unless `type` is `succeeded`. */
  readonly answer: WholeAnswer | null
  /**
   * Returns the line for the client.
   * @param clean removes secrets from an error of the provider
   */
  shown(clean: (text: string) => string): ByteText
}

/** Shown to the client in place of an unreadable result. */
export const unreadableText = 'The provider returned a result that cannot be read.'

/** Returns the alias of a provider's model. `model` is null if the provider does not name the model. */
export type AliasOf = (model: string | null) => string

export interface BatchState {
  readonly hasEnded: boolean
  /** Whether each request has a result. False for a batch that was canceled or that expired. */
  readonly isComplete: boolean
  /** The provider's IDs of the files with the results. Null if the results are at a separate path instead. */
  readonly resultFiles: readonly string[] | null
  /** The provider's ID of the file with the requests. Null if the requests were in the body. */
  readonly inputFile: string | null
}
