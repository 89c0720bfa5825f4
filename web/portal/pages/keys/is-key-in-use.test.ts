import { expect, it } from 'vitest'
import { isInUse } from './is-key-in-use.ts'

it('a key counts as in use for 24 hours after a request', () => {
  const at = '2026-11-20T12:00:00.000Z'
  const day = 86_400_000
  expect(isInUse(null, Date.parse(at))).toBe(false)
  expect(isInUse(at, Date.parse(at) + day - 1)).toBe(true)
  expect(isInUse(at, Date.parse(at) + day)).toBe(false)
})
