import { describe, expect, it } from 'vitest'
import type { RouterTargetState } from '#sdk/generated/types.ts'
import { draftOfTarget, moved, newTarget, targetFault, targetOf } from './target-draft.ts'

const whole: RouterTargetState = {
  provider: 'main',
  model: 'big',
  weight: 3,
  maxInFlight: 8,
  when: { bundles: ['pro', 'team'], features: ['tools'], inputTokensMin: 1, inputTokensMax: 9, mode: 'live' },
  timeouts: { connectMs: 100, totalMs: 9000 },
  problem: null,
}

describe('a target as it is typed', () => {
  it('is sent as it was read', () => {
    const { problem: _, ...sent } = whole
    expect(targetOf(draftOfTarget(whole))).toEqual(sent)
  })

  it('leaves out what is not said', () => {
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

  it('says what is wrong', () => {
    expect(targetFault(newTarget())).toBe('It names where it leads.')
    const draft = draftOfTarget(whole)
    expect(targetFault(draft)).toBe(undefined)
    expect(targetFault({ ...draft, model: ' ' })).toBe('It names an account and a model.')
    expect(targetFault({ ...draft, weight: '1.5' })).toBe('Its numbers are whole numbers.')
    expect(targetFault({ ...draft, inputTokensMin: '10' })).toBe('Its least input is above its most.')
    expect(targetFault({ ...draft, inputTokensMin: '9' })).toBe(undefined)
  })

  it('is moved without losing another', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b'])
  })
})
