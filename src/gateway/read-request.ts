import { Failure } from '#domain/errors.ts'
import type { ByteText } from '#wire/byte-text.ts'
import { formats } from '#wire/formats.ts'
import { isFault, textBytesMax } from '#wire/request.ts'
import type { RequestFault, WireRequest } from '#wire/request.ts'
import type { Route } from './routes.ts'

/** @throws Failure naming the field at fault */
export function readRequest(body: ByteText, { wire, path }: Route): WireRequest {
  const request = formats[wire].parseRequest(body, path)
  if (isFault(request)) throw failureOfFault(request)
  return request
}

export function failureOfFault(fault: RequestFault): Failure {
  if (fault.code === 'request_text_too_large') return new Failure(fault.code, { limitBytes: textBytesMax })
  return new Failure(fault.code, { reason: fault.reason }, fault.param === null ? {} : { param: fault.param })
}
