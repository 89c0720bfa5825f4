import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NoSuchHold } from '#store/ledger/operation-fault.ts'
import { ledgerEntries } from '#store/nouns/ledger-entries.ts'
import { isPostgres } from '#store/sql/database-interface.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('money on $name', ({ open }) => {
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

  test('a reserve holds the worst case and does not change the balance', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    expect(await world.reserve(request)).toEqual({
      kind: 'reserved',
      callId: request.callId,
      quote: request.quote,
      bound: request.bound,
      worstMicros: 300n,
      worstCredits: 0n,
      offer: 0,
      outputTokensPerChoice: 200,
      isClamped: false,
      legs: [{ sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: 300n, micros: 300n }],
      wallet: { posted: 1_000n, held: 300n },
      limits: [],
    })
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 300n })
  })

  test('a settle charges the usage and releases the unused part of the hold', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    const result = await world.settle(request, { input: 90, output: 30 })
    expect(result).toEqual({
      costMicros: 120n,
      assumedMicros: 0n,
      billedMicros: 120n,
      chargeMicros: 120n,
      overHoldMicros: 0n,
      walletPostedMicros: 880n,
    })
    expect(await world.wallet(caller)).toEqual({ posted: 880n, held: 0n })
    const entries = await ledgerEntries(opened.store.database.read, {
      ...caller,
      sourceId: null,
      before: null,
      limit: 10,
    })
    expect(
      entries.map(({ kind, amount, balance_after, call_id }) => [kind, amount, balance_after, call_id]),
    ).toEqual([
      ['usage_debit', -120n, 880n, request.callId],
      ['grant', 1_000n, 1_000n, null],
    ])
  })

  test('a repeated settle changes nothing and returns the same result', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    const first = await world.settle(request, { input: 90, output: 30 })
    const other = world.request(caller, { input: 10, output: 10 })
    await world.reserve(other)
    await world.settle(other, { input: 10, output: 10 })
    const again = await world.settle(request, { input: 1, output: 1 })
    expect(again).toEqual(first)
    expect(await world.wallet(caller)).toEqual({ posted: 860n, held: 0n })
  })

  test('two concurrent settles charge once', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    const [one, other] = await Promise.all([
      world.settle(request, { input: 90, output: 30 }),
      world.settle(request, { input: 90, output: 30 }),
    ])
    expect(one).toEqual(other)
    expect(await world.wallet(caller)).toEqual({ posted: 880n, held: 0n })
  })

  test('a release returns the whole hold, and a repeated release changes nothing', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    await world.release(request)
    await world.release(request)
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('a settle after a release or without a reserve is rejected with NoSuchHold', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    await world.release(request)
    await expect(world.settle(request, { input: 1 })).rejects.toThrow(NoSuchHold)
    const never = world.request(caller, { input: 1, output: 1 })
    await expect(world.settle(never, { input: 1 })).rejects.toThrow(NoSuchHold)
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('a release after a settle changes nothing', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    await world.settle(request, { input: 100, output: 50 })
    await world.release(request)
    expect(await world.wallet(caller)).toEqual({ posted: 850n, held: 0n })
  })

  test('a call is admitted if its worst case equals the balance exactly', async () => {
    const caller = await world.person(300n)
    const fits = await world.reserve(world.request(caller, { input: 100, output: 200 }))
    expect(fits.kind).toBe('reserved')
    const other = await world.person(299n)
    const refused = await world.reserve(world.request(other, { input: 299, output: 1 }))
    expect(refused).toMatchObject({
      kind: 'refused',
      code: 'insufficient_credit',
      limitSource: 'balance',
      limit: 299n,
      held: 0n,
      requested: 300n,
      runId: null,
      at: null,
    })
  })

  test('an output maximum that the balance does not cover is clamped', async () => {
    const caller = await world.person(250n)
    const result = await world.reserve(world.request(caller, { input: 100, output: 200 }))
    expect(result).toMatchObject({
      kind: 'reserved',
      worstMicros: 250n,
      outputTokensPerChoice: 150,
      isClamped: true,
    })
  })

  test('exactly 10 of 100 concurrent reserves succeed if the balance covers 10', async () => {
    const caller = await world.person(1_000n)
    const results = await Promise.all(
      Array.from({ length: 100 }, () => world.reserve(world.request(caller, { input: 50, output: 50 }))),
    )
    expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(10)
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 1_000n })
  })

  test('an extension holds as much as the balance allows, and the next extension reports that no more can be held', async () => {
    const caller = await world.person(500n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    const { ledger } = opened.store
    const { nowMs } = clock
    const more = await ledger.extend({ callId: request.callId, nowMs, moreOutputTokens: 150 })
    expect(more).toMatchObject({ kind: 'extended', worstMicros: 450n, addedOutputTokens: 150 })
    const less = await ledger.extend({ callId: request.callId, nowMs, moreOutputTokens: 150 })
    expect(less).toMatchObject({ kind: 'extended', worstMicros: 500n, addedOutputTokens: 50 })
    const none = await ledger.extend({ callId: request.callId, nowMs, moreOutputTokens: 1 })
    expect(none).toEqual({ kind: 'no_room' })
    const settled = await world.settle(request, { input: 100, output: 400 })
    expect(settled).toMatchObject({ chargeMicros: 500n, overHoldMicros: 0n, walletPostedMicros: 0n })
  })

  test('usage beyond the hold is recorded and not charged under hard_token', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    const result = await world.settle(request, { input: 100, output: 260 })
    expect(result).toMatchObject({
      costMicros: 360n,
      chargeMicros: 300n,
      billedMicros: 300n,
      overHoldMicros: 60n,
    })
  })

  test('live and test money are separate', async () => {
    const live = await world.person(1_000n)
    const tester = await world.key(live.endUserId, { mode: 'test' })
    const refused = await world.reserve(world.request(tester, { input: 1, output: 1 }))
    expect(refused).toMatchObject({ kind: 'refused', code: 'insufficient_credit' })
    await world.credit([live.endUserId], 50n, { mode: 'test' })
    const reserved = await world.reserve(world.request(tester, { input: 25, output: 25 }))
    expect(reserved.kind).toBe('reserved')
    expect(await world.wallet(live)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('a settle writes the day sums, the usage record and the request of the call in the same commit', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    await world.settle(request, { input: 90, cacheRead: 10, output: 30, reasoning: 20 })
    const { read } = opened.store.database
    expect(await read.selectFrom('usage_days').selectAll().execute()).toMatchObject([
      { calls: 1, input_tokens: 100, output_tokens: 30, charge_micros: 130n, key_id: caller.keyId },
    ])
    expect(await read.selectFrom('usage_records').selectAll().execute()).toMatchObject([
      {
        call_id: request.callId,
        usage: '{"input":90,"cacheRead":10,"output":30,"reasoning":20}',
        worst_micros: 300n,
        charge_micros: 130n,
        streamed: 0,
        wire: 'chat',
      },
    ])
    // A charged call has only a usage record. Any other call has only a request.
    expect(await read.selectFrom('requests').selectAll().execute()).toEqual([])
    expect(await read.selectFrom('holds').selectAll().execute()).toEqual([])
  })

  test('a rejected call is recorded only as a request', async () => {
    const caller = await world.person(0n)
    const request = world.request(caller, { input: 1, output: 1 })
    const refused = await world.reserve(request)
    expect(refused.kind).toBe('refused')
    await opened.store.ledger.record({
      ...world.record(request, 'refused'),
      errorCode: 'insufficient_credit',
    })
    const rows = await opened.store.database.read.selectFrom('requests').selectAll().execute()
    expect(rows).toMatchObject([{ status: 'refused', error_code: 'insufficient_credit' }])
  })

  test('the next commit stores the checkpoint of a call in the row of the hold', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    opened.store.ledger.checkpoint({
      callId: request.callId,
      usage: world.settlement(request, { input: 100, output: 7 }).usage,
    })
    await world.credit([caller.endUserId], 1n)
    const rows = await opened.store.database.read.selectFrom('holds').select('checkpoint').execute()
    expect(rows).toEqual([{ checkpoint: '{"input":100,"output":7}' }])
  })

  test('an operation with an invalid number is rejected, and does not affect other operations', async () => {
    const caller = await world.person(1_000n)
    const good = world.request(caller, { input: 10, output: 10 })
    const bad = world.request(caller, { input: Number.NaN, output: 10 })
    const request = world.request(caller, { input: 10, output: 10 })
    await world.reserve(request)
    const results = await Promise.allSettled([
      world.reserve(good),
      world.reserve(bad),
      world.settle(request, { input: -1 }),
      world.settle(request, { input: 10, output: 10 }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(await world.wallet(caller)).toEqual({ posted: 980n, held: 20n })
  })

  test('the first use of a key is stored immediately, and its later uses at most once in ten minutes', async () => {
    const caller = await world.person(1_000n)
    const { read } = opened.store.database
    const lastUsed = async (): Promise<number | null | undefined> => {
      const row = await read
        .selectFrom('keys')
        .select('last_used_at_ms')
        .where('id', '=', caller.keyId)
        .executeTakeFirst()
      return row?.last_used_at_ms
    }
    await world.reserve(world.request(caller, { input: 1, output: 1 }))
    expect(await lastUsed()).toBe(startMs)
    clock.nowMs += 599_999
    await world.reserve(world.request(caller, { input: 1, output: 1 }))
    expect(await lastUsed()).toBe(startMs)
    clock.nowMs += 1
    await world.reserve(world.request(caller, { input: 1, output: 1 }))
    // SQLite stores the last uses of all keys together (tests/store/stored-last-uses-of-keys.test.ts).
    expect(await lastUsed()).toBe(isPostgres(read) ? startMs + 600_000 : startMs)
  })
})
