/** A key line is a key and its successors by rotation. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EndUserLimit } from '#domain/end-user-record.ts'
import { balances } from '#store/nouns/balances.ts'
import { keys } from '#store/nouns/keys.ts'
import { portals } from '#store/nouns/portals.ts'
import type { KeyRow } from '#store/sql/schema.ts'
import { engines, type Opened } from './engines.ts'
import { type Caller, startMs, World } from './add-rows-that-calls-need.ts'

const nextDayMs = Date.UTC(2026, 10, 21)
const nextMonthMs = Date.UTC(2026, 11, 1)

describe.each(engines)('limits on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.closeSound())

  const ask = (caller: Caller, output: number): ReturnType<World['reserve']> =>
    world.reserve(world.request(caller, { input: 0, output }))
  /** Without output, the amount of the call cannot be reduced. */
  const askWhole = (caller: Caller, input: number): ReturnType<World['reserve']> =>
    world.reserve(world.request(caller, { input, output: 0 }))
  const spend = async (caller: Caller, output: number): Promise<void> => {
    const request = world.request(caller, { input: 0, output })
    expect((await world.reserve(request)).kind).toBe('reserved')
    await world.settle(request, { output })
  }
  /** The successor has the same cap. */
  const rotated = async (
    caller: Caller,
    first: Caller,
    row: Partial<KeyRow> & Pick<KeyRow, 'actor_type'>,
  ): Promise<Caller> => {
    const successor = await world.key(caller.endUserId, {
      line_id: first.keyId,
      line_actor_type: row.actor_type,
      ...row,
    })
    await opened.store.database.transaction((tx) =>
      keys(tx).replace(caller.keyId, {
        replacedBy: successor.keyId,
        endsAtMs: clock.nowMs + 86_400_000,
        nowMs: clock.nowMs,
      }),
    )
    return successor
  }
  const setTotal = (keyCapsTotalMicros: bigint | null, keyCapPeriod: 'day' | 'month' = 'month') =>
    opened.store.database.transaction((tx) =>
      portals(tx).putSettings(world.applicationId, {
        endUsersMayMintKeys: true,
        keyCapMicros: null,
        keyCapPeriod,
        keyCapsTotalMicros,
      }),
    )
  const setLimits = ({ endUserId }: Caller, ...limits: EndUserLimit[]) =>
    opened.store.database.transaction((tx) => balances(tx).setLimits(endUserId, 'live', limits))

  describe('key lines', () => {
    const capped = { actor_type: 'token', cap_micros: 100n, cap_period: 'day' } as const

    test('the spending of earlier keys counts against the cap of the successor, over two rotations', async () => {
      const first = await world.person(10_000n, capped)
      await spend(first, 50)
      const second = await rotated(first, first, capped)
      await spend(second, 30)
      const third = await rotated(second, first, capped)
      expect(await askWhole(third, 21)).toMatchObject({
        code: 'spend_limit_exceeded',
        limitSource: 'key_cap',
        limit: 100n,
        used: 80n,
        held: 0n,
        resetsAtMs: nextDayMs,
      })
      await spend(third, 20)
      for (const caller of [first, second, third]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(await askWhole(caller, 1)).toMatchObject({ limitSource: 'key_cap', used: 100n })
      }
      clock.nowMs = nextDayMs - 1
      expect((await askWhole(third, 1)).kind).toBe('refused')
      clock.nowMs = nextDayMs
      await spend(third, 100)
    })

    test('the holds of the old key during its grace period count against the new key, and vice versa', async () => {
      const old = await world.person(10_000n, capped)
      const next = await rotated(old, old, capped)
      const ofOld = world.request(old, { input: 0, output: 60 })
      expect((await world.reserve(ofOld)).kind).toBe('reserved')
      expect(await askWhole(next, 41)).toMatchObject({
        code: 'balance_held',
        limitSource: 'key_cap',
        held: 60n,
      })
      const ofNext = world.request(next, { input: 40, output: 0 })
      expect((await world.reserve(ofNext)).kind).toBe('reserved')
      expect(await askWhole(old, 1)).toMatchObject({
        code: 'balance_held',
        limitSource: 'key_cap',
        held: 100n,
      })
      await Promise.all([world.settle(ofOld, { output: 60 }), world.settle(ofNext, { input: 40 })])
      expect(await askWhole(old, 1)).toMatchObject({ code: 'spend_limit_exceeded', used: 100n })
      expect(await askWhole(next, 1)).toMatchObject({ code: 'spend_limit_exceeded', used: 100n })
    })

    test('the holds of one key limit the extension of a call with the other key', async () => {
      const old = await world.person(10_000n, capped)
      const next = await rotated(old, old, capped)
      const first = world.request(old, { input: 0, output: 30 })
      await world.reserve(first)
      await ask(next, 60)
      const extend = (moreOutputTokens: number) =>
        opened.store.ledger.extend({ callId: first.callId, nowMs: clock.nowMs, moreOutputTokens })
      expect(await extend(50)).toMatchObject({ kind: 'extended', addedOutputTokens: 10 })
      expect(await extend(1)).toEqual({ kind: 'no_room' })
    })

    test('60 concurrent calls through an old and a new key hold and spend at most the cap', async () => {
      const old = await world.person(10_000n, capped)
      await spend(old, 10)
      const next = await rotated(old, old, capped)
      const requests = Array.from({ length: 60 }, (_, at) =>
        world.request(at % 2 === 0 ? old : next, { input: 9, output: 0 }),
      )
      const results = await Promise.all(
        requests.map(async (request) => {
          const result = await world.reserve(request)
          if (result.kind === 'reserved') await world.settle(request, { input: 9 })
          return result.kind
        }),
      )
      const served = results.filter((kind) => kind === 'reserved').length
      expect(served).toBeGreaterThan(0)
      // Callers that were rejected because of held money try again. The remaining 90 micros cover ten calls of 9
      // micros.
      for (let at = 0; at < 12; at++) {
        const request = world.request(at % 2 === 0 ? next : old, { input: 9, output: 0 })
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        if ((await world.reserve(request)).kind === 'reserved') await world.settle(request, { input: 9 })
      }
      expect(await world.wallet(old)).toEqual({ posted: 9_900n, held: 0n })
    })

    test('another key line of the end user has a separate cap', async () => {
      const first = await world.person(10_000n, capped)
      const other = await world.key(first.endUserId, capped)
      await spend(first, 100)
      await rotated(first, first, capped)
      await spend(other, 100)
    })

    test('lists show the total spending and holds of a key line', async () => {
      const first = await world.person(10_000n, capped)
      await spend(first, 50)
      const second = await rotated(first, first, capped)
      await spend(second, 7)
      await ask(second, 5)
      await ask(first, 3)
      const read = keys(opened.store.database.read)
      const days = { fromDay: 0, toDay: null }
      expect(await read.charged([first.endUserId], 'live', days)).toEqual(new Map([[first.keyId, 57n]]))
      expect(await read.inFlight(world.applicationId, [first.endUserId], 'live')).toEqual(
        new Map([[first.keyId, { calls: 2, heldMicros: 8n }]]),
      )
    })
  })

  describe('the total limit of portal keys', () => {
    const own = { actor_type: 'end_user' } as const

    test('all keys that the end user created in the portal together spend at most the total limit', async () => {
      await setTotal(100n, 'day')
      const one = await world.person(10_000n, own)
      await spend(one, 40)
      const revoked = await world.key(one.endUserId, own)
      await spend(revoked, 30)
      await opened.store.database.transaction((tx) =>
        keys(tx).revoke({ id: revoked.keyId, lineId: null, endUserId: one.endUserId }, clock.nowMs),
      )
      const another = await world.key(one.endUserId, { ...own, cap_micros: 90n })
      const request = world.request(one, { input: 20, output: 0 })
      await world.reserve(request)
      expect(await askWhole(another, 11)).toMatchObject({
        code: 'balance_held',
        limitSource: 'portal_total',
        limit: 100n,
        used: 70n,
        held: 20n,
        resetsAtMs: nextDayMs,
      })
      await world.settle(request, { input: 20 })
      expect(await askWhole(another, 11)).toMatchObject({
        code: 'spend_limit_exceeded',
        limitSource: 'portal_total',
        used: 90n,
      })
      clock.nowMs = nextDayMs
      await spend(another, 90)
    })

    test('a rotated key counts toward the key line of its predecessor, whether the team or the end user rotates it', async () => {
      await setTotal(100n)
      const own1 = await world.person(10_000n, own)
      await spend(own1, 60)
      // A portal key that the team rotates is still a portal key.
      const own2 = await rotated(own1, own1, { actor_type: 'token', line_actor_type: 'end_user' })
      expect(await askWhole(own2, 41)).toMatchObject({ limitSource: 'portal_total', used: 60n })
      // A key of the team that the end user rotates is still a team key.
      const team1 = await world.key(own1.endUserId, { actor_type: 'token' })
      const team2 = await rotated(team1, team1, { actor_type: 'end_user', line_actor_type: 'token' })
      await spend(team2, 500)
      await spend(own2, 40)
    })

    test('the total limit applies from the next reserve after it is set, changed or removed', async () => {
      const caller = await world.person(10_000n, own)
      await spend(caller, 60)
      await setTotal(50n)
      expect(await askWhole(caller, 1)).toMatchObject({ limitSource: 'portal_total', limit: 50n, used: 60n })
      await setTotal(70n)
      await spend(caller, 10)
      expect((await askWhole(caller, 1)).kind).toBe('refused')
      await setTotal(null)
      await spend(caller, 500)
    })

    test('an extension of a hold cannot exceed the total limit', async () => {
      await setTotal(50n)
      const caller = await world.person(10_000n, own)
      const first = world.request(caller, { input: 0, output: 30 })
      await world.reserve(first)
      const extended = await opened.store.ledger.extend({
        callId: first.callId,
        nowMs: clock.nowMs,
        moreOutputTokens: 100,
      })
      expect(extended).toMatchObject({ kind: 'extended', addedOutputTokens: 20 })
    })
  })

  describe("the end user's own limits", () => {
    test('an end user’s own limits count the usage of all the end user’s keys in each window, and reset with the calendar', async () => {
      const caller = await world.person(10_000n)
      const other = await world.key(caller.endUserId)
      await setLimits(caller, { window: 'day', micros: 100n }, { window: 'month', micros: 150n })
      await spend(caller, 60)
      const request = world.request(other, { input: 30, output: 0 })
      await world.reserve(request)
      expect(await askWhole(caller, 11)).toMatchObject({
        code: 'balance_held',
        limitSource: 'end_user_limit',
        limit: 100n,
        used: 60n,
        held: 30n,
        resetsAtMs: nextDayMs,
      })
      await world.settle(request, { input: 30 })
      expect(await askWhole(other, 11)).toMatchObject({ code: 'spend_limit_exceeded', used: 90n })
      clock.nowMs = nextDayMs
      await spend(other, 60)
      expect(await askWhole(caller, 1)).toMatchObject({
        code: 'spend_limit_exceeded',
        limitSource: 'end_user_limit',
        limit: 150n,
        used: 150n,
        resetsAtMs: nextMonthMs,
      })
      clock.nowMs = nextMonthMs
      await spend(caller, 100)
    })

    test('requests in the other mode do not count toward an end user’s own limits', async () => {
      const caller = await world.person(1_000n)
      const inTest = await world.key(caller.endUserId, { mode: 'test' })
      await world.credit([caller.endUserId], 1_000n, { mode: 'test' })
      await setLimits(caller, { window: 'total', micros: 10n })
      await spend(inTest, 500)
      await spend(caller, 10)
      expect(await askWhole(caller, 1)).toMatchObject({ limitSource: 'end_user_limit', resetsAtMs: null })
    })

    test('a limit of an end user that is set while calls are in flight counts them, and its removal allows calls again', async () => {
      const caller = await world.person(10_000n)
      await spend(caller, 60)
      await ask(caller, 30)
      await setLimits(caller, { window: 'week', micros: 100n })
      expect(await askWhole(caller, 11)).toMatchObject({ used: 60n, held: 30n })
      const stored = () => balances(opened.store.database.read).limits([caller.endUserId], 'live')
      expect(await stored()).toEqual(new Map([[caller.endUserId, [{ window: 'week', micros: 100n }]]]))
      await setLimits(caller)
      expect(await stored()).toEqual(new Map())
      await spend(caller, 1_000)
    })

    test('if a settle and a reserve are in the same commit, the charge of the settle counts toward the limits of the reserve', async () => {
      const caller = await world.person(10_000n)
      const request = world.request(caller, { input: 0, output: 60 })
      await world.reserve(request)
      await setLimits(caller, { window: 'month', micros: 100n })
      const [, refused] = await Promise.all([world.settle(request, { output: 60 }), askWhole(caller, 41)])
      expect(refused).toMatchObject({ limitSource: 'end_user_limit', used: 60n, held: 0n })
    })

    test('40 concurrent calls over two keys spend at most the limit of the end user', async () => {
      const caller = await world.person(10_000n)
      const other = await world.key(caller.endUserId)
      await setLimits(caller, { window: 'day', micros: 95n })
      const requests = Array.from({ length: 40 }, (_, at) =>
        world.request(at % 2 === 0 ? caller : other, { input: 10, output: 0 }),
      )
      const results = await Promise.all(requests.map((request) => world.reserve(request)))
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(9)
      expect(await world.wallet(caller)).toEqual({ posted: 10_000n, held: 90n })
    })

    test('if several limits are exceeded, the error names the first in a fixed order: key cap, portal total, bundle limit, end user limit', async () => {
      await setTotal(100n)
      const caller = await world.person(10_000n, { actor_type: 'end_user', cap_micros: 100n })
      await setLimits(caller, { window: 'total', micros: 100n })
      await spend(caller, 100)
      const bundleLimit = (micros: bigint | null) =>
        opened.store.database.transaction((tx) =>
          tx
            .updateTable('bundles')
            .set({ spend_limit_micros: micros, spend_limit_period: 'total' })
            .execute(),
        )
      const source = async (): Promise<unknown> => {
        const result = await askWhole(caller, 1)
        return result.kind === 'refused' && result.limitSource
      }
      await bundleLimit(100n)
      expect(await source()).toBe('key_cap')
      await opened.store.database.transaction((tx) =>
        keys(tx).setCap(
          { id: caller.keyId, lineId: null, endUserId: caller.endUserId },
          { capMicros: null, capPeriod: 'month', limits: [] },
        ),
      )
      expect(await source()).toBe('portal_total')
      await setTotal(null)
      expect(await source()).toBe('bundle_limit')
      await bundleLimit(null)
      expect(await source()).toBe('end_user_limit')
    })
  })
})
