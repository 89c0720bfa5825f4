import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { niceTicks, tickLabels } from './nice-ticks.ts'

/** An axis with these labels must not repeat a label. */
const cents = (micros: bigint): string => {
  const rounded = (micros < 0n ? micros - 5000n : micros + 5000n) / 10_000n
  const digits = String(rounded < 0n ? -rounded : rounded).padStart(3, '0')
  return `${rounded < 0n ? '-' : ''}$${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const someMicros = fc.array(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), {
  minLength: 1,
  maxLength: 20,
})

describe('the ticks of a value axis', () => {
  it('the ticks enclose all values and zero, no label repeats, and the step is 1, 2 or 5 times a power of ten', () => {
    fc.assert(
      fc.property(
        someMicros,
        fc.integer({ min: 3, max: 9 }),
        fc.constantFrom(String, cents, () => '$0'),
        (values, countMax, format) => {
          const { from, ticks, to } = niceTicks({ values, countMax, format })
          expect(ticks.length).toBeGreaterThan(0)
          expect(ticks.length).toBeLessThanOrEqual(countMax)
          expect(ticks.map(({ value }) => value)).toContain(0n)
          for (const value of values) {
            expect(value).toBeGreaterThanOrEqual(from)
            expect(value).toBeLessThanOrEqual(to)
          }
          expect(new Set(ticks.map(({ label }) => label)).size).toBe(ticks.length)
          const steps = new Set(ticks.slice(1).map(({ value }, n) => value - (ticks[n]?.value ?? 0n)))
          expect(steps.size).toBeLessThanOrEqual(1)
          for (const step of steps) expect(String(step)).toMatch(/^[125]0*$/)
          if (ticks.length > 1) expect([ticks[0]?.value, ticks.at(-1)?.value]).toEqual([from, to])
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('the step between ticks is the smallest step with which the ticks fit', () => {
    fc.assert(
      fc.property(someMicros, fc.integer({ min: 3, max: 9 }), (values, countMax) => {
        const { ticks } = niceTicks({ values, countMax, format: String })
        const step = (ticks[1]?.value ?? 0n) - (ticks[0]?.value ?? 0n)
        if (ticks.length < 2 || step === 1n) return
        // The next smaller steps of 10, 20 and 50 are 5, 10 and 20.
        const finer = String(step).startsWith('5') ? (step * 2n) / 5n : step / 2n
        const high = values.reduce((a, b) => (b > a ? b : a), 0n)
        const low = values.reduce((a, b) => (b < a ? b : a), 0n)
        const above = (high + finer - 1n) / finer
        const below = (-low + finer - 1n) / finer
        expect(above + below + 1n).toBeGreaterThan(BigInt(countMax))
      }),
      { numRuns: 1000 },
    )
  })

  it('ticks of whole numbers have the same number type as the values', () => {
    expect(niceTicks({ values: [1234, 12], format: String })).toEqual({
      from: 0,
      to: 1500,
      ticks: [0, 500, 1000, 1500].map((value) => ({ value, label: String(value) })),
    })
  })

  it('an axis has one tick if all values are zero, and no ticks if there are no values', () => {
    expect(niceTicks({ values: [0n, 0n], format: cents }).ticks).toEqual([{ value: 0n, label: '$0.00' }])
    expect(niceTicks({ values: [], format: cents }).ticks).toEqual([])
  })

  it('the ticks of amounts below a cent do not repeat the label $0.00', () => {
    const { ticks } = niceTicks({ values: [277n, 12n], format: cents })
    expect(ticks.map(({ label }) => label)).toEqual(['$0.00', '$0.01'])
  })
})

describe('the labels of ticks', () => {
  it('all labels have the same number of decimals, and no decimals if every decimal is zero', () => {
    expect(tickLabels(['$0.00', '$0.0005', '$0.001'])).toEqual(['$0.0000', '$0.0005', '$0.0010'])
    expect(tickLabels(['$0.00', '$10.00'])).toEqual(['$0', '$10'])
    expect(tickLabels(['0 ms', '1.5 s'])).toEqual(['0 ms', '1.5 s'])
    expect(tickLabels(['v1.5', 'v1.50'])).toEqual(['v1.5', 'v1.50'])
  })
})
