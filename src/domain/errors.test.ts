import { describe, expect, it } from 'vitest'
import { Failure, errors, messageOf, type ErrorCode } from './errors.ts'

// The table's own keys.
const codes = Object.keys(errors) as ErrorCode[]

describe('the error table', () => {
  it('has a complete sentence and a suitable status for every code', () => {
    for (const code of codes) {
      expect(errors[code].message, code).toMatch(/[.}]$/)
      expect(errors[code].status, code).toBeGreaterThanOrEqual(400)
    }
  })

  it('allows a retry for all rate limits, and never for money', () => {
    for (const code of codes) {
      const { status, isRetryable } = errors[code]
      if (status === 402 || status === 401 || status === 403) expect(isRetryable, code).toBe(false)
      // A simulator's model name waits for its application, longer than any client's retries.
      const isWaiting = status === 429 || (status === 503 && code !== 'no_live_source')
      if (isWaiting) expect(isRetryable, code).toBe(true)
    }
  })

  it('inserts its values, and never shows an empty placeholder', () => {
    expect(messageOf('not_found', { resource: 'bundle', id: 'pro' })).toBe('There is no bundle pro.')
    expect(new Failure('unknown_field', { known: 'a, b' }, { param: 'c' }).message).toContain('c')
    const amounts = { balance: '-500000', held: '250', most: '0' }
    expect(messageOf('adjustment_too_large', amounts)).toBe(
      'The balance is -$0.50, and requests in flight hold $0.00025. At most $0.00 can be taken now.',
    )
    for (const code of codes) expect(messageOf(code, {}), code).not.toMatch(/[{}]/)
  })
})
