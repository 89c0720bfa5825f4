import fc from 'fast-check'
import { expect, test } from 'vitest'
import { totalInput, zeroUsage } from '#money/usage-counts.ts'
import { usageFromCohere, usageToCohere } from './usage.ts'

const billed = { input_tokens: 51, output_tokens: 66 }
const tokens = { input_tokens: 267, output_tokens: 91, reasoning_tokens: 58 }

test('the usage consists of the billed tokens, which do not include the cached tokens', () => {
  expect(usageFromCohere({ billed_units: billed, tokens, cached_tokens: 144 })).toEqual({
    ...zeroUsage,
    input: 51,
    output: 66,
    reasoning: 58,
  })
})

test('the tokens that the model read are used only if no billed tokens are reported', () => {
  expect(usageFromCohere({ tokens, cached_tokens: 144 })).toEqual({
    ...zeroUsage,
    input: 123,
    cacheRead: 144,
    output: 91,
    reasoning: 58,
  })
  expect(usageFromCohere({ billed_units: {}, tokens })).toMatchObject({ input: 267, output: 91 })
})

test('reasoning is at most the billed output, and unreported counts are marked as missing', () => {
  const short = { ...billed, output_tokens: 5 }
  expect(usageFromCohere({ billed_units: short, tokens })).toMatchObject({ output: 5, reasoning: 5 })
  expect(usageFromCohere({ billed_units: { input_tokens: 5 } })).toMatchObject({ input: 5, lacks: 'output' })
  expect(usageFromCohere({ billed_units: { output_tokens: 5 } })).toMatchObject({ output: 5, lacks: 'input' })
})

test.each([
  [undefined],
  [null],
  ['12'],
  [{}],
  [{ cached_tokens: 9 }],
  [{ billed_units: { search_units: 1 } }],
  [{ billed_units: { ...billed, input_tokens: -1 } }],
  [{ billed_units: { ...billed, output_tokens: 1.5 } }],
  [{ billed_units: { ...billed, output_tokens: '5' } }],
  [{ billed_units: { ...billed, input_tokens: 1e20 } }],
  [{ billed_units: billed, tokens: { reasoning_tokens: -1 } }],
  [{ tokens, cached_tokens: 0.5 }],
])('impossible usage %j is not used', (raw) => {
  expect(usageFromCohere(raw)).toBeNull()
})

test('a written usage is read back with the same input, output and reasoning', () => {
  const count = fc.nat(1_000_000)
  fc.assert(
    fc.property(count, count, count, count, (input, cacheRead, output, part) => {
      const usage = { ...zeroUsage, input, cacheRead, output, reasoning: Math.min(part, output) }
      expect(usageFromCohere(usageToCohere(usage))).toEqual({
        ...zeroUsage,
        input: totalInput(usage),
        output,
        reasoning: usage.reasoning,
      })
    }),
  )
})

test('the written cached tokens include cached audio', () => {
  const usage = { ...zeroUsage, cacheRead: 3, cacheReadAudio: 4 }
  expect(usageToCohere(usage)).toMatchObject({ cached_tokens: 7 })
})
