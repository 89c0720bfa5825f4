import { PassThroughStream } from '#wire/stream/pass-through-stream.ts'
import type { Wire } from '#wire/wire.ts'
import { settings } from './content-bound.ts'
import { converseErrorBody } from './errors.ts'
import { ConverseFrameReader } from './frame-reader.ts'
import { readConverseResponse } from './non-streaming-response.ts'
import { parseConverseRequest } from './parse-request.ts'

/**
 * Inside the gateway, streams are server-sent events. The gateway sends them as AWS's event stream
 * (event-stream-encoder.ts).
 */
export const converse: Wire = {
  parseRequest: parseConverseRequest,
  readAnswer: (text, request) => readConverseResponse(text, request.model),
  openStream: (request) => new PassThroughStream(new ConverseFrameReader(request.model)),
  errorBody: converseErrorBody,
  settings,
}
