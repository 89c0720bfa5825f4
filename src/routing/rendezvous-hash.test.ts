import { expect, it } from 'vitest'
import { rendezvousDraw } from './rendezvous-hash.ts'

it('is the same on every process and in every version, so end users keep their target', () => {
  expect(rendezvousDraw('eu_ada', 'pa_1:gpt-6', 1)).toMatchInlineSnapshot(`0.5138780360724433`)
  expect(rendezvousDraw('eu_ada', 'pa_2:gpt-6', 1)).toMatchInlineSnapshot(`0.1207701676196261`)
})

it('distinguishes the end of the end user’s ID from the beginning of the target', () => {
  expect(rendezvousDraw('ab', 'c', 1)).not.toBe(rendezvousDraw('a', 'bc', 1))
  expect(rendezvousDraw('', 'abc', 1)).not.toBe(rendezvousDraw('abc', '', 1))
})

it('draws evenly for names that differ only in their last character', () => {
  const buckets = Array.from({ length: 20 }, () => 0)
  const draws = 100_000
  for (let person = 0; person < draws; person++) {
    // Converts back from the exponential race to the share of draws below this one.
    const share = Math.exp(-rendezvousDraw(`eu_${person}`, 'pa_1:model', 1))
    const bucket = Math.floor(share * 20)
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }
  const chiSquare = buckets.reduce((sum, count) => sum + (count - draws / 20) ** 2 / (draws / 20), 0)
  expect(chiSquare).toBeLessThan(60)
})

it('puts weight 0 last and is finite for any other weight', () => {
  expect(rendezvousDraw('a', 'b', 0)).toBe(Infinity)
  expect(rendezvousDraw('', '', 1)).toBeGreaterThan(0)
  expect(Number.isFinite(rendezvousDraw('', '', 1))).toBe(true)
})
