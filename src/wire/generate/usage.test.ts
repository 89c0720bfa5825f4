import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Usage, zeroUsage } from '#money/usage-counts.ts'
import { usageFromGenerate, usageToGenerate } from './usage.ts'

describe('usageFromGenerate', () => {
  it('cached tokens are subtracted from the input, to which tool input is added, and thoughts are output', () => {
    expect(
      usageFromGenerate({
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 30,
        toolUsePromptTokenCount: 7,
        totalTokenCount: 147,
        serviceTier: 'flex',
      }),
    ).toMatchObject({ input: 47, cacheRead: 60, output: 40, reasoning: 30, serviceTier: 'flex' })
  })

  it('audio and image tokens are counted separately from text, and cached audio tokens separately from both', () => {
    expect(
      usageFromGenerate({
        promptTokenCount: 100,
        cachedContentTokenCount: 20,
        candidatesTokenCount: 50,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 40 },
          { modality: 'IMAGE', tokenCount: 25 },
          { modality: 'AUDIO', tokenCount: 35 },
        ],
        cacheTokensDetails: [
          { modality: 'AUDIO', tokenCount: 15 },
          { modality: 'TEXT', tokenCount: 5 },
        ],
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 45 }],
      }),
    ).toMatchObject({
      input: 35,
      cacheRead: 5,
      cacheReadAudio: 15,
      audioInput: 20,
      imageInput: 25,
      output: 50,
      audioOutput: 45,
    })
  })

  it('cached tokens are not separated from audio if the report does not state how many are audio', () => {
    const raw = {
      promptTokenCount: 1000,
      cachedContentTokenCount: 800,
      candidatesTokenCount: 1,
      promptTokensDetails: [
        { modality: 'AUDIO', tokenCount: 900 },
        { modality: 'TEXT', tokenCount: 100 },
      ],
    }
    expect(usageFromGenerate(raw)).toMatchObject({
      input: 200,
      cacheRead: 800,
      audioInput: 900,
      isMediaWithin: true,
    })
    const told = { ...raw, cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 800 }] }
    expect(usageFromGenerate(told)).toMatchObject({
      input: 100,
      cacheRead: 0,
      cacheReadAudio: 800,
      audioInput: 100,
    })
    expect(usageFromGenerate(told)).not.toHaveProperty('isMediaWithin')
  })

  it('if there are more cached tokens than prompt tokens, both counts are billed', () => {
    expect(usageFromGenerate({ promptTokenCount: 10, cachedContentTokenCount: 40 })).toMatchObject({
      input: 10,
      cacheRead: 40,
    })
  })

  it('the output is kept if the prompt count is missing', () => {
    const told = { candidatesTokenCount: 23, thoughtsTokenCount: 67 }
    expect(usageFromGenerate(told)).toMatchObject({ output: 90, reasoning: 67, lacks: 'input' })
    const totaled = usageFromGenerate({ ...told, totalTokenCount: 129 })
    expect(totaled).toMatchObject({ input: 39, output: 90 })
    expect(totaled).not.toHaveProperty('lacks')
  })

  it('an omitted output counts as 0 only if the total confirms it', () => {
    expect(usageFromGenerate({ promptTokenCount: 9, totalTokenCount: 9 })).not.toHaveProperty('lacks')
    expect(usageFromGenerate({ promptTokenCount: 9 })).toMatchObject({ input: 9, lacks: 'output' })
    expect(usageFromGenerate({ promptTokenCount: 9, totalTokenCount: 12 })).toMatchObject({ output: 3 })
  })

  it('tokens that are included only in the total are counted as output', () => {
    const told = { promptTokenCount: 35, candidatesTokenCount: 12, thoughtsTokenCount: 5 }
    expect(usageFromGenerate({ ...told, totalTokenCount: 109 })).toMatchObject({ output: 74, reasoning: 62 })
    expect(usageFromGenerate({ ...told, toolUsePromptTokenCount: 7, totalTokenCount: 59 })).toMatchObject({
      input: 42,
      output: 17,
      reasoning: 5,
    })
  })

  it.each([undefined, null, [], 'x', {}, { trafficType: 'ON_DEMAND' }, { totalTokenCount: 3 }])(
    '%j is not a usage',
    (raw) => {
      expect(usageFromGenerate(raw)).toBeNull()
    },
  )

  it.each([-1, 0.5, '12', 1e13, Number.NaN])('a usage with a count of %s is rejected', (count) => {
    expect(usageFromGenerate({ promptTokenCount: count })).toBeNull()
    for (const name of ['candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount'])
      expect(usageFromGenerate({ promptTokenCount: 1, [name]: count }), name).toBeNull()
  })

  it.each([-1, 0.5, '12'])('a usage that reports %s cached tokens is rejected', (count) => {
    expect(usageFromGenerate({ promptTokenCount: 1, cachedContentTokenCount: count })).toBeNull()
  })

  it('an explicit zero is accepted as a count', () => {
    expect(usageFromGenerate({ promptTokenCount: 0, candidatesTokenCount: 0 })).toMatchObject({
      input: 0,
      output: 0,
    })
  })
})

describe('usageToGenerate', () => {
  const count = fc.nat(1_000_000)
  const usages = fc
    .tuple(count, count, count, count, count, count, count, count)
    .map(([input, cacheRead, cacheWrite, audioInput, imageInput, reasoning, audioOutput, plain]): Usage => ({
      ...zeroUsage,
      input,
      cacheRead,
      cacheWrite,
      audioInput,
      imageInput,
      output: reasoning + audioOutput + plain,
      reasoning,
      audioOutput,
    }))

  it('the counts of a written usage add up to its total, and reading the usage again returns the same counts, except for cache writes', () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const raw = usageToGenerate(usage)
        expect(raw.totalTokenCount).toBe(
          Number(raw.promptTokenCount) +
            Number(raw.candidatesTokenCount) +
            Number(raw.thoughtsTokenCount ?? 0),
        )
        expect(usageFromGenerate(raw)).toEqual({
          ...usage,
          input: usage.input + usage.cacheWrite,
          cacheWrite: 0,
        })
      }),
    )
  })
})
