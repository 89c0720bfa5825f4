/** What calls throw. */
import type { ErrorCode } from './generated/error-code.ts'

/** Everything that this package throws of its own. */
export class TollgateError extends Error {
  override name = 'TollgateError'
}

/** There was no whole answer: no connection, or one that broke. Its `cause` says how. */
export class ConnectionError extends TollgateError {
  override name = 'ConnectionError'
}

/** There was no whole answer in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** The call was cancelled by its `signal`, whose reason is the `cause`. */
export class CancelledError extends TollgateError {
  /** As every cancelled operation of the platform is called. */
  override name = 'AbortError'
}

/** What an error knows of the answer that it was made of. */
export interface AnswerFacts {
  readonly status: number
  readonly requestId: string | null
  readonly headers: Headers
  /** The body as text. */
  readonly body: string
}

/** A success that cannot be read: it is no JSON, it is cut off, or its pages go round in a circle. */
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

/** A refusal or a failure that the server, or something in front of it, answered. */
export class ApiError extends TollgateError implements AnswerFacts {
  override name = 'ApiError'
  readonly status: number
  /** Stable; what programs look at. Null: the answer is not one of Tollgate, but of a proxy, say. */
  readonly code: ErrorCode | (string & {}) | null
  /** Quote it when you report the error. */
  readonly requestId: string | null
  /** The field at fault, as it was sent. */
  readonly param: string | null
  /** The numbers and names in the message. */
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

/** 400: the request is wrong. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError'
}

/** 401: there is no credential, or it is not valid here. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}

/** 402: there is no money for it. Waiting never helps. */
export class PaymentRequiredError extends ApiError {
  override name = 'PaymentRequiredError'
}

/** 403: the credential may not do this. */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}

/** 404: there is no such thing. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** 409: something else stands in its way. */
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

/** 422: the request is well-formed, and cannot be taken. */
export class UnprocessableError extends ApiError {
  override name = 'UnprocessableError'
}

/** 429: too many at once, or too fast. Waiting helps. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}

/** 500 and above: a fault of the server, or of what is in front of it. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

/** A stream that the server has ended, and its reason. */
export class StreamEndedError extends TollgateError {
  override name = 'StreamEndedError'
  /** Kind of the last event, such as `ended` or `dropped`. */
  readonly event: string | null
  /** What that event says. */
  readonly data: unknown
  /** Where a later call can go on; null: nowhere. */
  readonly lastEventId: string | null

  constructor(
    operation: string,
    { data, event, id }: { data: unknown; event: string | null; id: string | null },
  ) {
    const said =
      isObject(data) && typeof data['message'] === 'string' ? data['message'] : 'It does not say why.'
    super(`${operation}: the server ended the stream (${event ?? 'an event'}). ${said}`)
    this.event = event
    this.data = data
    this.lastEventId = id
  }
}

/** A delivery that must not be trusted. Answer it with 400. */
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

/** Of an answer that is not one of Tollgate. */
function foreignMessage({ body, headers, status }: AnswerFacts): string {
  // Browsers tell of a redirect nothing but that it is one.
  if (status === 0 || (status >= 300 && status < 400)) {
    const to = headers.get('location') ?? 'another address'
    return `A redirect to ${to}, which is not followed; check baseUrl.`
  }
  const type = headers.get('content-type') ?? 'no content type'
  return `HTTP ${status} without an error of Tollgate (${type}, ${body.length} characters).`
}

interface SaidError {
  readonly code: string | null
  readonly message: string | null
  readonly param: string | null
  readonly requestId: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** Null: the body holds no error of Tollgate. */
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
