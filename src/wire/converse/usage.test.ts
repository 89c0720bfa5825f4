import { expect, test } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import { usageFromConverse, usageOfConverse, usageToConverse } from './usage.ts'

const counts = { inputTokens: 12, outputTokens: 5, totalTokens: 17 }

test('input, output, cache reads and cache writes are separate counts', () => {
  expect(usageFromConverse({ usage: counts })).toEqual({ ...zeroUsage, input: 12, output: 5 })
  const cached = { ...counts, cacheReadInputTokens: 100, cacheWriteInputTokens: 40 }
  expect(usageFromConverse({ usage: cached })).toEqual({
    ...zeroUsage,
    input: 12,
    output: 5,
    cacheRead: 100,
    cacheWrite: 40,
  })
  const cacheDetails = [
    { ttl: '1h', inputTokens: 30 },
    { ttl: '5m', inputTokens: 10 },
  ]
  expect(usageFromConverse({ usage: { ...cached, cacheDetails } })).toMatchObject({
    cacheWrite: 10,
    cacheWriteLong: 30,
  })
})

test('the written input includes media, and the written cache reads include cached audio', () => {
  const text = { ...zeroUsage, input: 10, cacheRead: 3, cacheWrite: 2, output: 1 }
  const usage = { ...text, audioInput: 20, cacheReadAudio: 4, imageInput: 30 }
  expect(usageToConverse(usage)).toEqual({
    inputTokens: 60,
    outputTokens: 1,
    totalTokens: 70,
    cacheReadInputTokens: 7,
    cacheWriteInputTokens: 2,
  })
})

test('the tier is in the response', () => {
  const output = { message: { role: 'assistant', content: [] } }
  const tierOf = (serviceTier: unknown): unknown =>
    usageOfConverse(JSON.stringify({ output, usage: counts, serviceTier }))?.serviceTier
  expect(['priority', 'default', 'new', 1].map((type) => tierOf({ type }))).toEqual([
    'priority',
    'default',
    'new',
    null,
  ])
  expect([undefined, null, 'priority', {}].map(tierOf)).toEqual([null, null, null, null])
})

test('a count that is not reported is marked as missing', () => {
  expect(usageFromConverse({ usage: { outputTokens: 5 } })).toMatchObject({ output: 5, lacks: 'input' })
  expect(usageFromConverse({ usage: { inputTokens: 5 } })).toMatchObject({ input: 5, lacks: 'output' })
})

test.each([
  [undefined],
  [null],
  ['12'],
  [{}],
  [{ totalTokens: 9 }],
  [{ ...counts, inputTokens: -1 }],
  [{ ...counts, outputTokens: 1.5 }],
  [{ ...counts, outputTokens: '5' }],
  [{ ...counts, cacheReadInputTokens: 1e20 }],
  [{ ...counts, cacheWriteInputTokens: 5, cacheDetails: [{ ttl: '1h', inputTokens: 6 }] }],
  [{ ...counts, cacheWriteInputTokens: 5, cacheDetails: [{ ttl: '1h', inputTokens: -6 }] }],
])('impossible usage %j is not used', (raw) => {
  expect(usageFromConverse({ usage: raw })).toBeNull()
})

test('the usage of a response is read, and the result for any other text is undefined', () => {
  const output = { message: { role: 'assistant', content: [] } }
  expect(usageOfConverse(JSON.stringify({ output, usage: counts }))).toMatchObject({ input: 12 })
  expect(usageOfConverse(JSON.stringify({ output }))).toBeNull()
  for (const text of ['', '<html>', '{}', '{"output":{}}', '{"message":"no"}'])
    expect(usageOfConverse(text)).toBeUndefined()
})
