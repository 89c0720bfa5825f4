import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvLine } from '#safe-text/csv.ts'
import { dollarsCell } from './csv-amounts.ts'

it('dollars in a CSV file are exact to the micro', () => {
  expect(
    ['0', '277', '-277', '1000000', '-12345678'].map((micros) => csvLine([dollarsCell(micros)])),
  ).toEqual(['0.000000\r\n', '0.000277\r\n', '-0.000277\r\n', '1.000000\r\n', '-12.345678\r\n'])
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (micros) => {
      expect(
        BigInt(
          csvLine([dollarsCell(micros)])
            .trim()
            .replace('.', ''),
        ),
      ).toBe(micros)
    }),
  )
})
