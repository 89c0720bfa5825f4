/** The errors that calls throw. */
import type { ErrorCode } from './generated/error-code.ts'

/** The base class of all errors of this package. */
export class TollgateError extends Error {
  override name = 'TollgateError'
}

/** The response is missing or incomplete, because the connection failed. `cause` contains the original error. */
export class ConnectionError extends TollgateError {
  override name = 'ConnectionError'
}

/** The response was not complete in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** The call was canceled by its `signal`. `cause` is the reason of the signal. */
export class CancelledError extends TollgateError {
  /** The platform uses the name `AbortError` for the errors of all canceled operations. */
  override name = 'AbortError'
}

/** The facts about the response that caused an error. */
export interface AnswerFacts {
  readonly status: number
  readonly requestId: string | null
  readonly headers: Headers
  /** Body of the response, as text. */
  readonly body: string
}

/** A successful response cannot be read, because it is not JSON, is incomplete, or repeats a page. */
export class AnswerError extends TollgateError implements AnswerFacts {
  override name = 'AnswerError'
  readonly status: number
  readonly requestId: string | null
  readonly headers: Headers
  readonly body: string

  constructor(message: string, { body, headers, requestId, status }: AnswerFacts, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.requestId = requestId
    this.headers = headers
    this.body = body
  }
}

/** An error response of the server or of a proxy in front of it. */
export class ApiError extends TollgateError implements AnswerFacts {
  override name = 'ApiError'
  readonly status: number
  /**
   * Error code. The code never changes, so programs can compare it. Null if the response comes not from Tollgate but,
   * for example, from a proxy.
   */
  readonly code: ErrorCode | (string & {}) | null
  /** ID of the request. Include the ID when you report the error. */
  readonly requestId: string | null
  /** The field that caused the error, as it was sent. */
  readonly param: string | null
  /** The numbers and names that the message contains. */
  readonly details: Readonly<Record<string, unknown>>
  readonly headers: Headers
  readonly body: string

  constructor(facts: AnswerFacts) {
    const { body, headers, status } = facts
    const said = errorIn(body)
    super(said?.message ?? foreignMessage(facts))
    this.status = status
    this.code = said?.code ?? null
    this.requestId = facts.requestId ?? said?.requestId ?? null
    this.param = said?.param ?? null
    this.details = said?.details ?? {}
    this.headers = headers
    this.body = body
  }
}

/** 400: the request is not valid. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError'
}

/** 401: the credential is missing or not valid. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** 402: the credit or a limit does not cover the request. Retrying later does not help. */
export class PaymentRequiredError extends ApiError {
  override name = 'PaymentRequiredError'
}

/** 403: the credential does not permit the operation. */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}

/** 404: the resource does not exist. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** 409: the request conflicts with the current state. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** 410: the application is archived. */
export class GoneError extends ApiError {
  override name = 'GoneError'
}

/** 412: the resource has changed since it was read (`ifMatch`). */
export class PreconditionError extends ApiError {
  override name = 'PreconditionError'
}

/** 422: the request is well-formed but cannot be processed. */
export class UnprocessableError extends ApiError {
  override name = 'UnprocessableError'
}

/** 429: too many requests. After waiting, the request can be retried. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}

/** 500 and above: the server or a proxy in front of it failed. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

/** The server ended a stream and gave a reason. */
export class StreamEndedError extends TollgateError {
  override name = 'StreamEndedError'
  /** Kind of the last event, such as `ended` or `dropped`. */
  readonly event: string | null
  /** Data of the last event. */
  readonly data: unknown
  /** ID after which a later call can resume. Null if the stream cannot be resumed. */
  readonly lastEventId: string | null

  constructor(
    operation: string,
    { data, event, id }: { data: unknown; event: string | null; id: string | null },
  ) {
    const said =
      isObject(data) && typeof data['message'] === 'string' ? data['message'] : 'No reason was given.'
    super(`${operation}: the server ended the stream (${event ?? 'an event'}). ${said}`)
    this.event = event
    this.data = data
    this.lastEventId = id
  }
}

/** A webhook delivery whose signature is not valid. Do not trust the delivery, and respond with 400. */
export class WebhookError extends TollgateError {
  override name = 'WebhookError'
  readonly reason:
    | 'missing_signature'
    | 'malformed_signature'
    | 'signature_expired'
    | 'wrong_signature'
    | 'invalid_body'

  constructor(reason: WebhookError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Returns the message of the error for a response that does not come from Tollgate. */
function foreignMessage({ body, headers, status }: AnswerFacts): string {
  // Browsers do not reveal the target of a redirect.
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = headers.get('location') ?? 'another address'
    return `The server redirects to ${to}, and redirects are not followed. Check baseUrl.`
  }
  const type = headers.get('content-type') ?? 'no content type'
  return `HTTP ${status}, and the response is not from Tollgate (${type}, ${body.length} characters).`
}

interface SaidError {
  readonly code: string | null
  readonly message: string | null
  readonly param: string | null
  readonly requestId: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** Returns the error object in the body. Null if the body contains no error of Tollgate. */
function errorIn(body: string): SaidError | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return null
  }
  const error = isObject(parsed) ? parsed['error'] : null
  if (!isObject(error)) return null
  const text = (name: string): string | null => {
    const value = error[name]
    return typeof value === 'string' ? value : null
  }
  const details = error['details']
  return {
    code: text('code'),
    message: text('message'),
    param: text('param'),
    requestId: text('requestId'),
    details: isObject(details) ? details : {},
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
