import { describe, expect, it } from 'vitest'
import { aHold } from '#tests/fixtures/build-money-values.ts'
import type { RateLimit } from '#money/decision-types.ts'
import { rateRooms } from './remaining-rate-limit.ts'

const nowMs = Date.parse('2026-11-20T12:34:56.789Z')
const at = (text: string): number => Date.parse(`2026-${text}Z`)
const minuteMs = at('11-20T12:34:00')

function aRate(limit: Partial<RateLimit> = {}): RateLimit {
  return {
    measure: 'requests',
    window: 'minute',
    most: 10n,
    models: null,
    source: 'end_user_limit',
    slots: [],
    held: 0n,
    ...limit,
  }
}

const hold = aHold([], {
  bound: {
    alias: 'acme/fast',
    textTokens: 30,
    audioTokens: 0,
    imageTokens: 0,
    outputTokens: 20,
    choices: 1,
    serviceTier: null,
    canReport: { cacheWrite: false, cacheWriteLong: false, audioOutput: false, imageOutput: false },
  },
})

describe('the remaining amount of a rate limit', () => {
  it('the admitted request reduces the remaining amount, which is full again at the end of the window', () => {
    const used = [{ startsAtMs: minuteMs, amount: 3n }]
    expect(rateRooms([aRate({ slots: used })], hold, nowMs)).toEqual([
      { measure: 'requests', most: 10n, remaining: 6n, fullAtMs: at('11-20T12:35:00') },
    ])
  })

  it('the remaining amount is reduced by the tokens that requests in flight hold, including this request', () => {
    const limits = [
      aRate({ measure: 'tokens', most: 1_000n, held: 100n }),
      aRate({ measure: 'inputTokens', most: 1_000n }),
      aRate({ measure: 'outputTokens', most: 1_000n, slots: [{ startsAtMs: minuteMs, amount: 1n }] }),
    ]
    expect(rateRooms(limits, hold, nowMs).map(({ remaining }) => remaining)).toEqual([850n, 970n, 979n])
  })

  it('the remaining amount is the smallest amount over all windows', () => {
    const day = aRate({ window: 'day', most: 4n, slots: [{ startsAtMs: at('11-20T00:00:00'), amount: 2n }] })
    const tightest = { measure: 'requests', most: 4n, remaining: 1n, fullAtMs: at('11-21T00:00:00') }
    expect(rateRooms([aRate(), day], hold, nowMs)).toEqual([tightest])
    expect(rateRooms([day, aRate()], hold, nowMs)).toEqual([tightest])
  })

  it('if several windows have the same remaining amount, the window that takes longest to be full again is reported', () => {
    const both = [aRate({ window: 'day' }), aRate(), aRate({ window: 'total' })]
    expect(rateRooms(both.slice(0, 2), hold, nowMs)[0]?.fullAtMs).toBe(at('11-21T00:00:00'))
    expect(rateRooms(both, hold, nowMs)[0]?.fullAtMs).toBeNull()
    expect(rateRooms(both.toReversed(), hold, nowMs)[0]?.fullAtMs).toBeNull()
  })

  it('if the request is rejected, only earlier usage reduces the remaining amount, which is never negative', () => {
    const slots = [{ startsAtMs: at('11-20T10:00:00'), amount: 12n }]
    expect(rateRooms([aRate({ window: '5h', slots })], null, nowMs)).toEqual([
      { measure: 'requests', most: 10n, remaining: 0n, fullAtMs: at('11-20T15:05:00') },
    ])
  })

  it('the remaining amount is full if nothing is counted or held', () => {
    expect(rateRooms([aRate({ measure: 'tokens' })], null, nowMs)).toEqual([
      { measure: 'tokens', most: 10n, remaining: 10n, fullAtMs: nowMs },
    ])
  })

  it('no remaining amount is reported for limits of requests in flight, which have no window', () => {
    expect(rateRooms([aRate({ measure: 'calls', window: null })], hold, nowMs)).toEqual([])
  })
})
