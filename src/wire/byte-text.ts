/**
 * Bytes as text: a string with one character per byte, 0 to 255 (latin-1).
 *
 * Bodies and chunks are scanned, spliced and passed on in this form. It keeps every byte, and V8 keeps
 * it where short-lived things are cheap: a typed array costs an allocation outside the heap each time,
 * and with them a fifth of the gateway's CPU was the garbage collector. Sockets take it as it is, with
 * encoding `latin1`, in one write with the head.
 */
export type ByteText = string

const encoder = new TextEncoder()
// A byte order mark is a character like any other: a decoder that drops it reads `\ufeffmax_tokens` as
// a maximum that the provider never sees.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const beyondAscii = /[\x80-\xff]/

/** Text -> its UTF-8 bytes. */
export function byteTextOf(text: string): ByteText {
  // eslint's no-control-regex has it that \x00 is a mistake; here it is the range of ASCII.
  if (isAscii(text)) return text
  let out = ''
  for (const byte of encoder.encode(text)) out += String.fromCharCode(byte)
  return out
}

/** UTF-8 bytes -> text. */
export function textOf(bytes: ByteText): string {
  if (!beyondAscii.test(bytes)) return bytes
  return decoder.decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)))
}

export function hasBeyondAscii(bytes: ByteText): boolean {
  return beyondAscii.test(bytes)
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}
