/**
 * Defines the types of the naive model: models, bundles, keys, sources and holds. Amounts are bigint micros, or
 * millionths of a credit.
 */

import type { NaivePlan } from './naive-subscription-invoices.ts'

/** Rates in micros (or millionths of a credit) per million tokens. */
export interface Rates {
  readonly input: bigint
  readonly output: bigint
}

export interface Name {
  readonly model: string
  /** The targets that may respond, in the order in which the gateway calls them. */
  readonly targets: readonly Target[]
}

export interface Target {
  /** The model name that the provider uses. */
  readonly model: string
  /** The rates of the provider account. */
  readonly cost: Rates
}

export interface Include {
  readonly slug: string
  readonly unit: 'micros' | 'credits'
  readonly amount: bigint
  readonly price: bigint | null
  readonly recurring: boolean
  readonly thenOnDemand: boolean
  /** `*` means the next pool by rank. Null means no further source. */
  readonly spilloverTo: string | null
  /** Model names that the pool can pay for. Null means all model names of the bundle. */
  readonly models: readonly string[] | null
  /**
   * The share of a pool's remaining amount that is carried over to the next period, and the maximum number of times.
   * Null means that nothing is carried over.
   */
  readonly rollover: { readonly percent: number; readonly periodsMax: number } | null
  /** The maximum that each team member may use of the pool. Null means that members cannot use the pool. */
  readonly memberCap: bigint | null
}

export interface Bundle {
  readonly slug: string
  readonly policy: 'hard_token' | 'complete_message' | 'grace'
  readonly overdraft: bigint
  readonly basis: 'provider_cost' | 'sell_price'
  /** Spend limit per calendar month. */
  readonly spendLimit: bigint | null
  /** Sell prices by model name. A model name without an entry is sold at cost. */
  readonly sell: Readonly<Record<string, Rates>>
  readonly credits: Readonly<Record<string, Rates>>
  readonly includes: readonly Include[]
  /** The price of the plan. Null if the plan has no price. */
  readonly plan: NaivePlan | null
}

/** A key in the naive model. A key line contains a key, the keys that it replaced, and the keys that replaced it. */
export interface Key {
  readonly line: string
  /** Whether the end user created the first key of the line in the portal. */
  readonly isOfPortal: boolean
  /** Spend limit of the key per calendar month. */
  cap: bigint | null
}

export type Window = 'day' | 'week' | 'month' | 'total'

export interface Asked {
  readonly key: Key
  readonly model: string
  /** The maximum input tokens of the call, from its explanation. */
  readonly inputMax: number
  /** Null if the client stated no maximum output. */
  readonly outputMax: number | null
  readonly isStream: boolean
  readonly run: string | null
  /** Targets that can serve the call if the money is sufficient. */
  readonly targets: readonly Target[]
}

export interface Used {
  readonly input: number
  readonly output: number
}

export interface Source {
  readonly id: string
  readonly kind: 'pool' | 'wallet' | 'team_pool' | 'team' | 'on_demand'
  readonly unit: 'micros' | 'credits'
  readonly include: Include | null
  /**
   * The payer whose wallet contains this source as a member's share. Absent if the source is not a share in a wallet.
   */
  readonly payer?: PayerWallet
  /**
   * The pool of a payer that contains this source as a member's share. Absent if the source is not a share in a pool.
   */
  readonly pool?: Source
  readonly bundle: string | null
  /** The number of times that this amount was carried over. */
  readonly rolled: number
  readonly from: number
  readonly until: number
  readonly granted: bigint
  /**
   * The part of the grant that no call has taken. For on-demand and for shares in a payer's wallet, `posted` counts
   * down from 0.
   */
  posted: bigint
  held: bigint
  /** The order of payment: fewest model names, earliest end, free before paid, then by age. */
  readonly rank: readonly number[]
}

export interface Leg {
  readonly kind: Source['kind']
  readonly unit: Source['unit']
  readonly amount: bigint
  readonly micros: bigint
}

export interface OwnLeg extends Leg {
  readonly source: Source
}

/** The parts of a charge, by kind of payer. */
export interface Paid {
  plan: bigint
  gift: bigint
  wallet: bigint
  onDemand: bigint
  overdraft: bigint
}

/** The wallet and the pools of a team's payer, from which members spend. */
export interface PayerWallet {
  readonly wallet: Source
  /** Returns the pools that members may use for the model name, in the order of payment. */
  sharedPools(model: string, now: number): readonly Source[]
  /** Returns whether a refund goes back to the pool, because its credit can still be spent. */
  takesBack(pool: Source, now: number): boolean
  readonly isFrozen: boolean
  /** Takes an amount from gifts first, and then from paid money. */
  takeFromWallet(micros: bigint): { readonly gift: bigint; readonly wallet: bigint }
  /** Makes an amount of spent gifts unspent again. */
  restore(micros: bigint): void
  /** Refunds a member's charge as a gift, because the pool that paid has ended. */
  receive(id: string, micros: bigint): void
}

/** The team of an end user: the payer, and the maximum that the end user may spend in a calendar month. */
export interface Membership {
  readonly payerId: string
  readonly payer: PayerWallet
  readonly cap: bigint | null
}

/** A part of a charge, in the order of payment. */
export interface Part {
  readonly paidBy: keyof Paid
  readonly source: Source
  readonly amount: bigint
  readonly micros: bigint
  returned: bigint
}

export interface Hold {
  readonly asked: Asked
  /** The payer of the end user's team when the call was admitted. */
  readonly payerId: string | null
  /** The targets that the hold covers, in the order in which the router calls them. */
  readonly taken: readonly Target[]
  /** The price of the responding target. Until a target responds, `cost` is the price of the first target. */
  readonly cost: Rates
  readonly bundle: Bundle
  readonly at: number
  /** The ceiling of the call's run at the time when the call was admitted. */
  readonly ceiling: bigint
  readonly output: number
  readonly isClamped: boolean
  readonly micros: bigint
  readonly credits: bigint
  readonly legs: readonly OwnLeg[]
}

export interface Refused {
  readonly code: string
  readonly limit: string | null
  /** Whether the money would be sufficient without the amounts that calls in flight hold. */
  readonly isHeld: boolean
}

export interface Settled {
  readonly charge: bigint
  readonly billed: bigint
  readonly cost: bigint
  readonly overHold: bigint
  readonly legs: readonly Leg[]
  /** The parts of the charge, in the order of payment. */
  readonly parts: readonly Part[]
  readonly paid: Paid
}

export interface Run {
  spent: bigint
  calls: number
  /** Null while the run accepts calls. After the run is capped, the ceiling that the run reached. */
  cappedAt: bigint | null
}

export interface Offered {
  readonly asked: Asked
  readonly now: number
  readonly ceiling: bigint
  readonly wanted: number
  readonly cost: Rates
}

/** Returns the price of a usage, computed with a single division that rounds up. */
export function priceOf(rates: Rates, { input, output }: Used): bigint {
  return ceilDiv(rates.input * BigInt(input) + rates.output * BigInt(output), 1_000_000n)
}

export function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

export const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)
