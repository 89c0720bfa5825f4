import { expect, test } from 'vitest'
import { healthState } from './health-state.ts'

const fine = { calls: 100, failed: 0, targets: 2, unusable: 0, isKeyRefused: false }

test('the health of calls counts as failing after one failure in twenty', () => {
  expect(healthState(fine)).toBe('healthy')
  expect(healthState({ ...fine, calls: 0 })).toBe('unknown')
  expect([healthState({ ...fine, failed: 4 }), healthState({ ...fine, failed: 5 })]).toEqual([
    'degraded',
    'failing',
  ])
})

test('a few failures among few calls do not count', () => {
  expect(healthState({ ...fine, calls: 4, failed: 4 })).toBe('degraded')
  expect(healthState({ ...fine, calls: 5, failed: 5 })).toBe('failing')
})

test('the reasons that reject calls now come first', () => {
  expect(healthState({ ...fine, unusable: 1 })).toBe('degraded')
  expect(healthState({ ...fine, unusable: 1, failed: 5 })).toBe('failing')
  expect(healthState({ ...fine, unusable: 2, failed: 5 })).toBe('unavailable')
  expect(healthState({ ...fine, targets: 0, unusable: 0 })).toBe('healthy')
  expect(healthState({ ...fine, unusable: 2, isKeyRefused: true })).toBe('key_refused')
})
