import { describe, expect, it } from 'vitest'
import {
  highestRates,
  allDimensions,
  missingDimensions,
  priceFaults,
  priceFromJson,
  priceToJson,
  ratesFor,
  type Price,
  isPerUse,
} from './price.ts'

const TIERED: Price = {
  input: 10n,
  output: 50n,
  cacheRead: 1n,
  tiers: [
    { aboveInputTokens: 100, input: 20n },
    { aboveInputTokens: 200, input: 15n, output: 75n },
  ],
}

describe('ratesFor', () => {
  it.each([
    [0, { input: 10n, output: 50n, cacheRead: 1n }],
    [100, { input: 10n, output: 50n, cacheRead: 1n }],
    [101, { input: 20n, output: 50n, cacheRead: 1n }],
    [200, { input: 20n, output: 50n, cacheRead: 1n }],
    [201, { input: 15n, output: 75n, cacheRead: 1n }],
  ])(
    'with %s input tokens, each rate comes from the highest tier that is reached and contains the rate',
    (inputTokens, rates) => {
      expect(ratesFor(TIERED, inputTokens)).toMatchObject(rates)
    },
  )

  it('a price without tiers has the same rates for any number of input tokens', () => {
    const price: Price = { input: 1n }
    expect(ratesFor(price, 1_000_000)).toBe(price)
    const empty: Price = { input: 1n, tiers: [] }
    expect(ratesFor(empty, 1_000_000)).toBe(empty)
  })
})

describe('highestRates', () => {
  it.each([
    [100, 10n, 50n],
    [101, 20n, 50n],
    [201, 20n, 75n],
  ])(
    'with at most %s input tokens, a cheaper tier does not reduce the highest possible rate',
    (max, input, output) => {
      expect(highestRates(TIERED, max)).toMatchObject({ input, output, cacheRead: 1n })
    },
  )

  it('a rate that only one tier contains applies in that tier and in all higher tiers', () => {
    const price: Price = { input: 1n, tiers: [{ aboveInputTokens: 5, output: 3n }] }
    expect(highestRates(price, 5).output).toBeUndefined()
    expect(highestRates(price, 6).output).toBe(3n)
  })
})

it('missingDimensions returns the reportable dimensions without a rate, and treats a rate of 0 as a price', () => {
  expect(missingDimensions({ input: 1n, cacheRead: 0n }, ['input', 'cacheRead', 'reasoning'])).toEqual([
    'reasoning',
  ])
})

describe('priceFaults', () => {
  it('a price with every dimension, a tier and a service tier is valid', () => {
    const rates = Object.fromEntries(allDimensions.map((dimension) => [dimension, 1n]))
    const tier = { aboveInputTokens: 0, ...rates }
    expect(priceFaults({ ...rates, tiers: [tier], serviceTiers: { flex: 500n } })).toEqual([])
  })

  it.each<[string, Price, string]>([
    [
      'no rate to fall back on',
      { cacheRead: 1n },
      'a rate for input or output is missing; set input to 0 for a model that bills only characters, seconds, images or searches',
    ],
    ['a negative rate', { input: -1n }, 'input is negative'],
    ['a rate above the maximum', { input: 10n ** 15n + 1n }, 'input is larger than 1000000000000000'],
    [
      'a negative rate in a tier',
      { input: 1n, tiers: [{ aboveInputTokens: 5, input: -1n }] },
      'tier above 5: input is negative',
    ],
    [
      'tiers that descend',
      { input: 1n, tiers: [{ aboveInputTokens: 5 }, { aboveInputTokens: 4 }] },
      'tier above 4: thresholds must ascend',
    ],
    [
      'a threshold given twice',
      { input: 1n, tiers: [{ aboveInputTokens: 5 }, { aboveInputTokens: 5 }] },
      'tier above 5: thresholds must ascend',
    ],
    [
      'a threshold below 0',
      { input: 1n, tiers: [{ aboveInputTokens: -1 }] },
      'tier above -1: the threshold is not a count of tokens',
    ],
    [
      'half a token',
      { input: 1n, tiers: [{ aboveInputTokens: 0.5 }] },
      'tier above 0.5: the threshold is not a count of tokens',
    ],
    [
      'a dimension without a rate outside of the tiers',
      { input: 1n, tiers: [{ aboveInputTokens: 5, output: 1n }] },
      'tier above 5: output has no price below the tier',
    ],
    [
      'a service tier for nothing',
      { input: 1n, serviceTiers: { free: 0n } },
      'service tier free: the multiplier must be 1 to 1000000 thousandths',
    ],
    [
      'a service tier at more than a thousand times',
      { input: 1n, serviceTiers: { dear: 1_000_001n } },
      'service tier dear: the multiplier must be 1 to 1000000 thousandths',
    ],
  ])('priceFaults reports %s', (_what, price, fault) => {
    expect(priceFaults(price)).toEqual([fault])
  })

  it('errors that the type checker would find are also found at runtime', () => {
    // A price that `priceFromJson` has not checked.
    const price: Price = JSON.parse('{"output":2,"ouput":1}')
    expect(priceFaults(price)).toEqual(['output is not a whole number', 'there is no dimension ouput'])
  })

  it.each([
    [{ input: 0n }, []],
    [{ output: 10n ** 15n }, []],
    [{ input: 1n, tiers: [], serviceTiers: { a: 1n, b: 1_000_000n } }, []],
  ])('rates that are equal to the limits are valid', (price, faults) => {
    expect(priceFaults(price)).toEqual(faults)
  })
})

describe('the wire format', () => {
  const price: Price = {
    ...TIERED,
    webSearch: 10_000n,
    serviceTiers: { priority: 2000n, flex: 500n },
  }
  const json = {
    input: '10',
    cacheRead: '1',
    output: '50',
    webSearch: '10000',
    tiers: [
      { aboveInputTokens: 100, input: '20' },
      { aboveInputTokens: 200, input: '15', output: '75' },
    ],
    serviceTiers: { flex: '500', priority: '2000' },
  }

  it('the wire format has amounts as decimal strings, and is parsed to the same price', () => {
    expect(priceToJson(price)).toEqual(json)
    expect(priceFromJson(json)).toEqual(price)
    expect(priceFromJson({ input: '1' })).toEqual({ input: 1n })
  })

  it('equal prices have the same text, for any order of their fields', () => {
    const { serviceTiers, ...rest } = price
    const reordered = { serviceTiers: { flex: 500n, priority: 2000n }, ...rest }
    expect(serviceTiers).toEqual(reordered.serviceTiers)
    expect(JSON.stringify(priceToJson(reordered))).toBe(JSON.stringify(priceToJson(price)))
  })

  it.each([
    ['null', null],
    ['a text', '1'],
    ['a list', [{ input: '1' }]],
    ['an object without a rate', {}],
    ['a number for an amount', { input: 1 }],
    ['an amount that is not canonical', { input: '01' }],
    ['a negative amount', { input: '-1' }],
    ['an unknown dimension', { input: '1', ouput: '1' }],
    ['a null dimension', { input: '1', output: null }],
    ['tiers that are not a list', { input: '1', tiers: {} }],
    ['a tier that is not an object', { input: '1', tiers: ['1'] }],
    ['a tier without a threshold', { input: '1', tiers: [{ input: '1' }] }],
    ['a threshold as text', { input: '1', tiers: [{ aboveInputTokens: '5', input: '1' }] }],
    ['a tier with a wrong amount', { input: '1', tiers: [{ aboveInputTokens: 5, input: 1 }] }],
    ['a tier with an unknown dimension', { input: '1', tiers: [{ aboveInputTokens: 5, inptu: '1' }] }],
    ['service tiers that are not an object', { input: '1', serviceTiers: [] }],
    ['a service tier with a wrong amount', { input: '1', serviceTiers: { flex: 0.5 } }],
    ['a service tier for nothing', { input: '1', serviceTiers: { flex: '0' } }],
    ['a price of the prototype', JSON.parse('{"input":"1","__proto__":"1"}') as unknown],
  ])('a price in the wrong form is not accepted: %s', (_what, wrong) => {
    expect(priceFromJson(wrong)).toBeNull()
  })
})

it('only dimensions of uses have a rate per use', () => {
  expect(['request', 'webSearch', 'input', 'nothing'].map(isPerUse)).toEqual([true, true, false, false])
})
