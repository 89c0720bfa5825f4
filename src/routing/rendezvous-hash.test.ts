import { expect, it } from 'vitest'
import { rendezvousDraw } from './rendezvous-hash.ts'

it('the hash is the same in every process and version, so end users keep their target', () => {
  expect(rendezvousDraw('eu_ada', 'pa_1:gpt-6', 1)).toMatchInlineSnapshot(`0.5138780360724433`)
  expect(rendezvousDraw('eu_ada', 'pa_2:gpt-6', 1)).toMatchInlineSnapshot(`0.1207701676196261`)
})

it('the hash is different if a character moves from the end user’s ID to the target’s name', () => {
  expect(rendezvousDraw('ab', 'c', 1)).not.toBe(rendezvousDraw('a', 'bc', 1))
  expect(rendezvousDraw('', 'abc', 1)).not.toBe(rendezvousDraw('abc', '', 1))
})

it('end users whose IDs differ only in the last characters get evenly distributed numbers', () => {
  const buckets = Array.from({ length: 20 }, () => 0)
  const draws = 100_000
  for (let person = 0; person < draws; person++) {
    // Convert the exponential race's result back to a uniform number between 0 and 1.
    const share = Math.exp(-rendezvousDraw(`eu_${person}`, 'pa_1:model', 1))
    const bucket = Math.floor(share * 20)
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }
  const chiSquare = buckets.reduce((sum, count) => sum + (count - draws / 20) ** 2 / (draws / 20), 0)
  expect(chiSquare).toBeLessThan(60)
})

it('the number of a target with weight 0 is infinite, so that the target comes last; with weight 1, the number is finite and positive', () => {
  expect(rendezvousDraw('a', 'b', 0)).toBe(Infinity)
  expect(rendezvousDraw('', '', 1)).toBeGreaterThan(0)
  expect(Number.isFinite(rendezvousDraw('', '', 1))).toBe(true)
})
