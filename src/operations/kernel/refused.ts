import { Failure, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'

/**
 * An operation's rejection as a value. Its code is part of the type, so the compiler requires it in the operation's
 * list of errors. The operation's writes are rolled back.
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
 * @param details fill the `{names}` of the table's sentence and are shown to the caller
 * @param param the field at fault, as the caller wrote it
 */
export function refused<Code extends ErrorCode>(
  code: Code,
  details: ErrorDetails = {},
  param: string | null = null,
): Refused<Code> {
  return new Refused(code, new Failure(code, details, param === null ? {} : { param }))
}
