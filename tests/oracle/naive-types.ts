/** Amounts are bigint micros, or millionths of a credit. */

import type { NaivePlan } from './naive-subscription-invoices.ts'

/** Rates in micros (or millionths of a credit) per million tokens. */
export interface Rates {
  readonly input: bigint
  readonly output: bigint
}

export interface Name {
  readonly model: string
  /** In the order in which the gateway calls them. */
  readonly targets: readonly Target[]
}

export interface Target {
  readonly model: string
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
  /** Null means all model names of the bundle. */
  readonly models: readonly string[] | null
  /**
   * `periodsMax` is the maximum number of times that an amount is carried over. Null means that nothing is carried
   * over.
   */
  readonly rollover: { readonly percent: number; readonly periodsMax: number } | null
  /** Maximum use by each team member. Null means that members cannot use the pool. */
  readonly memberCap: bigint | null
}

export interface Bundle {
  readonly slug: string
  readonly policy: 'hard_token' | 'complete_message' | 'grace'
  readonly overdraft: bigint
  readonly basis: 'provider_cost' | 'sell_price'
  /** Per calendar month. */
  readonly spendLimit: bigint | null
  /** A model name without an entry is sold at cost. */
  readonly sell: Readonly<Record<string, Rates>>
  readonly credits: Readonly<Record<string, Rates>>
  readonly includes: readonly Include[]
  /** Null if the plan has no price. */
  readonly plan: NaivePlan | null
}

/** A key line contains a key, the keys that it replaced, and the keys that replaced it. */
export interface Key {
  readonly line: string
  /** Whether the end user created the first key of the line in the portal. */
  readonly isOfPortal: boolean
  /** Per calendar month. */
  cap: bigint | null
}

export type Window = 'day' | 'week' | 'month' | 'total'

export interface Asked {
  readonly key: Key
  readonly model: string
  /** Maximum input tokens, from the call's explanation. */
  readonly inputMax: number
  /** Null if the client stated no maximum output. */
  readonly outputMax: number | null
  readonly isStream: boolean
  readonly run: string | null
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
  /** Set if the source is a member's share in the wallet of this payer. */
  readonly payer?: PayerWallet
  /** Set if the source is a member's share in this pool of the payer. */
  readonly pool?: Source
  readonly bundle: string | null
  /** Number of times that this amount was carried over. */
  readonly rolled: number
  readonly from: number
  readonly until: number
  readonly granted: bigint
  /** The part that no call has taken. For on-demand and for shares in a payer's wallet, `posted` counts down from 0. */
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

export interface Paid {
  plan: bigint
  gift: bigint
  wallet: bigint
  onDemand: bigint
  overdraft: bigint
}

export interface PayerWallet {
  readonly wallet: Source
  /** In the order of payment. */
  sharedPools(model: string, now: number): readonly Source[]
  takesBack(pool: Source, now: number): boolean
  readonly isFrozen: boolean
  /** Takes gifts first, and then paid money. */
  takeFromWallet(micros: bigint): { readonly gift: bigint; readonly wallet: bigint }
  restore(micros: bigint): void
  /** The pool that paid has ended, so the member's refund becomes a gift. */
  receive(id: string, micros: bigint): void
}

export interface Membership {
  readonly payerId: string
  readonly payer: PayerWallet
  readonly cap: bigint | null
}

export interface Part {
  readonly paidBy: keyof Paid
  readonly source: Source
  readonly amount: bigint
  readonly micros: bigint
  returned: bigint
}

export interface Hold {
  readonly asked: Asked
  /** The payer when the call was admitted. */
  readonly payerId: string | null
  /** In the order in which the router calls them. */
  readonly taken: readonly Target[]
  /** The price of the responding target. Until a target responds, the price of the first target. */
  readonly cost: Rates
  readonly bundle: Bundle
  readonly at: number
  /** The run's ceiling when the call was admitted. */
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
  /** Whether the money would suffice if calls in flight held nothing. */
  readonly isHeld: boolean
}

export interface Settled {
  readonly charge: bigint
  readonly billed: bigint
  readonly cost: bigint
  readonly overHold: bigint
  readonly legs: readonly Leg[]
  readonly parts: readonly Part[]
  readonly paid: Paid
}

export interface Run {
  spent: bigint
  calls: number
  /** Null while the run accepts calls. Then the ceiling that the run reached. */
  cappedAt: bigint | null
}

export interface Offered {
  readonly asked: Asked
  readonly now: number
  readonly ceiling: bigint
  readonly wanted: number
  readonly cost: Rates
}

/** A single division, which rounds up. */
export function priceOf(rates: Rates, { input, output }: Used): bigint {
  return ceilDiv(rates.input * BigInt(input) + rates.output * BigInt(output), 1_000_000n)
}

export function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by
}

export const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)
