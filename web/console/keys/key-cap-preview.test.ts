import { expect, test } from 'vitest'
import { capPreview } from './key-cap-preview.ts'

const key = { capPeriod: 'month', heldMicros: '5', spentMicros: '100' }

test('the remaining cap excludes spent and held amounts', () => {
  expect(capPreview(key, '106', 'month')).toBe(
    'The key has spent $0.0001 in this period, so $0.000001 remains.',
  )
  expect(capPreview(key, '105', 'month')).toContain('new requests will be rejected')
  expect(capPreview(key, '0', 'month')).toContain('new requests will be rejected')
})

test('the preview describes the effect of removing the cap or changing its period', () => {
  expect(capPreview(key, null, 'month')).toContain('no spend limit of its own')
  expect(capPreview(key, '1', 'day')).toContain('in the chosen period')
})
