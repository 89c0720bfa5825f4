import { parseValue, type JsonValue } from '#wire/text/json-values.ts'

/** Invalid JSON is kept as a string. No tool's schema accepts a string, so clients run no tool with such an input. */
export function inputOf(text: string): JsonValue {
  if (text === '') return {}
  try {
    return parseValue(text)
  } catch {
    return text
  }
}
