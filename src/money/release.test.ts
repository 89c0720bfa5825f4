import { expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aHold, aLeg } from '#tests/oracles/money-builders.ts'
import { release } from './release.ts'

it('gives back all that was held, and writes no entry', () => {
  const hold = aHold(
    [aLeg('pool', 4n, { unit: 'credits', micros: 2n }), aLeg('wallet', 3n), aLeg('on_demand', 0n)],
    {
      limits: [{ kind: 'key_cap', id: 'key' }],
    },
  )
  expect(release(hold)).toEqual({
    postings: [
      { sourceId: 'pool', unit: 'credits', heldDelta: -4n, postedDelta: 0n, entry: null, mayOverdraw: false },
      {
        sourceId: 'wallet',
        unit: 'micros',
        heldDelta: -3n,
        postedDelta: 0n,
        entry: null,
        mayOverdraw: false,
      },
    ],
    limitPostings: [{ kind: 'key_cap', id: 'key', heldDelta: -5n, spentDelta: 0n }],
  })
})

it('a hold that does not add up is not released', () => {
  expect(() => release(aHold([aLeg('wallet', 3n)], { worstMicros: 4n }))).toThrow(MoneyBroken)
})
