import { expect, it } from 'vitest'
import { creditsText } from './credits-text.ts'

it('millionths of a credit are shown as credits with every digit', () => {
  for (const [millionths, text] of [
    ['1000000', '1 credit'],
    ['1500000', '1.5 credits'],
    ['1', '0.000001 credits'],
    ['0', '0 credits'],
    ['-2000000', '-2 credits'],
    ['12.5', '0.0000125 credits'],
    ['10000000000', '10000 credits'],
    ['unknown', 'unknown'],
  ] as const) {
    expect(creditsText(millionths)).toBe(text)
  }
})
