import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CallBound, Leg, Quote } from '#money/decision-types.ts'
import { allDimensions, type Price } from '#money/price.ts'
import type { Usage } from '#money/usage-counts.ts'
import {
  boundFromText,
  boundToText,
  quoteFromText,
  quoteToText,
  targetFromText,
  targetToText,
  usageFromText,
  usageToText,
} from './json-columns.ts'
import { legsFromText, legsToText } from './legs-column.ts'

const count = fc.nat({ max: 1_000_000 })
const amount = fc.bigInt({ min: 0n, max: 10n ** 15n })
const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const tier = fc.option(text, { nil: null })

const leg: fc.Arbitrary<Leg> = fc.record({
  sourceId: text,
  kind: fc.constantFrom('wallet', 'pool', 'on_demand'),
  unit: fc.constantFrom('micros', 'credits'),
  amount,
  micros: amount,
})
const bound: fc.Arbitrary<CallBound> = fc.record(
  {
    alias: text,
    textTokens: count,
    audioTokens: count,
    imageTokens: count,
    outputTokens: count,
    choices: count,
    serviceTier: tier,
    canReport: fc.record({
      cacheWrite: fc.boolean(),
      cacheWriteLong: fc.boolean(),
      audioOutput: fc.boolean(),
      imageOutput: fc.boolean(),
    }),
    tools: fc.record({ uses: count, usesMax: count, tokensPerUse: count, searchesPerUse: count }),
    uses: fc.record(
      {
        codeSessions: count,
        fileSearches: count,
        cacheTokenHours: count,
        searchUnits: count,
        images: count,
        characters: count,
        output: count,
        audioOutput: count,
        imageOutput: count,
      },
      { requiredKeys: [] },
    ),
    tags: fc.array(fc.stringMatching(/^[a-z0-9-]{1,63}$/), { minLength: 1, maxLength: 10 }),
    payerId: fc.stringMatching(/^eu_[a-z0-9]{1,26}$/),
  },
  {
    requiredKeys: [
      'alias',
      'textTokens',
      'audioTokens',
      'imageTokens',
      'outputTokens',
      'choices',
      'serviceTier',
      'canReport',
    ],
  },
)
const usage: fc.Arbitrary<Usage> = fc
  .record({
    input: count,
    cacheRead: count,
    cacheWrite: count,
    cacheWriteLong: count,
    audioInput: count,
    cacheReadAudio: count,
    imageInput: count,
    plain: count,
    reasoning: count,
    audioOutput: count,
    imageOutput: count,
    webSearches: count,
    codeSessions: count,
    fileSearches: count,
    cacheTokenHours: count,
    searchUnits: count,
    images: count,
    characters: count,
    audioSeconds: count,
    serviceTier: tier,
    isMediaWithin: fc.boolean(),
    isAmbiguous: fc.boolean(),
    overlaps: fc.boolean(),
    beyond: fc.option(fc.nat(1_000_000), { nil: null }),
    stated: fc.option(count, { nil: null }),
  })
  .map(({ plain, isMediaWithin, isAmbiguous, overlaps, beyond, stated, ...rest }) => ({
    ...rest,
    ...(isMediaWithin && { isMediaWithin }),
    ...(isAmbiguous && { isAmbiguous }),
    ...(overlaps && { cacheOverlap: Math.min(rest.cacheRead, rest.cacheWrite) }),
    ...(beyond !== null && { outputBeyond: beyond }),
    ...(stated !== null && { statedCostNanos: stated }),
    output: plain + rest.reasoning + rest.audioOutput + rest.imageOutput,
  }))
const price: fc.Arbitrary<Price> = fc.record({ input: amount, output: amount, cacheRead: amount })
const quote: fc.Arbitrary<Quote> = fc.record(
  {
    id: text,
    cost: price,
    assumed: fc.subarray([...allDimensions]),
    sell: price,
    basis: fc.constantFrom('provider_cost', 'sell_price'),
    credits: fc.option(price, { nil: null }),
    policy: fc.constantFrom('hard_token', 'complete_message', 'grace'),
    maxOverdraftMicros: amount,
  },
  { requiredKeys: ['id', 'cost', 'sell', 'basis', 'credits', 'policy', 'maxOverdraftMicros'] },
)

function isReadBack<T>(values: fc.Arbitrary<T>, readBack: (value: T) => T): void {
  fc.assert(
    fc.property(values, (value) => {
      expect(readBack(value)).toEqual(value)
    }),
  )
}

describe('JSON columns of the store', () => {
  test('the legs of a hold (the amount held in each source) are read back as they were written', () =>
    isReadBack(fc.array(leg, { maxLength: 5 }), (legs) => legsFromText(legsToText(legs))))
  test('the limits of a call are read back as they were written', () =>
    isReadBack(bound, (value) => boundFromText(boundToText(value))))
  test('targets are read back as they were written', () => {
    const target = fc.record({ accountId: text, provider: text, model: text })
    isReadBack(target, (value) => targetFromText(targetToText(value)))
  })
  test('the usage of a call is read back as it was written', () =>
    isReadBack(usage, (value) => usageFromText(usageToText(value))))
  test('quotes are read back as they were written', () =>
    isReadBack(quote, (value) => quoteFromText(value.id, quoteToText(value))))
})

const plainCost = { input: 1n, output: 2n }
const plainQuote: Quote = {
  id: 'q',
  cost: plainCost,
  sell: plainCost,
  basis: 'provider_cost',
  credits: null,
  policy: 'grace',
  maxOverdraftMicros: 3n,
}

test('if the sell price of a quote is its cost, both prices are read back as the same object', () => {
  const read = quoteFromText('q', quoteToText(plainQuote))
  expect(read.sell).toBe(read.cost)
})

test.each([
  ['a leg is of a kind', () => legsFromText('[["wallet","bank","micros","1","1"]]')],
  ['a leg has 5 or 6 fields', () => legsFromText('[["wallet","wallet","micros","1"]]')],
  ['a whole number', () => boundFromText('["a",1,2,3,4,5,6.5,null,0]')],
  ['the flags of a call are a number from 0 to 15', () => boundFromText('["a",1,2,3,4,5,6,null,16]')],
  ['a stored usage is plausible', () => usageFromText('{"output":1,"reasoning":2}')],
  [
    'an assumed dimension is one of a price',
    () => quoteFromText('q', quoteToText(plainQuote).replace('}', '},"assumed":["speed"]')),
  ],
  ['a quote has a basis', () => quoteFromText('q', '{"cost":{},"sell":null}')],
])('invalid JSON is reported as a corrupt store: %s', (claim, read) => {
  expect(read).toThrow(claim)
})
