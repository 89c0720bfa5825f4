import { describe, expect, it } from 'vitest'
import { Failure, errors, messageOf, type ErrorCode } from './errors.ts'

const codes = Object.keys(errors) as ErrorCode[]

describe('the table of errors', () => {
  it('every error code has a complete sentence and a suitable status', () => {
    for (const code of codes) {
      expect(errors[code].message, code).toMatch(/[.}]$/)
      expect(errors[code].status, code).toBeGreaterThanOrEqual(400)
    }
  })

  it('errors with the status 429 allow retries, and errors with the status 401, 402 or 403 never do', () => {
    for (const code of codes) {
      const { status, isRetryable } = errors[code]
      if (status === 402 || status === 401 || status === 403) expect(isRetryable, code).toBe(false)
      // The code `no_live_source` means that only the simulator serves the model name. A retry succeeds only after the
      // application adds a provider for the model name. No client retries that long.
      const isWaiting = status === 429 || (status === 503 && code !== 'no_live_source')
      if (isWaiting) expect(isRetryable, code).toBe(true)
    }
  })

  it('the values of an error are inserted into its sentence, which never shows an empty placeholder', () => {
    expect(messageOf('not_found', { resource: 'bundle', id: 'pro' })).toBe('There is no bundle pro.')
    expect(new Failure('unknown_field', { known: 'a, b' }, { param: 'c' }).message).toContain('c')
    const amounts = { balance: '-500000', held: '250', most: '0' }
    expect(messageOf('adjustment_too_large', amounts)).toBe(
      'The balance is -$0.50, and requests in flight hold $0.00025. At most $0.00 can be subtracted now.',
    )
    for (const code of codes) expect(messageOf(code, {}), code).not.toMatch(/[{}]/)
  })
})
