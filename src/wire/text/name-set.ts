/** Names of fields, written one after the other with blanks between them. */
export function nameSet(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/))
}
