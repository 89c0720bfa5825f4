import { describe, expect, it } from 'vitest'
import type { RouterTargetState } from '#sdk/generated/types.ts'
import { draftOfTarget, moved, newTarget, targetFault, targetOf } from './target-as-form-fields.ts'

const whole: RouterTargetState = {
  provider: 'main',
  model: 'big',
  weight: 3,
  maxInFlight: 8,
  when: { bundles: ['pro', 'team'], features: ['tools'], inputTokensMin: 1, inputTokensMax: 9, mode: 'live' },
  timeouts: { connectMs: 100, totalMs: 9000 },
  problem: null,
}

describe('a draft of a target', () => {
  it('if a target is converted to a draft and back, it does not change', () => {
    const { problem: _, ...sent } = whole
    expect(targetOf(draftOfTarget(whole))).toEqual(sent)
  })

  it('a draft of a target omits empty fields', () => {
    const plain = {
      alias: 'acme/fast',
      weight: 1,
      maxInFlight: null,
      when: null,
      timeouts: {},
      problem: null,
    }
    expect(targetOf(draftOfTarget(plain))).toEqual({ alias: 'acme/fast' })
    const router = {
      router: 'acme/smart',
      weight: 1,
      maxInFlight: null,
      when: null,
      timeouts: {},
      problem: null,
    }
    expect(targetOf(draftOfTarget(router))).toEqual({ router: 'acme/smart' })
  })

  it('the first error of a target is returned as a sentence', () => {
    expect(targetFault(newTarget())).toBe('Enter a model or a router.')
    const draft = draftOfTarget(whole)
    expect(targetFault(draft)).toBe(undefined)
    expect(targetFault({ ...draft, model: ' ' })).toBe('Choose an account and enter a model.')
    expect(targetFault({ ...draft, weight: '1.5' })).toBe('Enter whole numbers only.')
    expect(targetFault({ ...draft, inputTokensMin: '10' })).toBe(
      'The minimum input must not exceed the maximum input.',
    )
    expect(targetFault({ ...draft, inputTokensMin: '9' })).toBe(undefined)
  })

  it('a target is moved without losing another target', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  })
})
