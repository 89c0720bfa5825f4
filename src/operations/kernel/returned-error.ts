import { Failure, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'

/**
 * An error that an operation returns as a value. Its code is part of the type, so the compiler checks that the
 * operation lists the code among its errors. The operation's writes are rolled back.
 */
export class Refused<Code extends ErrorCode> {
  readonly code: Code
  readonly failure: Failure

  constructor(code: Code, failure: Failure) {
    this.code = code
    this.failure = failure
  }
}

/**
 * @param details the values for the `{names}` in the error's sentence, which are also shown to the caller
 * @param param the invalid field, as the caller wrote it
 */
export function refused<Code extends ErrorCode>(
  code: Code,
  details: ErrorDetails = {},
  param: string | null = null,
): Refused<Code> {
  return new Refused(code, new Failure(code, details, param === null ? {} : { param }))
}
