/** Decodes the name once, so that `%2525` becomes `%25`. Null if the decoded name is not valid text. */
export function decodedName(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
