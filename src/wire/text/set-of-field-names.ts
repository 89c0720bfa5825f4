/** Returns a set of the field names in the text, which are separated by white space. */
export function nameSet(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/))
}
