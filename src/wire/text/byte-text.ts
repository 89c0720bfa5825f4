/**
 * Bytes as text: a string with one character per byte, 0 to 255 (latin-1).
 *
 * Bodies and chunks are scanned, spliced and forwarded in this form. A string of this form keeps every byte, and V8
 * stores strings where short-lived objects are cheap. A typed array needs a new allocation outside the heap each time.
 * With typed arrays, the garbage collector took a fifth of the gateway's CPU. With the encoding `latin1`, sockets write
 * such a string directly, together with the head.
 */
export type ByteText = string

const beyondAscii = /[\x80-\xff]/

/**
 * Maximum length of a text that a loop converts. The engine's conversion allocates outside the heap, and then takes a
 * quarter of a nanosecond per byte. `Buffer` is used only as a global converter and does no I/O here. Converting 31 MB
 * of `é` with one callback per byte took 5 s.
 */
const byHandMax = 256

/** Maximum length of a text that is searched for non-ASCII bytes. For longer text, the engine's own check is faster. */
const searchedMax = 4096

export function byteTextOf(text: string): ByteText {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

export const byteOrderMark: ByteText = '\xef\xbb\xbf'

/** Some servers write a byte order mark before a response. */
export function withoutByteOrderMark(bytes: ByteText): ByteText {
  return bytes.charCodeAt(0) === 0xef && bytes.startsWith(byteOrderMark) ? bytes.slice(3) : bytes
}

/** A byte order mark is kept, because the provider also reads it. */
export function textOf(bytes: ByteText): string {
  return hasBeyondAscii(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}

export function hasBeyondAscii(bytes: ByteText): boolean {
  // In UTF-8, each non-ASCII byte of the text becomes two bytes.
  return bytes.length > searchedMax
    ? Buffer.byteLength(bytes, 'utf8') > bytes.length
    : beyondAscii.test(bytes)
}

function isAscii(text: string): boolean {
  if (text.length > byHandMax) return Buffer.byteLength(text, 'utf8') === text.length
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}
