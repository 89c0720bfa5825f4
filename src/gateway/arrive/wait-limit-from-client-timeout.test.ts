import { expect, it } from 'vitest'
import { waitMsOf } from './wait-limit-from-client-timeout.ts'

it.each([
  [{}, 2_000],
  [{ 'x-stainless-timeout': '600' }, 2_000],
  [{ 'x-stainless-timeout': '3' }, 1_500],
  [{ 'x-stainless-read-timeout': '0.5' }, 250],
  [{ 'x-stainless-timeout': '600', 'x-stainless-read-timeout': '1' }, 500],
  [{ 'x-stainless-timeout': '0' }, 2_000],
  [{ 'x-stainless-timeout': '-1' }, 2_000],
  [{ 'x-stainless-timeout': 'not_given' }, 2_000],
])(
  'a request with the headers %o waits at most half of the timeout that the client states: %i ms',
  (headers, waitMs) => {
    expect(waitMsOf(headers, 2_000)).toBe(waitMs)
  },
)
