import { describe, expect, it } from 'vitest'
import { Failure, errors, messageOf, type ErrorCode } from './errors.ts'

// The table's own keys.
const codes = Object.keys(errors) as ErrorCode[]

describe('the error table', () => {
  it('has a sentence that ends, and a status that fits, for every code', () => {
    for (const code of codes) {
      expect(errors[code].message, code).toMatch(/[.}]$/)
      expect(errors[code].status, code).toBeGreaterThanOrEqual(400)
    }
  })

  it('lets waiting help exactly where it does: never for money, always for limits of rate', () => {
    for (const code of codes) {
      const { status, isRetryable } = errors[code]
      if (status === 402 || status === 401 || status === 403) expect(isRetryable, code).toBe(false)
      // A model name of simulators waits for its application, which no client's retry outlasts.
      const isWaiting = status === 429 || (status === 503 && code !== 'no_live_source')
      if (isWaiting) expect(isRetryable, code).toBe(true)
    }
  })

  it('fills its names in, and never shows a hole', () => {
    expect(messageOf('not_found', { resource: 'bundle', id: 'pro' })).toBe('There is no bundle pro.')
    expect(new Failure('unknown_field', { known: 'a, b' }, { param: 'c' }).message).toContain('c')
    for (const code of codes) expect(messageOf(code, {}), code).not.toMatch(/[{}]/)
  })
})
