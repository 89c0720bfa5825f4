import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runningCharge, type InFlight } from './running-charge.ts'

/** A dollar for a million tokens in, two for a million out; the bundle sells it at ten times that. */
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

it('rates the expected input and the letters that have come by the price that is charged', () => {
  expect(runningCharge(call(), 0)).toEqual({ micros: 10n, inputTokens: 10, outputTokens: 0 })
  expect(runningCharge(call(), 41)).toEqual({ micros: 32n, inputTokens: 10, outputTokens: 11 })
  expect(runningCharge(call({ policy: { debitBasis: 'sell_price' } }), 41)?.micros).toBe(320n)
})

it('takes the count of the gateway, until more has come', () => {
  const usage = { tokenSource: 'counted so far', input: 20, cacheRead: 4, output: 30, serviceTier: null }
  expect(runningCharge(call({ usage }), 40)).toEqual({ micros: 84n, inputTokens: 24, outputTokens: 30 })
  expect(runningCharge(call({ usage }), 400)?.outputTokens).toBe(100)
})

it('is never more than the hold, and grows with what comes', () => {
  expect(runningCharge(call({}, '25'), 4_000)?.micros).toBe(25n)
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (one, more) => {
      const before = runningCharge(call({}, '5000'), one)?.micros ?? -1n
      const after = runningCharge(call({}, '5000'), one + more)?.micros ?? -1n
      expect(before >= 0n && before <= after && after <= 5_000n).toBe(true)
    }),
  )
})

it('says nothing where the call has ended, or the price or the input is not known', () => {
  expect(runningCharge(call({ status: 'settled' }), 40)).toBeNull()
  expect(runningCharge(call({ quote: null }), 40)).toBeNull()
  expect(runningCharge(call({ quote: { cost: null } }), 40)).toBeNull()
  expect(runningCharge(call({ reserve: { worstMicros: '5' } }), 40)).toBeNull()
})
