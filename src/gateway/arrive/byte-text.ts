import type { ByteText } from '#wire/text/byte-text.ts'

/** A chunk of the network as byte text. A copy, so the connection may overwrite its buffer. */
export function byteTextOfBytes(bytes: Uint8Array): ByteText {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('latin1')
}
