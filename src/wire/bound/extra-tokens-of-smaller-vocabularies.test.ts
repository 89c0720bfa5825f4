import { expect, it } from 'vitest'
import { surplusTokens } from './extra-tokens-of-smaller-vocabularies.ts'

it.each([
  ['no digits, no runs', 0, 0],
  ['7 of 42', 1, 1],
  ['123456789', 6, 6],
  ['é and 漢 and 😀', 0, 5],
  ['-'.repeat(7), 0, 0],
  ['-'.repeat(80), 10, 10],
  ['a\n' + '\n'.repeat(16), 3, 3],
])(
  '%j has %i surplus tokens, or %i if the vocabulary has few tokens for other scripts',
  (text, multilingual, latin) => {
    expect(surplusTokens(text, true)).toBe(multilingual)
    expect(surplusTokens(text, false)).toBe(latin)
  },
)

it('counting the surplus tokens takes linear time', () => {
  for (const piece of ['1', '-', 'a', '漢', '1-', '\ud83d'])
    expect(surplusTokens(piece.repeat(200_000), false)).toBeGreaterThanOrEqual(0)
})
