import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvOf, dollarsCell } from './csv.ts'

it('threat 101: escapes text that a spreadsheet would run as a formula', () => {
  for (const text of [
    '=HYPERLINK("http://evil")',
    '+1+1',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '＝1',
    "'=1",
  ]) {
    expect(csvOf([[text]]).startsWith(`"'`), text).toBe(true)
  }
  expect(csvOf([['-0.5', 'a"b', 'c;d']])).toBe('"-0.5","a""b","c;d"\r\n')
})

it('writes micros as dollars with six decimals', () => {
  expect(['0', '277', '-277', '1000000', '-12345678'].map(dollarsCell)).toEqual([
    '0.000000',
    '0.000277',
    '-0.000277',
    '1.000000',
    '-12.345678',
  ])
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (micros) => {
      expect(BigInt(dollarsCell(micros).replace('.', ''))).toBe(micros)
    }),
  )
})
