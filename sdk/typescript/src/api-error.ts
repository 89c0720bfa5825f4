import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  GoneError,
  NotFoundError,
  PaymentRequiredError,
  PermissionError,
  PreconditionError,
  RateLimitError,
  ServerError,
  UnprocessableError,
  type AnswerFacts,
} from './errors.ts'

/** Returns the error for an unsuccessful response. The status of the response determines the class of the error. */
export function apiError(facts: AnswerFacts): ApiError {
  const Kind = byStatus[facts.status] ?? (facts.status >= 500 ? ServerError : ApiError)
  return new Kind(facts)
}

const byStatus: Readonly<Record<number, new (facts: AnswerFacts) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionError,
  422: UnprocessableError,
  429: RateLimitError,
}
