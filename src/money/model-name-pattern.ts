/**
 * Alias patterns for bundles and pools: an exact name, a prefix with a trailing `*`, or a bare `*`. Patterns are never
 * regular expressions, because customers read them and every request is matched against them.
 */

const nameLengthMax = 128

/** Names are case-sensitive. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (!pattern.endsWith('*')) return pattern === name
  return name.startsWith(pattern.slice(0, -1))
}

/** `deny` overrides `allow`, and an empty `allow` list allows nothing. */
export function isAllowed(name: string, allow: readonly string[], deny: readonly string[]): boolean {
  return !matchesAny(deny, name) && matchesAny(allow, name)
}

export function matchesAny(patterns: readonly string[], name: string): boolean {
  for (const pattern of patterns) {
    if (matchesPattern(pattern, name)) return true
  }
  return false
}

/** The error text is shown to the author of the pattern. Null if the pattern is valid. */
export function patternFault(pattern: string): string | null {
  const isPrefix = pattern.endsWith('*')
  const name = isPrefix ? pattern.slice(0, -1) : pattern
  if (name === '') return isPrefix ? null : 'a pattern is not empty'
  if (name.length > nameLengthMax) return `a pattern has at most ${nameLengthMax} characters`
  if (name.includes('*')) return 'a * may only be at the end'
  if (!/^[a-z0-9]/.test(name)) return 'a pattern starts with a-z or 0-9'
  if (!/^[a-z0-9._:/-]*$/.test(name)) return 'a pattern has only a-z, 0-9 and . _ : / -'
  return null
}
