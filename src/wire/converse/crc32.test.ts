import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from './crc32.ts'

test('the checksum equals zlib’s checksum, and the published check value', () => {
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array())).toBe(0)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => crc32(bytes) === zlibCrc32(bytes)))
})
