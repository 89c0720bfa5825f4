import { expect, test } from 'vitest'
import type { UserLimit } from '#sdk/generated/types.ts'
import { haveMicros, limitsInForce, paceOf } from './limits-in-force.ts'

const limit = (
  kind: UserLimit['kind'],
  available: string | null,
  more: Partial<UserLimit> = {},
): UserLimit => ({
  kind,
  id: kind,
  name: kind,
  unit: 'micros',
  limitUnits: '100',
  usedUnits: '0',
  heldUnits: '0',
  availableUnits: available,
  period: 'month',
  resetsAt: null,
  ...more,
})
const inForce = (wallet: bigint, limits: UserLimit[], onDemandBlockedSince: string | null = null) =>
  limitsInForce({ limits, onDemandBlockedSince }, wallet)

test('what pays is one bound, of pools, wallet and overage together', () => {
  const limits = [limit('pool', '30'), limit('pool', '9', { unit: 'credits' }), limit('on_demand', '5')]
  expect(inForce(10n, limits).first).toEqual({ by: 'sources', leftMicros: 45n })
  expect(inForce(-10n, limits).first.leftMicros).toBe(35n)
  expect(haveMicros(limits, 10n)).toBe(40n)
})

test('overage without a ceiling has no bound, and none that is blocked', () => {
  const limits = [limit('on_demand', null)]
  expect(inForce(10n, limits).first).toEqual({ by: 'sources', leftMicros: null })
  expect(inForce(10n, limits, '2026-11-01T00:00:00Z').first).toEqual({ by: 'sources', leftMicros: 10n })
})

test('the limit of the plan binds where it leaves less, and an exceeded one leaves nothing', () => {
  expect(inForce(10n, [limit('bundle_limit', '9')]).first).toEqual({ by: 'bundle_limit', leftMicros: 9n })
  expect(inForce(10n, [limit('bundle_limit', '10')]).first.by).toBe('sources')
  expect(inForce(10n, [limit('bundle_limit', '-4')]).first.leftMicros).toBe(0n)
  expect(inForce(0n, [limit('on_demand', null), limit('bundle_limit', '3')]).first.leftMicros).toBe(3n)
})

test('a cap of a key binds first where it leaves less than everything else', () => {
  const limits = [limit('key_cap', '4', { id: 'key_1' }), limit('key_cap', '10', { id: 'key_2' })]
  expect(inForce(10n, limits).tighterKeys.map(({ id }) => id)).toEqual(['key_1'])
  expect(inForce(0n, [limit('on_demand', null), ...limits]).tighterKeys).toHaveLength(2)
})

test('the pace is the mean of the days that there were, and says how long it lasts', () => {
  const pace = { from: '2026-11-16T00:00:00Z', to: '2026-11-22T15:00:00Z', chargedMicros: '7000001' }
  expect(paceOf(pace, '2026-01-01T00:00:00Z', 10_000_000n)).toEqual({
    perDayMicros: 1_000_000n,
    days: 7,
    lastsDays: 9n,
  })
  expect(paceOf(pace, '2026-11-21T23:00:00Z', 7_000_001n)).toMatchObject({ days: 2, lastsDays: 2n })
  expect(paceOf(pace, '2026-11-22T15:00:00Z', 1n)).toMatchObject({ days: 1, lastsDays: 0n })
  expect(paceOf({ ...pace, chargedMicros: '0' }, '2026-01-01T00:00:00Z', 5n).lastsDays).toBeNull()
})
