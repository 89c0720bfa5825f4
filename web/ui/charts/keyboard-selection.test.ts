import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nothingChosen, rangeOf, stepped, type Chosen } from './keyboard-selection.ts'

const keys = [
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'Escape',
  'x',
]

describe('the selection by keyboard', () => {
  it('the selection stays within the points, and becomes a range only with Shift', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 720 }),
        fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean()), { maxLength: 60 }),
        (count, presses) => {
          let chosen: Chosen = nothingChosen
          for (const [key, isRanging] of presses) {
            const next = stepped(chosen, key, { count, isRanging })
            if (!next) continue
            chosen = next
            for (const at of [chosen.at, chosen.anchor]) {
              if (at === null) continue
              expect(at).toBeGreaterThanOrEqual(0)
              expect(at).toBeLessThan(count)
            }
            if (!isRanging) expect(rangeOf(chosen, count)).toBeNull()
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('the selection moves from the newest point, extends with Shift, and is cleared with Escape', () => {
    const five = (chosen: Chosen, key: string, isRanging = false): Chosen =>
      stepped(chosen, key, { count: 5, isRanging }) ?? chosen
    const first = five(nothingChosen, 'ArrowLeft')
    expect(first).toEqual({ at: 3, anchor: null })
    const second = five(five(first, 'ArrowLeft', true), 'ArrowLeft', true)
    expect(second).toEqual({ at: 1, anchor: 3 })
    expect(rangeOf(second, 5)).toEqual([1, 3])
    expect(rangeOf(second, 3)).toBeNull()
    expect(rangeOf(five(five(second, 'ArrowRight', true), 'ArrowRight', true), 5)).toBeNull()
    expect(five(second, 'Escape')).toEqual(nothingChosen)
    expect(stepped(nothingChosen, 'Escape', { count: 5, isRanging: false })).toBeNull()
    expect(stepped(nothingChosen, 'x', { count: 5, isRanging: false })).toBeNull()
  })
})
