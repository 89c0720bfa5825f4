/**
 * Simulates a day of twenty targets that fail, slow down, are limited and recover. The simulated day uses the
 * production policies and circuits. Two controls use neither: a single target, and a simple retry loop. `npm run
 * routing-day` prints the table of docs/reference/routing.md.
 *
 * ROUTING_CALLS sets the number of calls, and SEED selects another day. The checked claims are true for the documented
 * day and for most other days. On a day with little traffic and long timeouts, a simple retry loop may deliver a few
 * more calls.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { policies } from '#routing/route-tree-types.ts'
import { chanceOf } from '../../tools/routing-day/seeded-random.ts'
import { dayMs, scriptOfDay } from '../../tools/routing-day/targets-and-troubles-of-day.ts'
import { dayTable } from '../../tools/routing-day/print-day-table.ts'
import { dayRules, simulateDay, type DayReport, type Strategy } from '../../tools/routing-day/simulate-day.ts'

const calls = Number(process.env['ROUTING_CALLS'] ?? 300_000)
const seed = Number(process.env['SEED'] ?? 13)
const reports = new Map<Strategy, DayReport>()
const of = (strategy: Strategy): DayReport => {
  const report = reports.get(strategy)
  if (report === undefined) throw new Error(`no day was simulated for ${strategy}`)
  return report
}
const delivered = (strategy: Strategy): number => of(strategy).delivered / calls
const wasted = (strategy: Strategy): number => of(strategy).wastedMicros / of(strategy).costMicros

beforeAll(() => {
  for (const strategy of ['one_target', 'retry_loop', ...policies] as const)
    reports.set(strategy, simulateDay(strategy, calls, chanceOf(seed)))
  console.log(`SEED=${seed}, ${calls} calls\n${dayTable([...reports.values()])}`)
}, 900_000)

describe('a simulated day', () => {
  it.each(policies)(
    'the policy %s delivers nearly all calls that any target could serve, more than a single target, and hardly fewer than a retry loop',
    (policy) => {
      expect(of(policy).calls).toBe(calls)
      // No target responds for 90 s, and one answer of 5,000 is interrupted after the client has seen a part.
      expect(delivered(policy)).toBeGreaterThan(1 - 90_000 / dayMs - 0.0002 - 0.0015)
      expect(delivered(policy)).toBeGreaterThan(delivered('one_target'))
      expect(delivered(policy)).toBeGreaterThan(delivered('retry_loop') - 0.0015)
    },
  )

  it.each(policies)(
    'the policy %s makes few attempts beyond the first, and spends little on failed attempts',
    (policy) => {
      const { attempts } = of(policy)
      expect(attempts / calls).toBeLessThan(1.03)
      expect(wasted(policy)).toBeLessThan(0.005)
      expect(of(policy).addedMs.p99).toBeLessThanOrEqual(of('retry_loop').addedMs.p99)
      expect(of(policy).addedMs.p999).toBeLessThan(dayRules.withinMs)
    },
  )

  it('the cheapest policy has the lowest cost, and the fastest policy the lowest latency', () => {
    const others = policies.filter((policy) => policy !== 'cheapest')
    for (const policy of others)
      expect(of('cheapest').costMicros / of('cheapest').delivered).toBeLessThan(
        of(policy).costMicros / of(policy).delivered,
      )
    for (const policy of ['weighted', 'leastBusy', 'sticky'] as const)
      expect(of('fastest').firstTokenMs.p50).toBeLessThan(of(policy).firstTokenMs.p50)
  })

  it('the same seed always gives the same day, and another seed gives another day', () => {
    const again = simulateDay('fastest', 20_000, chanceOf(seed))
    expect(simulateDay('fastest', 20_000, chanceOf(seed))).toEqual(again)
    expect(scriptOfDay(chanceOf(seed)('script'))).not.toEqual(scriptOfDay(chanceOf(seed + 1)('script')))
  })
})
