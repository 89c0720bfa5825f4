/** One phase of a call, as JSON. */
export type Section = Record<string, unknown>

/** A traced amount; what is no amount counts as nothing. */
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

/** A traced text; empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
