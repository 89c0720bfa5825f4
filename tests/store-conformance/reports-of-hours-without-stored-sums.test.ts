/**
 * Compares reports from hourly sums in memory with reports from the calls, in random histories
 * (generate-call-histories.ts). SEED=<seed> repeats a run.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Histogram } from '#domain/reports/duration-histogram.ts'
import type { Mode } from '#domain/application-config.ts'
import type { SeriesAsked } from '#domain/reports/usage-series-interface.ts'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { margin } from '#store/nouns/reports/margin-sums-by-group.ts'
import type { Memory } from '#store/nouns/reports/hours-without-stored-sums.ts'
import { usageSeries } from '#store/nouns/reports/usage-series.ts'
import { sumsOfHoursSince } from '#store/rows/sums-of-hours-since.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'
import { callsPerHour, engines, Life } from './generate-call-histories.ts'
import { startMs } from './add-rows-that-calls-need.ts'

/** The reports take most of the time of a history on PostgreSQL. */
const histories = isLong ? 6 : 1
const steps = isLong ? 100 : 60

const series: readonly Partial<SeriesAsked>[] = [
  { by: 'model', hasLatency: true },
  { by: 'provider', bucket: 'day' },
  { by: 'bundle', alias: 'acme/fast' },
  { by: 'tag' },
  { by: 'provider', tag: 'a', hasLatency: true },
  { by: 'model', accountId: 'pa_1' },
  { bucket: 'day', bundle: 'pro' },
]
const margins = ['bundle', 'provider', 'run', 'tag'] as const

describe.each(engines)('sums of recent hours on $name', ({ name, open }) => {
  test.each(Array.from({ length: histories }, (_, history) => ({ history })))(
    'during a random history, reports from sums in memory equal reports from the calls (history $history)',
    ({ history }) => {
      const seed = (seedOfRun() + history) >>> 0
      return withSeed(seed - history, async () => {
        const random = randomFrom(seed)
        const life = new Life(random, open, name !== 'SQLite, writer on a thread')
        await life.begin()
        try {
          for (let step = 0; step < steps; step++) {
            await life.step()
            if (!random.chance(0.1)) continue
            // oxlint-disable-next-line no-loop-func -- called in the same iteration
            await life.withoutFaults(async () => {
              for (const mode of ['live', 'test'] as const)
                await expectEqualReports(life, random.pick(life.stores), mode)
            })
          }
        } finally {
          await life.end()
        }
      })
    },
    isLong ? 600_000 : 120_000,
  )

  test('a report reads no calls of the current hour, however many calls exist', async () => {
    const life = new Life(randomFrom(7), open, false)
    await life.begin()
    try {
      await life.hoursOfCalls(3, true)
      const [store] = life.stores
      if (store === undefined) throw new Error('the store is open')
      for (const calls of [callsPerHour, 5 * callsPerHour]) {
        for (let call = 0; call < calls; call++) await life.wholeCall()
        const before = life.rowsRead
        const inMemory = await reportsOf(life, life.counted(store), store.hours, 'live')
        expect(life.rowsRead - before).toBe(0)
        expect(inMemory).toEqual(await reportsOf(life, life.counted(store), null, 'live'))
        expect(life.rowsRead - before).toBeGreaterThan(calls)
      }
    } finally {
      await life.end()
    }
  })

  test.skipIf(name === 'PostgreSQL')(
    'after a restart, a report reads no calls of the current hour, and contains those of the earlier process',
    async () => {
      const life = new Life(randomFrom(7), open, false)
      await life.begin()
      try {
        await life.hoursOfCalls(3, true)
        for (let call = 0; call < callsPerHour; call++) await life.wholeCall()
        await life.restart()
        for (let call = 0; call < callsPerHour; call++) await life.wholeCall()
        const [store] = life.stores
        if (store === undefined) throw new Error('the store is open')
        const rowsOfReports = async (): Promise<number> => {
          const read = life.rowsRead
          await reportsOf(life, life.counted(store), store.hours, 'live')
          return life.rowsRead - read
        }
        // The process reads the calls of the earlier process in the background.
        while ((await rowsOfReports()) > 0) await nextTurn()
        const inMemory = await reportsOf(life, life.counted(store), store.hours, 'live')
        expect(inMemory).toEqual(await reportsOf(life, life.counted(store), null, 'live'))
        await expectEqualReports(life, store, 'test')
      } finally {
        await life.end()
      }
    },
  )

  test('the sums of earlier calls are omitted if there are too many calls or too many sums', async () => {
    const life = new Life(randomFrom(7), open, false)
    await life.begin()
    try {
      await life.hoursOfCalls(2, true)
      const [{ database }] = life.stores
      const sums = (callsMax: number, sumsMax: number) =>
        sumsOfHoursSince(database.read, Math.floor(startMs / hourMs), { callsMax, sumsMax })
      const parts = (await sums(life.calls, Infinity)) ?? []
      const rows = parts.flatMap((part) => Object.values(part.rows ?? {}).flat())
      expect(parts.length).toBeGreaterThan(2)
      expect(await sums(life.calls, rows.length)).toEqual(parts)
      expect(await sums(life.calls, rows.length - 1)).toBeNull()
      expect(await sums(life.calls - 1, rows.length)).toBeNull()
    } finally {
      await life.end()
    }
  })

  test('while calls end, a report contains each call that ended before it exactly once', async () => {
    const life = new Life(randomFrom(seedOfRun()), open, false)
    await life.begin()
    try {
      await life.hoursOfCalls(2, true)
      const [store] = life.stores
      if (store === undefined) throw new Error('the store is open')
      const totalIn = async (mode: Mode): Promise<number> => {
        const { all, groups } = await usageSeries(
          store.database.read,
          store.hours,
          asked(life, { by: 'model', mode }),
        )
        const sumOf = (points: readonly { readonly calls: number | null }[]): number =>
          points.reduce((sum, { calls }) => sum + (calls ?? 0), 0)
        expect(groups.reduce((sum, { points }) => sum + sumOf(points), 0)).toBe(sumOf(all))
        return sumOf(all)
      }
      const total = async (): Promise<number> => (await totalIn('live')) + (await totalIn('test'))
      const before = life.calls - (await total())
      let ended = life.calls
      const calls = (async () => {
        for (let call = 0; call < 60; call++) {
          await life.wholeCall()
          ended = life.calls
        }
      })()
      let reads = 0
      for (let isOver = false; !isOver;) {
        const from = ended
        const counted = (await total()) + before
        reads += 1
        expect(counted).toBeGreaterThanOrEqual(from)
        // The report may contain calls that have ended but whose promises have not resolved yet, so count all begun
        // calls.
        expect(counted).toBeLessThanOrEqual(life.calls)
        // The reads run on this thread, so let the calls continue after each of them.
        isOver = await Promise.race([calls.then(() => true), nextTurn(false)])
      }
      await calls
      expect(reads).toBeGreaterThan(3)
      expect((await total()) + before).toBe(life.calls)
    } finally {
      await life.end()
    }
  })
})

function asked(life: Life, more: Partial<SeriesAsked>): SeriesAsked {
  return {
    applicationId: life.applicationId,
    mode: 'live',
    bucket: 'hour',
    by: null,
    fromMs: (Math.floor(startMs / dayMs) - 1) * dayMs,
    toMs: (Math.floor(life.clock.nowMs / dayMs) + 5) * dayMs,
    alias: null,
    accountId: null,
    bundle: null,
    tag: null,
    payerId: null,
    endUserId: null,
    keyId: null,
    hasLatency: false,
    groupsMax: 7,
    order: 'chargeMicros',
    ...more,
  }
}

/**
 * On PostgreSQL, a process may end the calls of dead processes at any time. The reports are compared again if they
 * changed during the comparison.
 */
async function expectEqualReports(life: Life, store: EngineStore, mode: Mode): Promise<void> {
  const { read } = store.database
  for (;;) {
    const inMemory = await reportsOf(life, read, store.hours, mode)
    const ofCalls = await reportsOf(life, read, null, mode)
    const again = await reportsOf(life, read, store.hours, mode)
    if (inMemory.join('\n') !== again.join('\n')) continue
    expect(inMemory.map((text, at) => (text === ofCalls[at] ? null : at))).toEqual(ofCalls.map(() => null))
    return
  }
}

/** Sorts histogram buckets, because their order has no meaning. */
async function reportsOf(life: Life, query: Query, memory: Memory, mode: Mode): Promise<readonly string[]> {
  const found: string[] = []
  for (const more of series)
    found.push(textOf(await usageSeries(query, memory, asked(life, { ...more, mode }))))
  const { applicationId, fromMs, toMs } = asked(life, {})
  const days = { applicationId, mode, fromDay: fromMs / dayMs, toDay: toMs / dayMs }
  for (const by of margins)
    found.push(textOf(await margin(query, memory, days, by, { limit: 50, after: null })))
  return found
}

function textOf(report: object): string {
  return JSON.stringify(report, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    return value instanceof Histogram ? sortedBuckets(value.toText()) : value
  })
}

function sortedBuckets(text: string): number[][] {
  const flat = JSON.parse(text) as number[]
  const pairs: number[][] = []
  for (let at = 0; at < flat.length; at += 2) pairs.push(flat.slice(at, at + 2))
  return pairs.toSorted(([one = 0], [other = 0]) => one - other)
}
