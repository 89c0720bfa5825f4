import { expect, it } from 'vitest'
import { failureClassOf } from './class-of-failure.ts'

it.each([
  [null, 200, null],
  ['client_left', 499, 'client'],
  ['model_not_found', 404, 'client'],
  ['upstream_rejected', 422, 'client'],
  ['insufficient_credit', 402, 'limit'],
  ['spend_limit_exceeded', 200, 'limit'],
  ['balance_held', 429, 'limit'],
  ['organization_limit_reached', 403, 'limit'],
  ['upstream_rate_limited', 429, 'provider'],
  ['upstream_timeout', 504, 'provider'],
  ['upstream_truncated', 200, 'provider'],
  ['internal', 500, 'ours'],
  ['store_unavailable', 503, 'ours'],
  [null, 0, 'ours'],
])(
  'a call that failed with the code %s and the status %i belongs to the class %s',
  (errorCode, httpStatus, expected) => {
    expect(failureClassOf({ errorCode, httpStatus })).toBe(expected)
  },
)
