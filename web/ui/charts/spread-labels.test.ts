import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spreadLabels } from './spread-labels.ts'

describe('the positions of labels', () => {
  it('labels do not overlap, stay inside the chart and keep the order of their lines; if they do not fit, the result is null', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 350 }), { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 20, max: 300 }),
        (wanted, to) => {
          const places = spreadLabels(wanted, { from: 0, to, gap: 16 })
          expect(places === null).toBe((wanted.length - 1) * 16 > to)
          if (!places) return
          const order = wanted.map((at, n) => ({ at, place: places[n] ?? NaN }))
          order.sort((a, b) => a.at - b.at || a.place - b.place)
          for (const [n, { place }] of order.entries()) {
            expect(place).toBeGreaterThanOrEqual(0)
            expect(place).toBeLessThanOrEqual(to)
            if (n > 0) expect(place - (order[n - 1]?.place ?? 0)).toBeGreaterThanOrEqual(16)
          }
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('labels that have enough space do not move', () => {
    expect(spreadLabels([40, 10, 80], { from: 0, to: 100, gap: 16 })).toEqual([40, 10, 80])
  })
})
