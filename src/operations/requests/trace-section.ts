/** A phase of a request, as JSON. */
export type Section = Record<string, unknown>

/** Returns a traced amount. A value that is no amount counts as 0. */
export function bigintOf(value: unknown): bigint {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : 0n
}

export function sectionsIn(value: unknown): Section[] {
  return Array.isArray(value) ? value.filter(isSection) : []
}

export function sectionOf(traced: unknown): Section | null {
  return isSection(traced) ? traced : null
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a traced text. Empty if the value is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
