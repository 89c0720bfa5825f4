import { describe, expect, it } from 'vitest'
import { retryDelayMs } from './retry-delay.ts'

const wait = (
  retriesMade: number,
  random: number,
  more: { retryAfterMs?: number; leftMs?: number } = {},
): number | null =>
  retryDelayMs({
    retriesMade,
    retryAfterMs: more.retryAfterMs ?? null,
    leftMs: more.leftMs ?? 60_000,
    random: () => random,
  })

describe('the wait before a retry', () => {
  it('the wait before the first retry is at most 250 ms, and this maximum doubles with each further retry, up to 8 s', () => {
    const longest = Array.from({ length: 8 }, (_, retry) => wait(retry, 0.999_999))
    expect(longest).toEqual([249, 499, 999, 1_999, 3_999, 7_999, 7_999, 7_999])
    expect(wait(2_000, 0.5)).toBe(4_000)
    expect(wait(3, 0)).toBe(0)
  })

  it('the wait before a retry is the longer of the provider’s wait and the random wait, not their sum', () => {
    expect(wait(0, 0.999_999, { retryAfterMs: 5_000 })).toBe(5_000)
    expect(wait(5, 0.5, { retryAfterMs: 1_000 })).toBe(4_000)
  })

  it('the wait before a retry is null if it would not end before the deadline', () => {
    expect(wait(0, 0, { retryAfterMs: 999, leftMs: 1_000 })).toBe(999)
    expect(wait(0, 0, { retryAfterMs: 1_000, leftMs: 1_000 })).toBeNull()
    expect(wait(5, 0.5, { leftMs: 3_999 })).toBeNull()
    expect(wait(0, 0, { leftMs: 0 })).toBeNull()
  })
})
