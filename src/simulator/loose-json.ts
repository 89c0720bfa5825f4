/** Reads any JSON that a client sent. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the object, or an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the objects of a list. Empty for any other value. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Returns the non-empty strings of a list, or a single string as a list. */
export function stringsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((text) => typeof text === 'string').filter((text) => text !== '')
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns true for an integer of at least `min`. */
export function isWhole(value: unknown, min = 1): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min
}

/** Returns the texts of a list of parts, or a plain string unchanged. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const texts = objectsOf(value).map(({ text }) => text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}
