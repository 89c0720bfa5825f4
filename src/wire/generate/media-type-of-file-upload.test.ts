import { expect, it } from 'vitest'
import { isMediaType } from './file-upload.ts'

it('a media type has a limited length, because the ID of an upload contains it', () => {
  expect(isMediaType.test(`text/plain; ${'a'.repeat(32)}=utf-8`)).toBe(true)
  expect(isMediaType.test(`text/plain; ${'a'.repeat(33)}=utf-8`)).toBe(false)
})
