import { expect, test } from 'vitest'
import { openSeal, sealOf } from './seals.ts'

test('a seal opens to what it was put on, also when that is nothing', () => {
  for (const thoughts of ['', 'why é 🙂 "quoted"']) {
    expect(openSeal('signature', sealOf('signature', thoughts))).toBe(thoughts)
  }
})

test('a seal is text that stands in any JSON and any id', () => {
  expect(sealOf('encrypted', '??>>~~')).toMatch(/^[\w.-]+$/)
})

test.each([
  ['of another kind', sealOf('thought', 'why')],
  ['with another text', sealOf('signature', 'why').replace('d2h5', 'd2ho')],
  ['cut short', sealOf('signature', 'why').slice(0, -1)],
  ['with something behind it', `${sealOf('signature', 'why')}.x`],
  ['with a word before it', `tg1.${sealOf('signature', 'why')}`],
  ['of nobody', 'EqQBCkgIBxABGAIiQL'],
  ['that is no text', 5],
])('one %s does not open', (_, seal) => {
  expect(openSeal('signature', seal)).toBeNull()
})
