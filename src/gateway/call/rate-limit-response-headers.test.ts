import { describe, expect, it } from 'vitest'
import type { RateRoom } from '#domain/limits/remaining-rate-limit.ts'
import { durationText, rateLimitHeaders } from './rate-limit-response-headers.ts'

const nowMs = Date.parse('2026-11-20T12:34:56.789Z')

const rooms: readonly RateRoom[] = [
  { measure: 'requests', most: 60n, remaining: 59n, fullAtMs: nowMs + 3_211 },
  { measure: 'tokens', most: 10_000n, remaining: 0n, fullAtMs: null },
  { measure: 'inputTokens', most: 8_000n, remaining: 7_000n, fullAtMs: nowMs + 3_600_000 },
  { measure: 'outputTokens', most: 2_000n, remaining: 2_000n, fullAtMs: nowMs },
  { measure: 'micros', most: 5n, remaining: 5n, fullAtMs: nowMs },
]

const headersAt = (format: Parameters<typeof rateLimitHeaders>[0]): Record<string, string | undefined> => {
  const list = rateLimitHeaders(format, rooms, nowMs)
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])))
}

describe('headers of rate limits', () => {
  it.each(['chat', 'responses', 'embeddings', 'moderations'] as const)(
    'responses of the %s wire have the rate limit headers of OpenAI',
    (format) => {
      expect(headersAt(format)).toEqual({
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '4s',
        'x-ratelimit-limit-tokens': '10000',
        'x-ratelimit-remaining-tokens': '0',
      })
    },
  )

  it('responses of the messages wire have the rate limit headers of Anthropic', () => {
    expect(headersAt('messages')).toEqual({
      'anthropic-ratelimit-requests-limit': '60',
      'anthropic-ratelimit-requests-remaining': '59',
      'anthropic-ratelimit-requests-reset': '2026-11-20T12:35:00Z',
      'anthropic-ratelimit-tokens-limit': '10000',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-limit': '8000',
      'anthropic-ratelimit-input-tokens-remaining': '7000',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-20T13:34:57Z',
      'anthropic-ratelimit-output-tokens-limit': '2000',
      'anthropic-ratelimit-output-tokens-remaining': '2000',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-20T12:34:57Z',
    })
  })

  it.each(['generate', 'embed_content', 'batch_embed_contents'] as const)(
    'responses of the %s wire have no rate limit headers',
    (format) => {
      expect(rateLimitHeaders(format, rooms, nowMs)).toEqual([])
    },
  )
})

it.each([
  [-5, '0s'],
  [0, '0s'],
  [0.2, '1ms'],
  [12, '12ms'],
  [999, '999ms'],
  [1_000, '1s'],
  [1_001, '2s'],
  [59_001, '1m0s'],
  [360_000, '6m0s'],
  [3_599_500, '1h0m0s'],
  [3_605_000, '1h0m5s'],
  [90_061_000, '25h1m1s'],
])('a duration of %d ms is written as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
