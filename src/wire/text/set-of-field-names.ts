/** The names are separated by white space. */
export function nameSet(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/))
}
