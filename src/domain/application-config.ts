import type { ToolRules } from './provider-tool-rules.ts'
import type { Price } from '#money/price.ts'
import type { DailyLimit } from './daily-limits.ts'
import type { GatewayRules } from './gateway-settings.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Quote, TerminationPolicy } from '#money/decision-types.ts'
import type { Account } from '#domain/billing/money-account-key.ts'
import type { Condition, Policy } from '#routing/route-tree-types.ts'
import type { TestClock } from './test-clock.ts'
import type { Team } from '#domain/billing/team-record.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type { OnClientLeft } from '#domain/accounts/client-disconnect-choices.ts'

/**
 * A configuration is compiled once per version and never changed afterwards. Every change of an alias, bundle, price or
 * account increases the version of the configuration in the same transaction. If the reserve transaction finds a newer
 * version, the call is priced again (docs/reference/rules.md "Configuration is never stale"). When a published price
 * takes effect, the configuration is also compiled again.
 */
export interface ApplicationConfig extends TestClock {
  readonly applicationId: string
  readonly organizationId: string
  readonly slug: string
  readonly code: string
  readonly version: number
  readonly isArchived: boolean
  /** When the next published price in this configuration takes effect. */
  readonly pricesChangeAtMs: number | null
  readonly aliases: ReadonlyMap<string, Alias>
  /** By model name. A router and an alias cannot have the same name. */
  readonly routers: ReadonlyMap<string, Router>
  readonly bundles: ReadonlyMap<string, Bundle>
  /** By slug. */
  readonly outcomes: ReadonlyMap<string, OutcomeTerms>
  readonly gateway: GatewayRules | null
  /** The teams that have limits, by payer. */
  readonly limitedTeams?: ReadonlyMap<string, Pick<Team, 'id' | 'slug' | 'limits'>>
  /** The daily limits that count the application's calls in live mode. */
  readonly dailyLimits: readonly DailyLimit[]
  /** URL of the page on which the application sells credit. */
  readonly topUpUrl: string | null
  /** URL of the page on which end users pay invoices. */
  readonly payUrl: string | null
}

export interface Alias {
  readonly name: string
  readonly createdAtMs: number
  readonly isDisabled: boolean
  /** The targets of the model name, in the order in which they are tried. */
  readonly sources: readonly AliasSource[]
  readonly ceilings: AliasCeilings
}

/** Limits that the customer sets for requests that state no limit. */
export interface AliasCeilings {
  readonly outputTokens?: number
}

export interface AliasSource {
  readonly account: ProviderAccount
  /** The provider's model ID. The ID is never shown to an end user. */
  readonly model: string
  /**
   * The price at which the account is billed. If the price is unknown (null), the alias is served only if the bundle
   * sets a price.
   */
  readonly price: Price | null
}

/** A model name that routes to several targets (docs/guides/routers.md). */
export interface Router {
  readonly name: string
  readonly createdAtMs: number
  readonly policy: Policy
  /** For the policy `sticky`: whether requests of the same end user, or of the same session, keep their target. */
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
  /** The deadlines of this target that differ from the router's deadlines. */
  readonly deadlines: Partial<Deadlines>
}

export const contextLengthRules = ['next', 'fail'] as const
export type OnContextLength = (typeof contextLengthRules)[number]

export interface AttemptRules {
  /** The deadlines of each attempt that differ from the deadlines of the gateway. */
  readonly deadlines: Partial<Deadlines>
  /** Maximum time from the first attempt to the start of the last attempt, in milliseconds. */
  readonly withinMs: number
  /** Maximum number of provider calls for one request, including the first. */
  readonly attemptsMax: number
  readonly retriesPerTarget: number
  /** Statuses below 500 after which the router also tries the next target. */
  readonly alsoMovesOn: readonly number[]
  /**
   * Statuses after which the router tries no other target. By default, the router tries the next target after these
   * statuses.
   */
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
  /** Only the provider adapter decrypts the credential. */
  readonly sealedCredential: string | null
  /**
   * How streams are handled if the client disconnects. If null or absent, the default of the account's kind applies.
   */
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
  /** Rules for tools that providers run. If null or absent, the rules of the application apply. */
  readonly toolRules?: ToolRules | null
  /** The bundle's setting overrides the account's setting. If null or absent, the account's setting applies. */
  readonly onClientLeft?: OnClientLeft | null
  readonly prices: ReadonlyMap<string, { readonly sell: Price | null; readonly credits: Price | null }>
}

export interface OutcomeTerms {
  readonly slug: string
  readonly ceilingMicros: bigint
  /** Calls of an archived outcome are rejected. */
  readonly isArchived: boolean
}

export type { Mode } from '#domain/billing/money-account-key.ts'

/**
 * A key and its end user. The reserve transaction reads revocation, expiry, cap, freeze and bundle again, so an
 * outdated record never admits a call. A call that reserves nothing also reads these fields again
 * (gateway/serve-free-request.ts).
 */
export interface KeyRecord extends Account {
  readonly keyId: string
  /** ID of the first key in the key line. `Key` in end-user-keys.ts explains key lines. */
  readonly lineId: string
  readonly isPortalLine: boolean
  /** Tags that the application no longer declares are ignored. */
  readonly tags: readonly string[]
  readonly bundleId: string | null
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
  readonly isFrozen: boolean
  readonly payerId?: string
}
