import { Failure } from '#domain/errors.ts'
import { textBytesMax, type RequestFault } from '#wire/wire-request.ts'

export function failureOfFault(fault: RequestFault): Failure {
  if (fault.code === 'request_text_too_large') return new Failure(fault.code, { limitBytes: textBytesMax })
  return new Failure(fault.code, { reason: fault.reason }, fault.param === null ? {} : { param: fault.param })
}
