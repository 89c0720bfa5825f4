import type { Usage } from '#money/usage-counts.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { objectOf, type JsonObject } from '#wire/text/json-values.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { usageToConverse } from './usage.ts'
import { frameOf } from './write-frames.ts'

/**
 * Clients read the type of the error from the header `x-amzn-errortype`, and the text from `message`
 * (docs/reference/wires.md "Bedrock").
 */
export function converseErrorBody(error: WireError, requestId: string): ByteText {
  return byteTextOf(JSON.stringify({ message: error.message, details: detailsOf(error, requestId) }))
}

/** The type decides the class that clients throw, and whether they retry. */
export function errorTypeOf({ code, status }: Pick<WireError, 'code' | 'status'>): string {
  if (code === 'spend_limit_exceeded') return 'ServiceQuotaExceededException'
  return types[status] ?? (status >= 500 ? 'InternalServerException' : 'ValidationException')
}

const types: Readonly<Record<number, string>> = {
  401: 'AccessDeniedException',
  // Only the gateway returns the status 402, and clients do not retry this exception.
  402: 'ServiceQuotaExceededException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  409: 'ConflictException',
  // Only the gateway returns the status 410, for an archived application.
  410: 'ResourceNotFoundException',
  429: 'ThrottlingException',
  502: 'ModelErrorException',
  503: 'ServiceUnavailableException',
  504: 'ModelTimeoutException',
}

/** Clients throw the error, which ends the stream. */
export function converseErrorFrame(error: WireError, requestId: string): ByteText {
  const { message, status } = error
  const exception = exceptions[status] ?? (status >= 500 ? 'internalServerException' : streamFailed)
  const data = {
    type: 'error',
    exception,
    message: `${error.code}: ${message}`,
    details: detailsOf(error, requestId),
  }
  return `event: error\ndata: ${byteTextOf(JSON.stringify(data))}\n\n`
}

const streamFailed = 'modelStreamErrorException'

/** The exceptions that the streams of Bedrock define. */
const exceptions: Readonly<Record<number, string>> = {
  400: 'validationException',
  429: 'throttlingException',
  502: streamFailed,
  503: 'serviceUnavailableException',
}

/**
 * Writes the end of a response that a spending limit has interrupted: the usage, and an error that clients throw
 * (docs/reference/rules.md "The end of an interrupted stream"). Without a stop reason, no client accepts the answer as
 * complete.
 */
export function converseSpendFrames(usage: Usage, error: WireError, requestId: string): ByteText {
  return frameOf('metadata', { usage: usageToConverse(usage) }) + converseErrorFrame(error, requestId)
}

function detailsOf({ code, details, own, param, reason }: WireError, requestId: string): JsonObject {
  return {
    ...objectOf(own?.details),
    error_code: code,
    ...(reason !== undefined && { reason }),
    ...(param !== null && { param }),
    ...details,
    request_id: requestId,
  }
}
