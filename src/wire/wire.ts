import type { ByteText } from './text/byte-text.ts'
import type { Steps } from './text/computation-with-pauses.ts'
import type { KeepTools } from './provider-tools.ts'
import type { ProviderIds } from './response-ids.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from './wire-request.ts'
import type { AnswerStream, WholeAnswer } from './stream/answer-stream.ts'
import type { JsonObject } from './text/json-values.ts'
import type { TaskText } from './tasks-without-output.ts'
import type { WireError } from './wire-error.ts'

/**
 * A request format, either a wire or a task: reads its requests and responses, and returns the edits for passing them
 * on.
 */
export interface Wire {
  /**
   * @param path facts from the path: on some wires the model and whether to stream
   * @param keep decides which of the provider's tools are sent; if absent, none are sent
   */
  readonly parseRequest: (
    body: RequestBody,
    path: RequestPath,
    keep?: KeepTools,
  ) => WireRequest | RequestFault
  /** Parses a body that is read in steps. Absent for JSON, whose tape is built in steps. */
  readonly parseInSteps?: (body: RequestBody, path: RequestPath) => Steps<WireRequest | RequestFault>
  /**
   * Null for anything except a response of this wire: HTML, an incomplete body, an error under status 200.
   * @param ids converts the IDs of stored responses and containers; absent if the provider stores none
   */
  readonly readAnswer: (text: ByteText, request: WireRequest, ids?: ProviderIds) => WholeAnswer | null
  readonly openStream: (request: WireRequest, ids?: ProviderIds) => AnswerStream
  /**
   * Returns the text that a model reads in a request of a task. Absent on wires, for which `promptText` collects the
   * text.
   */
  readonly taskText?: (body: JsonObject) => TaskText
  /** Fields of a request that no model reads. */
  readonly settings: ReadonlySet<string>
  /** Writes the body of an error response, in the shape from which official clients create their typed errors. */
  readonly errorBody: (error: WireError, requestId: string) => ByteText
}
