import { expect, test } from 'vitest'
import { periodWords, unitsText } from './dollars-or-credits-text.ts'

test('dollars and credits are shown with all digits', () => {
  expect(unitsText('1500000', 'micros')).toBe('$1.50')
  expect(unitsText('1500000', 'credits')).toBe('1.5 credits')
  expect(unitsText('2000000', 'credits', { currency: 'sparks' })).toBe('2 sparks')
  expect(unitsText('-1234000001', 'credits')).toBe('\u22121,234.000001 credits')
  expect(unitsText('1', 'credits', { sign: true })).toBe('+0.000001 credits')
  expect(unitsText('5', 'micros', { sign: true })).toBe('+$0.000005')
})

test('periods are shown in words, including unknown periods', () => {
  expect(periodWords('month')).toBe('per month')
  expect(periodWords('total')).toBe('in total')
  expect(periodWords('quarter')).toBe('per quarter')
})
