import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { countTokens, tokensOf } from './count-simulated-tokens.ts'

test.each([
  ['', []],
  ['Hello world', ['Hello', ' world']],
  ['simulator', ['simul', 'ator']],
  ['a  b', ['a', ' ', ' b']],
  [' \n', [' ', '\n']],
  ['naïve', ['na', 'ï', 've']],
  ['日本', ['日', '本']],
  [' 日', [' ', '日']],
  ['👍👍', ['👍', '👍']],
  ['\u0000x', ['\u0000', 'x']],
  ['\ud83d', ['\ud83d']],
])('%j', (text, tokens) => {
  expect(tokensOf(text)).toEqual(tokens)
})

test('joining the tokens of a text gives the text, the token count is exact, and a text never has more tokens than bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff))), (codes) => {
      const text = String.fromCharCode(...codes)
      const tokens = tokensOf(text)
      expect(tokens.join('')).toBe(text)
      expect(tokens).toHaveLength(countTokens(text))
      expect(tokens.length).toBeLessThanOrEqual(Buffer.byteLength(text))
    }),
  )
})

test('English text has about four characters per token', () => {
  const text =
    'The service sits between a product and the model providers. Its end users call a gateway under names ' +
    'that the customer chooses, and every request is metered against the balance of one person.'
  expect(text.length / countTokens(text)).toBeGreaterThan(3.5)
  expect(text.length / countTokens(text)).toBeLessThan(5)
})

test('counting a long text without spaces takes time in proportion to its length', () => {
  // Ordinary tokenizers take seconds for this text (docs/reference/tokens.md "Tokenizers").
  expect(countTokens('a'.repeat(1_000_000))).toBe(200_000)
})
