import type { ByteText } from './text/byte-text.ts'
import type { Steps } from './text/computation-with-pauses.ts'
import type { KeepTools } from './remove-provider-tools.ts'
import type { ProviderIds } from './types-of-replaced-ids.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from './wire-request.ts'
import type { AnswerStream, WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import type { JsonObject } from './text/json-values.ts'
import type { TaskText } from './shared-parsing-of-tasks-without-output.ts'
import type { WireError } from './content-of-an-error.ts'

/**
 * A format of requests. A format is either for conversations (a wire) or for a task, such as embeddings. The functions
 * of a format read requests and responses, and return the edits for forwarding them.
 */
export interface Wire {
  /**
   * @param path facts from the path; on some wires, the path names the model and requests a stream
   * @param keep decides which of the provider's tools are sent; if absent, no such tool is sent
   */
  readonly parseRequest: (
    body: RequestBody,
    path: RequestPath,
    keep?: KeepTools,
  ) => WireRequest | RequestFault
  /** Parses a body that is read in steps. Absent for JSON, because the JSON parser itself works in steps. */
  readonly parseInSteps?: (body: RequestBody, path: RequestPath) => Steps<WireRequest | RequestFault>
  /**
   * Null for anything except a response of this wire, such as HTML, an incomplete body, or an error with status 200.
   * @param ids converts the IDs of stored responses and containers; absent if the provider stores neither
   */
  readonly readAnswer: (text: ByteText, request: WireRequest, ids?: ProviderIds) => WholeAnswer | null
  readonly openStream: (request: WireRequest, ids?: ProviderIds) => AnswerStream
  /**
   * Returns the text that a model reads in a request of a task. Absent on wires for conversations, whose text
   * `promptText` collects.
   */
  readonly taskText?: (body: JsonObject) => TaskText
  /** Settings of a request that no model reads as text. */
  readonly settings: ReadonlySet<string>
  /** Writes the body of an error response, in the format from which official clients create their typed errors. */
  readonly errorBody: (error: WireError, requestId: string) => ByteText
}
