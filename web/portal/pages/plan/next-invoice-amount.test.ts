import { expect, it } from 'vitest'
import { nextCharge } from './next-invoice-amount.ts'

it('the next charge is the price minus the available credit, and never negative', () => {
  const of = (priceMicros: string, creditMicros: string) => nextCharge({ priceMicros, creditMicros })
  expect(of('20', '0')).toEqual({ amountMicros: 20n, creditUsedMicros: 0n })
  expect(of('20', '5')).toEqual({ amountMicros: 15n, creditUsedMicros: 5n })
  expect(of('20', '50')).toEqual({ amountMicros: 0n, creditUsedMicros: 20n })
})
