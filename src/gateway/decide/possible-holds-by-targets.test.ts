import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aBound, aQuote } from '#tests/fixtures/build-money-values.ts'
import type { CallBound } from '#money/decision-types.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import { compactionTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { Way } from '#gateway/call/routed-target-types.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { boundOf } from './maximum-usage-of-call.ts'
import { coveredWays, possibleHolds } from './possible-holds-by-targets.ts'

/** `possibleHolds` reads only the price. */
function way(micros: number, at: number): Way {
  const price = { input: BigInt(micros) * 1_000_000n, output: BigInt(micros) * 1_000_000n }
  const plan = {
    quote: aQuote({ id: `quote_${micros}`, cost: price, sell: price }),
    target: { accountId: `pa_${at}`, provider: 'openai', model: 'm' },
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { plan } as unknown as Way
}

const bound = aBound({ textTokens: 7, outputTokens: 11 })
const worstOf = ({ plan: { quote } }: Pick<Way, 'plan'>): bigint =>
  demandAt(worstCase(quote, bound), bound.outputTokens).micros
const offersOf = (...micros: [number, ...number[]]) => {
  const [first, ...rest] = micros
  return possibleHolds([way(first, 0), ...rest.map((one, i) => way(one, i + 1))], () => bound)
}
const shown = (...micros: [number, ...number[]]) =>
  offersOf(...micros).map(({ covers, mayClamp, quote, ways }) => [
    covers.id,
    quote.id,
    mayClamp,
    ways.map(({ plan }) => plan.target.accountId).join(' '),
  ])

describe('the holds that are offered for the targets of a call', () => {
  it('one hold is offered if all targets cost the same', () => {
    expect(shown(2, 2, 2)).toEqual([['quote_2', 'quote_2', true, 'pa_0 pa_1 pa_2']])
  })

  it('each further offer drops the most expensive target, and the last offer drops even the target that would be called first', () => {
    expect(shown(2, 5, 1, 3)).toEqual([
      ['quote_5', 'quote_2', false, 'pa_0 pa_1 pa_2 pa_3'],
      ['quote_3', 'quote_2', false, 'pa_0 pa_2 pa_3'],
      ['quote_2', 'quote_2', true, 'pa_0 pa_2'],
      ['quote_1', 'quote_1', true, 'pa_2'],
    ])
  })

  it('each offered hold covers all targets that it names, and each further offer holds less money', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 }), (micros) => {
        const [first = 1, ...rest] = micros
        const offers = offersOf(first, ...rest)
        const needs = offers.map((offer) => worstOf({ plan: { ...offer.ways[0].plan, quote: offer.covers } }))
        for (const [at, { mayClamp, quote, ways }] of offers.entries()) {
          expect(quote).toBe(ways[0].plan.quote)
          const need = needs[at] ?? 0n
          for (const one of ways) expect(worstOf(one)).toBeLessThanOrEqual(need)
          expect(mayClamp).toBe(need === worstOf(ways[0]))
          const places = ways.map(({ plan }) => Number(plan.target.accountId.slice(3)))
          expect(places).toEqual(places.toSorted((one, other) => one - other))
        }
        expect(needs).toEqual(needs.toSorted((one, other) => Number(other - one)))
        expect(offers.at(-1)?.mayClamp).toBe(true)
      }),
      sampledRuns(2_000),
    )
  })

  it('for each price dimension, a hold covers the largest count that any target can report', () => {
    const small = aBound({ textTokens: 5, audioTokens: 0, imageTokens: 200_000, uses: { output: 3 } })
    const large = aBound({
      textTokens: 4,
      audioTokens: 6,
      imageTokens: 1_000_000,
      uses: { imageOutput: 7, output: 2 },
    })
    const boundsOf = (first: CallBound, second: CallBound) => {
      const ways = [way(1, 0), way(1, 1)] as const
      return possibleHolds(ways, (one) => (one === ways[0] ? first : second)).map(({ bound: held }) => held)
    }
    for (const [held] of [boundsOf(small, large), boundsOf(large, small)]) {
      expect(held).toMatchObject({ textTokens: 5, audioTokens: 6, imageTokens: 1_000_000 })
      expect(held?.uses).toMatchObject({ imageOutput: 7, output: 3 })
    }
    const { uses, ...without } = large
    for (const [held] of [boundsOf(without, large), boundsOf(large, without)])
      expect(held?.uses).toEqual(uses)
  })

  it('a hold covers fetched content and a compaction at the target that has the larger context window', () => {
    const request = wires.generate.parseRequest(
      byteTextOf(JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] })),
      { model: 'm', isStream: false, isJsonArray: false },
    )
    if ('kind' in request) throw new Error(request.reason)
    const windowOf = (contextTokens: number, at: number): Way => {
      const { plan } = way(1, at)
      const more = { account: { kind: 'google' }, contextTokens, outputTokensDefault: 9, ownSearches: null }
      // The tested functions read only these fields.
      return { plan: { ...plan, ...more } } as unknown as Way
    }
    const asked = { ...request, fetched: 'document', compactsAbove: 500_000 } as const
    const boundAt = ({ plan }: Way) => boundOf(asked, plan, request.textTokensMax)
    for (const windows of [
      [200_000, 1_000_000],
      [1_000_000, 200_000],
    ] as const) {
      const ways = [windowOf(windows[0], 0), windowOf(windows[1], 1)] as const
      const [{ bound: held }] = possibleHolds(ways, boundAt)
      expect(held.imageTokens).toBe(1_000_000 - request.textTokensMax)
      expect(held.uses?.output).toBe(compactionTokensMax)
      for (const one of ways) {
        const own = demandAt(worstCase(one.plan.quote, boundAt(one)), held.outputTokens).micros
        expect(demandAt(worstCase(one.plan.quote, held), held.outputTokens).micros).toBeGreaterThanOrEqual(
          own,
        )
      }
    }
  })

  it('a hold that was reduced to a shorter output does not cover a target with a higher input price', () => {
    const [dearOutput, dearInput] = [way(1, 0), way(1, 1)].map((one, at) => {
      const price =
        at === 0 ? { input: 1_000_000n, output: 9_000_000n } : { input: 5_000_000n, output: 2_000_000n }
      return { ...one, plan: { ...one.plan, quote: aQuote({ cost: price, sell: price }) } }
    })
    assert(dearOutput && dearInput)
    const covered = (outputTokens: number, isClamped: boolean) => {
      const shorter = { ...bound, outputTokens }
      const { credits, micros } = demandAt(worstCase(dearOutput.plan.quote, shorter), outputTokens)
      const hold = {
        callId: '',
        quote: dearOutput.plan.quote,
        bound: shorter,
        worstMicros: micros,
        worstCredits: credits,
        legs: [],
      }
      const wallet = { posted: micros, held: micros }
      const reservation = {
        ...hold,
        offer: 0,
        outputTokensPerChoice: outputTokens,
        isClamped,
        wallet,
        limits: [],
      }
      return coveredWays([dearOutput, dearInput], reservation).map(({ plan }) => plan.target.accountId)
    }
    // With 7 input tokens and n output tokens, one target costs 7 + 9n, and the other costs 35 + 2n.
    expect(covered(11, false)).toEqual(['pa_0', 'pa_1'])
    expect(covered(4, true)).toEqual(['pa_0', 'pa_1'])
    expect(covered(3, true)).toEqual(['pa_0'])
  })
})
