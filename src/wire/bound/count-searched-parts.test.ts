import { expect, it } from 'vitest'
import { MergedBytes } from './count-searched-parts.ts'

it('each searched part is compared with few media, although a request has thousands of media', () => {
  const count = 1_000
  let reads = 0
  // Each line of the text has words, of which one is searched, and a medium.
  const line = `${'hello '.repeat(5)}data`
  const media = Array.from({ length: count }, (_, i) => ({
    get start() {
      reads++
      return i * line.length + 30
    },
    end: (i + 1) * line.length,
  })).toReversed()
  const merged = new MergedBytes()
  for (let i = 0; i < count; i++) merged.add(i * line.length + 6, i * line.length + 9)
  expect(merged.count(line.repeat(count), media)).toBeGreaterThan(0)
  expect(reads).toBeLessThan(100_000)
  const overlapping = new MergedBytes()
  for (let i = 0; i < 100; i++) overlapping.add(i * line.length + 6, (i + 1) * line.length - 3)
  expect(overlapping.count(line.repeat(count), media)).toBe(0)
})
