/**
 * Returns the innermost code of an error. The innermost code comes from the system, such as `ENOTFOUND`. Null if the
 * error has no code.
 */
export function systemCodeOf(cause: unknown): string | null {
  let found: string | null = null
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; depth++) {
    const code: unknown = Reflect.get(at, 'code')
    if (typeof code === 'string') found = code
    // If the connection to a name with several addresses fails, the error contains one error per address.
    at = at instanceof AggregateError ? at.errors.at(-1) : at.cause
  }
  return found
}
