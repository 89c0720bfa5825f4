import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { permilles } from './parts-in-thousandths.ts'

describe('the parts of a whole in thousandths', () => {
  it('the parts add up to a thousand, and each differs by less than one from its exact value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 10n ** 18n }), { minLength: 1, maxLength: 8 }),
        (values) => {
          const total = values.reduce((sum, value) => sum + value, 0n)
          const parts = permilles(values)
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total === 0n ? 0 : 1000)
          for (const [n, part] of parts.entries()) {
            const off = BigInt(part) * total - (values[n] ?? 0n) * 1000n
            expect(off < total || total === 0n).toBe(true)
            expect(-off < total || total === 0n).toBe(true)
          }
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('each of three equal parts is 33.3 %, and the missing 0.1 % is added to the first part', () => {
    expect(permilles([1, 1, 1])).toEqual([334, 333, 333])
  })
})
