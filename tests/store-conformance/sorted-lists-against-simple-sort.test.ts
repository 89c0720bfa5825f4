/** Compares all pages of sorted lists with a simple sort of the shown values, while rows change. */
import { isDeepStrictEqual } from 'node:util'
import { lineOf } from '#domain/end-user-keys.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Rows } from '#domain/list-page.ts'
import {
  directions,
  endUserSorts,
  type EndUserSort,
  keySorts,
  type KeySort,
  type Sorting,
} from '#domain/list-sorting-and-filters.ts'
import type { Store } from '#domain/store-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { foldSpending } from '#store/sum-spending-of-keys.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { randomFrom, seedOfRun, type Random, withSeed } from '../support/seeded-random.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World, type Caller } from './add-rows-that-calls-need.ts'

type Value = bigint | number | string

describe.each(engines)('sorted lists on $name', ({ open }) => {
  const clock = { nowMs: startMs }
  const seed = seedOfRun()
  let opened: Opened
  let world: World
  let store: Store
  let callers: Caller[]
  let random: Random

  beforeEach(async () => {
    clock.nowMs = startMs
    random = randomFrom(seed)
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    store = sqlStore(opened.store.database)
    callers = []
    for (let n = 0; n < 14; n++) {
      // Few different amounts, so that many rows have equal values.
      const caller = await world.person(BigInt(random.whole(0, 3)) * 1_000n, {
        name: random.pick(['a key', 'B key', 'é key', 'key']),
        cap_period: random.pick(['day', 'week', 'month', 'total']),
      })
      callers.push(caller)
      if (random.chance(0.3)) callers.push(await world.key(caller.endUserId))
      // A rotated key belongs to the key line of its predecessor. Its cap may have another period.
      if (random.chance(0.3)) {
        const cap_period = random.pick(['day', 'week', 'month', 'total'] as const)
        callers.push(await world.key(caller.endUserId, { line_id: caller.keyId, cap_period }))
      }
      if (random.chance(0.3)) {
        const startsAtMs = random.pick([startMs, startMs + 20 * dayMs])
        const expiresAtMs = random.pick([startMs + dayMs, startMs + 40 * dayMs])
        if (expiresAtMs > startsAtMs)
          await world.credit([caller.endUserId], 500n, { startsAtMs, expiresAtMs })
      }
    }
    for (let n = 0; n < 25; n++) {
      clock.nowMs += random.pick([0, 3_600_000, dayMs])
      await charge(random.pick(callers))
      if (random.chance(0.2)) await sumUp()
    }
  })
  afterEach(() => opened.closeSound())

  async function charge(caller: Caller): Promise<void> {
    const request = world.request(caller, { input: 50, output: 50 })
    if ((await world.reserve(request)).kind !== 'reserved') return
    await world.settle(request, { input: random.pick([10, 20]), output: 0 })
  }

  /** The past day simulates a clock that was set back. */
  async function chargeLate(caller: Caller): Promise<void> {
    const { nowMs } = clock
    clock.nowMs -= random.whole(1, 12) * dayMs
    await charge(caller)
    clock.nowMs = nowMs
  }

  async function sumUp(): Promise<void> {
    await foldUsageDays(opened.store.database, clock.nowMs)
    await foldSpending(opened.store.database)
  }

  /** Returns the values that pages show. */
  async function shownValues(
    by: EndUserSort | KeySort,
    of: 'end users' | 'keys',
  ): Promise<Map<string, Value>> {
    const all = { limit: 200, after: null }
    const { keys, endUsers, balances, usage } = store.read
    if (of === 'keys') {
      const { rows } = await keys.list(
        world.applicationId,
        { mode: 'live', endUserId: null },
        all,
        clock.nowMs,
      )
      const people = rows.map(({ endUserId }) => endUserId)
      const from = { day: clock.nowMs, week: mondayOf(clock.nowMs), month: monthOf(clock.nowMs), total: 0 }
      const spent = new Map<string, bigint>()
      for (const key of rows) {
        const fromDay = Math.floor(from[key.capPeriod] / dayMs)
        const charged = await keys.charged(people, 'live', { fromDay, toDay: null })
        spent.set(key.id, charged.get(lineOf(key)) ?? 0n)
      }
      return new Map(
        rows.map((key) => [
          key.id,
          {
            created: key.createdAtMs,
            name: key.name,
            spent: spent.get(key.id) ?? 0n,
            last_used: key.lastUsedAtMs ?? -1,
          }[by as KeySort],
        ]),
      )
    }
    const at = { mode: 'live', nowMs: clock.nowMs } as const
    const { rows } = await endUsers.list(world.applicationId, { bundleId: null }, all, at)
    const ids = rows.map(({ id }) => id)
    const wallets = await balances.wallets(ids, 'live', clock.nowMs)
    const sums = await usage.byEndUser(ids, 'live')
    const seen = await keys.lastUsed(ids, 'live')
    return new Map(
      rows.map(({ createdAtMs, externalId, id }) => [
        id,
        {
          created: createdAtMs,
          name: externalId,
          balance: wallets.get(id)?.postedMicros ?? 0n,
          spent: sums.get(id)?.billedMicros ?? 0n,
          last_seen: seen.get(id) ?? -1,
        }[by as EndUserSort],
      ]),
    )
  }

  async function walked(
    list: (page: { limit: number; after: Rows<unknown>['next'] }) => Promise<Rows<{ readonly id: string }>>,
    between: () => Promise<void> = async () => {},
  ): Promise<string[]> {
    const ids: string[] = []
    let after: Rows<unknown>['next'] = null
    do {
      const { next, rows } = await list({ limit: 3, after })
      ids.push(...rows.map(({ id }) => id))
      after = next
      await between()
    } while (after !== null)
    return ids
  }

  const listOf = (of: 'end users' | 'keys', sorting: Sorting<never>) => {
    const { endUsers, keys } = store.read
    const { applicationId } = world
    return (page: { limit: number; after: Rows<unknown>['next'] }) =>
      of === 'keys'
        ? keys.list(applicationId, { mode: 'live', endUserId: null }, { ...page, sorting }, clock.nowMs)
        : endUsers.list(
            applicationId,
            { bundleId: null },
            { ...page, sorting },
            { mode: 'live', nowMs: clock.nowMs },
          )
  }

  const orders = (['end users', 'keys'] as const).flatMap((of) =>
    (of === 'keys' ? keySorts : endUserSorts).flatMap((by) =>
      directions.map((direction) => ({ of, by, direction })),
    ),
  )

  test('every sort order equals a simple sort of the shown values', () =>
    withSeed(seed, async () => {
      for (const { by, direction, of } of orders) {
        const list = listOf(of, { by: by as never, direction })
        let values = await shownValues(by, of)
        let found = await walked(list)
        // Repeat until the values do not change while the pages are read. A moving writer may store last uses of keys
        // in between.
        for (
          let after = await shownValues(by, of);
          !isDeepStrictEqual(after, values);
          after = await shownValues(by, of)
        ) {
          values = after
          found = await walked(list)
        }
        expect(found, `${of} by ${by} ${direction}`).toEqual(sorted(values, direction))
      }
      expect(new Set((await shownValues('spent', 'end users')).values()).size).toBeGreaterThan(1)
    }))

  test('after the clock is set back, the orders by spending equal a simple sort', () =>
    withSeed(seed, async () => {
      for (let back = 0; back < 3; back++) {
        await sumUp()
        clock.nowMs -= random.whole(0, 20) * dayMs
        for (const { by, direction, of } of orders.filter(({ by: one }) => one === 'spent')) {
          const expected = sorted(await shownValues(by, of), direction)
          expect(await walked(listOf(of, { by: by as never, direction })), `${of} ${direction}`).toEqual(
            expected,
          )
        }
      }
    }))

  test('rows whose value does not change are listed once and in order, while other rows change', () =>
    withSeed(seed, async () => {
      for (const { by, direction, of } of orders.filter(
        ({ by: one }) => one === 'balance' || one === 'spent',
      )) {
        const before = await shownValues(by, of)
        const found = await walked(listOf(of, { by: by as never, direction }), () =>
          random.pick([charge, charge, chargeLate, sumUp])(random.pick(callers)),
        )
        const after = await shownValues(by, of)
        const still = new Map([...before].filter(([id, value]) => after.get(id) === value))
        expect(
          found.filter((id) => still.has(id)),
          `${of} by ${by} ${direction}`,
        ).toEqual(sorted(still, direction))
      }
    }))

  test('the filters and counts agree with the list', () =>
    withSeed(seed, async () => {
      const [frozen] = callers
      if (!frozen) throw new Error('there is an end user')
      const at = { mode: 'live', nowMs: clock.nowMs } as const
      const endUser = await store.read.endUsers.byId(world.applicationId, frozen.endUserId)
      if (!endUser) throw new Error('the end user is stored')
      await store.transaction((nouns) => nouns.endUsers.put({ ...endUser, frozenAtMs: clock.nowMs }))
      const people = async (filter: object): Promise<number> => {
        const whole = { bundleId: null, ...filter }
        const { rows } = await store.read.endUsers.list(
          world.applicationId,
          whole,
          { limit: 200, after: null },
          at,
        )
        expect(await store.read.endUsers.count(world.applicationId, whole, at)).toBe(rows.length)
        return rows.length
      }
      expect(await people({})).toBe(14)
      expect(await people({ state: 'frozen' })).toBe(1)
      expect(await people({ state: 'active' })).toBe(13)
      expect(await people({ bundleId: world.bundleId })).toBe(14)
      expect(await people({ bundleId: world.bundleId, state: 'frozen', search: frozen.endUserId })).toBe(1)

      const [one, other] = [callers[1], callers[2]]
      if (!one || !other) throw new Error('there are keys')
      await store.transaction((nouns) =>
        nouns.keys.revoke({ id: one.keyId, endUserId: one.endUserId, lineId: null }, clock.nowMs),
      )
      await world.key(other.endUserId, {
        expires_at_ms: clock.nowMs,
        prefix: 'ak_acme02_zzzzzz',
        last_four: '1%_1',
      })
      const keys = async (filter: object): Promise<number> => {
        const whole = { mode: 'live' as const, endUserId: null, ...filter }
        const page = { limit: 200, after: null }
        return (await store.read.keys.list(world.applicationId, whole, page, clock.nowMs)).rows.length
      }
      expect(await keys({})).toBe(callers.length + 1)
      expect(await keys({ state: 'revoked' })).toBe(1)
      expect(await keys({ state: 'expired' })).toBe(1)
      expect(await keys({ state: 'active' })).toBe(callers.length - 1)
      expect(await keys({ search: 'ak_acme02_z' })).toBe(1)
      expect(await keys({ search: 'acme02' })).toBe(0)
      expect(await keys({ search: '1%_1' })).toBe(1)
      expect(await keys({ search: one.keyId })).toBe(1)
      expect(await keys({ search: 'KEY' })).toBe(callers.length + 1)
      expect(await keys({ search: '%' })).toBe(0)
    }))
})

/** By value, then by ID, both by code point. */
function sorted(values: ReadonlyMap<string, Value>, direction: 'asc' | 'desc'): string[] {
  const rising = [...values].toSorted(([oneId, one], [otherId, other]) => {
    if (one !== other) return one < other ? -1 : 1
    return oneId < otherId ? -1 : 1
  })
  return (direction === 'asc' ? rising : rising.toReversed()).map(([id]) => id)
}

function mondayOf(ms: number): number {
  const day = Math.floor(ms / dayMs)
  return (day - ((day + 3) % 7)) * dayMs
}

function monthOf(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
}
