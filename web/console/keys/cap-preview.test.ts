import { expect, test } from 'vitest'
import { capPreview } from './cap-preview.ts'

const key = { capPeriod: 'month', heldMicros: '5', spentMicros: '100' }

test('what is left of a cap is what is neither spent nor held', () => {
  expect(capPreview(key, '106', 'month')).toBe('It has spent $0.0001 of it, so $0.000001 is left.')
  expect(capPreview(key, '105', 'month')).toContain('is refused from the next call on')
  expect(capPreview(key, '0', 'month')).toContain('is refused from the next call on')
})

test('no cap and another period are told as what they are', () => {
  expect(capPreview(key, null, 'month')).toContain('nothing of its own bounds the key')
  expect(capPreview(key, '1', 'day')).toContain('in the new period')
})
