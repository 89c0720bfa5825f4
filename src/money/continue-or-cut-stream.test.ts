import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aBound, aHold, aLeg, aQuote, MICRO_A_TOKEN } from '#tests/fixtures/build-money-values.ts'
import type { Hold, Quote } from './decision-types.ts'
import {
  leftToExtend,
  outputBeyond,
  likelyOutput,
  continueOrCut,
  type StreamDecision,
} from './continue-or-cut-stream.ts'
import { zeroUsage } from './usage-counts.ts'

const holdOf = (micros: bigint, quote: Partial<Quote> = {}): Hold =>
  aHold([aLeg('wallet', micros)], { quote: aQuote(quote) })

/** Each output token costs one micro. `outputSure` is the part of the counted tokens that certainly arrived. */
function at(
  hold: Hold,
  output: number,
  upstreamOutputMax: number | null = null,
  outputSure = output,
): [StreamDecision, StreamDecision] {
  const counted = { ...zeroUsage, output }
  const input = { hold, counted, outputSure, upstreamOutputMax }
  return [continueOrCut({ ...input, isExtendable: true }), continueOrCut({ ...input, isExtendable: false })]
}

const GO: [StreamDecision, StreamDecision] = ['continue', 'continue']
const CUT: [StreamDecision, StreamDecision] = ['extend', 'abort']

describe('the termination policy `hard_token`', () => {
  it.each([
    [0, GO],
    [97, GO],
    [98, CUT],
    [99, CUT],
    [200, CUT],
  ])(
    'under hard_token, a stream with a hold of 100 is extended or cut once its cost is 98 or more (cost: %s)',
    (output, answers) => {
      expect(at(holdOf(100n), output)).toEqual(answers)
    },
  )

  it('the threshold of 98 % is exact, even if 98 % of the hold is not a whole number', () => {
    // 98 % of 150 is 147, and 98 % of 151 is 147.98.
    expect(at(holdOf(150n), 147)).toEqual(CUT)
    expect(at(holdOf(151n), 147)).toEqual(GO)
    expect(at(holdOf(151n), 148)).toEqual(CUT)
  })
})

describe('the termination policy `grace`', () => {
  it.each([
    [98, GO],
    [146, GO],
    [147, CUT],
  ])(
    'under grace, a stream with a hold of 100 and an overdraft of 50 is extended or cut once its cost is 147 or more (cost: %s)',
    (output, answers) => {
      expect(at(holdOf(100n, { policy: 'grace', maxOverdraftMicros: 50n }), output)).toEqual(answers)
    },
  )
})

describe('the termination policy `complete_message`', () => {
  it.each([
    [97, GO],
    [98, ['extend', 'continue']],
    [1000, ['extend', 'continue']],
  ])(
    'under complete_message, a stream with a hold of 100 is never cut, and its hold is extended once its cost is 98 or more (cost: %s)',
    (output, answers) => {
      expect(at(holdOf(100n, { policy: 'complete_message' }), output)).toEqual(answers)
    },
  )
})

it('an answer within the provider’s maximum is never cut, because the provider ends it', () => {
  expect(at(holdOf(100n), 100, 100)).toEqual(GO)
  // The count is beyond the maximum, but is only an estimate.
  expect(at(holdOf(100n), 150, 100, 100)).toEqual(GO)
})

it('an answer beyond the provider’s maximum is cut, and does not extend the hold', () => {
  const END: [StreamDecision, StreamDecision] = ['abort', 'abort']
  expect(at(holdOf(100n), 101, 100)).toEqual(END)
  expect(at(holdOf(100n, { policy: 'grace', maxOverdraftMicros: 50n }), 146, 100)).toEqual(GO)
  expect(at(holdOf(100n, { policy: 'grace', maxOverdraftMicros: 50n }), 147, 100)).toEqual(END)
  expect(at(holdOf(100n, { policy: 'complete_message' }), 1000, 100)).toEqual(GO)
})

it('if a hold covers less than the provider’s maximum, the stream extends the hold up to that maximum', () => {
  expect(at(holdOf(100n), 97, 150)).toEqual(GO)
  expect(at(holdOf(100n), 98, 150)).toEqual(CUT)
  // Estimated tokens beyond the maximum are not charged unless they certainly arrived.
  const costly = aHold([aLeg('wallet', 100n)], { bound: aBound({ outputTokens: 90 }) })
  expect(at(costly, 98, 97, 0)).toEqual(GO)
  expect(at(costly, 98, 97, 98)).toEqual(CUT)
})

describe('leftToExtend', () => {
  const hold = holdOf(100n)

  it('a hold can be extended up to the maximum output of all choices together', () => {
    expect(leftToExtend(hold, 140)).toBe(40)
    expect(leftToExtend(hold, 100)).toBe(0)
    expect(leftToExtend(hold, 60)).toBe(0)
  })

  it('without a maximum, a hold can be extended without limit', () => {
    expect(leftToExtend(hold, null)).toBe(Infinity)
  })
})

it('tokens that are counted beyond a maximum are ignored unless they certainly arrived', () => {
  expect(likelyOutput({ output: 50, outputSure: 10, upstreamOutputMax: null })).toBe(50)
  expect(likelyOutput({ output: 50, outputSure: 10, upstreamOutputMax: 40 })).toBe(40)
  expect(likelyOutput({ output: 50, outputSure: 45, upstreamOutputMax: 40 })).toBe(45)
  expect(likelyOutput({ output: 30, outputSure: 10, upstreamOutputMax: 40 })).toBe(30)
})

it('the cost of a stream is computed at the price of the debit basis', () => {
  const prices = { cost: { output: 1n }, sell: MICRO_A_TOKEN }
  expect(at(holdOf(100n, { ...prices, basis: 'sell_price' }), 98)).toEqual(CUT)
  expect(at(holdOf(100n, { ...prices, basis: 'provider_cost' }), 98)).toEqual(GO)
})

it('a free answer is never cut', () => {
  expect(at(aHold([], { quote: aQuote({ cost: { output: 0n } }) }), 1000)).toEqual(GO)
})

it('the limit in credits applies only if a credit pool pays', () => {
  const quote = aQuote({ cost: { output: 0n }, credits: MICRO_A_TOKEN })
  const inCredits = aHold([aLeg('pool', 100n, { unit: 'credits', micros: 0n })], { quote })
  expect(at(inCredits, 97)).toEqual(GO)
  expect(at(inCredits, 98)).toEqual(CUT)
  const inMoney = aHold([aLeg('wallet', 0n)], { quote, worstCredits: 100n })
  expect(at(inMoney, 1000)).toEqual(GO)
})

it('a negative or fractional token count throws an error', () => {
  expect(() => at(holdOf(100n), -1)).toThrow(MoneyBroken)
})

it.each([
  ['nothing is sure', 500, 100, 0],
  ['it is sure by one token', 500, 101, 399],
  ['as much is sure as is counted', 500, 500, 0],
])(
  'output beyond a maximum of 100 counts only if the provider certainly exceeded the maximum (%s)',
  (_name, output, outputSure, beyond) => {
    expect(outputBeyond({ output, outputSure, upstreamOutputMax: 100 })).toBe(beyond)
    expect(outputBeyond({ output, outputSure, upstreamOutputMax: null })).toBe(0)
  },
)
