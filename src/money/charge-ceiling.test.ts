import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aQuote } from '#tests/fixtures/build-money-values.ts'
import { ceilingOf, chargeOf } from './charge-ceiling.ts'
import type { Quote } from './decision-types.ts'

const promised = (quote: Partial<Quote>, worstMicros = 100n, worstCredits = 7n) => ({
  quote: aQuote(quote),
  worstMicros,
  worstCredits,
})

describe('the ceiling of a charge', () => {
  it('under hard_token, the ceiling of the charge is the hold', () => {
    expect(ceilingOf(promised({ policy: 'hard_token' }))).toEqual({ micros: 100n, credits: 7n })
  })

  it('hard_token ignores an overdraft amount', () => {
    expect(ceilingOf(promised({ policy: 'hard_token', maxOverdraftMicros: 5n }))?.micros).toBe(100n)
  })

  it('under grace, the ceiling is the hold plus the overdraft, and the ceiling in credits grows in the same ratio', () => {
    expect(ceilingOf(promised({ policy: 'grace', maxOverdraftMicros: 50n }))).toEqual({
      micros: 150n,
      credits: 11n,
    })
    expect(ceilingOf(promised({ policy: 'grace', maxOverdraftMicros: 0n }))).toEqual({
      micros: 100n,
      credits: 7n,
    })
  })

  it('under grace, a call that costs no money is charged no credits beyond the hold', () => {
    expect(ceilingOf(promised({ policy: 'grace', maxOverdraftMicros: 50n }, 0n))).toEqual({
      micros: 50n,
      credits: 7n,
    })
  })

  it('under complete_message, the charge has no ceiling', () => {
    expect(ceilingOf(promised({ policy: 'complete_message' }))).toBeNull()
  })

  it('ceilingOf throws for a negative overdraft', () => {
    expect(() => ceilingOf(promised({ policy: 'grace', maxOverdraftMicros: -1n }))).toThrow(MoneyBroken)
  })
})

describe('chargeOf', () => {
  it('the charge is the price of the usage, up to the ceiling in each unit', () => {
    const hard = promised({ policy: 'hard_token' })
    expect(chargeOf({ micros: 100n, credits: 7n }, hard)).toEqual({ micros: 100n, credits: 7n })
    expect(chargeOf({ micros: 101n, credits: 5n }, hard)).toEqual({ micros: 100n, credits: 5n })
    expect(chargeOf({ micros: 40n, credits: 8n }, hard)).toEqual({ micros: 40n, credits: 7n })
    const complete = promised({ policy: 'complete_message' })
    expect(chargeOf({ micros: 1000n, credits: 70n }, complete)).toEqual({ micros: 1000n, credits: 70n })
  })

  it('chargeOf throws for a negative amount', () => {
    expect(() => chargeOf({ micros: -1n, credits: 0n }, promised({}))).toThrow(MoneyBroken)
    expect(() => chargeOf({ micros: 0n, credits: -1n }, promised({}))).toThrow(MoneyBroken)
  })
})
