import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aBound, aHold, aLeg, aLimit, aQuote, aState, aWallet } from '#tests/fixtures/build-money-values.ts'
import { admit } from './admit.ts'
import { extend } from './extend-hold.ts'
import { rateMeasures, type RateLimit, type RateRule, rateWindows } from './decision-types.ts'
import {
  admittedAmounts,
  amountOf,
  countsAny,
  countUse,
  heldAmount,
  rateRefusal,
  type RateUse,
  resetsAt,
  settledAmounts,
  slotAt,
  slotsOfRule,
} from './rate-limit.ts'
import { dayMs } from './periods-and-windows.ts'
import { zeroUsage } from './usage-counts.ts'

const nowMs = Date.parse('2026-11-20T12:34:56.789Z')
const at = (text: string): number => Date.parse(`2026-${text}Z`)

function aRule(rule: Partial<RateRule> = {}): RateRule {
  return { measure: 'tokens', window: 'minute', most: 100n, models: null, ...rule }
}

function aRate(
  rule: Partial<RateRule>,
  used = 0n,
  held = 0n,
  source: RateLimit['source'] = 'end_user_limit',
): RateLimit {
  const { window } = aRule(rule)
  const slots =
    used === 0n || window === null ? [] : [{ startsAtMs: slotAt(window, nowMs).startsAtMs, amount: used }]
  return { ...aRule(rule), source, slots, held }
}

describe('the windows of rate limits', () => {
  it.each([
    ['minute', '11-20T12:34:00', '11-20T12:35:00'],
    ['hour', '11-20T12:00:00', '11-20T13:00:00'],
    ['5h', '11-20T12:30:00', '11-20T17:35:00'],
    ['day', '11-20T00:00:00', '11-21T00:00:00'],
    ['week', '11-16T00:00:00', '11-23T00:00:00'],
    ['month', '11-01T00:00:00', '12-01T00:00:00'],
  ] as const)(
    'usage in the window %s counts in the slot from %s and leaves the window at %s',
    (window, starts, leaves) => {
      expect(slotAt(window, nowMs)).toEqual({ startsAtMs: at(starts), leavesAtMs: at(leaves) })
    },
  )

  it('resetsAt returns the time at which the oldest counted slot leaves the window, or null if no slot leaves', () => {
    expect(resetsAt(aRate({ window: 'hour' }, 5n))).toBe(at('11-20T13:00:00'))
    expect(resetsAt(aRate({ window: 'hour' }))).toBeNull()
    expect(resetsAt(aRate({ window: 'total' }, 5n))).toBeNull()
    expect(resetsAt({ window: null, slots: [{ startsAtMs: 0, amount: 1n }] })).toBeNull()
  })

  it('usage never leaves the window `total`', () => {
    expect(slotAt('total', nowMs)).toEqual({ startsAtMs: 0, leavesAtMs: null })
  })

  it('usage with a time in the future, which a wrong clock caused, is ignored after the clock is corrected', () => {
    const rule = aRule()
    const use = (atMs: number) => countUse([rule], [], 'acme/fast', { tokens: 7n }, atMs)
    expect(amountOf(slotsOfRule(rule, use(nowMs + 299_000), nowMs))).toBe(7n)
    expect(amountOf(slotsOfRule(rule, use(nowMs + 400_000), nowMs))).toBe(0n)
    const later = countUse([rule], use(nowMs + 120_000), 'acme/fast', { tokens: 1n }, nowMs)
    expect(later[0]?.slots.map(({ amount }) => amount)).toEqual([1n, 7n])
  })

  it('each window counts the same amount as a naive list of all uses while the clock advances', () => {
    const windows = fc.constantFrom(...rateWindows)
    const steps = fc.array(
      fc.record({
        forwardMs: fc.oneof(
          fc.nat(90_000),
          fc.nat(20 * 60_000),
          fc.nat(8 * 3_600_000),
          fc.nat(20 * 86_400_000),
        ),
        amount: fc.bigInt(1n, 1_000n),
      }),
      { maxLength: 25 },
    )
    const startMs = fc.integer({ min: at('01-01T00:00:00'), max: at('12-31T00:00:00') })
    const check = fc.property(windows, startMs, steps, (window, start, all) => {
      const rule = aRule({ window })
      let clockMs = start
      let uses: readonly RateUse[] = []
      const naive: { atMs: number; amount: bigint }[] = []
      for (const { amount, forwardMs } of all) {
        clockMs += forwardMs
        const counted = naive.filter(({ atMs }) => isIn(window, atMs, clockMs))
        expect(amountOf(slotsOfRule(rule, uses, clockMs))).toBe(
          counted.reduce((sum, one) => sum + one.amount, 0n),
        )
        uses = countUse([rule], uses, 'acme/fast', { tokens: amount }, clockMs)
        naive.push({ atMs: clockMs, amount })
        const fiveHours = naive.filter(({ atMs }) => clockMs - atMs < 5 * 3_600_000)
        if (window === '5h')
          expect(amountOf(slotsOfRule(rule, uses, clockMs))).toBeGreaterThanOrEqual(
            fiveHours.reduce((sum, one) => sum + one.amount, 0n),
          )
      }
    })
    const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
    process.stdout.write(`windows of rate limits: FC_SEED=${seed}\n`)
    fc.assert(check, { numRuns: 10_000, seed })
  })
})

/** Returns whether `atMs` is in the window at the time `clockMs`, computed from dates instead of slots. */
function isIn(window: (typeof rateWindows)[number], atMs: number, clockMs: number): boolean {
  const [then, now] = [new Date(atMs).toISOString(), new Date(clockMs).toISOString()]
  switch (window) {
    case 'minute':
      return then.slice(0, 16) === now.slice(0, 16)
    case 'hour':
      return then.slice(0, 13) === now.slice(0, 13)
    case 'day':
      return then.slice(0, 10) === now.slice(0, 10)
    case 'month':
      return then.slice(0, 7) === now.slice(0, 7)
    case 'week':
      return mondayOf(atMs) === mondayOf(clockMs)
    case '5h':
      return Math.floor(clockMs / 300_000) - Math.floor(atMs / 300_000) <= 60
    case 'total':
      return true
    default:
      return window satisfies never
  }
}

function mondayOf(atMs: number): string {
  const date = new Date(atMs)
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}

describe('the usage that rate limits count', () => {
  const rules = rateMeasures.map((measure) =>
    aRule({ measure, window: measure === 'calls' ? null : 'day', models: ['acme/*'] }),
  )
  const amounts = (uses: readonly RateUse[]) => uses.map(({ measure, slots }) => [measure, amountOf(slots)])

  it('a request is counted when it is admitted, and its tokens and charge when it settles', () => {
    const admitted = countUse(rules, [], 'acme/fast', admittedAmounts, nowMs)
    expect(amounts(admitted)).toEqual([['requests', 1n]])
    const usage = { ...zeroUsage, input: 7, cacheRead: 2, output: 4 }
    const settled = countUse(rules, admitted, 'acme/fast', settledAmounts(usage, 30n), nowMs)
    expect(amounts(settled)).toEqual([
      ['requests', 1n],
      ['tokens', 13n],
      ['inputTokens', 9n],
      ['outputTokens', 4n],
      ['micros', 30n],
    ])
  })

  it('a rule counts only usage of its models, and the usage of a removed rule is kept until the usage leaves the window', () => {
    const uses = countUse(rules, [], 'acme/fast', admittedAmounts, nowMs)
    expect(countUse(rules, uses, 'other/fast', admittedAmounts, nowMs)).toBe(uses)
    expect(countsAny(rules, 'acme/fast', admittedAmounts)).toBe(true)
    expect(countsAny(rules, 'other/fast', admittedAmounts)).toBe(false)
    const other = aRule({ measure: 'requests', window: 'hour' })
    const both = countUse([other], uses, 'acme/fast', admittedAmounts, nowMs)
    expect(both).toMatchObject([
      { window: 'day', slots: [{ amount: 1n }] },
      { window: 'hour', slots: [{ amount: 1n }] },
    ])
    expect(countUse([other], both, 'acme/fast', admittedAmounts, nowMs + dayMs)).toMatchObject([
      { window: 'hour', slots: [{ amount: 1n }] },
    ])
  })

  it('usage of at most 24 inactive rules is kept, and the oldest is dropped first', () => {
    let uses: readonly RateUse[] = []
    for (let n = 0; n < 30; n++)
      uses = countUse([aRule({ window: 'total', models: [`m${n}`] })], uses, `m${n}`, { tokens: 1n }, nowMs)
    expect(uses.map(({ models }) => models?.[0])).toEqual(Array.from({ length: 25 }, (_, n) => `m${n + 5}`))
  })

  it('usage in an existing time slot is added to the given list in place, and usage in a new time slot returns a new list', () => {
    const minute = [aRule({ window: 'minute' })]
    const uses = countUse(minute, [], 'acme/fast', { tokens: 3n }, nowMs)
    expect(countUse(minute, uses, 'acme/fast', { tokens: 4n }, nowMs)).toBe(uses)
    expect(uses).toMatchObject([{ slots: [{ amount: 7n }] }])
    const next = countUse(minute, uses, 'acme/fast', { tokens: 5n }, nowMs + 60_000)
    expect(next).toMatchObject([{ slots: [{ amount: 5n }] }])
    expect(uses).toMatchObject([{ slots: [{ amount: 7n }] }])
  })

  it('if two rules differ only in their maximum, their usage is counted together', () => {
    const twice = [aRule({ most: 5n }), aRule({ most: 9n })]
    const uses = countUse(twice, [], 'acme/fast', { tokens: 3n }, nowMs)
    expect(uses).toMatchObject([{ slots: [{ amount: 3n }] }])
    expect(twice.map((rule) => amountOf(slotsOfRule(rule, uses, nowMs)))).toEqual([3n, 3n])
  })

  it('requests in flight are not stored as usage', () => {
    expect(slotsOfRule(aRule({ measure: 'calls', window: null }), [], nowMs)).toEqual([])
  })

  it('a request in flight counts with its maximum usage', () => {
    const bound = aBound({
      outputTokens: 5,
      textTokens: 10,
      audioTokens: 1,
      imageTokens: 2,
      tools: { uses: 3, usesMax: 4, tokensPerUse: 100, searchesPerUse: 0 },
    })
    const held = rateMeasures.map((measure) => heldAmount(measure, { bound, worstMicros: 9n }))
    expect(held).toEqual([0n, 318n, 313n, 5n, 9n, 1n])
  })
})

describe('admit with rate limits', () => {
  const decide = (
    rates: readonly RateLimit[],
    bound = aBound({ outputTokens: 10 }),
    limits = [aLimit('key_cap', 1_000n)],
  ) => admit({ ...aState([aWallet(500n)], { limits }), nowMs, rates }, aQuote(), bound, 'call')

  it('under a token limit, a request is clamped to the tokens that the limit allows, down to one token', () => {
    expect(decide([aRate({}, 95n)])).toMatchObject({ isClamped: true, outputTokensPerChoice: 5 })
    expect(decide([aRate({}, 95n), aRate({ measure: 'outputTokens' }, 90n, 9n)])).toMatchObject({
      outputTokensPerChoice: 1,
    })
    expect(decide([aRate({}, 90n)])).toMatchObject({ isClamped: false })
  })

  it.each(['key_limit', 'bundle_limit', 'end_user_limit'] as const)(
    'the refusal by a rate limit names the setting that contains the limit: %s',
    (source) => {
      expect(decide([aRate({}, 100n, 0n, source)])).toMatchObject({
        code: 'rate_limited',
        limitSource: source,
      })
    },
  )

  it('the refusal by a limit on a tag names the tag', () => {
    expect(decide([{ ...aRate({}, 100n, 0n, 'tag_limit'), tag: 'nightly' }])).toMatchObject({
      limitSource: 'tag_limit',
      rate: { measure: 'tokens', window: 'minute', models: null, tag: 'nightly' },
    })
  })

  it('the refusal by a limit on a team names the team', () => {
    expect(decide([{ ...aRate({}, 100n, 0n, 'team_limit'), team: 'sales' }])).toMatchObject({
      limitSource: 'team_limit',
      rate: { measure: 'tokens', window: 'minute', models: null, team: 'sales' },
    })
  })

  it('the refusal names the limit that blocks longest, with its numbers', () => {
    const minute = aRate({}, 100n)
    const hour = aRate({ window: 'hour', measure: 'requests', most: 3n, models: ['*'] }, 3n)
    for (const rates of [
      [minute, hour],
      [hour, minute],
    ])
      expect(decide(rates)).toEqual({
        kind: 'refused',
        code: 'rate_limited',
        limitSource: 'end_user_limit',
        limit: 3n,
        used: 3n,
        held: 0n,
        requested: 1n,
        resetsAtMs: at('11-20T13:00:00'),
        rate: { measure: 'requests', window: 'hour', models: ['*'] },
      })
  })

  it.each<[string, Partial<RateRule>, bigint, bigint, string, number | null]>([
    [
      'requests in flight',
      { measure: 'calls', window: null, most: 2n },
      0n,
      2n,
      'rate_limited',
      nowMs + 1000,
    ],
    ['tokens in flight', {}, 0n, 100n, 'rate_limited', nowMs + 1000],
    ['a request larger than the limit', { most: 0n }, 0n, 0n, 'spend_limit_exceeded', null],
    ['a limit without a reset', { window: 'total' }, 100n, 0n, 'spend_limit_exceeded', null],
    [
      'charges of an hour',
      { measure: 'micros', window: 'hour' },
      100n,
      0n,
      'rate_limited',
      at('11-20T13:00:00'),
    ],
    [
      'charges of a day',
      { measure: 'micros', window: 'day' },
      100n,
      0n,
      'spend_limit_exceeded',
      at('11-21T00:00:00'),
    ],
    [
      'charges of a week',
      { measure: 'micros', window: 'week' },
      100n,
      0n,
      'spend_limit_exceeded',
      at('11-23T00:00:00'),
    ],
    [
      'charges of a month',
      { measure: 'micros', window: 'month' },
      100n,
      0n,
      'spend_limit_exceeded',
      at('12-01T00:00:00'),
    ],
  ])(
    'a request that exceeds a limit is rejected with the code and the reset time of the limit: %s',
    (_, rule, used, held, code, resetsAtMs) => {
      expect(decide([aRate(rule, used, held)])).toMatchObject({ code, resetsAtMs, used, held })
    },
  )

  it('the wait that a refusal states lasts until enough usage has left the rolling window', () => {
    const slots = [0, 1, 2].map((n) => ({ startsAtMs: at(`11-20T08:${n}0:00`), amount: 40n }))
    const limit: RateLimit = { ...aRule({ window: '5h' }), source: 'end_user_limit', slots, held: 0n }
    expect(decide([limit])).toMatchObject({
      code: 'rate_limited',
      used: 120n,
      resetsAtMs: at('11-20T13:05:00'),
    })
    expect(rateRefusal([limit], 0n, aBound({ outputTokens: 60 }), nowMs)?.resetsAtMs).toBe(
      at('11-20T13:15:00'),
    )
    expect(rateRefusal([limit], 0n, aBound({ outputTokens: 100 }), nowMs)?.resetsAtMs).toBe(
      at('11-20T13:25:00'),
    )
  })

  it('a refusal names an exhausted spend limit first, then a rate limit, and then a spend limit that is exceeded only by held money', () => {
    const full = aRate({}, 100n)
    expect(decide([full], aBound({ outputTokens: 10 }), [aLimit('key_cap', 0n)])).toMatchObject({
      limitSource: 'key_cap',
    })
    const held = [aLimit('key_cap', 1_000n, { heldMicros: 1_000n })]
    expect(decide([full], aBound({ outputTokens: 10 }), held)).toMatchObject({ code: 'rate_limited' })
    expect(decide([aRate({})], aBound({ outputTokens: 10 }), held)).toMatchObject({ code: 'balance_held' })
  })
})

describe('extend with rate limits', () => {
  it('an extension of a hold adds the tokens that limits on tokens still allow, and ignores limits on other measures', () => {
    const hold = aHold([aLeg('wallet', 10n)])
    const more = (rates: readonly RateLimit[]) =>
      extend({ ...aState([aWallet(500n, { held: 10n })]), nowMs, rates }, hold, 20)
    const requests = aRate({ measure: 'requests', most: 1n }, 1n)
    expect(more([aRate({}, 80n, 10n), requests])).toMatchObject({ addedOutputTokens: 10 })
    expect(more([aRate({}, 90n, 10n)])).toEqual({ kind: 'no_room' })
  })
})
