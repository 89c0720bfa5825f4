import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aLimit, aState } from '#tests/fixtures/build-money-values.ts'
import type { PersonState } from './decision-types.ts'
import { eligibility } from './caller-eligibility.ts'

const code = (fields: Partial<PersonState>): string | undefined => eligibility(aState([], fields))?.code

describe('the check whether a caller may spend', () => {
  it('a caller may spend if its end user is not frozen, its key is valid and its run is running', () => {
    expect(eligibility(aState([], { run: { status: 'running' } }))).toBeNull()
    expect(eligibility(aState([]))).toBeNull()
  })

  it('if a caller may not spend for several reasons, the reason that lasts longest is returned', () => {
    const run = { status: 'capped' } as const
    const key = { revokedAtMs: 1, expiresAtMs: 1 }
    expect(code({ isFrozen: true, key, run })).toBe('end_user_frozen')
    expect(code({ key, run })).toBe('key_revoked')
    expect(code({ key: { ...key, revokedAtMs: null }, run })).toBe('key_expired')
    expect(code({ run })).toBe('outcome_capped')
  })

  it('a key is valid until the instant at which it expires', () => {
    const key = { revokedAtMs: null, expiresAtMs: 1000 }
    expect(code({ nowMs: 999, key })).toBeUndefined()
    expect(code({ nowMs: 1000, key })).toBe('key_expired')
  })

  it.each([
    ['capped', 'outcome_capped'],
    ['done', 'outcome_finished'],
    ['failed', 'outcome_finished'],
  ] as const)('a run with the status %s rejects further calls with the code %s', (status, expected) => {
    expect(code({ run: { status } })).toBe(expected)
  })

  it('a rejection of the caller names the reason, and omits numbers that do not apply', () => {
    expect(eligibility(aState([], { isFrozen: true }))).toEqual({
      kind: 'refused',
      code: 'end_user_frozen',
      limitSource: 'end_user',
      limit: null,
      used: null,
      held: null,
      requested: null,
      resetsAtMs: null,
    })
    expect(eligibility(aState([], { run: { status: 'done' } }))).toMatchObject({
      limitSource: 'outcome_run',
      limit: null,
    })
  })

  it('if a run has ended, the rejection reports the run’s ceiling, its spending and its held amount', () => {
    const limits = [aLimit('key_cap', 5n), aLimit('outcome_run', 100n, { spentMicros: 98n, heldMicros: 1n })]
    const numbers = { limit: 100n, used: 98n, held: 1n }
    expect(eligibility(aState([], { limits, run: { status: 'capped' } }))).toMatchObject(numbers)
    expect(eligibility(aState([], { limits, run: { status: 'failed' } }))).toMatchObject(numbers)
  })

  it('the check of the caller throws if the current time is not a number', () => {
    expect(() => eligibility(aState([], { nowMs: Number.NaN }))).toThrow(MoneyBroken)
  })
})
