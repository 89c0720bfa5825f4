import type { ByteText } from '#wire/text/byte-text.ts'

/** Copies the bytes, because the connection may overwrite its buffer. */
export function byteTextOfBytes(bytes: Uint8Array): ByteText {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('latin1')
}
