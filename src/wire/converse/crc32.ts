/** Returns the CRC-32 (ISO 3309, as in gzip) as an unsigned number. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1
  // An iterator would take ten times as long as an index.
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0)
  return ~crc >>> 0
}

const reversedPolynomial = 0xedb88320

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++)
    remainder = (remainder & 1) === 0 ? remainder >>> 1 : (remainder >>> 1) ^ reversedPolynomial
  return remainder
})
