/** These functions read parsed JSON of any shape and never throw. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Drops empty strings. A single string becomes a list of one. */
export function stringsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((text) => typeof text === 'string').filter((text) => text !== '')
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function isWhole(value: unknown, min = 1): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const texts = objectsOf(value).map(({ text }) => text)
  return texts.filter((text) => typeof text === 'string').join('\n')
}
