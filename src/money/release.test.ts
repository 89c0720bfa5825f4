import { expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aHold, aLeg } from '#tests/fixtures/build-money-values.ts'
import { holdPosting } from './posting.ts'
import { release } from './release.ts'

it('a release returns the whole hold and writes no ledger entry', () => {
  const credits = aLeg('pool', 4n, { unit: 'credits', micros: 2n })
  expect(release(aHold([credits, aLeg('wallet', 3n), aLeg('on_demand', 0n)]))).toEqual([
    holdPosting('pool', 'credits', -4n),
    holdPosting('wallet', 'micros', -3n),
  ])
})

it('a hold whose legs do not add up is not released', () => {
  expect(() => release(aHold([aLeg('wallet', 3n)], { worstMicros: 4n }))).toThrow(MoneyBroken)
})
