import { describe, expect, it } from 'vitest'
import { attemptsWords, shareWords, timeoutsWords, whenWords } from './policy-words.ts'

describe('a router in words', () => {
  it('says what a call must be', () => {
    expect(whenWords(null)).toBe(null)
    expect(whenWords({})).toBe(null)
    expect(whenWords({ bundles: ['pro', 'team'], features: ['tools'], inputTokensMax: 1000 })).toBe(
      'Only if the caller is on pro or team, it needs tools and its input is at most 1,000 tokens',
    )
    expect(whenWords({ inputTokensMin: 1, inputTokensMax: 2 })).toBe('Only if its input is 1 to 2 tokens')
    expect(whenWords({ mode: 'test' })).toBe('Only if the key is a test key')
  })

  it('says how often and how long it tries', () => {
    const attempts = {
      attemptsMax: 5,
      retriesPerTarget: 1,
      withinMs: 60_000,
      onContextLength: 'next' as const,
      alsoMovesOn: [],
      neverMovesOn: [],
    }
    expect(attemptsWords({ attempts: { ...attempts, timeouts: {} } })).toMatch(
      /^At most 5 attempts.*asked again up to 1 time; a request that is too long .* more room\.$/,
    )
    expect(timeoutsWords({})).toBe(null)
    expect(timeoutsWords({ connectMs: 500, totalMs: 2000 })).toMatch(/^connect 500 ms, in all 2(\.0)? s$/)
  })

  it('gives shares of all weights', () => {
    expect(shareWords(1, [1, 2])).toBe('33.3 %')
    expect(shareWords(5, [5])).toBe('100 %')
  })
})
