/**
 * For tests: complete values from the few fields that a test is about. The defaults are the plainest (nothing held, no
 * limit, one micro per token), so that sums are easy to check.
 */
import type {
  CallBound,
  CanReport,
  Hold,
  Leg,
  Limit,
  OnDemandSource,
  PersonState,
  PoolSource,
  Quote,
  WalletSource,
} from '#money/hold.ts'
import { worstAt, worstTerms } from '#money/cost.ts'
import type { Price } from '#money/price.ts'
import type { Source } from '#money/hold.ts'

/** A token costs one micro, in and out. */
export const MICRO_A_TOKEN: Price = { input: 1_000_000n, output: 1_000_000n }

/** A call that may report every dimension. */
export const EVERYTHING: CanReport = {
  cacheWrite: true,
  cacheWriteLong: true,
  audioOutput: true,
  imageOutput: true,
}

export function aQuote(fields: Partial<Quote> = {}): Quote {
  return {
    id: 'quote',
    cost: MICRO_A_TOKEN,
    sell: MICRO_A_TOKEN,
    basis: 'provider_cost',
    credits: null,
    policy: 'hard_token',
    maxOverdraftMicros: 0n,
    ...fields,
  }
}

export function aBound(fields: Partial<CallBound> = {}): CallBound {
  return {
    alias: 'acme/model',
    textTokens: 0,
    audioTokens: 0,
    imageTokens: 0,
    outputTokens: 0,
    choices: 1,
    serviceTier: null,
    canReport: EVERYTHING,
    ...fields,
  }
}

export function aWallet(posted: bigint, fields: Partial<WalletSource> = {}): WalletSource {
  return { kind: 'wallet', id: 'wallet', posted, held: 0n, given: 0n, ...fields }
}

export function anOnDemand(limitMicros: bigint | null, fields: Partial<OnDemandSource> = {}): OnDemandSource {
  return {
    kind: 'on_demand',
    id: 'on-demand',
    posted: 0n,
    held: 0n,
    isEnabled: true,
    limitMicros,
    untilMs: null,
    closedUntilMs: 0,
    startsAtMs: 0,
    endsAtMs: 1_000_000,
    ...fields,
  }
}

/** In micros, for every model, without an end. `posted` is the grant. */
export function aPool(slug: string, posted: bigint, fields: Partial<PoolSource> = {}): PoolSource {
  return {
    kind: 'pool',
    id: slug,
    slug,
    unit: 'micros',
    currency: null,
    posted,
    held: 0n,
    granted: posted,
    withheld: 0n,
    expired: 0n,
    isSuspended: false,
    rank: { models: 1, endsAtMs: Number.MAX_SAFE_INTEGER, isPaid: false, sequence: 1 },
    models: ['*'],
    spilloverTo: '*',
    thenOnDemand: true,
    startsAtMs: 0,
    endsAtMs: null,
    ...fields,
  }
}

export function aCreditPool(slug: string, posted: bigint, fields: Partial<PoolSource> = {}): PoolSource {
  return aPool(slug, posted, { unit: 'credits', currency: 'stars', ...fields })
}

export function aLimit(kind: Limit['kind'], limitMicros: bigint, fields: Partial<Limit> = {}): Limit {
  return { kind, id: kind, limitMicros, spentMicros: 0n, heldMicros: 0n, resetsAtMs: null, ...fields }
}

export function aState(sources: readonly Source[], fields: Partial<PersonState> = {}): PersonState {
  return {
    nowMs: 1000,
    isFrozen: false,
    key: { revokedAtMs: null, expiresAtMs: null },
    run: null,
    sources,
    limits: [],
    ...fields,
  }
}

export function aLeg(kind: Leg['kind'], amount: bigint, fields: Partial<Leg> = {}): Leg {
  const sourceId = { pool: 'pool', wallet: 'wallet', on_demand: 'on-demand' }[kind]
  return { sourceId, kind, unit: 'micros', amount, micros: amount, ...fields }
}

/** A hold whose worst case is the sum of its legs. */
export function aHold(legs: readonly Leg[], fields: Partial<Hold> = {}): Hold {
  let worstMicros = 0n
  let worstCredits = 0n
  for (const leg of legs) {
    worstMicros += leg.micros
    if (leg.unit === 'credits') worstCredits += leg.amount
  }
  return {
    callId: 'call',
    quote: aQuote(),
    bound: aBound({ outputTokens: Number(worstMicros) }),
    worstMicros,
    worstCredits,
    legs,
    ...fields,
  }
}

/** The maximum cost of a call within this bound. */
export function worstCost(bound: CallBound, price: Price): bigint {
  return worstAt(worstTerms(bound, price), bound.outputTokens)
}
