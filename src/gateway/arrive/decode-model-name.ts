/** Decodes once, so `%2525` becomes `%25`. Null if the result is not valid text. */
export function decodedName(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
