import { expect, it } from 'vitest'
import { dimensionsOn } from './price.ts'
import { countsByPath } from './usage-fields-by-wire.ts'
import {
  accountUsage,
  isPlausible,
  plainOutput,
  totalInput,
  unitsMax,
  usageCounts,
  withoutOutput,
  zeroUsage,
} from './usage-counts.ts'

it('the input counts are disjoint and add up to the whole input', () => {
  const usage = { ...zeroUsage, input: 1, cacheRead: 2, cacheWrite: 4, cacheWriteLong: 8, audioInput: 16 }
  expect(totalInput({ ...usage, imageInput: 32, output: 64 })).toBe(63)
})

it('media tokens that are also counted as text or cached input are added only once', () => {
  const usage = { ...zeroUsage, input: 1, cacheRead: 2, cacheWrite: 4, audioInput: 3, imageInput: 2 }
  expect(totalInput({ ...usage, isMediaWithin: true })).toBe(7)
})

it.each(dimensionsOn('text', 'media'))('%s counts as input', (dimension) => {
  expect(totalInput({ ...zeroUsage, [dimension]: 3 })).toBe(3)
})

it.each(dimensionsOn('output'))('%s counts as output', (dimension) => {
  expect(plainOutput({ ...zeroUsage, [dimension]: 3 })).toBe(dimension === 'output' ? 3 : -3)
})

it('plain output is the output that no more specific count includes', () => {
  expect(plainOutput({ ...zeroUsage, output: 10, reasoning: 5, audioOutput: 3, imageOutput: 1 })).toBe(1)
})

it('withoutOutput keeps only the input of a usage', () => {
  const input = { ...zeroUsage, input: 3, cacheRead: 2, imageInput: 1, serviceTier: 'flex' }
  const output = {
    output: 9,
    reasoning: 4,
    audioOutput: 2,
    imageOutput: 1,
    webSearches: 1,
    searchUnits: 1,
    images: 1,
    characters: 1,
    audioSeconds: 1,
  }
  expect(withoutOutput({ ...input, ...output })).toEqual(input)
})

it('a reported usage of zero is plausible, so it is not replaced by an estimate', () => {
  expect(isPlausible(zeroUsage)).toBe(true)
})

it.each(usageCounts)('the count %s must be a whole number from 0 to the maximum', (count) => {
  // Set enough output to contain every specific kind of output.
  const usage = { ...zeroUsage, output: unitsMax }
  expect(isPlausible({ ...usage, [count]: unitsMax })).toBe(true)
  for (const absurd of [unitsMax + 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    expect(isPlausible({ ...usage, [count]: absurd })).toBe(false)
  }
})

it('a usage is not plausible if its kinds of output add up to more than its output', () => {
  const usage = { ...zeroUsage, output: 10, reasoning: 4, audioOutput: 3, imageOutput: 3 }
  expect(isPlausible(usage)).toBe(true)
  expect(isPlausible({ ...usage, reasoning: 5 })).toBe(false)
})

it('the usage that the provider account is charged for also includes the output beyond the maximum', () => {
  const usage = { ...zeroUsage, input: 3, output: 9 }
  expect(accountUsage(usage)).toBe(usage)
  expect(accountUsage({ ...usage, outputBeyond: 4 })).toEqual({ ...usage, output: 13 })
  expect(withoutOutput({ ...usage, outputBeyond: 4 })).toEqual({ ...zeroUsage, input: 3 })
})

it('a usage is implausible if its output beyond the maximum is not an integer, or if its total output is too large', () => {
  const usage = { ...zeroUsage, output: unitsMax - 5 }
  expect(isPlausible({ ...usage, outputBeyond: 5 })).toBe(true)
  for (const outputBeyond of [6, 0.5, Number.NaN]) expect(isPlausible({ ...usage, outputBeyond })).toBe(false)
})

it('tokens that are charged as cache reads and as cache writes count once in the whole input', () => {
  const usage = {
    ...zeroUsage,
    input: 7,
    cacheRead: 50,
    cacheWrite: 30,
    cacheWriteLong: 10,
    cacheOverlap: 40,
  }
  expect(totalInput(usage)).toBe(57)
  expect(isPlausible(usage)).toBe(true)
  expect(isPlausible({ ...usage, cacheOverlap: 41 })).toBe(false)
  expect(isPlausible({ ...usage, cacheRead: 39 })).toBe(false)
  expect(isPlausible({ ...usage, cacheOverlap: -1 })).toBe(false)
  expect(countsByPath(usage, 'chat')['prompt_tokens']).toBe(57)
  expect(countsByPath(usage, 'messages')['input_tokens']).toBe(7)
})
