import { expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { canReportOfNumber, namesOfCanReport, numberOfCanReport } from './reportable-dimensions-as-number.ts'

it('each combination of flags has its own number, and the number is converted back to the same flags', () => {
  const all = Array.from({ length: 16 }, (_, number) => canReportOfNumber(number))
  expect(all.map(numberOfCanReport)).toEqual(all.map((_, number) => number))
  expect(new Set(all.map((can) => JSON.stringify(can))).size).toBe(16)
  for (const wrong of [-1, 16, 0.5]) expect(() => canReportOfNumber(wrong)).toThrow(MoneyBroken)
})

it('each flag in the number belongs to the dimension of the same name', () => {
  expect(namesOfCanReport(canReportOfNumber(0))).toEqual([])
  expect(namesOfCanReport(canReportOfNumber(9))).toEqual(['cacheWrite', 'imageOutput'])
})
