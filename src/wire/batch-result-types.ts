import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'

/** A request of a batch. */
export interface BatchedRequest {
  /** The client's ID for the request. */
  readonly customId: string
  /** The body of the request. */
  readonly params: ByteText
}

/** The result of a request in a batch. */
export interface BatchResult {
  readonly customId: string
  /**
   * `unreadable` means that the result has an ID, but the format of the result is unknown. The provider may have billed
   * a request whose result is unreadable.
   */
  readonly type: 'succeeded' | 'errored' | 'canceled' | 'expired' | 'unreadable'
  /** Null unless the request has succeeded. */
  readonly answer: WholeAnswer | null
  /**
   * Returns the line for the client.
   * @param clean removes secrets from an error of the provider
   */
  shown(clean: (text: string) => string): ByteText
}

/** The message that the client gets in place of an unreadable result. */
export const unreadableText = 'The provider returned a result that cannot be read.'

/**
 * Returns the model name that the client gets for a model of the provider. The argument is null if the provider does
 * not name the model.
 */
export type AliasOf = (model: string | null) => string

/** The state of a batch, as its provider describes it. */
export interface BatchState {
  readonly hasEnded: boolean
  /** Whether each request has a result. False for a batch that was canceled or that expired. */
  readonly isComplete: boolean
  /**
   * The provider's IDs of the files with the results. Null if the provider returns the results at a separate path
   * instead of in files.
   */
  readonly resultFiles: readonly string[] | null
  /** The provider's ID of the file with the requests. Null if the requests were in the body. */
  readonly inputFile: string | null
}
