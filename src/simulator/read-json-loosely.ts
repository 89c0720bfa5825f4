/** The functions of this file read parsed JSON of any shape and never throw. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object, and otherwise an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the objects in a list. Empty if the value is not a list. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Returns the non-empty strings in a list. A single string becomes a list of one. */
export function stringsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((text) => typeof text === 'string').filter((text) => text !== '')
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Returns whether the value is an integer of at least `min`. */
export function isWhole(value: unknown, min = 1): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min
}

/** Returns the joined texts of a list of parts. A plain string is returned unchanged. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const texts = objectsOf(value).map(({ text }) => text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}
