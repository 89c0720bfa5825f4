/** The store may have wrapped the error. */
export function isReadOnlyError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /read-?only/i.test(error.message) || isReadOnlyError(error.cause)
}
