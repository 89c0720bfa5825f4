import { describe, expect, it } from 'vitest'
import {
  areCostsDisputed,
  callsCompared,
  StatedCosts,
  type StatedCost,
} from './disputes-of-provider-stated-costs.ts'

const times = (count: number, cost: StatedCost): StatedCost[] => Array.from({ length: count }, () => cost)

describe('costs that a provider states', () => {
  it.each([
    ['three per cent and its rounding', 1_031n, false],
    ['more than three per cent', 1_032n, true],
    ['three per cent and its rounding below', 969n, false],
    ['more than three per cent below', 968n, true],
    ['nothing', 1_000n, false],
  ])(
    'stated costs that differ from the computed costs by %s (computed: %s micros) are disputed: %s',
    (_name, costMicros, isDisputed) => {
      expect(areCostsDisputed(times(callsCompared, { statedNanos: 1_000_000, costMicros }))).toBe(isDisputed)
    },
  )

  it('stated costs are not disputed until ten calls have been compared', () => {
    const cost = { statedNanos: 1_982_000, costMicros: 338n }
    expect(areCostsDisputed(times(9, cost))).toBe(false)
    expect(areCostsDisputed(times(10, cost))).toBe(true)
  })

  it('stated costs are not disputed if rounding up to a whole micro explains the difference', () => {
    expect(areCostsDisputed(times(10, { statedNanos: 100, costMicros: 1n }))).toBe(false)
    expect(areCostsDisputed(times(10, { statedNanos: 0, costMicros: 0n }))).toBe(false)
    expect(areCostsDisputed(times(10, { statedNanos: 0, costMicros: 2n }))).toBe(true)
  })

  it('only the newest ten calls decide whether stated costs are disputed', () => {
    const right = times(10, { statedNanos: 1_000_000, costMicros: 1_000n })
    const wrong = times(10, { statedNanos: 1_000_000, costMicros: 100n })
    expect(areCostsDisputed([...right, ...wrong])).toBe(false)
    expect(areCostsDisputed([...wrong, ...right])).toBe(true)
  })

  it('the costs of each account and model are disputed separately, until enough newer calls agree', () => {
    const costs = new StatedCosts()
    const add = (key: string, costMicros: bigint) => costs.add(key, { statedNanos: 1_000_000, costMicros })
    for (let call = 1; call <= 9; call++) expect(add('one', 100n)).toBe(false)
    expect(add('other', 100n)).toBe(false)
    expect(add('one', 100n)).toBe(true)
    let call = 0
    while (add('one', 1_000n)) call++
    expect(call).toBe(9)
  })

  it('if the maximum number of models is reached, the stated costs of the model with the oldest call are deleted', () => {
    const costs = new StatedCosts()
    const wrong = { statedNanos: 1_000_000, costMicros: 100n }
    for (let call = 1; call <= 9; call++) costs.add('first', wrong)
    for (let other = 0; other < 4_095; other++) costs.add(`other ${other}`, wrong)
    expect(costs.add('first', wrong)).toBe(true)
    for (let other = 0; other < 4_096; other++) costs.add(`another ${other}`, wrong)
    expect(costs.add('first', wrong)).toBe(false)
  })
})
