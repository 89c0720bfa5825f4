import { expect, test } from 'vitest'
import { openSeal, sealOf } from './sign-simulated-thoughts.ts'

test('a signature contains the thoughts that it signs, even if they are empty', () => {
  for (const thoughts of ['', 'why é 🙂 "quoted"']) {
    expect(openSeal('signature', sealOf('signature', thoughts))).toBe(thoughts)
  }
})

test('a signature is base64 without padding, and the same in both base64 alphabets', () => {
  for (const thoughts of ['', '??>>~~', 'a', 'ab', 'why é 🙂', '\u0000\u007f']) {
    const seal = sealOf('encrypted', thoughts)
    expect(seal).toMatch(/^[A-Za-z0-9]+$/)
    expect(Buffer.from(seal, 'base64').toString('base64')).toBe(seal)
    expect(Buffer.from(seal, 'base64url').toString('base64url')).toBe(seal)
  }
})

test.each([
  ['of another kind', sealOf('thought', 'why')],
  ['with another text', reworded(sealOf('signature', 'why'))],
  ['cut short', sealOf('signature', 'why').slice(0, -1)],
  ['with something behind it', `${sealOf('signature', 'why')}AAAA`],
  ['with a word before it', `dGcx${sealOf('signature', 'why')}`],
  ['decoded from base64', Buffer.from(sealOf('signature', 'why'), 'base64').toString()],
  ['of nobody', 'EqQBCkgIBxABGAIiQL'],
  ['that is no text', 5],
])('the simulator rejects a signature that is %s', (_, seal) => {
  expect(openSeal('signature', seal)).toBeNull()
})

function reworded(seal: string): string {
  const text = Buffer.from(seal, 'base64').toString()
  return Buffer.from(text.replace('d2h5', 'd2ho')).toString('base64')
}
