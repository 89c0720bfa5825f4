/**
 * Bytes as text: a string with one character per byte, 0 to 255 (latin-1).
 *
 * Bodies and chunks are scanned, spliced and passed on in this form. It keeps every byte, and V8 keeps it where
 * short-lived objects are cheap: a typed array costs an allocation outside the heap each time, and with them the
 * garbage collector took a fifth of the gateway's CPU. Sockets take it as is, with encoding `latin1`, in one write
 * with the head.
 */
export type ByteText = string

const beyondAscii = /[\x80-\xff]/

/**
 * Up to here a text is walked by hand; a longer one goes to the engine's own conversion, which costs an allocation
 * outside the heap and then a quarter of a nanosecond a byte. `Buffer` is no I/O here: a global that converts. With
 * one callback a byte, 31 MB of `é` took 5 s.
 */
const byHandMax = 256

/** Beyond it the engine's own check of a text is faster than a search, even one that ends soon. */
const searchedMax = 4096

/** Text -> its UTF-8 bytes. */
export function byteTextOf(text: string): ByteText {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** The UTF-8 byte order mark. */
export const byteOrderMark: ByteText = '\xef\xbb\xbf'

/** Returns the bytes without one leading byte order mark, which some servers write before an answer. */
export function withoutByteOrderMark(bytes: ByteText): ByteText {
  return bytes.charCodeAt(0) === 0xef && bytes.startsWith(byteOrderMark) ? bytes.slice(3) : bytes
}

/** UTF-8 bytes -> text. A byte order mark stays: nothing that a provider reads is dropped. */
export function textOf(bytes: ByteText): string {
  return hasBeyondAscii(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}

export function hasBeyondAscii(bytes: ByteText): boolean {
  // A byte beyond ASCII would become two.
  return bytes.length > searchedMax
    ? Buffer.byteLength(bytes, 'utf8') > bytes.length
    : beyondAscii.test(bytes)
}

function isAscii(text: string): boolean {
  if (text.length > byHandMax) return Buffer.byteLength(text, 'utf8') === text.length
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}
