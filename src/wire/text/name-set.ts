/** A set of field names, written with blanks between them. */
export function nameSet(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/))
}
