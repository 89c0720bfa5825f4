import type { ByteText } from '#wire/text/byte-text.ts'

/** A quarter of a second of silence, at 8,000 bytes per second, for probes of accounts and previews of routes. */
export const silence: ByteText =
  'RIFF\xf4\x07\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\xd0\x07\0\0' +
  '\x80'.repeat(2_000)
