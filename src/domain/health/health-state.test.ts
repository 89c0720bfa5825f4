import { expect, test } from 'vitest'
import { healthState } from './health-state.ts'

const fine = { calls: 100, failed: 0, targets: 2, unusable: 0, isKeyRefused: false }

test('an account or a model name is reported as failing if one call in twenty fails', () => {
  expect(healthState(fine)).toBe('healthy')
  expect(healthState({ ...fine, calls: 0 })).toBe('unknown')
  expect([healthState({ ...fine, failed: 4 }), healthState({ ...fine, failed: 5 })]).toEqual([
    'degraded',
    'failing',
  ])
})

test('fewer than five failed calls make the state only degraded, even if all calls failed', () => {
  expect(healthState({ ...fine, calls: 4, failed: 4 })).toBe('degraded')
  expect(healthState({ ...fine, calls: 5, failed: 5 })).toBe('failing')
})

test('a problem that blocks requests now takes precedence over past failures', () => {
  expect(healthState({ ...fine, unusable: 1 })).toBe('degraded')
  expect(healthState({ ...fine, unusable: 1, failed: 5 })).toBe('failing')
  expect(healthState({ ...fine, unusable: 2, failed: 5 })).toBe('unavailable')
  expect(healthState({ ...fine, targets: 0, unusable: 0 })).toBe('healthy')
  expect(healthState({ ...fine, unusable: 2, isKeyRefused: true })).toBe('key_refused')
})
