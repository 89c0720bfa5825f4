import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runningCharge, type InFlight } from './running-charge.ts'

/** $1 per million input tokens and $2 per million output tokens. The sell price is ten times the cost. */
const cost = { input: '1000000', output: '2000000' }
const sell = { input: '10000000', output: '20000000' }
function call(more: object = {}, held = '100000'): InFlight {
  return {
    status: 'in_flight',
    policy: { debitBasis: 'provider_cost' },
    quote: { cost, sell, credits: null },
    reserve: { worstMicros: held, inputTokensEstimated: 10 },
    usage: null,
    ...more,
  } as unknown as InFlight
}

it('the running charge applies the charged price to the expected input and the received characters', () => {
  expect(runningCharge(call(), 0)).toEqual({ micros: 10n, inputTokens: 10, outputTokens: 0 })
  expect(runningCharge(call(), 41)).toEqual({ micros: 32n, inputTokens: 10, outputTokens: 11 })
  expect(runningCharge(call({ policy: { debitBasis: 'sell_price' } }), 41)?.micros).toBe(320n)
})

it('the running charge uses the count of the gateway, unless the estimate from characters is higher', () => {
  const usage = { tokenSource: 'counted so far', input: 20, cacheRead: 4, output: 30, serviceTier: null }
  expect(runningCharge(call({ usage }), 40)).toEqual({ micros: 84n, inputTokens: 24, outputTokens: 30 })
  expect(runningCharge(call({ usage }), 400)?.outputTokens).toBe(100)
})

it('the running charge never exceeds the hold, and grows with the output', () => {
  expect(runningCharge(call({}, '25'), 4_000)?.micros).toBe(25n)
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (one, more) => {
      const before = runningCharge(call({}, '5000'), one)?.micros ?? -1n
      const after = runningCharge(call({}, '5000'), one + more)?.micros ?? -1n
      expect(before >= 0n && before <= after && after <= 5_000n).toBe(true)
    }),
  )
})

it('the running charge is null if the request has ended, or if the price or input is unknown', () => {
  expect(runningCharge(call({ status: 'settled' }), 40)).toBeNull()
  expect(runningCharge(call({ quote: null }), 40)).toBeNull()
  expect(runningCharge(call({ quote: { cost: null } }), 40)).toBeNull()
  expect(runningCharge(call({ reserve: { worstMicros: '5' } }), 40)).toBeNull()
})
