/**
 * Decodes UTF-8, or UTF-16 if the bytes begin with a byte order mark of UTF-16, as in files that Windows PowerShell
 * writes. Byte order marks are removed.
 */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}
