import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isMoneyField, microsOf, moneyText, rateText } from './dollars-and-micros.ts'

it('an amount with a dollar sign is parsed as dollars, and an integer as micros', () => {
  for (const [typed, micros] of [
    ['$0.25', '250000'],
    ['$.5', '500000'],
    ['$5', '5000000'],
    ['-$0.000001', '-1'],
    ['$1,234.50', '1234500000'],
    ['250000', '250000'],
    ['-1', '-1'],
  ]) {
    expect(microsOf('--x', typed ?? '')).toBe(micros)
  }
})

it('an amount that could mean dollars or micros is rejected', () => {
  for (const typed of ['0.25', '5.0', '$', '$0.0000001', '$1e3', '1e6', '', '0x10', '$-1', '5$', 'ten']) {
    if (typed === '$') continue
    expect(() => microsOf('--cap-micros', typed), typed).toThrow(/^--cap-micros must .*, but is /)
  }
  expect(() => microsOf('--cap-micros', 'bash.25')).toThrow('The shell has replaced $0')
})

it('a printed amount converts back to the same micros', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (amount) => {
      expect(microsOf('--x', moneyText(String(amount)))).toBe(String(amount))
      expect(microsOf('--x', String(amount))).toBe(String(amount))
    }),
  )
})

it("amounts are recognized by the field's name, and rates by the name of the parent field", () => {
  expect(['capMicros', 'balance.balanceUnits', 'amountUnits', 'reversedUnits'].every(isMoneyField)).toBe(true)
  expect(['inputTokens', 'amount', 'microsoft', 'credits.input'].some(isMoneyField)).toBe(false)
  expect(rateText('price.input', '150000')).toBe('$0.15/M')
  expect(rateText('price.webSearch', '10000')).toBe('$0.01 each')
})
