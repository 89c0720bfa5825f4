import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeUserCode, readUserCode } from './device-sign-in-code.ts'

test('a code has eight consonants that cannot be mistaken for each other', () => {
  for (let draw = 0; draw < 2_000; draw++) {
    expect(makeUserCode({ randomByte: () => randomInt(256) })).toMatch(
      /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/,
    )
  }
})

test('every letter of a code is equally likely, because byte values from 240 are skipped', () => {
  const counts = new Map<string, number>()
  for (let byte = 0; byte < 240; byte++) {
    const [letter = ''] = makeUserCode({ randomByte: () => byte })
    counts.set(letter, (counts.get(letter) ?? 0) + 1)
  }
  expect([...counts.values()]).toEqual(Array.from({ length: 20 }, () => 12))
  const bytes = [240, 255, ...Array.from({ length: 8 }, () => 0)]
  expect(makeUserCode({ randomByte: () => bytes.shift() ?? 0 })).toBe('BBBB-BBBB')
})

test('a code is accepted in any spelling, and other texts are rejected', () => {
  for (const typed of ['WDJB-MJHT', 'wdjbmjht', ' wdjb mjht ', 'w-d-j-b-m-j-h-t']) {
    expect(readUserCode(typed)).toBe('WDJB-MJHT')
  }
  for (const typed of ['', 'WDJB-MJH', 'WDJB-MJHTT', 'WDJB-MJHA', 'WDJB_MJHT', 'ＷDJB-MJHT', '12345678']) {
    expect(readUserCode(typed)).toBeNull()
  }
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (typed) => {
      const code = readUserCode(typed)
      if (code !== null) expect(readUserCode(code)).toBe(code)
    }),
  )
})
