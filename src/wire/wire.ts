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
 * A format of requests: for conversations (a wire) or for a task, such as embeddings. The functions of a format read
 * requests and responses, and return the edits for forwarding them.
 */
export interface Wire {
  /**
   * @param path on some wires, names the model and requests a stream
   * @param keep decides which of the provider's tools are sent; if absent, none are sent
   */
  readonly parseRequest: (
    body: RequestBody,
    path: RequestPath,
    keep?: KeepTools,
  ) => WireRequest | RequestFault
  /** Absent for JSON, because the JSON parser itself works in steps. */
  readonly parseInSteps?: (body: RequestBody, path: RequestPath) => Steps<WireRequest | RequestFault>
  /**
   * Returns null for anything except a response of this format: HTML, an incomplete body, or an error with status 200.
   * @param ids converts the IDs of stored responses and containers; absent if the provider stores neither
   */
  readonly readAnswer: (text: ByteText, request: WireRequest, ids?: ProviderIds) => WholeAnswer | null
  readonly openStream: (request: WireRequest, ids?: ProviderIds) => AnswerStream
  /**
   * Returns the text of an accepted request, for the tokenizer. Absent on wires for conversations, whose text
   * `promptText` collects.
   */
  readonly taskText?: (body: JsonObject) => TaskText
  /** No model reads these settings as text. */
  readonly settings: ReadonlySet<string>
  /** Official clients create their typed errors from this format. */
  readonly errorBody: (error: WireError, requestId: string) => ByteText
}
