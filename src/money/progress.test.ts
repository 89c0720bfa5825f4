import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aHold, aLeg, aQuote, MICRO_A_TOKEN } from './builders.model.ts'
import type { Hold, Quote } from './hold.ts'
import { progress, type Progress } from './progress.ts'
import { ZERO_USAGE } from './usage.ts'

const holdOf = (micros: bigint, quote: Partial<Quote> = {}): Hold =>
  aHold([aLeg('wallet', micros)], { quote: aQuote(quote) })

/** One micro per token of output. */
function at(hold: Hold, output: number, upstreamOutputMax: number | null = null): [Progress, Progress] {
  const counted = { ...ZERO_USAGE, output }
  const input = { hold, counted, upstreamOutputMax }
  return [progress({ ...input, isExtendable: true }), progress({ ...input, isExtendable: false })]
}

const GO: [Progress, Progress] = ['continue', 'continue']
const CUT: [Progress, Progress] = ['extend', 'abort']

describe('hard_token', () => {
  it.each([
    [0, GO],
    [97, GO],
    [98, CUT],
    [99, CUT],
    [200, CUT],
  ])('on a hold of 100, at %s', (output, answers) => {
    expect(at(holdOf(100n), output)).toEqual(answers)
  })

  it('the threshold is exact where 98 % is no whole number', () => {
    // 98 % of 150 is 147; of 151 it is 147.98.
    expect(at(holdOf(150n), 147)).toEqual(CUT)
    expect(at(holdOf(151n), 147)).toEqual(GO)
    expect(at(holdOf(151n), 148)).toEqual(CUT)
  })
})

describe('grace', () => {
  it.each([
    [98, GO],
    [146, GO],
    [147, CUT],
  ])('on a hold of 100 with an overdraft of 50, at %s', (output, answers) => {
    expect(at(holdOf(100n, { policy: 'grace', maxOverdraftMicros: 50n }), output)).toEqual(answers)
  })
})

describe('complete_message', () => {
  it.each([
    [97, GO],
    [98, ['extend', 'continue']],
    [1000, ['extend', 'continue']],
  ])('asks for more and is never cut: on a hold of 100, at %s', (output, answers) => {
    expect(at(holdOf(100n, { policy: 'complete_message' }), output)).toEqual(answers)
  })
})

it('an answer within a maximum that the provider was given is never cut: it ends with its own length', () => {
  expect(at(holdOf(100n), 100, 100)).toEqual(GO)
  expect(at(holdOf(100n), 101, 100)).toEqual(CUT)
  expect(at(holdOf(100n), 101, 120)).toEqual(GO)
})

it('spend is computed at the basis price', () => {
  const prices = { cost: { output: 1n }, sell: MICRO_A_TOKEN }
  expect(at(holdOf(100n, { ...prices, basis: 'sell_price' }), 98)).toEqual(CUT)
  expect(at(holdOf(100n, { ...prices, basis: 'provider_cost' }), 98)).toEqual(GO)
})

it('an answer that is free is not cut', () => {
  expect(at(aHold([], { quote: aQuote({ cost: { output: 0n } }) }), 1000)).toEqual(GO)
})

it('credits bind where a credit pool pays, and only there', () => {
  const quote = aQuote({ cost: { output: 0n }, credits: MICRO_A_TOKEN })
  const inCredits = aHold([aLeg('pool', 100n, { unit: 'credits', micros: 0n })], { quote })
  expect(at(inCredits, 97)).toEqual(GO)
  expect(at(inCredits, 98)).toEqual(CUT)
  const inMoney = aHold([aLeg('wallet', 0n)], { quote, worstCredits: 100n })
  expect(at(inMoney, 1000)).toEqual(GO)
})

it('what is counted must be counts', () => {
  expect(() => at(holdOf(100n), -1)).toThrow(MoneyBroken)
})
