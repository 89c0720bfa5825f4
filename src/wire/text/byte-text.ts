/**
 * Bytes as text: a string with one character per byte, 0 to 255 (latin-1).
 *
 * Bodies and chunks are scanned, spliced and forwarded in this form. This form keeps every byte, and V8 stores such
 * strings where short-lived objects are cheap. A typed array needs an allocation outside the heap each time. With typed
 * arrays, the garbage collector took a fifth of the gateway's CPU. Sockets accept this form directly, with encoding
 * `latin1`, in one write with the head.
 */
export type ByteText = string

const beyondAscii = /[\x80-\xff]/

/**
 * Maximum length of a text that is converted by a loop. Longer text uses the engine's own conversion, which costs an
 * allocation outside the heap and then a quarter of a nanosecond per byte. `Buffer` here is a global converter and does
 * no I/O. With one callback per byte, 31 MB of `é` took 5 s.
 */
const byHandMax = 256

/** Maximum length of a text that is searched for non-ASCII bytes. For longer text, the engine's own check is faster. */
const searchedMax = 4096

/** Converts text to its UTF-8 bytes. */
export function byteTextOf(text: string): ByteText {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** The UTF-8 byte order mark. */
export const byteOrderMark: ByteText = '\xef\xbb\xbf'

/** Returns the bytes without a leading byte order mark, which some servers write before a response. */
export function withoutByteOrderMark(bytes: ByteText): ByteText {
  return bytes.charCodeAt(0) === 0xef && bytes.startsWith(byteOrderMark) ? bytes.slice(3) : bytes
}

/** Converts UTF-8 bytes to text. A byte order mark is kept, because the provider reads it, too. */
export function textOf(bytes: ByteText): string {
  return hasBeyondAscii(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}

export function hasBeyondAscii(bytes: ByteText): boolean {
  // Whether a byte is not ASCII: the conversion to UTF-8 would write such a byte as two bytes.
  return bytes.length > searchedMax
    ? Buffer.byteLength(bytes, 'utf8') > bytes.length
    : beyondAscii.test(bytes)
}

function isAscii(text: string): boolean {
  if (text.length > byHandMax) return Buffer.byteLength(text, 'utf8') === text.length
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}
