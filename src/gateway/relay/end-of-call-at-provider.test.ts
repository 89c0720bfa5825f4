import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { totalInput, zeroUsage } from '#money/usage-counts.ts'
import { usageOfReported } from '#wire/usage-from-reported-counts.ts'
import { usedAsTold } from './end-of-call-at-provider.ts'

const count = fc.oneof(fc.nat(40), fc.nat(100_000))
const part = fc.oneof(fc.constant(0), count)
const whole = fc.option(count, { nil: null })

const told = fc.record({
  prompt: whole,
  completion: whole,
  total: whole,
  cacheRead: part,
  cacheWrite: part,
  audioInput: part,
  reasoning: part,
  audioOutput: part,
  isReasoningBeside: fc.boolean(),
  mayOverlap: fc.boolean(),
})

const noUnits = { cost: { input: 1n }, sell: { input: 1n } }

const partNames = ['cacheRead', 'cacheWrite', 'audioInput', 'reasoning', 'audioOutput'] as const

describe('usage that is marked `provider_reported`', () => {
  it('a usage marked `provider_reported` contains all of the provider’s counts and no other counts', () => {
    let reported = 0
    fc.assert(
      fc.property(told, count, count, (stated, ownInput, ownOutput) => {
        const read = usageOfReported(stated)
        if (read === null) return
        const { usage, tokenSource } = usedAsTold({ ...zeroUsage, ...read }, noUnits, () => ({
          input: ownInput,
          output: ownOutput,
        }))
        if (tokenSource !== 'provider_reported') return
        reported++
        const { completion, prompt, total } = stated
        expect(prompt !== null || completion !== null).toBe(true)
        if (prompt === null || completion === null) expect(total).toBeGreaterThan(prompt ?? completion ?? 0)
        expect(totalInput(usage)).toBeGreaterThanOrEqual(prompt ?? 0)
        expect(usage.output).toBeGreaterThanOrEqual(completion ?? 0)
        expect(totalInput(usage) + usage.output).toBeGreaterThanOrEqual(total ?? 0)
        for (const name of partNames) expect(usage[name], name).toBeGreaterThanOrEqual(stated[name])
        // The total input is the prompt count, plus the cached and audio input that the prompt count does not include.
        const beside = totalInput(usage) - (prompt ?? totalInput(usage))
        const { audioInput, cacheRead, cacheWrite } = stated
        expect([0, cacheRead + cacheWrite, audioInput, cacheRead + cacheWrite + audioInput]).toContain(beside)
      }),
      { numRuns: 5_000 },
    )
    expect(reported).toBeGreaterThan(500)
  })

  it.each([
    ['the prompt', { ...zeroUsage, output: 5, lacks: 'input' as const }, { input: 70, output: 5 }],
    ['the completion', { ...zeroUsage, input: 7, lacks: 'output' as const }, { input: 7, output: 80 }],
  ])('a usage whose report omits %s is an estimate that uses the gateway’s count', (_, usage, expected) => {
    const used = usedAsTold(usage, noUnits, () => ({ input: 70, output: 80 }))
    expect(used.tokenSource).toBe('estimated')
    expect(used.usage).toMatchObject(expected)
    expect(used.usage).not.toHaveProperty('lacks')
  })

  it.each(['isMediaWithin', 'isAmbiguous'] as const)(
    'if the counts in a usage are ambiguous (%s), the usage is marked as an estimate',
    (mark) => {
      const used = usedAsTold({ ...zeroUsage, input: 9, output: 9, [mark]: true }, noUnits, () => ({
        input: 1,
        output: 1,
      }))
      expect(used).toMatchObject({ tokenSource: 'estimated', usage: { input: 9, output: 9 } })
    },
  )
})
