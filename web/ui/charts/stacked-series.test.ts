import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stack } from './stacked-series.ts'

describe('stacked values', () => {
  it('gains are stacked upward and losses downward from zero, each part as long as its value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })), {
          minLength: 1,
          maxLength: 8,
        }),
        (values) => {
          const parts = stack(values.map((value, n) => ({ key: `${n}`, name: '', values: [value] })))
          let above = 0n
          let below = 0n
          for (const [n, value] of values.entries()) {
            const part = parts[n]?.[0] ?? null
            if (value === null) {
              expect(part).toBeNull()
              continue
            }
            expect(part).toEqual(
              value < 0n ? { from: below, to: below + value } : { from: above, to: above + value },
            )
            if (value < 0n) below += value
            else above += value
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
