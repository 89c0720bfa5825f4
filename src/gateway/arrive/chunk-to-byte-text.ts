import type { ByteText } from '#wire/text/byte-text.ts'

/**
 * Returns a network chunk as byte text, a string with one character per byte. The text is a copy, because the
 * connection may overwrite its buffer.
 */
export function byteTextOfBytes(bytes: Uint8Array): ByteText {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('latin1')
}
