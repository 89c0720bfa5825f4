import { expect, test } from 'vitest'
import { periodWords, unitsText } from './units-text.ts'

test('dollars have all their digits, credits theirs', () => {
  expect(unitsText('1500000', 'micros')).toBe('$1.50')
  expect(unitsText('1500000', 'credits')).toBe('1.5 credits')
  expect(unitsText('2000000', 'credits', { currency: 'sparks' })).toBe('2 sparks')
  expect(unitsText('-1234000001', 'credits')).toBe('\u22121,234.000001 credits')
  expect(unitsText('1', 'credits', { sign: true })).toBe('+0.000001 credits')
  expect(unitsText('5', 'micros', { sign: true })).toBe('+$0.000005')
})

test('a period is said in words, also one that this page does not know', () => {
  expect(periodWords('month')).toBe('a month')
  expect(periodWords('total')).toBe('in all')
  expect(periodWords('quarter')).toBe('per quarter')
})
