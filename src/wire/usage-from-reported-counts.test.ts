import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPlausible, totalInput, zeroUsage } from '#money/usage-counts.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { usageOfReported, type ReportedCounts } from './usage-from-reported-counts.ts'

const count = fc.oneof(fc.nat(40), fc.nat(100_000))
const part = fc.oneof(fc.constant(0), count)
const whole = fc.option(count, { nil: null })

const anyTold: fc.Arbitrary<ReportedCounts> = fc.record({
  prompt: whole,
  completion: whole,
  total: whole,
  cacheRead: part,
  cacheWrite: part,
  cacheWriteLong: part,
  audioInput: part,
  imageInput: part,
  reasoning: part,
  audioOutput: part,
  imageOutput: part,
  isReasoningBeside: fc.boolean(),
  mayOverlap: fc.boolean(),
  hasAudio: fc.boolean(),
  isCacheWithin: fc.boolean(),
})

const partNames = [
  'cacheRead',
  'cacheWrite',
  'cacheWriteLong',
  'audioInput',
  'imageInput',
  'reasoning',
  'audioOutput',
  'imageOutput',
] as const

describe('the counts that a provider reports', () => {
  it('no count of a report is ever reduced', () => {
    fc.assert(
      fc.property(anyTold, (told) => {
        const read = usageOfReported(told)
        if (told.prompt === null && told.completion === null) {
          expect(read).toBeNull()
          return
        }
        const usage = { ...zeroUsage, ...read }
        expect(isPlausible(usage)).toBe(true)
        expect(totalInput(usage) + usage.output).toBeGreaterThanOrEqual(told.total ?? 0)
        expect(totalInput(usage)).toBeGreaterThanOrEqual(told.prompt ?? 0)
        expect(usage.output).toBeGreaterThanOrEqual(told.completion ?? 0)
        for (const name of partNames) expect(usage[name], name).toBeGreaterThanOrEqual(told[name] ?? 0)
      }),
      sampledRuns(2000),
    )
  })

  it('if the counts agree with the total, the usage adds up to exactly the total', () => {
    fc.assert(
      fc.property(count, count, count, count, (text, cacheRead, written, reasoning) => {
        const [prompt, completion] = [text + cacheRead, written + reasoning]
        const told = { prompt, completion, total: prompt + completion, cacheRead, reasoning }
        expect(usageOfReported(told)).toEqual({
          ...zeroUsage,
          input: text,
          cacheRead,
          output: completion,
          reasoning,
        })
      }),
    )
  })

  it.each([
    ['a part as large as its whole is included in it', { reasoning: 18 }, { output: 18, reasoning: 18 }],
    ['a part larger than its whole is added to it', { reasoning: 19 }, { output: 37, reasoning: 19 }],
    [
      'a cache count as large as the prompt is included in it',
      { cacheRead: 61 },
      { input: 0, cacheRead: 61 },
    ],
    ['a cache count larger than the prompt is added to it', { cacheRead: 62 }, { input: 61, cacheRead: 62 }],
    [
      'an audio count larger than the prompt is added to it',
      { audioInput: 62 },
      { input: 61, audioInput: 62 },
    ],
    [
      'an audio output count larger than the completion is added to it',
      { audioOutput: 19 },
      { output: 37, audioOutput: 19 },
    ],
  ])('%s', (_name, parts, expected) => {
    const read = usageOfReported({ prompt: 61, completion: 18, total: 79, ...parts })
    expect(read).toMatchObject(expected)
    expect(read).not.toHaveProperty('isAmbiguous')
  })

  it.each([
    ['reasoning', { reasoning: 10 }, 10, { output: 28, reasoning: 10, cacheRead: 0 }],
    ['the cache', { cacheRead: 11, reasoning: 10 }, 11, { input: 61, cacheRead: 11, output: 18 }],
    ['both', { cacheRead: 11, reasoning: 10 }, 21, { input: 61, cacheRead: 11, output: 28 }],
    ['audio', { audioInput: 12, reasoning: 10 }, 12, { input: 61, audioInput: 12, output: 18 }],
    ['nothing', { cacheRead: 11 }, 10, { input: 50, cacheRead: 11, output: 28, reasoning: 10 }],
    ['a stated length of audio', { hasAudio: true }, 10, { input: 61, audioInput: 10, output: 18 }],
  ])(
    'if the total exceeds the other counts by a difference that %s explains, the usage includes the difference',
    (_name, parts, difference, expected) => {
      const read = usageOfReported({ prompt: 61, completion: 18, total: 79 + difference, ...parts })
      expect(read).toMatchObject(expected)
      expect(read).not.toHaveProperty('isAmbiguous')
    },
  )

  it.each([
    ['two parts of the cache', { cacheRead: 31, cacheWrite: 31 }, 79],
    ['two kinds of media', { audioInput: 31, imageInput: 31 }, 79],
    ['two kinds of output', { audioOutput: 10, imageOutput: 10 }, 79],
    ['reasoning and audio', { reasoning: 10, audioOutput: 10 }, 79],
    ['a total with too little room', { reasoning: 19 }, 79 + 18],
  ])(
    'if %s exceed the total together, but not individually, the counts are marked as ambiguous',
    (_name, parts, total) => {
      expect(usageOfReported({ prompt: 61, completion: 18, total, ...parts })).toHaveProperty(
        'isAmbiguous',
        true,
      )
    },
  )

  it('overlapping cache reads and cache writes are charged in full, and a prompt that includes them only once', () => {
    const told = { prompt: 2_168, completion: 18, total: 2_186, cacheRead: 2_161, cacheWrite: 2_161 }
    const read = { cacheRead: 2_161, cacheWrite: 2_161 }
    expect(usageOfReported(told)).toMatchObject({ ...read, input: 2_168, isAmbiguous: true })
    const within = { ...zeroUsage, ...usageOfReported({ ...told, isCacheWithin: true }) }
    expect(within).toEqual({ ...zeroUsage, ...read, input: 7, cacheOverlap: 2_161, output: 18 })
    expect(totalInput(within)).toBe(2_168)
    expect(usageOfReported({ ...told, isCacheWithin: true, cacheRead: 2_169 })).toMatchObject({
      input: 2_168,
    })
  })

  it.each([
    ['prompt', { prompt: null, completion: 23, total: 62 }, { input: 39, output: 23 }, undefined],
    ['completion', { prompt: 39, completion: null, total: 62 }, { input: 39, output: 23 }, undefined],
    ['prompt', { prompt: null, completion: 23, total: 23 }, { input: 0, output: 23 }, 'input'],
    ['prompt', { prompt: null, completion: 23, total: null }, { input: 0, output: 23 }, 'input'],
    ['completion', { prompt: 39, completion: null, total: 39 }, { input: 39, output: 0 }, 'output'],
  ] as const)(
    'if the report has no %s count, the count is computed from the total or is marked as missing: %o',
    (_name, told, expected, lacks) => {
      const read = usageOfReported(told)
      expect(read).toMatchObject(expected)
      expect(read?.lacks).toBe(lacks)
    },
  )

  it('the cache counts are kept if the prompt count is missing', () => {
    expect(usageOfReported({ prompt: null, completion: 5, total: null, cacheRead: 9 })).toMatchObject({
      input: 0,
      cacheRead: 9,
      lacks: 'input',
    })
  })
})
