/** Several processes divide a shared limit into slices. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SliceStore } from '#domain/limits/shared-limit-slices-interface.ts'
import { SharedLimits, type SharedShare } from '#gateway/call/enforce-shared-limits.ts'
import type { RateMeasure, RateRule } from '#money/decision-types.ts'
import { sharedUses, sqlSlices } from '#store/nouns/limits/shared-limit-slices.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

const minuteMs = 60_000

describe.each(engines)('shared limits on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs, monotonicMs: 0 }
  const clocks = { nowMs: () => clock.nowMs, monotonicMs: () => clock.monotonicMs }
  let processes: { readonly epoch: number; readonly limits: SharedLimits }[]
  let exchanges = 0
  let version = 0
  /** When the next exchange fails: before its transaction, or after its commit. Null if the exchange succeeds. */
  let failsNext: 'before' | 'after' | null = null

  beforeEach(async () => {
    Object.assign(clock, { nowMs: startMs, monotonicMs: 0 })
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    exchanges = 0
    failsNext = null
    processes = [await start(opened.store.epoch), await start(opened.store.epoch + 1)]
  })
  afterEach(() => opened.closeSound())

  async function start(epoch: number): Promise<{ epoch: number; limits: SharedLimits }> {
    const { database } = opened.store
    await database.transaction((tx) =>
      tx
        .insertInto('epochs')
        .values({ epoch, started_at_ms: clock.nowMs, ended_at_ms: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    )
    const slices = sqlSlices(opened.store.apart, epoch)
    const counted: SliceStore = {
      async exchange(...asked) {
        exchanges += 1
        const fails = failsNext
        failsNext = null
        if (fails === 'before') throw new Error('the store is away')
        const grants = await slices.exchange(...asked)
        if (fails === 'after') throw new Error('the answer was lost')
        return grants
      },
    }
    return { epoch, limits: new SharedLimits(counted, clocks) }
  }

  const aRule = (rule: Partial<RateRule> = {}): RateRule => ({
    measure: 'requests',
    window: 'minute',
    most: 100n,
    models: null,
    ...rule,
  })
  const admit = async (
    at: number,
    rules: readonly RateRule[],
    whole = 1n,
    tag: string | null = null,
  ): Promise<SharedShare> => {
    const share = await (processes[at] ?? assert.fail()).limits.admit(
      { applicationId: world.applicationId, mode: 'live' },
      [{ tag, rules }],
      {
        alias: 'acme/fast',
        needs: () => whole,
        needsAtLeast: () => 1n,
        nowMs: clock.nowMs,
        version: ++version,
      },
    )
    return share ?? assert.fail('no rule applies')
  }
  const hasRoom = (share: SharedShare, need = 1n): boolean =>
    share.limits().every(({ held, most, slots }) => {
      const used = slots.reduce((sum, { amount }) => sum + amount, 0n)
      return most - used - held >= need
    })
  const tryOne = async (
    at: number,
    rules: readonly RateRule[],
    need = 1n,
    tag: string | null = null,
  ): Promise<SharedShare | null> => {
    const share = await admit(at, rules, need, tag)
    if (hasRoom(share, need)) return share
    share.refused()
    return null
  }
  const taken = async (): Promise<unknown> => {
    const row = await opened.store.database.read
      .selectFrom('shared_limit_uses')
      .select(['uses', 'calls'])
      .executeTakeFirst()
    return row && { uses: JSON.parse(row.uses) as unknown, calls: JSON.parse(row.calls) as unknown }
  }

  test.each<[RateMeasure, RateRule['window'], number, string | null]>([
    ['requests', 'minute', 1, null],
    ['requests', '5h', 2, null],
    ['tokens', 'hour', 2, null],
    ['micros', 'month', 2, null],
    ['calls', null, 2, null],
    ['requests', 'day', 1, 'batch'],
    ['tokens', '5h', 2, 'batch'],
    ['micros', 'total', 2, 'batch'],
    ['calls', null, 2, 'batch'],
  ])(
    'a limit of 100 %s per %s admits exactly 100 of 500 calls on %i processes (tag: %s)',
    async (measure, window, count, tag) => {
      const rules = [aRule({ measure, window })]
      const shares = await Promise.all(
        Array.from({ length: 500 }, (_, at) => tryOne(at % count, rules, 1n, tag)),
      )
      expect(shares.filter((share) => share !== null)).toHaveLength(100)
      expect(exchanges).toBeLessThan(20)
    },
  )

  test('the application and each tag have their own counted amounts, and the error names the tag', async () => {
    const rules = [aRule({ most: 1n })]
    expect(await tryOne(0, rules)).not.toBeNull()
    for (const tag of ['batch', 'search']) {
      expect(await tryOne(0, rules, 1n, tag)).not.toBeNull()
      const refused = await admit(1, rules, 1n, tag)
      expect(hasRoom(refused)).toBe(false)
      expect(refused.limits()).toMatchObject([{ source: 'tag_limit', tag }])
      refused.refused()
    }
    const uses = sharedUses(opened.store.database.read)
    const of = { applicationId: world.applicationId, mode: 'live' } as const
    const oneTaken = [[{ startsAtMs: startMs, amount: 1n }]]
    for (const tag of [null, 'batch', 'search'])
      expect(await uses.of({ ...of, tag }, rules, clock.nowMs)).toEqual(oneTaken)
    expect(await uses.of({ ...of, tag: 'other' }, rules, clock.nowMs)).toEqual([[]])
    expect(await uses.of({ ...of, tag: 'batch' }, rules, clock.nowMs + minuteMs)).toEqual([[]])
  })

  test('a request that the limit of one tag rejects uses nothing of the other limits', async () => {
    const call = { alias: 'acme/fast', needs: () => 1n, needsAtLeast: () => 1n, nowMs: clock.nowMs }
    const of = { applicationId: world.applicationId, mode: 'live' } as const
    const limits = processes[0]?.limits ?? assert.fail()
    const all = [
      { tag: null, rules: [aRule({ most: 1n })] },
      { tag: 'open', rules: [] },
      { tag: 'full', rules: [aRule({ most: 0n })] },
    ]
    const share = (await limits.admit(of, all, { ...call, version: ++version })) ?? assert.fail()
    expect(share.limits().map(({ source }) => source)).toEqual(['application_limit', 'tag_limit'])
    expect(hasRoom(share)).toBe(false)
    share.refused()
    expect(await tryOne(0, [aRule({ most: 1n })])).not.toBeNull()
  })

  test('if the check of one limit throws an error, the amounts that were set aside in other limits are returned', async () => {
    const limits = processes[0]?.limits ?? assert.fail()
    const of = { applicationId: world.applicationId, mode: 'live' } as const
    const fault = new Error('unexpected')
    const call = {
      alias: 'acme/fast',
      needs(measure: RateMeasure) {
        if (measure === 'tokens') throw fault
        return 1n
      },
      needsAtLeast: () => 1n,
      nowMs: clock.nowMs,
    }
    const rules = [aRule({ most: 1n })]
    const all = [
      { tag: null, rules },
      { tag: 'broken', rules: [aRule({ measure: 'tokens' })] },
    ]
    // The first request takes a slice from the store, and the second uses an amount of the slice.
    expect(() => limits.admit(of, all, { ...call, version: ++version })).toThrow(fault)
    await tryOne(0, rules).then((share) => share?.refused())
    expect(() => limits.admit(of, all, { ...call, version: ++version })).toThrow(fault)
    expect(await tryOne(0, rules)).not.toBeNull()
  })

  test('an extension takes a further amount from the limits of the application and of the tag', async () => {
    const call = { alias: 'acme/fast', needs: () => 10n, needsAtLeast: () => 1n, nowMs: clock.nowMs }
    const limits = processes[0]?.limits ?? assert.fail()
    const of = { applicationId: world.applicationId, mode: 'live' } as const
    const all = [
      { tag: null, rules: [aRule({ measure: 'outputTokens' })] },
      { tag: 'batch', rules: [aRule({ measure: 'outputTokens', most: 40n })] },
    ]
    const share = (await limits.admit(of, all, { ...call, version: ++version })) ?? assert.fail()
    const more = await share.grow(() => 25n, clock.nowMs)
    expect(more.map(({ source }) => source)).toEqual(['application_limit', 'tag_limit'])
    share.settled({ outputTokens: 35n })
    await limits.close()
    const uses = sharedUses(opened.store.database.read)
    for (const { rules, tag } of all)
      expect(await uses.of({ ...of, tag }, rules, clock.nowMs)).toEqual([
        [{ startsAtMs: startMs, amount: 35n }],
      ])
  })

  test('a process spends its slice without accessing the store, and returns an unused amount', async () => {
    const rules = [aRule({ most: 3_201n })]
    for (let n = 0; n < 100; n++) assert(await tryOne(0, rules))
    expect(exchanges).toBe(1)
    expect(await taken()).toMatchObject({ uses: [['requests', 'minute', null, [[startMs, '101']]]] })
    await processes[0]?.limits.close()
    expect(await taken()).toMatchObject({ uses: [['requests', 'minute', null, [[startMs, '100']]]] })
  })

  test('if a process dies, at most its slice is unavailable until the window ends', async () => {
    const rules = [aRule({ most: 3_201n })]
    for (let n = 0; n < 50; n++) assert(await tryOne(0, rules))
    processes[0] = await start(opened.store.epoch + 2)
    let admitted = 0
    while ((await tryOne(1, rules)) !== null) admitted++
    expect(admitted).toBe(3_201 - 101)
    clock.nowMs = startMs + minuteMs
    expect(await tryOne(0, rules)).not.toBeNull()
  })

  test('if a limit never resets, each process that dies makes at most 17 requests unavailable', async () => {
    const rules = [aRule({ most: 3_201n, window: 'total' })]
    for (let died = 1; died <= 3; died++) {
      // oxlint-disable no-await-in-loop -- one process after the other
      assert(await tryOne(0, rules))
      processes[0] = await start(opened.store.epoch + 1 + died)
      // oxlint-enable no-await-in-loop
    }
    let admitted = 0
    while ((await tryOne(1, rules)) !== null) admitted++
    expect(admitted).toBe(3_201 - 3 * 17)
  })

  test('requests in flight of an ended process no longer count', async () => {
    const rules = [aRule({ measure: 'calls', window: null, most: 2n })]
    const one = (await tryOne(0, rules)) ?? assert.fail()
    assert(await tryOne(1, rules))
    expect(await tryOne(1, rules)).toBeNull()
    one.released()
    expect(await tryOne(0, rules)).not.toBeNull()
    clock.monotonicMs += 1_000
    expect(await tryOne(1, rules)).toBeNull()
    await opened.store.database.transaction((tx) =>
      tx
        .updateTable('epochs')
        .set({ ended_at_ms: clock.nowMs })
        .where('epoch', '=', processes[1]?.epoch ?? assert.fail())
        .execute(),
    )
    processes[1] = await start(opened.store.epoch + 2)
    expect(await tryOne(1, rules)).not.toBeNull()
    expect(await tryOne(1, rules)).toBeNull()
  })

  test.each(['before', 'after'] as const)(
    'if an exchange fails %s its commit, the process can still use the whole limit on requests in flight',
    async (fails) => {
      const rules = [aRule({ measure: 'calls', window: null, most: 3n })]
      const one = (await tryOne(0, rules)) ?? assert.fail()
      const two = (await tryOne(0, rules)) ?? assert.fail()
      two.released()
      failsNext = fails
      // The process closes only its slices here, and continues to serve requests.
      await processes[0]?.limits.close()
      one.released()
      clock.monotonicMs += 1_000
      const shares = [await tryOne(0, rules), await tryOne(0, rules), await tryOne(0, rules)]
      expect(shares.filter((share) => share !== null)).toHaveLength(3)
      expect(await tryOne(1, rules)).toBeNull()
    },
  )

  test.each(['before', 'after'] as const)(
    'if an exchange fails %s its commit, usage above the amount that was set aside is still counted',
    async (fails) => {
      const rules = [aRule({ measure: 'tokens' })]
      const share = (await tryOne(0, rules, 40n)) ?? assert.fail()
      share.settled({ tokens: 70n })
      failsNext = fails
      await processes[0]?.limits.close()
      expect(await tryOne(1, rules, 31n)).toBeNull()
    },
  )

  test('a request sets aside its maximum number of tokens, the actual number is counted, and the difference is returned', async () => {
    const rules = [aRule({ measure: 'tokens' })]
    const share = (await tryOne(0, rules, 90n)) ?? assert.fail()
    const short = await admit(1, rules, 50n)
    expect(hasRoom(short, 10n)).toBe(true)
    expect(hasRoom(short, 11n)).toBe(false)
    short.refused()
    share.settled({ tokens: 30n })
    await processes[0]?.limits.close()
    await processes[1]?.limits.close()
    expect(await taken()).toMatchObject({ uses: [['tokens', 'minute', null, [[startMs, '30']]]] })
    clock.monotonicMs += 1_000
    expect(await tryOne(1, rules, 70n)).not.toBeNull()
    expect(await tryOne(1, rules, 1n)).toBeNull()
  })

  test('usage above the amount that was set aside is counted', async () => {
    const rules = [aRule({ measure: 'tokens' })]
    const share = (await tryOne(0, rules, 40n)) ?? assert.fail()
    share.settled({ tokens: 70n })
    await processes[0]?.limits.close()
    expect(await tryOne(1, rules, 31n)).toBeNull()
    clock.monotonicMs += 1_000
    expect(await tryOne(1, rules, 30n)).not.toBeNull()
  })

  test('a request counts in the window in which it began, and the next window begins with no usage', async () => {
    const rules = [aRule({ measure: 'tokens' })]
    const share = (await tryOne(0, rules, 100n)) ?? assert.fail()
    clock.nowMs = startMs + minuteMs
    const next = (await tryOne(1, rules, 100n)) ?? assert.fail()
    share.settled({ tokens: 60n })
    expect(await tryOne(0, rules)).toBeNull()
    next.refused()
  })

  test('an extension takes a further amount from the shared limit, at most the remaining amount', async () => {
    const rules = [aRule({ measure: 'outputTokens' }), aRule({ most: 1n })]
    const share = await admit(0, [rules[0] ?? assert.fail()], 60n)
    const [more] = await share.grow(() => 90n, clock.nowMs)
    const used = more?.slots.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n
    expect(more && more.most - used - more.held).toBe(40n)
    share.settled({ outputTokens: 100n })
    expect(await tryOne(1, rules)).toBeNull()
  })

  test('a lowered maximum also applies to slices that were taken before', async () => {
    for (let n = 0; n < 10; n++) assert(await tryOne(0, [aRule({ most: 3_201n })]))
    const lower = [aRule({ most: 12n })]
    expect(await tryOne(1, lower)).toBeNull()
    const results = []
    for (let n = 0; n < 4; n++) results.push((await tryOne(0, lower)) !== null)
    expect(results).toEqual([true, true, false, false])
    const higher = [aRule({ most: 13n })]
    expect(await tryOne(0, higher)).not.toBeNull()
  })

  test('requests that arrive while a process takes a slice of a raised limit wait for the slice', async () => {
    const lower = [aRule({ most: 2n })]
    const higher = [aRule({ most: 12n })]
    for (const at of [0, 1]) assert(await tryOne(at, lower))
    for (const at of [0, 1]) expect(await tryOne(at, lower)).toBeNull()
    // The clock does not move, so both processes remember that the lower limit is used up. They must ask the store
    // again.
    const shares = await Promise.all(Array.from({ length: 10 }, (_, at) => tryOne(at % 2, higher)))
    expect(shares.filter((share) => share !== null)).toHaveLength(10)
  })

  test('requests that arrive while a process returns its slice wait for the slice', async () => {
    const rules = [aRule({ most: 10n })]
    const shares = await Promise.all(Array.from({ length: 11 }, () => tryOne(0, rules)))
    for (const share of shares.slice(0, 10)) share?.refused()
    // The clock does not move, so the process remembers that the limit is used up. It must ask the store again.
    const closed = processes[0]?.limits.close()
    const later = await Promise.all(Array.from({ length: 11 }, () => tryOne(0, rules)))
    await closed
    expect(later.filter((share) => share !== null)).toHaveLength(10)
  })

  test('each mode and each list of models has its own counted amounts', async () => {
    const rules = [aRule({ most: 1n, models: ['acme/*'] }), aRule({ most: 0n, models: ['other/*'] })]
    expect(await tryOne(0, rules)).not.toBeNull()
    expect(await tryOne(0, rules)).toBeNull()
    const { applicationId } = world
    const limits = processes[0]?.limits ?? assert.fail()
    const call = { needs: () => 1n, needsAtLeast: () => 1n, nowMs: clock.nowMs, version: ++version }
    const shared = [{ tag: null, rules }]
    const inTest = await limits.admit({ applicationId, mode: 'test' }, shared, {
      alias: 'acme/fast',
      ...call,
    })
    expect(inTest && hasRoom(inTest)).toBe(true)
    const scope = { applicationId, mode: 'live' } as const
    expect(await limits.admit(scope, shared, { alias: 'free/fast', ...call })).toBeNull()
  })
})
