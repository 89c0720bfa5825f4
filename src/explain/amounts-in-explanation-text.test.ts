import { expect, it } from 'vitest'
import { exactDollars, inDollars, spaced } from './amounts-in-explanation-text.ts'
import { moneyText } from '#cli/output/dollars-and-micros.ts'
import { moneyText as moneyOnPages } from '#web/ui/money-text.ts'

it("amounts in the server's sentences are converted to dollars, and every other number is kept", () => {
  expect(inDollars('Charged 277 of 450 micros held. The request waited 40 ms.', moneyText)).toBe(
    'Charged $0.000277 of $0.00045 held. The request waited 40 ms.',
  )
  expect(inDollars('needs 450 micros and 20 are available in 2026', moneyText)).toBe(
    'needs $0.00045 and $0.00002 are available in 2026',
  )
  expect(inDollars('-5 micros', moneyText)).toBe('-$0.000005')
})

it('every digit of an exact amount is kept in the conversion to dollars', () => {
  expect(exactDollars('7.5', moneyText)).toBe('$0.0000075')
  expect(exactDollars('12', moneyText)).toBe('$0.000012')
  expect(exactDollars('1234567.000000001', moneyText)).toBe('$1.234567000000001')
  expect(exactDollars('unknown', moneyText)).toBe('unknown')
  const amounts = ['3691.2', '0', '277', '1234567890.5', '-20', '0.000001']
  expect(amounts.map((amount) => exactDollars(amount, moneyOnPages))).toEqual([
    '$0.0036912',
    '$0.00',
    '$0.000277',
    '$1,234.5678905',
    '\u2212$0.00002',
    '$0.000000000001',
  ])
})

it('API names are split into words', () => {
  expect([spaced('key_cap'), spaced('cacheWriteLong'), spaced('webSearches')]).toEqual([
    'key cap',
    'cache write long',
    'web searches',
  ])
})
