import { Failure } from '#domain/errors.ts'
import type { ByteText } from '#wire/byte-text.ts'
import { parseChatRequest } from '#wire/chat/request.ts'
import type { WireRequest } from '#wire/request.ts'

/** @throws Failure naming the field at fault */
export function readRequest(body: ByteText): WireRequest {
  const request = parseChatRequest(body)
  if (!('kind' in request)) return request
  throw new Failure(
    request.code,
    { reason: request.reason },
    request.param === null ? {} : { param: request.param },
  )
}
