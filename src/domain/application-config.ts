import type { Price } from '#money/price.ts'
import type { DailyLimit } from './daily-limits.ts'
import type { GatewayRules } from './gateway-settings.ts'
import type { ProviderKind } from './provider-kinds.ts'
import type { Quote, TerminationPolicy } from '#money/hold.ts'
import type { Account } from './account.ts'
import type { Condition, Policy } from '#routing/route.ts'
import type { TestClock } from './test-clock.ts'
import type { Deadlines } from './deadlines.ts'
import type { OnClientLeft } from './on-client-left.ts'

/**
 * An application's configuration, compiled once per version and never changed afterwards. Every
 * change of an alias, bundle, price or account raises the version in its own transaction, and the
 * reserve transaction compares it: a call decided on an old one is decided again (docs/reference/rules.md
 * "Configuration is never stale"). It is compiled again as well on the day from which a published price holds.
 */
export interface ApplicationConfig extends TestClock {
  readonly applicationId: string
  readonly organizationId: string
  readonly slug: string
  readonly code: string
  readonly version: number
  readonly isArchived: boolean
  /** When a published price in it changes; null: no change is known. */
  readonly pricesChangeAtMs: number | null
  readonly aliases: ReadonlyMap<string, Alias>
  /** They share their names with the aliases: no name is both. */
  readonly routers: ReadonlyMap<string, Router>
  readonly bundles: ReadonlyMap<string, Bundle>
  /** By slug. */
  readonly outcomes: ReadonlyMap<string, OutcomeTerms>
  /** What its gateway is narrowed to; null: nothing was set. */
  readonly gateway: GatewayRules | null
  /** The limits that count its calls in live mode; empty for nearly every application. */
  readonly dailyLimits: readonly DailyLimit[]
  /** Pages of the brand where the application sells credit, and where its invoices are paid. Null: none is set. */
  readonly topUpUrl: string | null
  readonly payUrl: string | null
}

export interface Alias {
  readonly name: string
  readonly createdAtMs: number
  readonly isDisabled: boolean
  /** In the order they are tried. */
  readonly sources: readonly AliasSource[]
  readonly ceilings: AliasCeilings
}

/** Bounds that the customer sets for requests that name none. */
export interface AliasCeilings {
  /** Output tokens of one answer when the request names no maximum. */
  readonly outputTokens?: number
}

export interface AliasSource {
  readonly account: ProviderAccount
  /** The provider's model id; never shown to an end user. */
  readonly model: string
  /** The account's price; null: not known, and the alias is served only where the bundle prices it. */
  readonly price: Price | null
}

/** A name with several ways to answer (docs/guides/routers.md). */
export interface Router {
  readonly name: string
  readonly createdAtMs: number
  readonly policy: Policy
  /** Whose calls stay together under `sticky`. */
  readonly stickyBy: 'end_user' | 'session'
  readonly targets: readonly RouterTarget[]
  readonly attempts: AttemptRules
}

export interface RouterTarget {
  readonly to:
    | { readonly kind: 'alias' | 'router'; readonly name: string }
    | { readonly kind: 'source'; readonly source: AliasSource }
  readonly weight: number
  readonly maxInFlight: number | null
  readonly when: Condition | null
  /** What differs from the router's own deadlines. */
  readonly deadlines: Partial<Deadlines>
}

export const contextLengthRules = ['next', 'fail'] as const
export type OnContextLength = (typeof contextLengthRules)[number]

/** How a router tries its targets. */
export interface AttemptRules {
  /** What differs from the gateway's own deadlines, for each attempt. */
  readonly deadlines: Partial<Deadlines>
  /** No attempt begins later than so long after the first. */
  readonly withinMs: number
  /** Calls to providers for one call, the first included. */
  readonly attemptsMax: number
  /** How often one target is tried again before the next one is. */
  readonly retriesPerTarget: number
  /** Statuses below 500 besides the usual ones at which the next target is tried. */
  readonly alsoMovesOn: readonly number[]
  /** Statuses at which no other target is tried, although one usually is. */
  readonly neverMovesOn: readonly number[]
  /** Whether a request that is too long for a target moves on to one with more room. */
  readonly onContextLength: OnContextLength
}

export interface ProviderAccount {
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly kind: ProviderKind
  /** Null for the simulator. */
  readonly baseUrl: string | null
  /** Sealed; only the provider adapter opens it. */
  readonly sealedCredential: string | null
  /** Null or absent: as its kind has it. */
  readonly onClientLeft?: OnClientLeft | null
}

export interface Bundle {
  readonly id: string
  readonly slug: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly policy: TerminationPolicy
  readonly maxOverdraftMicros: bigint
  readonly basis: Quote['basis']
  /** For its end users, whatever the account says; null or absent: as the account has it. */
  readonly onClientLeft?: OnClientLeft | null
  readonly prices: ReadonlyMap<string, { readonly sell: Price | null; readonly credits: Price | null }>
}

/** What a call that names an outcome is decided by. */
export interface OutcomeTerms {
  readonly slug: string
  readonly ceilingMicros: bigint
  /** True: it takes no calls, and they are told so. */
  readonly isArchived: boolean
}

export type { Mode } from './account.ts'

/**
 * A key and its bearer. The reserve transaction reads revocation, expiry, cap, freeze and bundle again, so an
 * old record is never decisive; a call without a reserve reads it anew (gateway/serve-free.ts).
 */
export interface KeyRecord extends Account {
  readonly keyId: string
  /** See `Key` in records.ts. */
  readonly lineId: string
  readonly isPortalLine: boolean
  readonly bundleId: string | null
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
  /** The spending of the bearer is stopped. */
  readonly isFrozen: boolean
}
