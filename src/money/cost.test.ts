import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aBound, EVERYTHING, MICRO_A_TOKEN, worstCost } from '#tests/fixtures/build-money-values.ts'
import { costOf, hasUnpricedTier, hasUnpricedUse, isCheaperTier, worstAt, worstTerms } from './cost.ts'
import type { CallBound } from './decision-types.ts'
import { allDimensions, type Dimension, isPerUse, type Price, type Tier } from './price.ts'
import { zeroUsage, type Usage } from './usage-counts.ts'

describe('costOf', () => {
  it('cached audio costs its own rate or else the rate of other cached input, and a hold for audio covers either rate', () => {
    const rates = { input: 300_000n, cacheRead: 30_000n, audioInput: 1_000_000n, output: 1n }
    const usage = { ...zeroUsage, cacheReadAudio: 1_000_000 }
    expect(costOf(usage, { ...rates, cacheReadAudio: 100_000n })).toMatchObject({
      amount: 100_000n,
      assumed: 0n,
    })
    expect(costOf(usage, rates)).toMatchObject({ amount: 30_000n, assumed: 30_000n })
    const bound = aBound({ audioTokens: 1_000_000 })
    for (const cacheReadAudio of [100_000n, 2_000_000n]) {
      const price = { ...rates, cacheReadAudio }
      const { amount } = costOf(usage, price)
      expect(worstAt(worstTerms(bound, price), 0)).toBe(amount > 1_000_000n ? amount : 1_000_000n)
    }
  })

  it('the cost is the sum of units times rates over all dimensions, divided and rounded only once', () => {
    const price: Price = {
      input: 1n,
      cacheRead: 10n,
      cacheWrite: 100n,
      cacheWriteLong: 1000n,
      audioInput: 10_000n,
      cacheReadAudio: 41_000_000n,
      imageInput: 100_000n,
      output: 1_000_000n,
      reasoning: 10_000_000n,
      audioOutput: 100_000_000n,
      imageOutput: 1_000_000_000n,
      request: 7n,
      webSearch: 3n,
      codeSession: 17n,
      fileSearch: 23n,
      cacheStorage: 1_000_000n,
      searchUnit: 5n,
      image: 11n,
      character: 1_000_000n,
      audioSecond: 2_000_000n,
    }
    const usage: Usage = {
      input: 1,
      cacheRead: 2,
      cacheWrite: 3,
      cacheWriteLong: 4,
      audioInput: 5,
      cacheReadAudio: 1,
      imageInput: 6,
      output: 34,
      reasoning: 8,
      audioOutput: 9,
      imageOutput: 10,
      webSearches: 2,
      codeSessions: 5,
      fileSearches: 6,
      cacheTokenHours: 19,
      searchUnits: 4,
      images: 3,
      characters: 13,
      audioSeconds: 7,
      serviceTier: null,
    }
    const { amount, lines, multiplier } = costOf(usage, price)
    // The cost consists of 10,987.654321 micros for tokens, 7 for the request, 2 x 3 for searches, 5 x 17 for code
    // sessions and 6 x 23 for file searches. The cost also has 19 for cache storage, 4 x 5 for search units, 3 x 11 for
    // images, 13 for characters and 2 x 7 for seconds. Cached audio costs 41.
    expect(amount).toBe(
      10_000n + 900n + 80n + 7n + 1n + 7n + 6n + 85n + 138n + 19n + 20n + 33n + 13n + 14n + 41n,
    )
    expect(multiplier).toBe(1000n)
    expect(lines.map(({ dimension }) => dimension)).toEqual(allDimensions)
    expect(lines.map(({ units }) => units)).toEqual([
      1, 2, 3, 4, 5, 1, 6, 7, 8, 9, 10, 1, 2, 5, 6, 19, 4, 3, 13, 7,
    ])
    expect(lines.every(({ assumed, dimension, rate }) => !assumed && rate === price[dimension])).toBe(true)
  })

  it.each([
    [0, 0n],
    [1, 1n],
    [999_999, 1n],
    [1_000_000, 1n],
    [1_000_001, 2n],
  ])(
    '%s tokens at one micro per million tokens cost %s, because every fraction above zero is rounded up',
    (input, amount) => {
      expect(costOf({ ...zeroUsage, input }, { input: 1n }).amount).toBe(amount)
    },
  )

  it('the cost is rounded once for all lines together, not once per line', () => {
    const usage = { ...zeroUsage, input: 1, output: 1 }
    expect(costOf(usage, { input: 400_000n, output: 600_000n }).amount).toBe(1n)
  })

  it('the whole input, including cached input, determines the price tier', () => {
    const price: Price = {
      input: 0n,
      cacheRead: 0n,
      output: 1_000_000n,
      tiers: [{ aboveInputTokens: 9, output: 2_000_000n }],
    }
    const usage = { ...zeroUsage, input: 4, cacheRead: 5, output: 1 }
    expect(costOf(usage, price).amount).toBe(1n)
    expect(costOf({ ...usage, cacheRead: 6 }, price).amount).toBe(2n)
  })

  it.each<[string, Partial<Usage>, Price, bigint]>([
    [
      'audio within cached input counts as the more expensive audio, and as much text as possible counts as uncached',
      { input: 50, cacheRead: 100, audioInput: 100 },
      { input: 1_000_000n, cacheRead: 100_000n, audioInput: 40_000_000n, output: 1n },
      4050n,
    ],
    [
      'input that is nearly all audio and nearly all cached',
      { input: 200, cacheRead: 800, audioInput: 900 },
      { input: 1_000_000n, cacheRead: 250_000n, audioInput: 10_000_000n, output: 1n },
      9100n,
    ],
    [
      'images at the price of text cost the same as text',
      { input: 403, cacheRead: 600, imageInput: 500 },
      { input: 1_000_000n, cacheRead: 100_000n, imageInput: 1_000_000n, output: 1n },
      463n,
    ],
    [
      'a cache write that may be an image costs the more expensive rate',
      { input: 10, cacheWrite: 20, imageInput: 15 },
      { input: 1_000_000n, cacheWrite: 3_000_000n, imageInput: 2_000_000n, output: 1n },
      80n,
    ],
    [
      'audio that costs less than text is not charged as text',
      { input: 17, cacheRead: 3, audioInput: 15 },
      { input: 7_000_000n, cacheRead: 0n, audioInput: 150_000n, output: 1n, request: 1n },
      38n,
    ],
    [
      'of two media that are cheaper than text, the more expensive one counts as uncached',
      { input: 10, cacheRead: 10, audioInput: 8, imageInput: 8 },
      { input: 4_000_000n, cacheRead: 0n, audioInput: 1_000_000n, imageInput: 2_000_000n, output: 1n },
      4n * 4n + 6n * 2n,
    ],
    [
      'if there is more media than input, no token counts as text',
      { input: 10, audioInput: 11 },
      { input: 4_000_000n, audioInput: 1_000_000n, output: 1n },
      10n,
    ],
  ])('overlapping input is split in the most expensive way: %s', (_what, counts, price, amount) => {
    expect(costOf({ ...zeroUsage, ...counts, isMediaWithin: true }, price).amount).toBe(amount)
  })

  it.each([
    [null, 1000n, 10n],
    ['priority', 2000n, 20n],
    ['flex', 500n, 5n],
    ['unheard-of', 1000n, 10n],
    ['constructor', 1000n, 10n],
  ])('the service tier %s multiplies the cost by %s thousandths', (serviceTier, multiplier, amount) => {
    const price: Price = { ...MICRO_A_TOKEN, request: 4n, serviceTiers: { priority: 2000n, flex: 500n } }
    expect(costOf({ ...zeroUsage, output: 6, serviceTier }, price)).toMatchObject({ multiplier, amount })
  })

  it.each([
    [null, 26n],
    ['priority', 46n],
    ['batch', 16n],
  ])('service tiers do not change the fees of tools and of storage: %s', (serviceTier, amount) => {
    const price: Price = {
      ...MICRO_A_TOKEN,
      webSearch: 1n,
      codeSession: 1n,
      fileSearch: 1n,
      cacheStorage: 1_000_000n,
      image: 10n,
      serviceTiers: { priority: 2000n, batch: 500n },
    }
    const fees = { webSearches: 2, codeSessions: 1, fileSearches: 2, cacheTokenHours: 1 }
    const usage = { ...zeroUsage, ...fees, output: 10, images: 1, serviceTier }
    expect(costOf(usage, price).amount).toBe(amount)
  })

  it('an assumed fee is not multiplied either', () => {
    const price: Price = { ...MICRO_A_TOKEN, webSearch: 5n, serviceTiers: { priority: 2000n } }
    const usage = { ...zeroUsage, output: 10, webSearches: 1, serviceTier: 'priority' }
    expect(costOf(usage, price, ['webSearch'])).toMatchObject({ amount: 25n, assumed: 5n })
  })

  it.each([
    [null, false],
    ['default', false],
    ['Standard', false],
    ['flex', false],
    ['batch', false],
    ['us', true],
    ['fast', true],
    ['toString', true],
    ['priority', false],
  ])(
    'whether the service tier %s has no factor although it probably costs more: %s',
    (serviceTier, isUnpriced) => {
      const price: Price = { ...MICRO_A_TOKEN, serviceTiers: { priority: 2000n } }
      expect(hasUnpricedTier({ serviceTier }, price)).toBe(isUnpriced)
    },
  )

  it('a service tier is cheaper only if the price lists it with a factor below 1000', () => {
    const price: Price = { ...MICRO_A_TOKEN, serviceTiers: { priority: 2000n, default: 1000n, flex: 500n } }
    const tiers = ['priority', 'default', 'flex', 'unknown']
    expect(tiers.filter((tier) => isCheaperTier(price, tier))).toEqual(['flex'])
    expect(isCheaperTier(MICRO_A_TOKEN, 'flex')).toBe(false)
  })

  it('with a price without service tiers, all tiers cost the same', () => {
    expect(costOf({ ...zeroUsage, output: 6, serviceTier: 'flex' }, MICRO_A_TOKEN).amount).toBe(6n)
  })

  it('a call without tokens or uses costs only the request fee', () => {
    expect(costOf(zeroUsage, { input: 1n, request: 3n }).amount).toBe(3n)
  })

  it.each<[Dimension & keyof Usage, Price, bigint]>([
    ['cacheRead', { input: 2n, cacheWrite: 5n, output: 9n }, 2n],
    ['cacheRead', { cacheWrite: 5n, output: 9n }, 5n],
    ['cacheReadAudio', { input: 2n, audioInput: 7n, output: 9n }, 2n],
    ['cacheWrite', { input: 2n, cacheRead: 1n, audioInput: 7n, output: 9n }, 2n],
    ['cacheWriteLong', { input: 2n, cacheWrite: 3n, audioInput: 7n, output: 9n }, 3n],
    ['input', { cacheRead: 1n, output: 9n }, 1n],
    ['input', { audioInput: 7n, output: 9n }, 7n],
    ['input', { output: 9n }, 9n],
    ['audioInput', { input: 2n, imageInput: 3n, output: 9n }, 3n],
    ['imageInput', { input: 2n, cacheWriteLong: 4n, output: 9n }, 4n],
    ['imageInput', { output: 9n }, 9n],
    ['reasoning', { input: 2n, output: 9n, audioOutput: 11n }, 9n],
    ['reasoning', { input: 2n, audioOutput: 11n }, 11n],
    ['reasoning', { input: 2n }, 2n],
    ['audioOutput', { input: 2n, output: 9n, reasoning: 10n }, 10n],
    ['imageOutput', { input: 2n, output: 9n, audioOutput: 11n }, 11n],
    ['imageOutput', { input: 2n }, 2n],
    ['output', { input: 2n, reasoning: 10n }, 10n],
    ['output', { input: 2n }, 2n],
  ])('units of %s without a rate cost the fallback rate (%o)', (dimension, price, rate) => {
    const isOutputKind =
      dimension === 'reasoning' || dimension === 'audioOutput' || dimension === 'imageOutput'
    const usage = { ...zeroUsage, ...(isOutputKind && { output: 5 }), [dimension]: 5 }
    // A dimension that is part of a total costs the same as the total. If the rate of the total is known, nothing is
    // assumed.
    const isPart =
      (dimension === 'cacheRead' && price.input !== undefined) ||
      (dimension === 'reasoning' && price.output !== undefined)
    expect(costOf(usage, price).lines).toEqual([{ dimension, units: 5, rate, assumed: !isPart }])
  })

  it('a counted use without any rate is still listed in the cost', () => {
    expect(costOf({ ...zeroUsage, webSearches: 2 }, { input: 1n })).toEqual({
      amount: 0n,
      assumed: 0n,
      multiplier: 1000n,
      lines: [{ dimension: 'webSearch', units: 2, rate: null, assumed: true }],
    })
  })

  it('costOf throws for impossible usage and for a price without rates', () => {
    expect(() => costOf({ ...zeroUsage, input: -1 }, MICRO_A_TOKEN)).toThrow(MoneyBroken)
    expect(() => costOf(zeroUsage, { cacheRead: 1n })).toThrow(MoneyBroken)
  })
})

describe('hasUnpricedUse', () => {
  const searched = { ...zeroUsage, input: 10, webSearches: 2 }

  it('hasUnpricedUse returns true only for searches without a rate', () => {
    expect(hasUnpricedUse(searched, { input: 1n, output: 1n })).toBe(true)
    expect(hasUnpricedUse(searched, { input: 1n, output: 1n, webSearch: 0n })).toBe(false)
    expect(hasUnpricedUse({ ...searched, webSearches: 0 }, { input: 1n, output: 1n })).toBe(false)
  })
})

describe('worstCost', () => {
  const M = 1_000_000n

  it.each<[string, Partial<CallBound>, Price, bigint]>([
    [
      'text at the most expensive cache rate',
      { textTokens: 10 },
      { input: 1n * M, cacheWrite: 3n * M, cacheWriteLong: 2n * M, output: 9n * M },
      30n,
    ],
    [
      'audio at its own rate',
      { audioTokens: 10 },
      { input: 1n * M, audioInput: 5n * M, output: 9n * M },
      50n,
    ],
    [
      'audio without a rate at the most expensive input rate',
      { audioTokens: 10 },
      { input: 1n * M, imageInput: 6n * M, output: 9n * M },
      60n,
    ],
    [
      'audio that comes back as text',
      { audioTokens: 10 },
      { input: 4n * M, audioInput: 2n * M, output: 9n * M },
      40n,
    ],
    [
      'images at their own rate',
      { imageTokens: 10 },
      { input: 1n * M, imageInput: 5n * M, output: 9n * M },
      50n,
    ],
    [
      'images that come back as cached text',
      { imageTokens: 10 },
      { input: 1n * M, cacheWrite: 8n * M, imageInput: 5n * M, output: 9n * M },
      80n,
    ],
    [
      'output at the most expensive output rate',
      { outputTokens: 10 },
      { input: 1n * M, output: 2n * M, reasoning: 3n * M, audioOutput: 7n * M, imageOutput: 4n * M },
      70n,
    ],
    [
      'output without a rate at the most expensive input rate',
      { outputTokens: 10 },
      { input: 1n * M, imageInput: 2n * M },
      20n,
    ],
    ['text at the output rate if the price has no other rate', { textTokens: 10 }, { output: 2n * M }, 20n],
    ['the request', {}, { input: 1n * M, request: 3n }, 3n],
    [
      'the price tier that the bound reaches',
      { textTokens: 6, imageTokens: 5 },
      { input: 1n * M, tiers: [{ aboveInputTokens: 10, input: 2n * M }] },
      22n,
    ],
    [
      'not a price tier above the bound',
      { textTokens: 5, imageTokens: 5 },
      { input: 1n * M, tiers: [{ aboveInputTokens: 10, input: 2n * M }] },
      10n,
    ],
  ])('the worst case counts %s', (_what, fields, price, worst) => {
    expect(worstCost(aBound(fields), price)).toBe(worst)
  })

  it.each<[keyof CallBound['canReport'], Partial<CallBound>]>([
    ['cacheWrite', { textTokens: 10 }],
    ['cacheWriteLong', { textTokens: 10 }],
    ['audioOutput', { outputTokens: 10 }],
    ['imageOutput', { outputTokens: 10 }],
  ])('the worst case counts %s only if the call can report this dimension', (dimension, fields) => {
    const price: Price = { input: 1n * M, output: 1n * M, [dimension]: 8n * M }
    // No optional dimension can be reported. If a dimension can be reported and the price has no rate for it, the
    // fallback rate applies.
    const nothing = { cacheWrite: false, cacheWriteLong: false, audioOutput: false, imageOutput: false }
    const only = { ...nothing, [dimension]: true }
    expect(worstCost(aBound({ ...fields, canReport: only }), price)).toBe(80n)
    expect(worstCost(aBound({ ...fields, canReport: nothing }), price)).toBe(10n)
  })

  it('text without a rate is charged at the fallback rate, for any reportable dimensions', () => {
    const bound = aBound({ textTokens: 10, canReport: { ...EVERYTHING, cacheWrite: false } })
    expect(worstCost(bound, { cacheWrite: 3n * M, output: 9n * M })).toBe(30n)
  })

  it.each([
    [null, 10n],
    ['priority', 20n],
    ['flex', 10n],
    ['unheard-of', 20n],
  ])('the worst case covers the requested service tier %s', (serviceTier, worst) => {
    const price: Price = { ...MICRO_A_TOKEN, serviceTiers: { priority: 2000n, flex: 500n } }
    expect(worstCost(aBound({ outputTokens: 10, serviceTier }), price)).toBe(worst)
  })

  it('the worst case of a service tier contains the fees of tools and of storage once', () => {
    const price: Price = {
      ...MICRO_A_TOKEN,
      webSearch: 3n,
      codeSession: 5n,
      fileSearch: 7n,
      cacheStorage: 1_000_000n,
      serviceTiers: { priority: 2000n },
    }
    const tools = { uses: 2, usesMax: 2, tokensPerUse: 10, searchesPerUse: 1 }
    const uses = { codeSessions: 1, fileSearches: 1, cacheTokenHours: 4 }
    const fees = 2n * 3n + 5n + 7n + 4n
    const bound = aBound({ outputTokens: 10, tools, uses })
    expect(worstCost(bound, price)).toBe(20n + 10n + fees)
    expect(worstCost({ ...bound, serviceTier: 'priority' }, price)).toBe(2n * (20n + 10n) + fees)
  })

  it('a service tier that the price does not list costs the listed price if no listed tier costs more', () => {
    expect(worstCost(aBound({ outputTokens: 10, serviceTier: 'flex' }), MICRO_A_TOKEN)).toBe(10n)
    expect(
      worstCost(aBound({ outputTokens: 10, serviceTier: 'x' }), {
        ...MICRO_A_TOKEN,
        serviceTiers: { flex: 500n },
      }),
    ).toBe(10n)
  })

  it.each<Partial<CallBound>>([
    { textTokens: -1 },
    { textTokens: 0.5 },
    { audioTokens: -1, textTokens: 1 },
    { imageTokens: -1, textTokens: 1 },
    { outputTokens: -1 },
    { outputTokens: Number.NaN },
  ])('worstCost throws for an invalid bound: %o', (fields) => {
    expect(() => worstCost(aBound(fields), MICRO_A_TOKEN)).toThrow(MoneyBroken)
  })

  it('worstCost throws for a price without rates, and for half an output token', () => {
    expect(() => worstCost(aBound(), {})).toThrow(MoneyBroken)
    expect(() => worstAt(worstTerms(aBound(), MICRO_A_TOKEN), 0.5)).toThrow(MoneyBroken)
    expect(() => worstAt(worstTerms(aBound(), MICRO_A_TOKEN), -1)).toThrow(MoneyBroken)
  })
})

const eachOfThree = { minLength: 3 * allDimensions.length, maxLength: 3 * allDimensions.length }

const anyPrice: fc.Arbitrary<Price> = fc
  .record({
    rates: fc.dictionary(fc.constantFrom(...allDimensions), fc.bigInt(0n, 100_000_000n)),
    base: fc.constantFrom<Dimension>('input', 'output'),
    baseRate: fc.bigInt(0n, 100_000_000n),
    thresholds: fc.uniqueArray(fc.nat(3000), { maxLength: 3 }),
    tierRates: fc.array(fc.bigInt(0n, 100_000_000n), eachOfThree),
    tierNames: fc.array(fc.boolean(), eachOfThree),
    serviceTiers: fc.option(fc.dictionary(fc.constantFrom('flex', 'priority', 'fast'), fc.bigInt(1n, 6000n))),
  })
  .map(({ base, baseRate, rates, serviceTiers, thresholds, tierNames, tierRates }) => {
    const named: Price = { ...rates, [base]: baseRate }
    const tiers = thresholds
      .toSorted((one, other) => one - other)
      .map((aboveInputTokens, at): Tier => {
        const tier = allDimensions.flatMap((dimension, d) =>
          named[dimension] !== undefined && tierNames[at * allDimensions.length + d] === true
            ? [[dimension, tierRates[at * allDimensions.length + d]]]
            : [],
        )
        return { aboveInputTokens, ...Object.fromEntries(tier) }
      })
    return { ...named, tiers, ...(serviceTiers && { serviceTiers }) }
  })

const anyUsage: fc.Arbitrary<Usage> = fc
  .record({
    counts: fc.array(fc.nat(1000), { minLength: 11, maxLength: 11 }),
    webSearches: fc.nat(3),
    codeSessions: fc.nat(3),
    fileSearches: fc.nat(3),
    cacheTokenHours: fc.nat(3),
    searchUnits: fc.nat(3),
    images: fc.nat(3),
    characters: fc.nat(3),
    audioSeconds: fc.nat(3),
    serviceTier: fc.constantFrom(null, 'flex', 'priority', 'fast', 'default'),
  })
  .map(({ counts, serviceTier, ...uses }) => {
    const [input = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0, imageInput = 0] =
      counts
    const [reasoning = 0, audioOutput = 0, imageOutput = 0, plain = 0, cacheReadAudio = 0] = counts.slice(6)
    const output = reasoning + audioOutput + imageOutput + plain
    const text = { input, cacheRead, cacheWrite, cacheWriteLong }
    const usage = { ...text, audioInput, cacheReadAudio, imageInput, output }
    return { ...usage, reasoning, audioOutput, imageOutput, ...uses, serviceTier }
  })

const allMedia = ['text', 'audioInput', 'imageInput'] as const
const allStates = ['input', 'cacheRead', 'cacheWrite', 'cacheWriteLong'] as const
type Medium = (typeof allMedia)[number]
type State = (typeof allStates)[number]

function ratesAt(price: Price, inputTokens: number): Price {
  const { tiers: _, serviceTiers: __, request: ___, webSearch: ____, ...base } = price
  const rates = (price.tiers ?? []).reduce<Price>(
    (so, { aboveInputTokens, ...tier }) => (inputTokens > aboveInputTokens ? { ...so, ...tier } : so),
    base,
  )
  const { request: _____, webSearch: ______, ...plain } = rates
  return plain
}

function rateAlone(dimension: Dimension & keyof Usage, price: Price, inputTokens: number): bigint {
  return costOf({ ...zeroUsage, [dimension]: 1_000_000 }, ratesAt(price, inputTokens)).amount
}

/** Tries every assignment of the tokens of each medium to cached and uncached, to find the most expensive one. */
function mostExpensiveOfAll(
  byMedium: Readonly<Record<Medium, number>>,
  byState: Readonly<Record<State, number>>,
  rate: (medium: Medium, state: State) => bigint,
): bigint {
  const rates = allMedia.map((medium) => allStates.map((state) => rate(medium, state)))
  const known = new Map<string, bigint | null>()
  // Assigns tokens to the combinations of medium and cache state, one combination after another. Each combination gets
  // at most the tokens that its medium and its cache state still have.
  const most = (cell: number, left: number, columns: readonly number[]): bigint | null => {
    const row = Math.floor(cell / allStates.length)
    const medium = allMedia[row]
    const column = cell % allStates.length
    if (medium === undefined) return 0n
    const id = `${cell} ${left} ${columns.join(',')}`
    const before = known.get(id)
    if (before !== undefined) return before
    const isLast = column === allStates.length - 1
    const next = allMedia[row + 1]
    let best: bigint | null = null
    for (let units = isLast ? left : 0; units <= Math.min(left, columns[column] ?? 0); units += 1) {
      const rest = columns.map((free, at) => (at === column ? free - units : free))
      const after = most(cell + 1, isLast ? (next === undefined ? 0 : byMedium[next]) : left - units, rest)
      const sum = after === null ? null : after + BigInt(units) * (rates[row]?.[column] ?? 0n)
      if (sum !== null && (best === null || sum > best)) best = sum
    }
    known.set(id, best)
    return best
  }
  const found = most(
    0,
    byMedium.text,
    allStates.map((state) => byState[state]),
  )
  if (found === null) throw new Error('the counts of media and of states have one sum')
  return found
}

describe('for any price and usage', () => {
  it('the cost is at least the exact amount and less than one micro above it', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (price, usage) => {
        const { amount, lines, multiplier } = costOf(usage, price)
        const scale = 1_000_000_000n
        const exact = lines.reduce((sum, { dimension, rate, units }) => {
          const perUse = isPerUse(dimension) ? 1_000_000n : 1n
          const isFee = ['webSearch', 'codeSession', 'fileSearch', 'cacheStorage'].includes(dimension)
          return sum + BigInt(units) * (rate ?? 0n) * perUse * (isFee ? 1000n : multiplier)
        }, 0n)
        expect(amount * scale).toBeGreaterThanOrEqual(exact)
        expect(amount * scale).toBeLessThan(exact + scale)
      }),
      { numRuns: 1000 },
    )
  })

  it('the cost never exceeds the worst case of a bound that includes the usage', () => {
    const slack = fc.array(fc.nat(50), { minLength: 5, maxLength: 5 })
    const flags = fc.record({
      cacheWrite: fc.boolean(),
      cacheWriteLong: fc.boolean(),
      audioOutput: fc.boolean(),
      imageOutput: fc.boolean(),
    })
    fc.assert(
      fc.property(anyPrice, anyUsage, slack, fc.nat(1000), flags, (price, any, extra, asText, canReport) => {
        // Remove usage in dimensions that the call cannot report, because the hold does not cover such usage.
        const usage = {
          ...any,
          cacheWrite: canReport.cacheWrite ? any.cacheWrite : 0,
          cacheWriteLong: canReport.cacheWriteLong ? any.cacheWriteLong : 0,
          audioOutput: canReport.audioOutput ? any.audioOutput : 0,
          imageOutput: canReport.imageOutput ? any.imageOutput : 0,
          // These calls may not search the web, so the hold does not cover reported searches.
          webSearches: 0,
          codeSessions: 0,
          fileSearches: 0,
          cacheTokenHours: 0,
          searchUnits: 0,
          images: 0,
          characters: 0,
          audioSeconds: 0,
        }
        const text = usage.input + usage.cacheRead + usage.cacheWrite + usage.cacheWriteLong
        // A provider may report media tokens as text tokens (for example cached images), but never text tokens as
        // media.
        const media = Math.min(asText, text)
        const bound = aBound({
          textTokens: text - media + (extra[0] ?? 0),
          audioTokens: usage.audioInput + usage.cacheReadAudio + Math.floor(media / 2) + (extra[1] ?? 0),
          imageTokens: usage.imageInput + Math.ceil(media / 2) + (extra[2] ?? 0),
          outputTokens: usage.output + (extra[3] ?? 0),
          serviceTier: usage.serviceTier,
          canReport,
        })
        expect(costOf(usage, price).amount).toBeLessThanOrEqual(worstCost(bound, price))
        // A provider may serve its default tier instead of the requested service tier, at the default price.
        const served = { ...usage, serviceTier: null }
        expect(costOf(served, price).amount).toBeLessThanOrEqual(worstCost(bound, price))
      }),
      { numRuns: 3000 },
    )
  })

  it('overlapping counts cost as much as their most expensive interpretation, and at most the worst case', () => {
    const few = fc.array(fc.nat(4), { minLength: 4, maxLength: 4 })
    const rates = fc.constantFrom(0n, 100_000n, 1_000_000n, 2_000_000n, 7_000_000n)
    const price: fc.Arbitrary<Price> = fc.oneof(
      anyPrice,
      fc.record(
        {
          input: rates,
          cacheRead: rates,
          cacheWrite: rates,
          audioInput: rates,
          imageInput: rates,
          output: rates,
        },
        { requiredKeys: ['input', 'output'] },
      ),
    )
    fc.assert(
      fc.property(price, few, fc.tuple(fc.nat(16), fc.nat(16)), fc.nat(5), (any, counted, within, output) => {
        const { request: _, ...withoutFee } = any
        const plain: Price = {
          ...withoutFee,
          ...(any.tiers && { tiers: any.tiers.map(({ request: __, ...tier }) => tier) }),
        }
        const [input = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0] = counted
        const byState = { input, cacheRead, cacheWrite, cacheWriteLong }
        const total = input + cacheRead + cacheWrite + cacheWriteLong
        const audioInput = Math.min(within[0], total)
        const imageInput = Math.min(within[1], total - audioInput)
        const overlapping = { audioInput, imageInput }
        const usage: Usage = { ...zeroUsage, ...byState, ...overlapping, output, isMediaWithin: true }
        const { amount } = costOf(usage, plain)
        const text = total - audioInput - imageInput
        const outputExact =
          costOf({ ...zeroUsage, output: 1_000_000 }, ratesAt(plain, total)).amount * BigInt(output)
        const dearest = mostExpensiveOfAll({ text, ...overlapping }, byState, (medium, state) => {
          const ofState = rateAlone(state, plain, total)
          if (medium === 'text') return ofState
          const own = rateAlone(medium, plain, total)
          if (own > rateAlone('input', plain, total)) return own > ofState ? own : ofState
          return state === 'input' ? own : ofState
        })
        expect(amount).toBe((dearest + outputExact + 999_999n) / 1_000_000n)
        const bound = aBound({
          textTokens: text,
          audioTokens: audioInput,
          imageTokens: imageInput,
          outputTokens: output,
        })
        expect(amount).toBeLessThanOrEqual(worstCost(bound, plain))
      }),
      { numRuns: 2000 },
    )
  })

  it('a higher usage never costs less', () => {
    const flat = anyPrice.map(({ tiers: _tiers, ...price }): Price => price)
    fc.assert(
      fc.property(flat, anyUsage, fc.nat(100), (price, usage, more) => {
        const larger = { ...usage, input: usage.input + more, output: usage.output + more }
        expect(costOf(larger, price).amount).toBeGreaterThanOrEqual(costOf(usage, price).amount)
      }),
    )
  })
})
