import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MoneyBroken } from './amount.ts'
import { aBound, EVERYTHING, MICRO_A_TOKEN, worstCost } from '#tests/oracles/money-builders.ts'
import { costOf, worstAt, worstTerms } from './cost.ts'
import type { CallBound } from './hold.ts'
import { allDimensions, type Dimension, type Price, type Tier } from './price.ts'
import { zeroUsage, type Usage } from './usage.ts'

describe('costOf', () => {
  it('sums every dimension at its own rate and divides once', () => {
    const price: Price = {
      input: 1n,
      cacheRead: 10n,
      cacheWrite: 100n,
      cacheWriteLong: 1000n,
      audioInput: 10_000n,
      imageInput: 100_000n,
      output: 1_000_000n,
      reasoning: 10_000_000n,
      audioOutput: 100_000_000n,
      imageOutput: 1_000_000_000n,
      request: 7n,
      webSearch: 3n,
    }
    const usage: Usage = {
      input: 1,
      cacheRead: 2,
      cacheWrite: 3,
      cacheWriteLong: 4,
      audioInput: 5,
      imageInput: 6,
      output: 34,
      reasoning: 8,
      audioOutput: 9,
      imageOutput: 10,
      webSearches: 2,
      serviceTier: null,
    }
    const { amount, lines, multiplier } = costOf(usage, price)
    // 10,987.654321 micros of tokens (654,321 millionths of them input), 7 a request, 2 x 3 of search.
    expect(amount).toBe(10_000n + 900n + 80n + 7n + 1n + 7n + 6n)
    expect(multiplier).toBe(1000n)
    expect(lines.map(({ dimension }) => dimension)).toEqual(allDimensions)
    expect(lines.map(({ units }) => units)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2])
    expect(lines.every(({ assumed, dimension, rate }) => !assumed && rate === price[dimension])).toBe(true)
  })

  it.each([
    [0, 0n],
    [1, 1n],
    [999_999, 1n],
    [1_000_000, 1n],
    [1_000_001, 2n],
  ])('%s tokens at one micro per million cost %s: rounded up, and nothing stays nothing', (input, amount) => {
    expect(costOf({ ...zeroUsage, input }, { input: 1n }).amount).toBe(amount)
  })

  it('rounds once for all lines together, not once per line', () => {
    const usage = { ...zeroUsage, input: 1, output: 1 }
    expect(costOf(usage, { input: 400_000n, output: 600_000n }).amount).toBe(1n)
  })

  it('chooses the tier by the whole input, cached included', () => {
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
      'audio within the cached: as if all of it was dear, and of the text as much uncached as there can be',
      { input: 50, cacheRead: 100, audioInput: 100 },
      { input: 1_000_000n, cacheRead: 100_000n, audioInput: 40_000_000n, output: 1n },
      4050n,
    ],
    [
      'nearly all of it sound and nearly all of it cached',
      { input: 200, cacheRead: 800, audioInput: 900 },
      { input: 1_000_000n, cacheRead: 250_000n, audioInput: 10_000_000n, output: 1n },
      9100n,
    ],
    [
      'pictures at the price of text are text',
      { input: 403, cacheRead: 600, imageInput: 500 },
      { input: 1_000_000n, cacheRead: 100_000n, imageInput: 1_000_000n, output: 1n },
      463n,
    ],
    [
      'what was written to the cache costs more than the picture that it may be',
      { input: 10, cacheWrite: 20, imageInput: 15 },
      { input: 1_000_000n, cacheWrite: 3_000_000n, imageInput: 2_000_000n, output: 1n },
      80n,
    ],
  ])('overlapping input is split the dearest way: %s', (_what, counts, price, amount) => {
    expect(costOf({ ...zeroUsage, ...counts, isMediaWithin: true }, price).amount).toBe(amount)
  })

  it.each([
    [null, 1000n, 10n],
    ['priority', 2000n, 20n],
    ['flex', 500n, 5n],
    ['unheard-of', 1000n, 10n],
    ['constructor', 1000n, 10n],
  ])('service tier %s multiplies by %s thousandths', (serviceTier, multiplier, amount) => {
    const price: Price = { ...MICRO_A_TOKEN, request: 4n, serviceTiers: { priority: 2000n, flex: 500n } }
    expect(costOf({ ...zeroUsage, output: 6, serviceTier }, price)).toMatchObject({ multiplier, amount })
  })

  it('a price without service tiers costs the same on all of them', () => {
    expect(costOf({ ...zeroUsage, output: 6, serviceTier: 'flex' }, MICRO_A_TOKEN).amount).toBe(6n)
  })

  it('a call pays its request fee when it used nothing else', () => {
    expect(costOf(zeroUsage, { input: 1n, request: 3n }).amount).toBe(3n)
  })

  it.each<[Dimension & keyof Usage, Price, bigint]>([
    ['cacheRead', { input: 2n, cacheWrite: 5n, output: 9n }, 2n],
    ['cacheRead', { cacheWrite: 5n, output: 9n }, 5n],
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
  ])('%s without a price is never free: nearest kin pays (%o)', (dimension, price, rate) => {
    const isOutputKind =
      dimension === 'reasoning' || dimension === 'audioOutput' || dimension === 'imageOutput'
    const usage = { ...zeroUsage, ...(isOutputKind && { output: 5 }), [dimension]: 5 }
    // A part of a whole with a known rate costs what the whole does: nothing is assumed.
    const isPart =
      (dimension === 'cacheRead' && price.input !== undefined) ||
      (dimension === 'reasoning' && price.output !== undefined)
    expect(costOf(usage, price).lines).toEqual([{ dimension, units: 5, rate, assumed: !isPart }])
  })

  it('a use without a price and without kin is listed, not hidden', () => {
    expect(costOf({ ...zeroUsage, webSearches: 2 }, { input: 1n })).toEqual({
      amount: 0n,
      assumed: 0n,
      multiplier: 1000n,
      lines: [{ dimension: 'webSearch', units: 2, rate: null, assumed: true }],
    })
  })

  it('has no answer for usage that cannot be true, nor for a price without rates', () => {
    expect(() => costOf({ ...zeroUsage, input: -1 }, MICRO_A_TOKEN)).toThrow(MoneyBroken)
    expect(() => costOf(zeroUsage, { cacheRead: 1n })).toThrow(MoneyBroken)
  })
})

describe('worstCost', () => {
  /** A micro per token. */
  const M = 1_000_000n

  it.each<[string, Partial<CallBound>, Price, bigint]>([
    [
      'text at the dearest way it can be cached',
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
      'audio without a rate at the dearest input',
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
      'output at the dearest kind',
      { outputTokens: 10 },
      { input: 1n * M, output: 2n * M, reasoning: 3n * M, audioOutput: 7n * M, imageOutput: 4n * M },
      70n,
    ],
    [
      'output without a rate at the dearest input',
      { outputTokens: 10 },
      { input: 1n * M, imageInput: 2n * M },
      20n,
    ],
    ['text of a price that names output alone', { textTokens: 10 }, { output: 2n * M }, 20n],
    ['the request', {}, { input: 1n * M, request: 3n }, 3n],
    [
      'the tier that the bound reaches',
      { textTokens: 6, imageTokens: 5 },
      { input: 1n * M, tiers: [{ aboveInputTokens: 10, input: 2n * M }] },
      22n,
    ],
    [
      'not the tier that it does not',
      { textTokens: 5, imageTokens: 5 },
      { input: 1n * M, tiers: [{ aboveInputTokens: 10, input: 2n * M }] },
      10n,
    ],
  ])('counts %s', (_what, fields, price, worst) => {
    expect(worstCost(aBound(fields), price)).toBe(worst)
  })

  it.each<[keyof CallBound['canReport'], Partial<CallBound>]>([
    ['cacheWrite', { textTokens: 10 }],
    ['cacheWriteLong', { textTokens: 10 }],
    ['audioOutput', { outputTokens: 10 }],
    ['imageOutput', { outputTokens: 10 }],
  ])('counts %s only of a call that can report it', (dimension, fields) => {
    const price: Price = { input: 1n * M, output: 1n * M, [dimension]: 8n * M }
    // The other flags are off: what has no rate of its own takes its kin's, if the call can report it.
    const nothing = { cacheWrite: false, cacheWriteLong: false, audioOutput: false, imageOutput: false }
    const only = { ...nothing, [dimension]: true }
    expect(worstCost(aBound({ ...fields, canReport: only }), price)).toBe(80n)
    expect(worstCost(aBound({ ...fields, canReport: nothing }), price)).toBe(10n)
  })

  it('counts text at the rate that it takes from its kin, whatever the call can report', () => {
    const bound = aBound({ textTokens: 10, canReport: { ...EVERYTHING, cacheWrite: false } })
    expect(worstCost(bound, { cacheWrite: 3n * M, output: 9n * M })).toBe(30n)
  })

  it.each([
    [null, 10n],
    ['priority', 20n],
    ['flex', 10n],
    ['unheard-of', 20n],
  ])('service tier asked for: %s', (serviceTier, worst) => {
    const price: Price = { ...MICRO_A_TOKEN, serviceTiers: { priority: 2000n, flex: 500n } }
    expect(worstCost(aBound({ outputTokens: 10, serviceTier }), price)).toBe(worst)
  })

  it('a tier asked for that no price lists costs what the price says', () => {
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
  ])('has no answer for a bound that is no count: %o', (fields) => {
    expect(() => worstCost(aBound(fields), MICRO_A_TOKEN)).toThrow(MoneyBroken)
  })

  it('has no answer for a price without rates, nor for half a token of output', () => {
    expect(() => worstCost(aBound(), {})).toThrow(MoneyBroken)
    expect(() => worstAt(worstTerms(aBound(), MICRO_A_TOKEN), 0.5)).toThrow(MoneyBroken)
    expect(() => worstAt(worstTerms(aBound(), MICRO_A_TOKEN), -1)).toThrow(MoneyBroken)
  })
})

/** Any price without faults: random dimensions, tiers that rise or fall, service tiers. */
const anyPrice: fc.Arbitrary<Price> = fc
  .record({
    rates: fc.dictionary(fc.constantFrom(...allDimensions), fc.bigInt(0n, 100_000_000n)),
    base: fc.constantFrom<Dimension>('input', 'output'),
    baseRate: fc.bigInt(0n, 100_000_000n),
    thresholds: fc.uniqueArray(fc.nat(3000), { maxLength: 3 }),
    tierRates: fc.array(fc.bigInt(0n, 100_000_000n), { minLength: 36, maxLength: 36 }),
    tierNames: fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }),
    serviceTiers: fc.option(fc.dictionary(fc.constantFrom('flex', 'priority', 'fast'), fc.bigInt(1n, 6000n))),
  })
  .map(({ base, baseRate, rates, serviceTiers, thresholds, tierNames, tierRates }) => {
    const named: Price = { ...rates, [base]: baseRate }
    const tiers = thresholds
      .toSorted((one, other) => one - other)
      .map((aboveInputTokens, at): Tier => {
        const tier = allDimensions.flatMap((dimension, d) =>
          named[dimension] !== undefined && tierNames[at * 12 + d] === true
            ? [[dimension, tierRates[at * 12 + d]]]
            : [],
        )
        return { aboveInputTokens, ...Object.fromEntries(tier) }
      })
    return { ...named, tiers, ...(serviceTiers && { serviceTiers }) }
  })

const anyUsage: fc.Arbitrary<Usage> = fc
  .record({
    counts: fc.array(fc.nat(1000), { minLength: 10, maxLength: 10 }),
    webSearches: fc.nat(3),
    serviceTier: fc.constantFrom(null, 'flex', 'priority', 'fast', 'default'),
  })
  .map(({ counts, serviceTier, webSearches }) => {
    const [input = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0, imageInput = 0] =
      counts
    const [reasoning = 0, audioOutput = 0, imageOutput = 0, plain = 0] = counts.slice(6)
    const output = reasoning + audioOutput + imageOutput + plain
    const usage = { input, cacheRead, cacheWrite, cacheWriteLong, audioInput, imageInput, output }
    return { ...usage, reasoning, audioOutput, imageOutput, webSearches, serviceTier }
  })

const modalities = ['text', 'audioInput', 'imageInput'] as const
const cacheStates = ['input', 'cacheRead', 'cacheWrite'] as const

function isInput(
  dimension: Dimension,
): dimension is (typeof cacheStates | typeof modalities)[number] & keyof Usage {
  return dimension !== 'output' && dimension in zeroUsage
}

/** What a million tokens of one kind cost in a call with this much input. */
function rateAlone(dimension: Dimension & keyof Usage, price: Price, inputTokens: number): bigint {
  const { tiers: _, serviceTiers: __, request: ___, webSearch: ____, ...base } = price
  const rates = (price.tiers ?? []).reduce<Price>(
    (so, { aboveInputTokens, ...tier }) => (inputTokens > aboveInputTokens ? { ...so, ...tier } : so),
    base,
  )
  const { request: _____, webSearch: ______, ...plain } = rates
  return costOf({ ...zeroUsage, [dimension]: 1_000_000 }, plain).amount
}

describe('for any price and usage', () => {
  it('charges at least the exact cost and less than one micro more', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (price, usage) => {
        const { amount, lines, multiplier } = costOf(usage, price)
        const scale = 1_000_000_000n
        const exact = lines.reduce((sum, { dimension, rate, units }) => {
          const perUse = dimension === 'request' || dimension === 'webSearch' ? 1_000_000n : 1n
          return sum + BigInt(units) * (rate ?? 0n) * perUse * multiplier
        }, 0n)
        expect(amount * scale).toBeGreaterThanOrEqual(exact)
        expect(amount * scale).toBeLessThan(exact + scale)
      }),
      { numRuns: 1000 },
    )
  })

  it('costs no more than the worst case of any bound that it is within', () => {
    const slack = fc.array(fc.nat(50), { minLength: 5, maxLength: 5 })
    const flags = fc.record({
      cacheWrite: fc.boolean(),
      cacheWriteLong: fc.boolean(),
      audioOutput: fc.boolean(),
      imageOutput: fc.boolean(),
    })
    fc.assert(
      fc.property(anyPrice, anyUsage, slack, fc.nat(1000), flags, (price, any, extra, asText, canReport) => {
        // A usage that such a call can report: what it cannot is plain text.
        const usage = {
          ...any,
          cacheWrite: canReport.cacheWrite ? any.cacheWrite : 0,
          cacheWriteLong: canReport.cacheWriteLong ? any.cacheWriteLong : 0,
          audioOutput: canReport.audioOutput ? any.audioOutput : 0,
          imageOutput: canReport.imageOutput ? any.imageOutput : 0,
          // No call may search: what is reported of it is past the hold.
          webSearches: 0,
        }
        const text = usage.input + usage.cacheRead + usage.cacheWrite + usage.cacheWriteLong
        // Media may come back as text (cached images do), never text as media.
        const media = Math.min(asText, text)
        const bound = aBound({
          textTokens: text - media + (extra[0] ?? 0),
          audioTokens: usage.audioInput + Math.floor(media / 2) + (extra[1] ?? 0),
          imageTokens: usage.imageInput + Math.ceil(media / 2) + (extra[2] ?? 0),
          outputTokens: usage.output + (extra[3] ?? 0),
          serviceTier: usage.serviceTier,
          canReport,
        })
        expect(costOf(usage, price).amount).toBeLessThanOrEqual(worstCost(bound, price))
        // A provider may serve another tier than was asked for: its plain one, at the plain price.
        const served = { ...usage, serviceTier: null }
        expect(costOf(served, price).amount).toBeLessThanOrEqual(worstCost(bound, price))
      }),
      { numRuns: 3000 },
    )
  })

  it('costs no less than any split of counts that overlap, and no more than its worst case', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, fc.array(fc.nat(6), { maxLength: 40 }), (price, counts, cells) => {
        // Token by token: its modality, and what the cache did with it.
        const kinds = { text: 0, audioInput: 0, imageInput: 0 }
        const states = { input: 0, cacheRead: 0, cacheWrite: 0 }
        const tokens = cells.map((cell, at) => {
          const kind = modalities[cell % 3] ?? 'text'
          const state = cacheStates[Math.floor(cell / 3 + at) % 3] ?? 'input'
          kinds[kind] += 1
          states[state] += 1
          return { kind, state }
        })
        const { text: _, ...media } = kinds
        const usage: Usage = {
          ...counts,
          ...states,
          cacheWriteLong: 0,
          ...media,
          isMediaWithin: true,
          webSearches: 0,
          serviceTier: null,
        }
        // What it costs where the provider bills each token that is of two kinds as the dearer of them; media
        // that is no dearer than text is billed as text.
        const dearest = tokens.map(({ kind, state }): Dimension & keyof Usage => {
          if (kind === 'text') return state
          const own = rateAlone(kind, price, cells.length)
          return own > rateAlone('input', price, cells.length) && own > rateAlone(state, price, cells.length)
            ? kind
            : state
        })
        const split = { ...usage, input: 0, cacheRead: 0, cacheWrite: 0, audioInput: 0, imageInput: 0 }
        for (const dimension of dearest) if (isInput(dimension)) split[dimension] += 1
        const { isMediaWithin: __, ...disjoint } = split
        const { amount } = costOf(usage, price)
        expect(amount).toBeGreaterThanOrEqual(costOf(disjoint, price).amount)
        const bound = aBound({
          textTokens: kinds.text,
          audioTokens: kinds.audioInput,
          imageTokens: kinds.imageInput,
          outputTokens: usage.output,
        })
        expect(amount).toBeLessThanOrEqual(worstCost(bound, price))
      }),
      { numRuns: 3000 },
    )
  })

  it('costs no less when more of anything was used', () => {
    const flat = anyPrice.map(({ tiers: _tiers, ...price }): Price => price)
    fc.assert(
      fc.property(flat, anyUsage, fc.nat(100), (price, usage, more) => {
        const larger = { ...usage, input: usage.input + more, output: usage.output + more }
        expect(costOf(larger, price).amount).toBeGreaterThanOrEqual(costOf(usage, price).amount)
      }),
    )
  })
})
