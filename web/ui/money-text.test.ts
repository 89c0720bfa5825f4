import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microsOfText, microsText, moneyText, typedDollars } from './money-text.ts'

const amounts = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })

describe('an amount as text', () => {
  it('the text contains every digit of the amount, and at most six decimals', () => {
    fc.assert(
      fc.property(amounts, (micros) => {
        const text = moneyText(micros)
        expect(text).toMatch(/^\u2212?\$\d{1,3}(,\d{3})*\.\d\d(\d{0,3}[1-9])?$/)
        expect(microsOfText(text.replace('\u2212$', '\u2212'))).toBe(String(micros))
      }),
    )
  })

  it.each([
    [0n, '$0.00'],
    [277n, '$0.000277'],
    [-1n, '\u2212$0.000001'],
    [1_234_567_891_234n, '$1,234,567.891234'],
    [250_000n, '$0.25'],
  ])('an amount of %s micros is shown as %s', (micros, text) => {
    expect(moneyText(micros)).toBe(text)
  })

  it('a plus sign is added to positive amounts', () => {
    expect([5n, 0n, -5n].map((micros) => moneyText(micros, { sign: true }))).toEqual([
      '+$0.000005',
      '$0.00',
      '\u2212$0.000005',
    ])
  })
})

describe('a typed amount', () => {
  it('an amount that was converted to text for a field is read back unchanged', () => {
    fc.assert(
      fc.property(amounts, (micros) => {
        expect(microsOfText(typedDollars(micros))).toBe(String(micros))
      }),
    )
  })

  it.each([
    ['20', '20000000'],
    ['$20.5', '20500000'],
    [' 1,000 ', '1000000000'],
    ['.25', '250000'],
    ['-3', '-3000000'],
    ['1000.000001', '1000000001'],
  ])('the text %s is read as %s micros', (text, micros) => {
    expect(microsOfText(text)).toBe(micros)
  })

  it.each(['', '.', '$', '1e3', '0x10', '1.0000001', '1,00', '1 000', 'NaN', '--1', '€5'])(
    'the text %j is rejected as an amount',
    (text) => {
      expect(microsOfText(text)).toBeNull()
    },
  )
})

it('an amount in micros is shown with the unit micros', () => {
  expect([1n, 1234567n, -2n].map((one) => microsText(one))).toEqual([
    '1 micro',
    '1\u2009234\u2009567 micros',
    '\u22122 micros',
  ])
})
