import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FailedAttempt, RedirectRequest, ReserveRequest, TargetOffer } from '#domain/ledger-interface.ts'
import type { CallBound, Quote } from '#money/decision-types.ts'
import { zeroUsage, type Usage } from '#money/usage-counts.ts'
import { attemptsFromText } from '#store/rows/failed-attempts-column.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World, type Caller } from './add-rows-that-calls-need.ts'

/** The price of an input or output token, in micros. */
function quoteOf(microsAToken: bigint): Quote {
  const price = { input: microsAToken * 1_000_000n, output: microsAToken * 1_000_000n }
  return {
    id: `quote_${microsAToken}`,
    cost: price,
    sell: price,
    basis: 'provider_cost',
    credits: null,
    policy: 'hard_token',
    maxOverdraftMicros: 0n,
  }
}

const [cheap, plain, dear] = [quoteOf(1n), quoteOf(2n), quoteOf(5n)]
const target = (model: string) => ({ accountId: `pa_${model}`, provider: 'openai', model })

describe.each(engines)('targets and attempts on $name', ({ open }) => {
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

  const offer = (covers: Quote, quote: Quote, bound: CallBound, mayClamp: boolean): TargetOffer => ({
    covers,
    quote,
    bound,
    mayClamp,
    target: target(quote.id),
  })

  /**
   * The call has 10 input tokens and at most 20 output tokens. Its cheap target is called first, and then possibly the
   * expensive one.
   */
  function request(caller: Caller): ReserveRequest {
    const one = world.request(caller, { input: 10, output: 20 })
    const { bound } = one
    return { ...one, offers: [offer(dear, cheap, bound, false), offer(cheap, cheap, bound, true)] }
  }

  function redirection(of: ReserveRequest, more: Partial<RedirectRequest>): RedirectRequest {
    return {
      callId: of.callId,
      nowMs: clock.nowMs,
      quote: plain,
      target: target('plain'),
      outputTokens: 20,
      attempts: [],
      ...more,
    }
  }

  function attempt(quote: Quote, usage: Partial<Usage> | null): FailedAttempt {
    return {
      target: target(quote.id),
      status: 503,
      failure: null,
      code: 'upstream_overloaded',
      atMs: 1,
      durationMs: 2,
      firstByteMs: null,
      usage: usage && { ...zeroUsage, ...usage },
      quote,
    }
  }

  /** Adds up the sums of the days. */
  async function costOfDays(): Promise<bigint> {
    const rows = await world.store.database.read.selectFrom('usage_days').select('cost_micros').execute()
    return rows.reduce((sum, row) => sum + row.cost_micros, 0n)
  }

  test('a hold covers the most expensive target, and the responding target determines the charge', async () => {
    const caller = await world.person(1_000n)
    const asked = request(caller)
    expect(await world.reserve(asked)).toMatchObject({ offer: 0, worstMicros: 150n, quote: cheap })
    expect(await world.settle(asked, { input: 10, output: 20 })).toMatchObject({
      costMicros: 30n,
      chargeMicros: 30n,
    })
    expect(await world.wallet(caller)).toEqual({ posted: 970n, held: 0n })
  })

  test('the cost at assumed rates is recorded separately for every attempt, even of a call without a charge', async () => {
    const assuming: Quote = { ...dear, id: 'quote_assuming', assumed: ['output'] }
    const caller = await world.person(1_000n)
    const one = { ...world.request(caller, { input: 10, output: 20 }), quote: assuming }
    await world.reserve(one)
    const attempts = [attempt(assuming, { input: 1, output: 2 }), attempt(cheap, { output: 4 })]
    const settled = await world.settle(one, { input: 10, output: 3 }, { attempts })
    expect(settled).toMatchObject({ costMicros: 65n + 15n + 4n, assumedMicros: 15n + 10n })
    expect(await world.settle(one, { input: 10, output: 3 }, { attempts })).toEqual(settled)

    const other = { ...world.request(caller, { input: 10, output: 20 }), quote: assuming }
    await world.reserve(other)
    const record = world.record(other, 'released')
    await world.store.ledger.release({ callId: other.callId, nowMs: clock.nowMs, record, attempts })
    const { read } = world.store.database
    const columns = ['call_id', 'cost_micros', 'assumed_micros'] as const
    expect(await read.selectFrom('usage_records').select(columns).execute()).toEqual([
      { call_id: one.callId, cost_micros: 84n, assumed_micros: 25n },
    ])
    expect(await read.selectFrom('requests').select(columns).execute()).toEqual([
      { call_id: other.callId, cost_micros: 19n, assumed_micros: 10n },
    ])
  })

  test('if the money does not cover the most expensive target, a cheaper target is held, and the answer is shortened only if allowed', async () => {
    const enough = await world.person(100n)
    expect(await world.reserve(request(enough))).toMatchObject({
      offer: 1,
      worstMicros: 30n,
      isClamped: false,
    })
    const little = await world.person(15n)
    expect(await world.reserve(request(little))).toMatchObject({
      offer: 1,
      isClamped: true,
      outputTokensPerChoice: 5,
    })
    const none = await world.person(5n)
    expect(await world.reserve(request(none))).toMatchObject({
      kind: 'refused',
      code: 'insufficient_credit',
      requested: 11n,
    })
  })

  test('output beyond the maximum is part of the cost but not of the charge, and the record marks the cost as disputed', async () => {
    const caller = await world.person(1_000n)
    const asked = request(caller)
    await world.reserve(asked)
    const used = { input: 10, output: 20, outputBeyond: 7, statedCostNanos: 1 }
    const settled = await world.settle(asked, used, { isDisputed: true })
    expect(settled).toMatchObject({
      costMicros: 37n,
      billedMicros: 30n,
      chargeMicros: 30n,
      overHoldMicros: 0n,
    })
    expect(await costOfDays()).toBe(37n)
    const other = request(caller)
    await world.reserve(other)
    await world.settle(other, { input: 10, output: 20 })
    const third = request(caller)
    await world.reserve(third)
    await world.settle(third, { input: 10, statedCostNanos: 1 }, { isDisputed: false })
    const stories = [asked, other, third].map(({ applicationId, callId, mode }) =>
      world.store.database.read
        .selectFrom('usage_records')
        .select(['disputed', 'usage'])
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where('call_id', '=', callId)
        .executeTakeFirstOrThrow(),
    )
    const rows = await Promise.all(stories)
    expect(rows.map(({ disputed }) => disputed)).toEqual([1, null, 0])
    expect(rows[0]?.usage).toContain('"outputBeyond":7')
  })

  test('the application pays for failed attempts, which are part of the call’s cost but not of its charge', async () => {
    const caller = await world.person(1_000n)
    const asked = request(caller)
    await world.reserve(asked)
    const attempts = [attempt(cheap, { input: 10, output: 3 }), attempt(dear, null)]
    const { ledger } = world.store
    await ledger.redirect(redirection(asked, { attempts: attempts.slice(0, 1) }))
    await ledger.redirect(redirection(asked, { attempts }))
    const settled = await world.settle(asked, { input: 10, output: 4 }, { attempts })
    expect(settled).toMatchObject({ costMicros: 28n + 13n, billedMicros: 28n, chargeMicros: 28n })
    expect(await world.wallet(caller)).toEqual({ posted: 972n, held: 0n })
    expect(await costOfDays()).toBe(41n)
    const row = await world.store.database.read
      .selectFrom('usage_records')
      .select(['attempts', 'target', 'quote_id'])
      .executeTakeFirstOrThrow()
    expect([row.quote_id, row.target]).toEqual(['quote_2', '["pa_plain","openai","plain"]'])
    const [first, second] = attemptsFromText(row.attempts)
    expect(first).toMatchObject({ costMicros: 13n, quoteId: 'quote_1', target: target('quote_1') })
    expect(second).toMatchObject({ costMicros: 0n, usage: null, code: 'upstream_overloaded' })
    expect(await world.settle(asked, { input: 1 }, { attempts })).toEqual(settled)
  })

  test('a call without a response is not charged, and its cost is recorded', async () => {
    const caller = await world.person(1_000n)
    const asked = request(caller)
    await world.reserve(asked)
    const attempts = [attempt(cheap, { input: 10 }), attempt(plain, { input: 10, output: 1 })]
    const record = world.record(asked, 'released')
    await world.store.ledger.release({ callId: asked.callId, nowMs: clock.nowMs, record, attempts })
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
    const row = await world.store.database.read
      .selectFrom('requests')
      .select('cost_micros')
      .executeTakeFirstOrThrow()
    expect([row.cost_micros, await costOfDays()]).toEqual([32n, 32n])
  })

  test('the router calls no target that the hold does not cover', async () => {
    const caller = await world.person(100n)
    const asked = request(caller)
    await world.reserve(asked)
    const { ledger } = world.store
    await expect(ledger.redirect(redirection(asked, { quote: plain }))).rejects.toThrow(
      /holds 30 micros, and plain may cost 60/,
    )
    await world.release(asked)
    await expect(ledger.redirect(redirection(asked, {}))).rejects.toThrow(/no hold/)
  })

  test('the hold of a stream is extended at the price of the responding target, starting with the existing hold', async () => {
    const caller = await world.person(1_000n)
    const asked = request(caller)
    await world.reserve(asked)
    const { ledger } = world.store
    const extend = (moreOutputTokens: number) =>
      ledger.extend({ callId: asked.callId, nowMs: clock.nowMs, moreOutputTokens })
    // At 1 micro each, the 10 + 20 + 100 tokens cost 130 micros. The hold of 150 micros for the expensive target covers
    // this cost.
    expect(await extend(100)).toMatchObject({ kind: 'extended', worstMicros: 150n, addedOutputTokens: 100 })
    expect(await extend(100)).toMatchObject({ kind: 'extended', worstMicros: 230n })
    // At the price of the new target, the hold must cover only the original number of output tokens.
    await ledger.redirect(redirection(asked, { quote: dear, attempts: [attempt(cheap, { output: 200 })] }))
    expect(await world.settle(asked, { input: 10, output: 20 })).toMatchObject({
      costMicros: 150n + 200n,
      chargeMicros: 150n,
    })
  })
})
