import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admit, type Admitted } from './admit.ts'
import { microsMax, MoneyBroken } from './amount.ts'
import {
  aBound,
  aCreditPool,
  aLimit,
  anOnDemand,
  aPool,
  aQuote,
  aState,
  aWallet,
  MICRO_A_TOKEN,
  worstCost,
} from '#tests/fixtures/build-money-values.ts'
import type { CallBound, Limit, PersonState, Quote, Source } from './decision-types.ts'
import { applyPosting } from './posting.ts'
import type { Refusal } from './refusal-types.ts'

interface Asked {
  readonly limits?: readonly Limit[]
  readonly quote?: Quote
  readonly state?: Partial<PersonState>
}

/** A token costs one micro, so the worst case is the number of tokens. */
function ask(sources: readonly Source[], bound: Partial<CallBound>, asked: Asked = {}): Admitted | Refusal {
  const state = aState(sources, { limits: asked.limits ?? [], ...asked.state })
  return admit(state, asked.quote ?? aQuote(), aBound(bound), 'call')
}

function admitted(answer: Admitted | Refusal): Admitted {
  if (answer.kind !== 'admitted') throw new Error(`refused: ${answer.code}`)
  return answer
}

describe('a call whose worst case the balance covers', () => {
  it('the hold of a call equals its worst case, and is taken from the sources that pay for the call', () => {
    const limits = [aLimit('key_cap', 100n), aLimit('outcome_run', 100n)]
    const bound = aBound({ textTokens: 5, outputTokens: 10 })
    const quote = aQuote()
    expect(ask([aPool('p', 4n), aWallet(11n)], bound, { limits, quote })).toEqual({
      kind: 'admitted',
      hold: {
        callId: 'call',
        quote,
        bound,
        worstMicros: 15n,
        worstCredits: 0n,
        legs: [
          { sourceId: 'p', kind: 'pool', unit: 'micros', amount: 4n, micros: 4n },
          { sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount: 11n, micros: 11n },
        ],
      },
      postings: [
        { sourceId: 'p', unit: 'micros', heldDelta: 4n, postedDelta: 0n, entry: null, mayOverdraw: false },
        {
          sourceId: 'wallet',
          unit: 'micros',
          heldDelta: 11n,
          postedDelta: 0n,
          entry: null,
          mayOverdraw: false,
        },
      ],
      outputTokensPerChoice: 10,
      isClamped: false,
    })
  })

  it('the maximum output of a call is divided among its choices', () => {
    expect(ask([aWallet(30n)], { outputTokens: 30, choices: 3 })).toMatchObject({ outputTokensPerChoice: 10 })
  })

  it('a call that is paid partly in money and partly in credits has holds in both units', () => {
    const quote = aQuote({ credits: { output: 3_000_000n } })
    const { hold, postings } = admitted(
      ask([aCreditPool('c', 12n), aWallet(99n)], { outputTokens: 10 }, { quote }),
    )
    expect(hold).toMatchObject({ worstMicros: 10n, worstCredits: 30n })
    expect(hold.legs.map(({ amount, micros }) => [amount, micros])).toEqual([
      [12n, 4n],
      [6n, 6n],
    ])
    expect(postings.map(({ heldDelta, unit }) => [heldDelta, unit])).toEqual([
      [12n, 'credits'],
      [6n, 'micros'],
    ])
  })

  it('the worst case of a call is computed at the price of the debit basis', () => {
    const quote = aQuote({ sell: { output: 2_000_000n }, basis: 'sell_price' })
    expect(admitted(ask([aWallet(30n)], { outputTokens: 10 }, { quote })).hold.worstMicros).toBe(20n)
  })

  it('on-demand billing without a ceiling covers a call of any size', () => {
    expect(ask([aWallet(1n), anOnDemand(null)], { outputTokens: 1_000_000 })).toMatchObject({
      isClamped: false,
    })
  })

  it('a free call is admitted without money, even if the wallet is overdrawn', () => {
    const quote = aQuote({ cost: { input: 0n, output: 0n } })
    const { hold, postings } = admitted(ask([aWallet(-5n)], { outputTokens: 10 }, { quote }))
    expect([hold.worstMicros, hold.legs, postings]).toEqual([0n, [], []])
  })

  it('a call that costs nothing in money but something in credits uses the credit pools that cover it', () => {
    const quote = aQuote({ cost: { output: 0n }, credits: { output: 1_000_000n } })
    const { hold, postings } = admitted(
      ask([aCreditPool('c', 4n), aWallet(0n)], { outputTokens: 10 }, { quote }),
    )
    expect(hold.legs.map(({ amount, sourceId }) => [sourceId, amount])).toEqual([
      ['c', 4n],
      ['wallet', 0n],
    ])
    expect(postings.map(({ sourceId }) => sourceId)).toEqual(['c'])
  })

  it('a call with a credit price of zero uses no credit pools, because calls without a price would never exhaust the pools', () => {
    const quote = aQuote({ credits: { output: 0n } })
    const answer = admitted(ask([aCreditPool('c', 4n), aWallet(10n)], { outputTokens: 10 }, { quote }))
    expect(answer.hold.legs.map(({ sourceId }) => sourceId)).toEqual(['wallet'])
  })
})

describe('a call whose maximum output the balance does not cover', () => {
  it('if the balance does not cover the requested output, the call is clamped to the largest output that the balance covers', () => {
    const answer = admitted(ask([aWallet(12n)], { textTokens: 5, outputTokens: 10 }))
    expect(answer).toMatchObject({ isClamped: true, outputTokensPerChoice: 7 })
    expect(answer.hold).toMatchObject({ worstMicros: 12n, bound: { textTokens: 5, outputTokens: 7 } })
  })

  it('a call is clamped to at least one token, and rejected if not even one token fits', () => {
    expect(ask([aWallet(6n)], { textTokens: 5, outputTokens: 10 })).toMatchObject({
      outputTokensPerChoice: 1,
    })
    expect(ask([aWallet(5n)], { textTokens: 5, outputTokens: 10 })).toMatchObject({
      code: 'insufficient_credit',
      requested: 6n,
    })
  })

  it('each choice of a clamped call gets the same share', () => {
    const answer = admitted(ask([aWallet(17n)], { outputTokens: 30, choices: 3 }))
    expect(answer).toMatchObject({
      outputTokensPerChoice: 5,
      hold: { worstMicros: 15n, bound: { outputTokens: 15 } },
    })
    expect(ask([aWallet(2n)], { outputTokens: 30, choices: 3 })).toMatchObject({ requested: 3n })
  })

  it('a call is clamped even if its worst case exceeds the balance by only one token', () => {
    expect(ask([aWallet(9n)], { outputTokens: 10 })).toMatchObject({
      isClamped: true,
      outputTokensPerChoice: 9,
    })
    expect(ask([aWallet(10n)], { outputTokens: 10 })).toMatchObject({
      isClamped: false,
      outputTokensPerChoice: 10,
    })
  })

  it('if the maximum output is not a multiple of the number of choices, the balance need not cover the remainder', () => {
    expect(ask([aWallet(9n)], { outputTokens: 10, choices: 3 })).toMatchObject({
      isClamped: false,
      outputTokensPerChoice: 3,
    })
  })

  it('a call is clamped to the smallest remaining amount, whether a limit or the balance sets this amount', () => {
    const limits = [aLimit('key_cap', 8n), aLimit('bundle_limit', 4n), aLimit('outcome_run', 6n)]
    expect(ask([aWallet(7n)], { outputTokens: 10 }, { limits })).toMatchObject({ outputTokensPerChoice: 4 })
  })

  it('a call that is paid in credits is clamped in the same way as a call that is paid in money', () => {
    const quote = aQuote({ credits: { output: 3_000_000n } })
    const pool = aCreditPool('c', 10n, { thenOnDemand: false })
    expect(ask([pool], { outputTokens: 10 }, { quote })).toMatchObject({ outputTokensPerChoice: 3 })
  })

  it('a call without output is rejected if the balance does not cover the call, because clamping can reduce only output', () => {
    expect(ask([aWallet(9n)], { textTokens: 10 })).toMatchObject({
      code: 'insufficient_credit',
      requested: 10n,
    })
    expect(ask([aWallet(1n)], { outputTokens: 2, choices: 3 })).toMatchObject({ requested: 2n })
  })
})

describe('a rejection', () => {
  it('a caller who may not spend is rejected before any check of money', () => {
    expect(ask([], { outputTokens: 10 }, { state: { isFrozen: true } })).toMatchObject({
      code: 'end_user_frozen',
    })
  })

  it('a rejection names the first limit that the smallest possible call exceeds', () => {
    const limits = [aLimit('bundle_limit', 5n), aLimit('key_cap', 5n), aLimit('outcome_run', 6n)]
    const refuse = (textTokens: number): Admitted | Refusal =>
      ask([aWallet(0n)], { textTokens, outputTokens: 9 }, { limits })
    expect(refuse(6)).toMatchObject({ code: 'outcome_capped', limitSource: 'outcome_run', requested: 7n })
    expect(refuse(5)).toMatchObject({ code: 'spend_limit_exceeded', limitSource: 'key_cap', requested: 6n })
    expect(refuse(4)).toMatchObject({ code: 'insufficient_credit', limitSource: 'balance', requested: 5n })
  })

  it('a rejection names the on-demand ceiling if on-demand billing is the last source', () => {
    const sources = [aWallet(1n), anOnDemand(3n)]
    expect(ask(sources, { textTokens: 9, outputTokens: 1 })).toMatchObject({
      limitSource: 'on_demand_ceiling',
    })
    expect(ask([aWallet(1n), anOnDemand(3n, { isEnabled: false })], { textTokens: 9 })).toMatchObject({
      limitSource: 'balance',
    })
  })

  it('a rejection names a pool that allows no other source to pay, even if the wallet has money', () => {
    const pool = aPool('p', 3n, { thenOnDemand: false })
    expect(ask([pool, aWallet(1000n)], { textTokens: 9 })).toMatchObject({
      code: 'insufficient_credit',
      limitSource: 'pool',
      limit: 3n,
    })
  })

  it('a call whose worst case is impossibly large is rejected, even if on-demand has no ceiling', () => {
    const rate = microsMax
    const sources = [anOnDemand(null)]
    expect(
      ask(sources, { textTokens: 1_000_000 }, { quote: aQuote({ cost: { input: rate } }) }),
    ).toMatchObject({
      kind: 'admitted',
    })
    expect(
      ask(sources, { textTokens: 1_000_001 }, { quote: aQuote({ cost: { input: rate } }) }),
    ).toMatchObject({
      code: 'insufficient_credit',
    })
    expect(
      ask(sources, { textTokens: 1_000_001 }, { quote: aQuote({ credits: { input: rate } }) }),
    ).toMatchObject({
      code: 'insufficient_credit',
    })
  })
})

it('limits count the whole price of a call, so that a key cannot spend more than its cap from pools', () => {
  const limits = [aLimit('key_cap', 5n)]
  expect(ask([aPool('p', 100n)], { outputTokens: 10 }, { limits })).toMatchObject({
    outputTokensPerChoice: 5,
  })
})

it('admit throws for a call with zero choices', () => {
  expect(() => ask([aWallet(1n)], { choices: 0 })).toThrow(MoneyBroken)
  expect(() => ask([aWallet(1n)], { choices: 0.5 })).toThrow(MoneyBroken)
})

it('exactly ten of a hundred calls are admitted if the money suffices for ten', () => {
  let wallet = aWallet(1000n)
  let count = 0
  for (let call = 0; call < 100; call += 1) {
    const answer = ask([wallet], { textTokens: 99, outputTokens: 1 })
    if (answer.kind === 'refused') continue
    count += 1
    for (const posting of answer.postings) wallet = applyPosting(wallet, posting)
  }
  expect([count, wallet.held]).toEqual([10, 1000n])
})

describe('for any sources, prices and cap', () => {
  const source = fc.oneof(
    fc.bigInt(-10n, 500n).map((posted): Source => aWallet(posted)),
    fc.bigInt(0n, 500n).map((posted): Source => aPool('p', posted)),
    fc.bigInt(0n, 500n).map((posted): Source => aCreditPool('c', posted)),
    fc.bigInt(0n, 500n).map((limit): Source => anOnDemand(limit)),
  )
  const rate = fc.bigInt(0n, 5_000_000n)
  const anyAsk = fc.record({
    sources: fc.uniqueArray(source, { maxLength: 4, selector: ({ id }) => id }),
    bound: fc
      .record({
        textTokens: fc.nat(50),
        perChoice: fc.integer({ min: 1, max: 200 }),
        choices: fc.integer({ min: 1, max: 4 }),
      })
      .map(({ choices, perChoice, textTokens }) => ({
        textTokens,
        choices,
        outputTokens: perChoice * choices,
      })),
    quote: fc
      .record({
        cost: fc.record({ input: rate, output: rate }),
        credits: fc.option(fc.record({ output: rate })),
      })
      .map(aQuote),
    limits: fc.option(fc.bigInt(-5n, 1000n)).map((cap) => (cap === null ? [] : [aLimit('key_cap', cap)])),
  })

  it('a clamped call has the largest output that the balance covers: the balance would not cover one more token per choice', () => {
    fc.assert(
      fc.property(anyAsk, ({ bound, limits, quote, sources }) => {
        const answer = ask(sources, bound, { quote, limits })
        fc.pre(answer.kind === 'admitted')
        const { hold, isClamped, outputTokensPerChoice } = answer
        expect(hold.worstMicros).toBe(worstCost(hold.bound, quote.cost))
        expect(hold.bound.outputTokens).toBe(outputTokensPerChoice * bound.choices)
        expect(isClamped).toBe(hold.bound.outputTokens < bound.outputTokens)
        const more = { ...bound, outputTokens: (outputTokensPerChoice + 1) * bound.choices }
        const larger = ask(sources, more, { quote, limits })
        expect(isClamped && larger.kind === 'admitted' && !larger.isClamped).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  it('if a call is rejected, not even the smallest call fits', () => {
    fc.assert(
      fc.property(anyAsk, ({ bound, limits, quote, sources }) => {
        const answer = ask(sources, bound, { quote, limits })
        fc.pre(answer.kind === 'refused')
        const least = { ...bound, outputTokens: bound.choices }
        expect(answer.requested).toBe(worstCost(aBound(least), quote.cost))
        expect(ask(sources, least, { quote, limits })).toEqual(answer)
      }),
      { numRuns: 2000 },
    )
  })
})

it('the test price is one micro per token', () => {
  expect(worstCost(aBound({ textTokens: 2, outputTokens: 3 }), MICRO_A_TOKEN)).toBe(5n)
})
