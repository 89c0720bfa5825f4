import { expect, test } from 'vitest'
import type { UserLimit } from '#sdk/generated/types.ts'
import { limitsInForce, toldApart, withoutManyKeys } from './first-limit-reached.ts'

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
  expiresAt: null,
  ...more,
})
const inForce = (have: bigint, limits: UserLimit[], onDemandBlockedSince: string | null = null) =>
  limitsInForce({ limits, onDemandBlockedSince, pace: { availableMicros: String(have) } })

test('keys with the same name are distinguished by the end of their ID', () => {
  const limits = [
    limit('key_cap', '1', { id: 'key_0000aaaaaa', name: 'ci' }),
    limit('key_cap', '1', { id: 'key_0000bbbbbb', name: 'ci' }),
    limit('key_cap', '1', { id: 'key_0000cccccc', name: 'laptop' }),
    limit('pool', '1', { name: 'ci' }),
  ]
  expect(toldApart(limits).map(({ name }) => name)).toEqual(['ci (…aaaaaa)', 'ci (…bbbbbb)', 'laptop', 'ci'])
})

test('pools, wallet and on-demand billing together limit spending like a single limit', () => {
  const limits = [limit('pool', '30'), limit('pool', '9', { unit: 'credits' }), limit('on_demand', '5')]
  expect(inForce(40n, limits).first).toEqual({ by: 'sources', id: null, leftMicros: 45n })
  expect(inForce(40n, [...limits.slice(0, 2), limit('on_demand', '-5')]).first.leftMicros).toBe(40n)
})

test('on-demand billing without a limit allows unlimited spending, and blocked on-demand billing adds nothing', () => {
  const limits = [limit('on_demand', null)]
  expect(inForce(10n, limits).first).toEqual({ by: 'sources', id: null, leftMicros: null })
  expect(inForce(10n, limits, '2026-11-01T00:00:00Z').first).toEqual({
    by: 'sources',
    id: null,
    leftMicros: 10n,
  })
})

test('the plan limit applies first if it leaves less than the sources of money, and an exceeded limit leaves zero', () => {
  expect(inForce(10n, [limit('bundle_limit', '9')]).first).toEqual({
    by: 'bundle_limit',
    id: 'bundle_limit',
    leftMicros: 9n,
  })
  expect(inForce(10n, [limit('bundle_limit', '10')]).first.by).toBe('sources')
  expect(inForce(10n, [limit('bundle_limit', '-4')]).first.leftMicros).toBe(0n)
  expect(inForce(0n, [limit('on_demand', null), limit('bundle_limit', '3')]).first.leftMicros).toBe(3n)
})

test('a key cap applies first if it leaves less than all other limits', () => {
  const limits = [limit('key_cap', '4', { id: 'key_1' }), limit('key_cap', '10', { id: 'key_2' })]
  expect(inForce(10n, limits).tighterKeys.map(({ id }) => id)).toEqual(['key_1'])
  expect(inForce(0n, [limit('on_demand', null), ...limits]).tighterKeys).toHaveLength(2)
})

test('the lowest limit of the plan and the end user applies first', () => {
  const limits = [
    limit('bundle_limit', '9'),
    limit('end_user_limit', '7', { id: 'day' }),
    limit('end_user_limit', '5', { id: 'month' }),
    limit('portal_total', '4', { id: 'portal' }),
  ]
  const { first, tighterKeys } = inForce(10n, limits)
  expect(first).toEqual({ by: 'end_user_limit', id: 'month', leftMicros: 5n })
  expect(tighterKeys.map(({ kind, leftMicros }) => [kind, leftMicros])).toEqual([['portal_total', 4n]])
})

test('only the key limits with the highest ranks are shown, in their order', () => {
  const keys = Array.from({ length: 25 }, (_, at) => limit('key_cap', String(at), { id: `key_${at}` }))
  const limits = [limit('pool', '1'), ...keys.toReversed()]
  const { hidden, shown } = withoutManyKeys(limits, {
    isOfKey: ({ kind }) => kind === 'key_cap',
    rank: ({ availableUnits }) => -Number(availableUnits),
  })
  expect(hidden).toBe(5)
  expect(shown.map(({ id }) => id)).toEqual([
    'pool',
    ...Array.from({ length: 20 }, (_, at) => `key_${19 - at}`),
  ])
  expect(withoutManyKeys(limits.slice(0, 21), { isOfKey: () => true, rank: () => 0 }).hidden).toBe(1)
})
