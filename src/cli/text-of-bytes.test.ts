import { expect, it } from 'vitest'
import { textOf } from './text-of-bytes.ts'

it('text in UTF-8 and UTF-16 is decoded, without a byte order mark', () => {
  const little = Buffer.from('\ufeff{"ü":1}\r\n', 'utf16le')
  expect(textOf(little)).toBe('{"ü":1}\r\n')
  expect(textOf(Buffer.from(little).swap16())).toBe('{"ü":1}\r\n')
  for (const text of ['{"ü":1}', '\ufeff{"ü":1}']) expect(textOf(Buffer.from(text))).toBe('{"ü":1}')
  expect(textOf(new Uint8Array())).toBe('')
})
