import { describe, expect, it } from 'vitest'
import { attemptsWords, shareWords, timeoutsWords, whenWords } from './router-in-words.ts'

describe('the description of a router', () => {
  it('the conditions of a target are described in words', () => {
    expect(whenWords(null)).toBe(null)
    expect(whenWords({})).toBe(null)
    expect(whenWords({ bundles: ['pro', 'team'], features: ['tools'], inputTokensMax: 1000 })).toBe(
      'Only if the end user is on pro or team, the request needs tools and the input has at most 1,000 tokens',
    )
    expect(whenWords({ inputTokensMin: 1, inputTokensMax: 2 })).toBe('Only if the input has 1 to 2 tokens')
    expect(whenWords({ mode: 'test' })).toBe('Only if the key is a test key')
  })

  it('attempts and timeouts are described in words', () => {
    const attempts = {
      attemptsMax: 5,
      retriesPerTarget: 1,
      withinMs: 60_000,
      onContextLength: 'next' as const,
      alsoMovesOn: [],
      neverMovesOn: [],
    }
    expect(attemptsWords({ attempts: { ...attempts, timeouts: {} } })).toMatch(
      /^Up to 5 attempts.*retried up to 1 time\. A request that is too long .* larger context\.$/,
    )
    expect(timeoutsWords({})).toBe(null)
    expect(timeoutsWords({ connectMs: 500, totalMs: 2000 })).toMatch(/^connect 500 ms, total 2(\.0)? s$/)
  })

  it('the share of a weight is a percentage', () => {
    expect(shareWords(1, [1, 2])).toBe('33.3 %')
    expect(shareWords(5, [5])).toBe('100 %')
  })
})
