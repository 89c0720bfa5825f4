import type { ByteText } from './byte-text.ts'

/** A string with fewer bytes is always treated as text. */
export const dataBytesMin = 4096
/**
 * Minimum average distance between escapes in base64. Some clients write `/` as `\/` or insert line breaks, so base64
 * may have escapes. A string that consists mostly of escapes is text.
 */
export const bytesPerEscape = 32
/** Base64 under any other key is text, because a model may read it as text. */
const mediaKeys = [
  'data',
  'url',
  'image',
  'image_url',
  'file_data',
  'document_url',
  'file_url',
  'input_audio',
  'result',
  'bytes',
] as const

export function isMediaName(text: ByteText, start: number, end: number): boolean {
  return mediaKeys.some((name) => name.length === end - start && text.startsWith(name, start))
}

/** A character that occurs neither in base64 nor in base64url. */
const dataBreak = /[^A-Za-z0-9+/=_-]/g

/** Returns the position where base64 or base64url ends, at most `to`. */
export function dataEnd(text: ByteText, from: number, to: number): number {
  const at = from + decodableBytes(text, from, to)
  dataBreak.lastIndex = 0
  return dataBreak.test(text.slice(at, to)) ? at + dataBreak.lastIndex - 1 : to
}

const decoded = Buffer.allocUnsafeSlow(48 * 1024)
/** Four characters encode three bytes. */
const decodedBytesMax = (decoded.length / 3) * 4

/**
 * Returns how many bytes after `from` are certainly base64, because they can be decoded. Decoding takes a twentieth of
 * the time of a search for the end of the base64. The decoder skips invalid characters, so a piece that decodes to too
 * few bytes is not base64.
 */
function decodableBytes(text: ByteText, from: number, to: number): number {
  let at = from
  while (to - at >= decodedBytesMax) {
    if (decoded.write(text.slice(at, at + decodedBytesMax), 'base64') < decoded.length) break
    at += decodedBytesMax
  }
  return at - from
}
