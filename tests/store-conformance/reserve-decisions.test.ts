/** The ledger decides a reserve by the data that is stored at that instant, whatever the caches contain. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Query } from '#store/sql/database-interface.ts'
import { outcomes } from '#store/nouns/outcomes.ts'
import { engines, type Opened } from './engines.ts'
import { type Caller, dayMs, startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('decisions on $name', ({ open }) => {
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

  const change = (work: (tx: Query) => Promise<unknown>): Promise<unknown> =>
    opened.store.database.transaction(work)
  const call = async (caller: Caller, output: number, more = {}): ReturnType<World['settle']> => {
    const request = world.request(caller, { input: 0, output }, more)
    const result = await world.reserve(request)
    expect(result.kind).toBe('reserved')
    return world.settle(request, { output })
  }

  test('a freeze of an end user, and its end, take effect with the next reserve', async () => {
    const caller = await world.person(1_000n)
    await call(caller, 10)
    const users = (frozen: number | null) => (tx: Query) =>
      tx.updateTable('end_users').set({ frozen_at_ms: frozen }).where('id', '=', caller.endUserId).execute()
    await change(users(startMs))
    const refused = await world.reserve(world.request(caller, { input: 1, output: 1 }))
    expect(refused).toMatchObject({
      kind: 'refused',
      code: 'end_user_frozen',
      limitSource: 'end_user',
      at: null,
    })
    await change(users(null))
    await call(caller, 10)
  })

  test('a revoked key is rejected starting with the next reserve, with the time of the revocation', async () => {
    const caller = await world.person(1_000n)
    await call(caller, 10)
    await change((tx) =>
      tx
        .updateTable('keys')
        .set({ revoked_at_ms: startMs - 5 })
        .where('id', '=', caller.keyId)
        .execute(),
    )
    const refused = await world.reserve(world.request(caller, { input: 1, output: 1 }))
    expect(refused).toMatchObject({ kind: 'refused', code: 'key_revoked', at: startMs - 5 })
  })

  test('a key is valid until the millisecond of its expiry, and invalid in that millisecond', async () => {
    const expiresAtMs = startMs + 1_000
    const caller = await world.person(1_000n, { expires_at_ms: expiresAtMs })
    clock.nowMs = expiresAtMs - 1
    await call(caller, 10)
    clock.nowMs = expiresAtMs
    const refused = await world.reserve(world.request(caller, { input: 1, output: 1 }))
    expect(refused).toMatchObject({ kind: 'refused', code: 'key_expired', at: expiresAtMs })
  })

  test('a call in flight when its key is revoked is settled normally', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 10, output: 10 })
    await world.reserve(request)
    await change((tx) => tx.updateTable('keys').set({ revoked_at_ms: startMs }).execute())
    const { callId } = request
    const none = await opened.store.ledger.extend({ callId, nowMs: startMs, moreOutputTokens: 1 })
    expect(none).toEqual({ kind: 'no_room' })
    expect(await world.settle(request, { input: 10, output: 10 })).toMatchObject({ chargeMicros: 20n })
  })

  test.each([
    ['another configuration version', { configVersion: 2 }],
    ['another bundle', { bundleId: 'bun_other' }],
    ['a key that does not exist', { keyId: 'key_none' }],
    ['an application that does not exist', { applicationId: 'app_none' }],
    ['the other mode', { mode: 'test' as const }],
  ])('a request that the gateway checked with %s is stale', async (_name, more) => {
    const caller = await world.person(1_000n)
    expect(await world.reserve(world.request(caller, { input: 1, output: 1 }, more))).toEqual({
      kind: 'stale',
    })
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('a request with another end user’s key is stale', async () => {
    const caller = await world.person(1_000n)
    const other = await world.person(1_000n)
    const request = world.request({ ...caller, keyId: other.keyId }, { input: 1, output: 1 })
    expect(await world.reserve(request)).toEqual({ kind: 'stale' })
  })

  test('a higher version, a deleted end user and an archived application make requests stale', async () => {
    const caller = await world.person(1_000n)
    await call(caller, 10)
    await change((tx) => tx.updateTable('applications').set({ config_version: 2 }).execute())
    const request = world.request(caller, { input: 1, output: 1 })
    expect(await world.reserve(request)).toEqual({ kind: 'stale' })
    await call(caller, 10, { configVersion: 2 })
    await call(caller, 10, { configVersion: null })
    await change((tx) => tx.updateTable('end_users').set({ removed_at_ms: startMs }).execute())
    expect(await world.reserve({ ...request, configVersion: 2 })).toEqual({ kind: 'stale' })
    expect(await world.reserve({ ...request, configVersion: null })).toEqual({ kind: 'stale' })
    await change((tx) => tx.updateTable('end_users').set({ removed_at_ms: null }).execute())
    await change((tx) => tx.updateTable('applications').set({ archived_at_ms: startMs }).execute())
    expect(await world.reserve({ ...request, configVersion: 2 })).toEqual({ kind: 'stale' })
    expect(await world.reserve({ ...request, configVersion: null })).toEqual({ kind: 'stale' })
  })

  test('a key cap counts charged and held amounts, and a rejection states when the cap resets', async () => {
    const caller = await world.person(10_000n, { cap_micros: 100n, cap_period: 'day' })
    await call(caller, 60)
    const inFlight = world.request(caller, { input: 0, output: 30 })
    expect((await world.reserve(inFlight)).kind).toBe('reserved')
    const refused = await world.reserve(world.request(caller, { input: 10, output: 1 }))
    const midnightMs = Date.UTC(2026, 10, 21)
    expect(refused).toMatchObject({
      kind: 'refused',
      code: 'balance_held',
      limitSource: 'key_cap',
      limit: 100n,
      used: 60n,
      held: 30n,
      requested: 11n,
      resetsAtMs: midnightMs,
    })
    expect((await world.reserve(world.request(caller, { input: 0, output: 10 }))).kind).toBe('reserved')
  })

  test('a daily cap resets at midnight UTC, and existing holds remain held', async () => {
    const caller = await world.person(10_000n, { cap_micros: 100n, cap_period: 'day' })
    await call(caller, 60)
    const inFlight = world.request(caller, { input: 0, output: 40 })
    await world.reserve(inFlight)
    clock.nowMs = Date.UTC(2026, 10, 21) - 1
    expect((await world.reserve(world.request(caller, { input: 0, output: 1 }))).kind).toBe('refused')
    clock.nowMs += 1
    expect(await world.reserve(world.request(caller, { input: 60, output: 1 }))).toMatchObject({
      kind: 'refused',
      used: 0n,
      held: 40n,
    })
    expect((await world.reserve(world.request(caller, { input: 0, output: 60 }))).kind).toBe('reserved')
  })

  test('a cap that is set while calls are in flight counts these calls and earlier charges', async () => {
    const caller = await world.person(10_000n)
    await call(caller, 60)
    await world.reserve(world.request(caller, { input: 0, output: 30 }))
    await change((tx) => tx.updateTable('keys').set({ cap_micros: 100n, cap_period: 'total' }).execute())
    const refused = await world.reserve(world.request(caller, { input: 10, output: 1 }))
    expect(refused).toMatchObject({ limitSource: 'key_cap', used: 60n, held: 30n, resetsAtMs: null })
  })

  test('if a settle and a reserve are in the same commit, the charge of the settle counts toward the key cap of the reserve', async () => {
    const caller = await world.person(10_000n)
    const request = world.request(caller, { input: 0, output: 60 })
    await world.reserve(request)
    // The batch with the settle must read the sum of the key's charges, because the sum is not in memory.
    await change((tx) => tx.updateTable('keys').set({ cap_micros: 100n, cap_period: 'month' }).execute())
    const [, refused] = await Promise.all([
      world.settle(request, { output: 60 }),
      world.reserve(world.request(caller, { input: 40, output: 1 })),
    ])
    expect(refused).toMatchObject({ limitSource: 'key_cap', used: 60n, held: 0n })
  })

  test('a cap belongs to one key, and does not limit another key of the end user', async () => {
    const caller = await world.person(10_000n, { cap_micros: 50n })
    const other = await world.key(caller.endUserId, { cap_micros: 50n })
    await call(caller, 50)
    expect((await world.reserve(world.request(caller, { input: 0, output: 1 }))).kind).toBe('refused')
    await call(other, 50)
  })

  test('a bundle limit counts the usage of all the end user’s keys in the month of the limit', async () => {
    await change((tx) =>
      tx.updateTable('bundles').set({ spend_limit_micros: 100n, spend_limit_period: 'month' }).execute(),
    )
    const caller = await world.person(10_000n)
    const other = await world.key(caller.endUserId)
    await call(caller, 60)
    await call(other, 30)
    const refused = await world.reserve(world.request(other, { input: 10, output: 1 }))
    expect(refused).toMatchObject({
      code: 'spend_limit_exceeded',
      limitSource: 'bundle_limit',
      used: 90n,
      resetsAtMs: Date.UTC(2026, 11, 1),
    })
    clock.nowMs = Date.UTC(2026, 11, 1)
    await call(caller, 100)
  })

  test('spending and holds of a run never exceed its ceiling, and the run is capped only when its spending reaches the ceiling', async () => {
    await world.outcome('report', 100n)
    const caller = await world.person(10_000n)
    const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 100n }
    await call(caller, 60, { outcome })
    const held = world.request(caller, { input: 0, output: 40 }, { outcome })
    await world.reserve(held)
    const run = async (): Promise<unknown> =>
      opened.store.database.read.selectFrom('outcome_runs').selectAll().executeTakeFirst()
    const tooMuch = await world.reserve(world.request(caller, { input: 0, output: 1 }, { outcome }))
    expect(tooMuch).toMatchObject({
      code: 'balance_held',
      limitSource: 'outcome_run',
      runId: 'run-1',
      held: 40n,
    })
    expect(await run()).toMatchObject({ status: 'running', spent_micros: 60n, calls: 2 })
    await world.settle(held, { output: 40 })
    expect(await run()).toMatchObject({ status: 'capped', spent_micros: 100n })
    const capped = await world.reserve(world.request(caller, { input: 0, output: 1 }, { outcome }))
    expect(capped).toMatchObject({ code: 'outcome_capped', runId: 'run-1', limit: 100n, used: 100n })
  })

  test('a call that exceeds the whole ceiling is rejected, and creates no run', async () => {
    await world.outcome('report', 100n)
    const caller = await world.person(10_000n)
    const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 100n }
    const tooLarge = async (): Promise<unknown> =>
      world.reserve(world.request(caller, { input: 100, output: 1 }, { outcome }))
    const row = () => opened.store.database.read.selectFrom('outcome_runs').selectAll().executeTakeFirst()
    expect(await tooLarge()).toMatchObject({ code: 'outcome_capped', used: 0n, runId: 'run-1' })
    expect(await row()).toBeUndefined()
    await call(caller, 60, { outcome })
    expect(await tooLarge()).toMatchObject({ code: 'outcome_capped', used: 60n })
    expect(await row()).toMatchObject({ status: 'running', spent_micros: 60n, calls: 1 })
    await call(caller, 30, { outcome })
  })

  test('a run is capped if its whole ceiling would cover the rejected call, and accepts calls again under a higher ceiling', async () => {
    await world.outcome('report', 100n)
    const caller = await world.person(10_000n)
    const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 100n }
    const ask = (micros: number, ceilingMicros = 100n): ReturnType<World['reserve']> =>
      world.reserve(
        world.request(caller, { input: micros - 1, output: 1 }, { outcome: { ...outcome, ceilingMicros } }),
      )
    const row = () => opened.store.database.read.selectFrom('outcome_runs').selectAll().executeTakeFirst()
    await call(caller, 60, { outcome })
    expect(await ask(41)).toMatchObject({ code: 'outcome_capped', limit: 100n, used: 60n, requested: 41n })
    expect(await row()).toMatchObject({ status: 'capped', capped_at_micros: 100n, calls: 1 })
    expect(await ask(1), 'further calls are refused, however small').toMatchObject({ code: 'outcome_capped' })
    expect(await ask(41, 99n), 'a lower ceiling opens nothing').toMatchObject({ code: 'outcome_capped' })
    const shownUnder = async (ceiling_micros: bigint): Promise<unknown> => {
      await change((tx) => tx.updateTable('outcomes').set({ ceiling_micros }).execute())
      const of = outcomes(opened.store.database.read)
      const page = { limit: 10, after: null }
      const [run] = await of.run(world.applicationId, 'live', 'report', 'run-1')
      const filter = { status: 'capped' as const, endUserId: caller.endUserId }
      const { rows } = await of.runs(world.applicationId, 'live', 'report', filter, page)
      return [run?.status, rows.length]
    }
    expect(await shownUnder(101n)).toEqual(['running', 0])
    expect(await shownUnder(100n)).toEqual(['capped', 1])
    expect(await ask(41, 101n)).toMatchObject({ kind: 'reserved' })
    expect(await row()).toMatchObject({ status: 'running', capped_at_micros: null, calls: 2 })
  })

  test('a finished run accepts no more calls', async () => {
    await world.outcome('report', 100n)
    const caller = await world.person(10_000n)
    const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 100n }
    await call(caller, 10, { outcome })
    await change((tx) => tx.updateTable('outcome_runs').set({ status: 'done' }).execute())
    const refused = await world.reserve(world.request(caller, { input: 0, output: 1 }, { outcome }))
    expect(refused).toMatchObject({ kind: 'refused', code: 'outcome_finished', runId: 'run-1' })
  })

  test('a run keeps its first result, also if the ledger caps the run after an operation has read it', async () => {
    await world.outcome('report', 100n)
    const caller = await world.person(10_000n)
    const finish = (runId: string, status: 'done' | 'failed'): Promise<unknown> =>
      change((tx) => outcomes(tx).finishRun({ ...caller, slug: 'report', runId }, status))
    const stored = async (runId: string): Promise<unknown> => {
      const [run] = await outcomes(opened.store.database.read).run(
        world.applicationId,
        'live',
        'report',
        runId,
      )
      return run?.status
    }
    for (const runId of ['capped', 'ended', 'reopened']) {
      const outcome = { slug: 'report', runId, ceilingMicros: 100n }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await call(caller, runId === 'ended' ? 60 : 100, { outcome })
    }
    expect(await finish('capped', 'done')).toBe('capped')
    expect(await stored('capped')).toBe('capped')
    expect(await Promise.all([finish('ended', 'done'), finish('ended', 'failed')])).toEqual(['done', 'done'])
    expect(await stored('ended')).toBe('done')
    await change((tx) => tx.updateTable('outcomes').set({ ceiling_micros: 101n }).execute())
    expect(await finish('reopened', 'failed')).toBe('failed')
    expect(await stored('reopened')).toBe('failed')
    expect(await finish('unknown', 'done')).toBeNull()
  })

  test('pools are granted by the first call of a period and pay before the wallet', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    await world.include({ slug: 'welcome', amount: 30n, recurring: 0, position: 2 })
    const caller = await world.person(1_000n)
    const sources = async (): Promise<unknown[]> => {
      const rows = await opened.store.database.read.selectFrom('sources').selectAll().orderBy('id').execute()
      return rows.map(({ slug, kind, posted, held }) => [slug ?? kind, posted, held])
    }
    await call(caller, 120)
    expect(await sources()).toEqual([
      ['monthly', 0n, 0n],
      ['welcome', 10n, 0n],
      ['wallet', 1_000n, 0n],
    ])
    clock.nowMs = Date.UTC(2026, 11, 20, 12) - 1
    await call(caller, 15)
    expect(await sources()).toEqual([
      ['monthly', 0n, 0n],
      ['welcome', 0n, 0n],
      ['wallet', 995n, 0n],
    ])
    clock.nowMs += 1
    await call(caller, 110)
    expect(await sources()).toEqual([
      ['monthly', 0n, 0n],
      ['monthly', 0n, 0n],
      ['welcome', 0n, 0n],
      ['wallet', 985n, 0n],
    ])
  })

  test('if two periods begin in one batch, their pools are granted in order, and sign-up pools only once', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    await world.include({ slug: 'welcome', amount: 30n, recurring: 0, position: 2 })
    const caller = await world.person(1_000n)
    const beforeMs = Date.UTC(2026, 11, 20, 12) - 1
    const ask = (nowMs: number) => world.reserve(world.request(caller, { input: 0, output: 1 }, { nowMs }))
    const both = await Promise.all([ask(beforeMs), ask(beforeMs + 1)])
    expect(both.map(({ kind }) => kind)).toEqual(['reserved', 'reserved'])
    const pools = await opened.store.database.read
      .selectFrom('sources')
      .select(['slug', 'sequence'])
      .where('kind', '=', 'pool')
      .orderBy('sequence')
      .execute()
    expect(pools.map(({ slug }) => slug)).toEqual(['monthly', 'welcome', 'monthly'])
    expect(new Set(pools.map(({ sequence }) => sequence)).size).toBe(3)
  })

  test('a call that holds money of a pool when the pool’s period ends is settled on that pool', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 0, output: 80 })
    await world.reserve(request)
    clock.nowMs = startMs + 40 * dayMs
    await call(caller, 10)
    expect(await world.settle(request, { output: 70 })).toMatchObject({ chargeMicros: 70n })
    const pools = await opened.store.database.read
      .selectFrom('sources')
      .select(['posted', 'held'])
      .where('kind', '=', 'pool')
      .orderBy('sequence')
      .execute()
    expect(pools).toEqual([
      // When the pool ended, 20 micros were neither spent nor held, and lapsed. A call returned another 10 micros,
      // which then lapsed too.
      { posted: 0n, held: 0n },
      { posted: 90n, held: 0n },
    ])
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('a pool that is added to a bundle is also granted to end users who already have the plan', async () => {
    const caller = await world.person(1_000n)
    await call(caller, 10)
    await world.include({ slug: 'more', amount: 100n })
    await call(caller, 10)
    expect(await world.wallet(caller)).toEqual({ posted: 990n, held: 0n })
  })

  test('after the wallet is empty, on-demand pays up to the monthly limit of on-demand usage', async () => {
    const caller = await world.person(50n)
    const onDemand = (limit: bigint | null) => (tx: Query) =>
      tx
        .insertInto('accounts')
        .values({
          end_user_id: caller.endUserId,
          mode: 'live',
          on_demand_enabled: 1,
          on_demand_limit_micros: limit,
        })
        .onConflict((conflict) =>
          conflict.columns(['end_user_id', 'mode']).doUpdateSet({ on_demand_limit_micros: limit }),
        )
        .execute()
    await change(onDemand(100n))
    await call(caller, 120)
    expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
    const refused = await world.reserve(world.request(caller, { input: 30, output: 1 }))
    expect(refused).toMatchObject({
      code: 'spend_limit_exceeded',
      limitSource: 'on_demand_ceiling',
      limit: 100n,
      used: 70n,
      resetsAtMs: Date.UTC(2026, 11, 1),
    })
    await change(onDemand(101n))
    await call(caller, 31)
    clock.nowMs = Date.UTC(2026, 11, 1)
    await call(caller, 101)
  })
})
