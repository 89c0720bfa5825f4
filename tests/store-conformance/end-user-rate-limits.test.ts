import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RateMeasure, RateRule } from '#money/decision-types.ts'
import { keys } from '#store/nouns/keys.ts'
import { rateRulesToText } from '#store/rows/json-columns.ts'
import { balances } from '#store/nouns/balances.ts'
import { countedUses } from '#store/nouns/limits/rate-limit-usage.ts'
import { engines, type Opened } from './engines.ts'
import { type Caller, startMs, World } from './add-rows-that-calls-need.ts'

const minuteMs = 60_000

describe.each(engines)('rate limits on $name', ({ open }) => {
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

  const setRates = ({ endUserId, mode }: Caller, ...rates: Partial<RateRule>[]) =>
    opened.store.database.transaction((tx) => balances(tx).setLimits(endUserId, mode, [], rates.map(aRule)))
  const aRule = (rate: Partial<RateRule>): RateRule => ({
    measure: 'tokens',
    window: 'minute',
    most: 100n,
    models: null,
    ...rate,
  })
  const limitKey = ({ endUserId, keyId }: Caller, ...rates: Partial<RateRule>[]) =>
    opened.store.database.transaction((tx) =>
      keys(tx).setCap(
        { id: keyId, lineId: null, endUserId },
        { capMicros: null, capPeriod: 'month', limits: rates.map(aRule) },
      ),
    )
  const limitBundle = (...rates: Partial<RateRule>[]) =>
    opened.store.database.transaction((tx) =>
      tx
        .updateTable('bundles')
        .set({ rate_limits: rateRulesToText(rates.map(aRule)) })
        .where('id', '=', world.bundleId)
        .execute(),
    )
  const ask = (caller: Caller, input: number, output = 0) =>
    world.reserve(world.request(caller, { input, output }))
  const spend = async (caller: Caller, input: number): Promise<void> => {
    const request = world.request(caller, { input, output: 0 })
    expect((await world.reserve(request)).kind).toBe('reserved')
    await world.settle(request, { input })
  }

  test('requests count over all keys, whether they succeed or fail, until the window ends', async () => {
    const caller = await world.person(10_000n)
    const other = await world.key(caller.endUserId)
    await setRates(caller, { measure: 'requests', most: 3n })
    await spend(caller, 1)
    await spend(other, 1)
    const failed = world.request(caller, { input: 1, output: 0 })
    await world.reserve(failed)
    await world.release(failed)
    expect(await ask(other, 1)).toMatchObject({
      code: 'rate_limited',
      limitSource: 'end_user_limit',
      limit: 3n,
      used: 3n,
      held: 0n,
      requested: 1n,
      resetsAtMs: startMs + minuteMs,
      rate: { measure: 'requests', window: 'minute' },
    })
    clock.nowMs = startMs + minuteMs
    await spend(caller, 1)
  })

  test('while a request is in flight, its maximum number of tokens is held, and afterwards the actual number is counted', async () => {
    const caller = await world.person(10_000n)
    await setRates(caller, {})
    const request = world.request(caller, { input: 20, output: 70 })
    await world.reserve(request)
    expect(await ask(caller, 11)).toMatchObject({ code: 'rate_limited', used: 0n, held: 90n })
    expect(await ask(caller, 5, 50)).toMatchObject({ kind: 'reserved', outputTokensPerChoice: 5 })
    await world.settle(request, { input: 20, output: 10 })
    expect(await ask(caller, 61)).toMatchObject({ used: 30n, held: 10n })
    const last = world.request(caller, { input: 60, output: 0 })
    expect((await world.reserve(last)).kind).toBe('reserved')
    await world.release(last)
    expect((await ask(caller, 60)).kind).toBe('reserved')
  })

  test('an extension is limited by the remaining tokens', async () => {
    const caller = await world.person(10_000n)
    await setRates(caller, { measure: 'outputTokens' }, { measure: 'requests', most: 1n })
    const request = world.request(caller, { input: 0, output: 60 })
    await world.reserve(request)
    const extend = (moreOutputTokens: number) =>
      opened.store.ledger.extend({ callId: request.callId, nowMs: clock.nowMs, moreOutputTokens })
    expect(await extend(90)).toMatchObject({ kind: 'extended', addedOutputTokens: 40 })
    expect(await extend(1)).toEqual({ kind: 'no_room' })
  })

  test('only requests for matching models and in the same mode count', async () => {
    const caller = await world.person(10_000n)
    const inTest = await world.key(caller.endUserId, { mode: 'test' })
    await world.credit([caller.endUserId], 1_000n, { mode: 'test' })
    await setRates(caller, { most: 10n, models: ['acme/f*'] }, { most: 1n, models: ['other/*'] })
    await spend(inTest, 500)
    await spend(caller, 10)
    expect(await ask(caller, 1)).toMatchObject({ code: 'rate_limited', rate: { models: ['acme/f*'] } })
  })

  test('counted usage is kept when the limit is raised, and requests are allowed after all limits are removed', async () => {
    const caller = await world.person(10_000n)
    await setRates(caller, { window: '5h' })
    await spend(caller, 100)
    await setRates(caller, { window: '5h', most: 120n })
    expect(await ask(caller, 21)).toMatchObject({ used: 100n, limit: 120n })
    await spend(caller, 20)
    const stored = balances(opened.store.database.read)
    const uses = countedUses(opened.store.database.read)
    expect(await uses.ofEndUser(caller.endUserId, 'live')).toMatchObject([
      { measure: 'tokens', window: '5h', slots: [{ amount: 120n }] },
    ])
    await setRates(caller)
    await spend(caller, 1_000)
    expect(await stored.rates([caller.endUserId], 'live')).toEqual(new Map())
  })

  test('end users and keys without rate limits have no row of counted usage', async () => {
    const caller = await world.person(10_000n)
    await spend(caller, 10)
    const { read } = opened.store.database
    expect(await read.selectFrom('rate_uses').selectAll().execute()).toEqual([])
    expect(await read.selectFrom('line_rate_uses').selectAll().execute()).toEqual([])
  })

  test('a limit of a key applies to its key line, and to no other key', async () => {
    const caller = await world.person(10_000n)
    const successor = await world.key(caller.endUserId, { line_id: caller.keyId })
    const other = await world.key(caller.endUserId)
    await limitKey(caller, { most: 50n })
    await limitKey(successor, { most: 50n })
    const request = world.request(successor, { input: 30, output: 0 })
    await world.reserve(request)
    expect(await ask(caller, 21)).toMatchObject({ limitSource: 'key_limit', used: 0n, held: 30n })
    await world.settle(request, { input: 10 })
    await spend(other, 500)
    expect(await ask(caller, 41)).toMatchObject({ code: 'rate_limited', used: 10n, held: 0n, limit: 50n })
    await spend(caller, 40)
    expect(await ask(successor, 1)).toMatchObject({
      limitSource: 'key_limit',
      used: 50n,
      rate: { measure: 'tokens', window: 'minute' },
    })
    const uses = await countedUses(opened.store.database.read).ofLines(caller.endUserId, 'live')
    expect([...uses].map(([line, [use]]) => [line, use?.slots[0]?.amount])).toEqual([[caller.keyId, 50n]])
    clock.nowMs = startMs + minuteMs
    await spend(caller, 50)
  })

  test('a limit of a bundle covers each end user separately, over all keys and across plans', async () => {
    const [caller, neighbor] = [await world.person(10_000n), await world.person(10_000n)]
    const other = await world.key(caller.endUserId)
    await limitBundle({ measure: 'requests', window: 'month', most: 2n })
    await spend(caller, 1)
    await spend(other, 1)
    await spend(neighbor, 1)
    expect(await ask(other, 1)).toMatchObject({ limitSource: 'bundle_limit', limit: 2n, used: 2n })
    await limitBundle()
    // The plan has no limit now. The new limit must keep the usage that the former limit counted.
    await setRates(caller, { measure: 'requests', window: 'day', most: 5n })
    await spend(caller, 1)
    await limitBundle({ measure: 'requests', window: 'month', most: 3n })
    await spend(caller, 1)
    expect(await ask(caller, 1)).toMatchObject({ limitSource: 'bundle_limit', limit: 3n, used: 3n })
  })

  test('the counted usage of an end user without settings is kept when another writer changes the end user', async () => {
    const caller = await world.person(10_000n)
    await limitBundle({ measure: 'requests', window: 'month', most: 2n })
    await spend(caller, 1)
    // Another writer makes the ledger read the end user's rows again.
    await opened.store.database.transaction((tx) =>
      tx
        .updateTable('end_users')
        .set({ email: 'ada@example.com' })
        .where('id', '=', caller.endUserId)
        .execute(),
    )
    await spend(caller, 1)
    expect(await ask(caller, 1)).toMatchObject({ limitSource: 'bundle_limit', limit: 2n, used: 2n })
  })

  test('if limits of the key, the bundle and the end user are exceeded, the error names the limit that blocks longest', async () => {
    const caller = await world.person(10_000n)
    await limitKey(caller, { most: 10n, window: 'minute' })
    await limitBundle({ most: 10n, window: 'hour' })
    await setRates(caller, { most: 10n, window: '5h' })
    await spend(caller, 10)
    expect(await ask(caller, 1)).toMatchObject({ limitSource: 'end_user_limit' })
    await setRates(caller)
    expect(await ask(caller, 1)).toMatchObject({ limitSource: 'bundle_limit' })
    await limitBundle()
    expect(await ask(caller, 1)).toMatchObject({ limitSource: 'key_limit' })
  })

  test('limits on a key and on a bundle also limit the extension of a hold', async () => {
    const caller = await world.person(10_000n)
    await limitKey(caller, { measure: 'outputTokens', most: 80n })
    await limitBundle({ measure: 'outputTokens', most: 90n })
    const request = world.request(caller, { input: 0, output: 60 })
    await world.reserve(request)
    const extend = (moreOutputTokens: number) =>
      opened.store.ledger.extend({ callId: request.callId, nowMs: clock.nowMs, moreOutputTokens })
    expect(await extend(90)).toMatchObject({ kind: 'extended', addedOutputTokens: 20 })
    await limitKey(caller)
    expect(await extend(90)).toMatchObject({ kind: 'extended', addedOutputTokens: 10 })
  })

  test.each(['key', 'bundle'])(
    'a limit of a %s admits exactly 100 of 500 concurrent requests',
    async (of) => {
      const caller = await world.person(10_000n)
      if (of === 'key') await limitKey(caller, { measure: 'requests' })
      else await limitBundle({ measure: 'requests' })
      const requests = Array.from({ length: 500 }, () => world.request(caller, { input: 1, output: 0 }))
      const results = await Promise.all(requests.map((request) => world.reserve(request)))
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(100)
    },
  )

  test.each<[RateMeasure, RateRule['window']]>([
    ['requests', 'minute'],
    ['tokens', '5h'],
    ['inputTokens', 'hour'],
    ['micros', 'minute'],
    ['calls', null],
  ])('a limit of 100 %s admits exactly 100 of 500 concurrent requests', async (measure, window) => {
    const caller = await world.person(10_000n)
    const other = await world.key(caller.endUserId)
    await setRates(caller, { measure, window })
    const requests = Array.from({ length: 500 }, (_, at) =>
      world.request(at % 2 === 0 ? caller : other, { input: 1, output: 0 }),
    )
    const results = await Promise.all(requests.map((request) => world.reserve(request)))
    expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(100)
    await Promise.all(
      requests
        .filter((_, at) => results[at]?.kind === 'reserved')
        .map((request) => world.settle(request, { input: 1 })),
    )
    expect((await ask(caller, 1)).kind).toBe(measure === 'calls' ? 'reserved' : 'refused')
  })
})
