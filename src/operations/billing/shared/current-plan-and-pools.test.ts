import { expect, it } from 'vitest'
import type { OwnedPool } from '#money/plan-pools.ts'
import { poolMicrosLeft } from './current-plan-and-pools.ts'

function pool(source: Partial<OwnedPool['source']>, priceMicros: bigint | null = null): OwnedPool {
  const common = {
    kind: 'pool' as const,
    id: 'src_1',
    slug: 'base',
    unit: 'credits' as const,
    granted: 30n,
    posted: 20n,
    held: 3n,
    startsAtMs: 0,
    endsAtMs: null,
    patterns: ['*'],
    spilloverTo: null,
    thenOnDemand: true,
    isSuspended: false,
  }
  return {
    source: { ...common, ...source },
    bundleId: 'bnd_1',
    displayName: 'Base',
    recurring: true,
    rollover: null,
    rolled: 0,
    priceMicros,
  } as OwnedPool
}

it('the remaining amount of a pool does not include spent and held amounts', () => {
  expect(poolMicrosLeft(pool({ unit: 'micros' }))).toBe(17n)
  expect(poolMicrosLeft(pool({ unit: 'micros', held: 20n }))).toBe(0n)
})

it("the value of the remaining credits is their share of the pool's price, rounded down, and 0 if the credits have no price", () => {
  // 13 of 30 credits are spent or held, and cost 43.3 of the price of 100, rounded up to 44.
  expect(poolMicrosLeft(pool({}, 100n))).toBe(56n)
  expect(poolMicrosLeft(pool({ posted: 30n, held: 0n }, 100n))).toBe(100n)
  expect(poolMicrosLeft(pool({}, 0n))).toBe(0n)
  expect(poolMicrosLeft(pool({}, null))).toBe(0n)
})
