import type { ToolRules } from './tool-rules.ts'
import type { Price } from '#money/price.ts'
import type { DailyLimit } from './daily-limits.ts'
import type { GatewayRules } from './gateway-settings.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Quote, TerminationPolicy } from '#money/hold.ts'
import type { Account } from '#domain/accounts/account.ts'
import type { Condition, Policy } from '#routing/route.ts'
import type { TestClock } from './test-clock.ts'
import type { Deadlines } from './deadlines.ts'
import type { OnClientLeft } from '#domain/accounts/on-client-left.ts'

/**
 * An application's configuration. It is compiled once per version and never changed afterwards. Every change of an
 * alias, bundle, price or account increases the version in its own transaction. The reserve transaction compares the
 * version: a call that was priced with an old version is priced again (docs/reference/rules.md "Configuration is never
 * stale"). The configuration is also compiled again on the day on which a published price takes effect.
 */
export interface ApplicationConfig extends TestClock {
  readonly applicationId: string
  readonly organizationId: string
  readonly slug: string
  readonly code: string
  readonly version: number
  readonly isArchived: boolean
  /** When a published price in this configuration changes. Null if no change is known. */
  readonly pricesChangeAtMs: number | null
  readonly aliases: ReadonlyMap<string, Alias>
  /** By name. A router and an alias cannot have the same name. */
  readonly routers: ReadonlyMap<string, Router>
  readonly bundles: ReadonlyMap<string, Bundle>
  /** By slug. */
  readonly outcomes: ReadonlyMap<string, OutcomeTerms>
  /** Restrictions of the application's gateway. Null if no restrictions are set. */
  readonly gateway: GatewayRules | null
  /** The limits that count the application's calls in live mode. Empty for nearly every application. */
  readonly dailyLimits: readonly DailyLimit[]
  /** URLs of the brand's pages that sell credit, and where invoices are paid. Null if not set. */
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

/** Limits that the customer sets for requests that state no limit. */
export interface AliasCeilings {
  /** Output tokens of one answer if the request states no maximum. */
  readonly outputTokens?: number
}

export interface AliasSource {
  readonly account: ProviderAccount
  /** The provider's model ID. Never shown to an end user. */
  readonly model: string
  /** The account's price. Null if unknown; then the alias is served only if the bundle prices it. */
  readonly price: Price | null
}

/** A model name with several targets (docs/guides/routers.md). */
export interface Router {
  readonly name: string
  readonly createdAtMs: number
  readonly policy: Policy
  /** The scope that keeps one target under `sticky`. */
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
  /** The deadlines that differ from the router's own deadlines. */
  readonly deadlines: Partial<Deadlines>
}

export const contextLengthRules = ['next', 'fail'] as const
export type OnContextLength = (typeof contextLengthRules)[number]

/** How a router tries its targets. */
export interface AttemptRules {
  /** The deadlines of each attempt that differ from the gateway's own deadlines. */
  readonly deadlines: Partial<Deadlines>
  /** No attempt begins later than this time after the first, in milliseconds. */
  readonly withinMs: number
  /** Maximum number of provider calls per call, including the first. */
  readonly attemptsMax: number
  /** How often a target is retried before the next target is tried. */
  readonly retriesPerTarget: number
  /** Additional statuses below 500 that make the router try the next target. */
  readonly alsoMovesOn: readonly number[]
  /** Statuses after which no other target is tried, although the router usually would. */
  readonly neverMovesOn: readonly number[]
  /** Whether a request that is too long for a target is sent to a target with a longer context. */
  readonly onContextLength: OnContextLength
}

export interface ProviderAccount {
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly kind: ProviderKind
  /** Null for the simulator. */
  readonly baseUrl: string | null
  /** Encrypted. Only the provider adapter decrypts it. */
  readonly sealedCredential: string | null
  /** Null or absent means the default of the account's kind. */
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
  /** Rules for tools that providers run. Null or absent means the rules of the application. */
  readonly toolRules?: ToolRules | null
  /** Applies to the bundle's end users and overrides the account. Null or absent means the account's setting. */
  readonly onClientLeft?: OnClientLeft | null
  readonly prices: ReadonlyMap<string, { readonly sell: Price | null; readonly credits: Price | null }>
}

/** The terms for calls that name an outcome. */
export interface OutcomeTerms {
  readonly slug: string
  readonly ceilingMicros: bigint
  /** If true, calls with this outcome are rejected with that reason. */
  readonly isArchived: boolean
}

export type { Mode } from '#domain/accounts/account.ts'

/**
 * A key and its end user. The reserve transaction reads revocation, expiry, cap, freeze and bundle again, so an old
 * record never decides. A call without a reserve reads the record again (gateway/serve-free.ts).
 */
export interface KeyRecord extends Account {
  readonly keyId: string
  /** See `Key` in records.ts. */
  readonly lineId: string
  readonly isPortalLine: boolean
  readonly bundleId: string | null
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
  /** Whether spending of the key's end user is stopped. */
  readonly isFrozen: boolean
}
