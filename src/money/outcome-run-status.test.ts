import { describe, expect, it } from 'vitest'
import { admit } from './admit.ts'
import { aBound, aLimit, aQuote, aState, aWallet } from '#tests/fixtures/build-money-values.ts'
import type { Refusal } from './refusal-types.ts'
import { isCappedBy, statusOfRun } from './outcome-run-status.ts'

describe('statusOfRun', () => {
  it('a raised ceiling reopens a run that has reached the previous ceiling', () => {
    expect(statusOfRun({ status: 'capped', cappedAtMicros: 100n }, 101n)).toBe('running')
    expect(statusOfRun({ status: 'capped', cappedAtMicros: 100n }, 100n)).toBe('capped')
    expect(statusOfRun({ status: 'capped', cappedAtMicros: 100n }, 99n)).toBe('capped')
  })

  it('a run that has ended for another reason keeps its status', () => {
    expect(statusOfRun({ status: 'done', cappedAtMicros: 100n }, 200n)).toBe('done')
    expect(statusOfRun({ status: 'failed', cappedAtMicros: null }, 200n)).toBe('failed')
    expect(statusOfRun({ status: 'running', cappedAtMicros: null }, 0n)).toBe('running')
    expect(statusOfRun({ status: 'capped', cappedAtMicros: null }, 200n)).toBe('capped')
  })
})

describe('isCappedBy', () => {
  /** A token costs one micro. The run has a ceiling of 100. */
  function refusal(textTokens: number, spentMicros: bigint, heldMicros = 0n): Refusal {
    const limits = [aLimit('outcome_run', 100n, { spentMicros, heldMicros })]
    const state = aState([aWallet(10_000n)], { limits, run: { status: 'running' } })
    const bound = aBound({ textTokens, outputTokens: 10 })
    const answer = admit(state, aQuote(), bound, 'call')
    if (answer.kind !== 'refused') throw new Error('it is admitted')
    return answer
  }

  it('a run is capped if the whole ceiling would cover a call, but the remaining amount does not cover one output token', () => {
    expect(isCappedBy(refusal(99, 1n))).toBe(true)
    expect(isCappedBy(refusal(20, 80n))).toBe(true)
  })

  it('a call that is too large for the whole ceiling is rejected without capping the run', () => {
    expect(refusal(100, 0n)).toMatchObject({ code: 'outcome_capped', requested: 101n })
    expect(isCappedBy(refusal(100, 0n))).toBe(false)
    expect(isCappedBy(refusal(100, 99n))).toBe(false)
  })

  it('money that is held for other calls does not cap a run', () => {
    expect(refusal(20, 79n, 1n).code).toBe('balance_held')
    expect(isCappedBy(refusal(20, 79n, 1n))).toBe(false)
  })

  it('a rejection by another limit, or without the ceiling and the requested amount, does not cap a run', () => {
    const capped: Refusal = {
      kind: 'refused',
      code: 'outcome_capped',
      limitSource: 'outcome_run',
      limit: null,
      used: null,
      held: null,
      requested: null,
      resetsAtMs: null,
    }
    expect(isCappedBy(capped)).toBe(false)
    expect(isCappedBy({ ...capped, limit: 10n })).toBe(false)
    expect(isCappedBy({ ...capped, code: 'spend_limit_exceeded', limit: 10n, requested: 5n })).toBe(false)
    expect(isCappedBy({ ...capped, limit: 10n, requested: 10n })).toBe(true)
  })
})
