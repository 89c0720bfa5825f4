import { describe, expect, it } from 'vitest'
import {
  assertMoney,
  ceilDiv,
  formatDollars,
  formatMicros,
  maxOf,
  microsMax,
  minOf,
  MoneyBroken,
  parseMicros,
} from './amount.ts'

describe('parseMicros', () => {
  it.each([
    ['0', 0n],
    ['1', 1n],
    ['10', 10n],
    ['999999', 999_999n],
    ['999999999999999', 999_999_999_999_999n],
    ['1000000000000000', microsMax],
  ])('parseMicros accepts %s', (text, amount) => {
    expect(parseMicros(text)).toBe(amount)
    expect(formatMicros(amount)).toBe(text)
  })

  it.each([
    ['nothing', ''],
    ['one micro above the maximum', '1000000000000001'],
    ['more digits than the maximum has', '10000000000000000'],
    ['a leading zero', '01'],
    ['two zeros', '00'],
    ['a sign', '-1'],
    ['a plus', '+1'],
    ['negative zero', '-0'],
    ['a space', ' 1'],
    ['a trailing line end', '1\n'],
    ['a fraction', '1.0'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['a separator', '1_000'],
    ['digits of another script', '١٢'],
    ['the character before 0', '1/'],
    ['the character after 9', '1:'],
  ])('parseMicros rejects %s, so that every amount can be written in only one way', (_what, text) => {
    expect(parseMicros(text)).toBeNull()
  })
})

it('a negative balance can be formatted for a response', () => {
  expect(formatMicros(-5n)).toBe('-5')
})

describe('ceilDiv', () => {
  it.each([
    [0n, 7n, 0n],
    [1n, 7n, 1n],
    [6n, 7n, 1n],
    [7n, 7n, 1n],
    [8n, 7n, 2n],
  ])('%s / %s rounds up to %s', (dividend, divisor, quotient) => {
    expect(ceilDiv(dividend, divisor)).toBe(quotient)
  })

  it('ceilDiv throws for a negative dividend or a divisor below one', () => {
    expect(() => ceilDiv(-1n, 1n)).toThrow(MoneyBroken)
    expect(() => ceilDiv(1n, 0n)).toThrow(MoneyBroken)
    expect(() => ceilDiv(1n, -1n)).toThrow(MoneyBroken)
  })
})

it('maxOf returns the larger of two amounts, in either order', () => {
  expect([maxOf(1n, 2n), maxOf(2n, 1n), maxOf(2n, 2n)]).toEqual([2n, 2n, 2n])
})

it('minOf returns the smaller of two amounts, in either order', () => {
  expect([minOf(1n, 2n), minOf(2n, 1n), minOf(2n, 2n)]).toEqual([1n, 1n, 2n])
})

it('a failed assertion throws MoneyBroken with the expected condition as its message', () => {
  expect(() => assertMoney(true, 'true')).not.toThrow()
  const claim = 'two and two are four'
  expect(() => assertMoney(false, claim)).toThrow(
    expect.objectContaining({ name: 'MoneyBroken', message: claim }),
  )
})

it('micros are shown as dollars with all six decimals', () => {
  expect([0n, 1n, 1_234_567n, -1n, -1_234_567n].map(formatDollars)).toEqual([
    '0.000000',
    '0.000001',
    '1.234567',
    '-0.000001',
    '-1.234567',
  ])
})
