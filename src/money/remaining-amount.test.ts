import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  aBound,
  aCreditPool,
  aLimit,
  anOnDemand,
  aPool,
  aQuote,
  aState,
  aWallet,
} from '#tests/fixtures/build-money-values.ts'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { admit } from './admit.ts'
import type { PersonState, RateLimit, RateMeasure } from './decision-types.ts'
import { remainingMicros } from './remaining-amount.ts'

const alias = 'acme/model'

function aRate(measure: RateMeasure, most: bigint, fields: Partial<RateLimit> = {}): RateLimit {
  return {
    measure,
    window: 'hour',
    most,
    models: null,
    source: 'end_user_limit',
    slots: [],
    held: 0n,
    ...fields,
  }
}

/** A token costs one micro. A request without output cannot be clamped. */
function isAdmitted(state: PersonState, tokens: bigint): boolean {
  return admit(state, aQuote(), aBound({ textTokens: Number(tokens) }), 'call').kind === 'admitted'
}

const amount = fc.bigInt({ min: -20n, max: 60n })
const positive = fc.bigInt({ min: 0n, max: 60n })

const states = fc
  .record({
    wallet: amount,
    held: positive,
    pools: fc.array(
      fc.record({
        posted: positive,
        held: positive,
        covers: fc.boolean(),
        thenOnDemand: fc.boolean(),
        isSuspended: fc.boolean(),
        isCredit: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    onDemand: fc.option(fc.record({ limit: fc.option(positive), isEnabled: fc.boolean() })),
    limits: fc.array(fc.record({ limit: positive, spent: positive, held: positive }), { maxLength: 2 }),
    rates: fc.array(fc.record({ most: positive, used: positive, held: positive }), { maxLength: 2 }),
    isFrozen: fc.boolean(),
  })
  .map(({ held, isFrozen, limits, onDemand, pools, rates, wallet }) =>
    aState(
      [
        ...pools.map(({ covers, isCredit, posted, ...pool }, at) =>
          (isCredit ? aCreditPool : aPool)(`pool-${at}`, posted, {
            ...pool,
            models: [covers ? '*' : 'other/*'],
          }),
        ),
        aWallet(wallet, { held }),
        ...(onDemand === null ? [] : [anOnDemand(onDemand.limit, { isEnabled: onDemand.isEnabled })]),
      ],
      {
        isFrozen,
        limits: limits.map(({ held: heldMicros, limit, spent: spentMicros }) =>
          aLimit('key_cap', limit, { heldMicros, spentMicros }),
        ),
        rates: rates.map(({ held: heldMicros, most, used }) =>
          aRate('micros', most, { held: heldMicros, slots: [{ startsAtMs: 0, amount: used }] }),
        ),
      },
    ),
  )

describe('the remaining amount', () => {
  it('a call for exactly the remaining amount is admitted, and a call for one micro more is rejected', () => {
    fc.assert(
      fc.property(states, (state) => {
        const most = remainingMicros(alias, aQuote(), state)
        if (most === null) expect(isAdmitted(state, 1_000_000_000n)).toBe(true)
        else {
          expect(most >= 0n).toBe(true)
          if (most > 0n) expect(isAdmitted(state, most)).toBe(true)
          expect(isAdmitted(state, most + 1n)).toBe(false)
        }
      }),
      propertyRuns(2_000),
    )
  })

  it('the remaining amount is null only if on-demand has no ceiling and no limit applies', () => {
    const sources = [aWallet(5n), anOnDemand(null)]
    expect(remainingMicros(alias, aQuote(), aState(sources))).toBeNull()
    expect(remainingMicros(alias, aQuote(), aState(sources, { limits: [aLimit('key_cap', 7n)] }))).toBe(7n)
  })

  it('the remaining amount depends on limits on charges, but not on limits on other measures', () => {
    const rates = [aRate('requests', 1n), aRate('tokens', 2n), aRate('calls', 1n)]
    expect(remainingMicros(alias, aQuote(), aState([aWallet(50n)], { rates }))).toBe(50n)
    const withMicros = [...rates, aRate('micros', 30n, { held: 4n, slots: [{ startsAtMs: 0, amount: 5n }] })]
    expect(remainingMicros(alias, aQuote(), aState([aWallet(50n)], { rates: withMicros }))).toBe(21n)
  })

  it('the remaining amount is 0 for a revoked key', () => {
    const key = { revokedAtMs: 1, expiresAtMs: null }
    expect(remainingMicros(alias, aQuote(), aState([aWallet(5n)], { key }))).toBe(0n)
  })
})
