import type { IncludeTerms, OwnedPool, TermsSpan } from '#money/plan-pools.ts'
import type { Price } from '#money/price.ts'
import type { RateRule } from '#money/decision-types.ts'
import type { Role } from '#domain/people/team-roles.ts'
import type { Mode } from './application-config.ts'
import type { AuditEntries } from './audit-log.ts'
import type { Credentials, OutrankingToken } from '#domain/people/valid-credentials-interface.ts'
import type { DeviceSignIns } from '#domain/people/device-sign-ins.ts'
import type { FailedSignIns } from './people/failed-sign-ins.ts'
import type { MemberSessions } from '#domain/people/member-sessions.ts'
import type { Passkeys } from '#domain/people/passkeys.ts'
import type { Members } from '#domain/people/member-records.ts'
import type { Brands } from './portal-brand.ts'
import type { Portals } from './portal-settings-and-sessions.ts'
import type { DailyLimitRows } from './daily-limits.ts'
import type { CountedUses } from '#domain/limits/rate-limit-usage-interface.ts'
import type { SharedUses } from '#domain/limits/shared-limit-slices-interface.ts'
import type { EmitterRows } from '#domain/emitters/emitter-records-and-ports.ts'
import type { GatewaySettingsRows } from './gateway-settings.ts'
import type { Bills } from '#domain/billing/organization-bills.ts'
import type { Batches } from '#domain/accounts/batches-at-providers.ts'
import type { ConversationCalls } from '#domain/accounts/stored-conversation-lengths.ts'
import type { StoredFiles } from '#domain/accounts/files-stored-at-providers.ts'
import type { IdempotencyAnswers } from './stored-idempotent-responses.ts'
import type { Keys } from './end-user-keys.ts'
import type { Outcomes } from './outcomes-and-runs.ts'
import type { EndedCalls } from '#domain/calls/requests-tail-interface.ts'
import type { Diagnosis } from '#domain/health/doctor-facts-interface.ts'
import type { Corrections } from '#domain/billing/corrections-interface.ts'
import type { Invoices } from '#domain/billing/invoice-records.ts'
import type { OnDemandMonths } from '#domain/billing/on-demand-months.ts'
import type { Onboarding } from './onboarding-interface.ts'
import type { Probes } from '#domain/health/provider-probes.ts'
import type { Reports } from '#domain/reports/reports-interface.ts'
import type { Routers } from './router-records.ts'
import type { Subscriptions } from '#domain/billing/subscription-records.ts'
import type { Teams } from '#domain/billing/teams-interface.ts'
import type { EndUserFilter, EndUserSort, NamedSort, SortedPage } from './list-sorting-and-filters.ts'
import type { SeriesAsked, UsageSeries } from '#domain/reports/usage-series-interface.ts'
import type { UsageRecords } from '#domain/reports/usage-records-interface.ts'
import type { Provider, ProviderPrice } from '#domain/accounts/provider-account-record.ts'
import type { Application, ApplicationContents } from './application-record.ts'
import type {
  LedgerEntry,
  OnDemandSetting,
  PoolUse,
  Wallet,
} from '#domain/billing/balances-and-ledger-entries.ts'
import type { BundlePrice, BundleRecord } from '#domain/billing/bundle-record.ts'
import type { Grant } from '#domain/billing/grants-and-balance-changes.ts'
import type { RequestFilter } from '#domain/calls/call-filter.ts'
import type { CallRecord, CallStory } from '#domain/calls/call-record.ts'
import type { EndUserLimit, EndUser } from './end-user-record.ts'
import type { Page, Rows } from './list-page.ts'
import type { AliasRecord } from './model-name-record.ts'
import type { Organization } from './organization-record.ts'
import type { Token } from '#domain/people/token-record.ts'
import type { UsageSum } from '#domain/reports/usage-sum-of-model-name.ts'

/**
 * The port to all stored data except money in motion (ledger-interface.ts). In `transaction`, the methods run inside
 * the transaction.
 *
 * If a method takes an organization or an application, the method returns only rows of this organization or
 * application. A caller therefore cannot read an object of another organization by its ID.
 */
export interface Store {
  /**
   * Reads committed rows. The engine rejects writes. Use `read` only for look-ups by a key or a credential: while a
   * slow SQL statement runs, other reads wait. For a caller's list or report, use `readFor`.
   */
  readonly read: Nouns
  /**
   * Callers take turns, so an SQL statement may wait (docs/reference/shared-resources.md).
   * @throws Failure too_many_reads, overloaded
   */
  readFor(reader: Reader): Nouns
  /**
   * Runs `work` in one write transaction, and returns the result of `work` when the transaction is durable. If `work`
   * throws an error, the transaction is rolled back and the error is rethrown. Do not open a transaction inside
   * another.
   * @param reader the caller for whom the transaction runs; waiting organizations take turns; omit `reader` for the
   *   server's own work
   */
  transaction<T>(work: (nouns: Nouns) => Promise<T>, reader?: Reader): Promise<T>
}

/** The reads of a caller use the caller's share of the connections. */
export interface Reader {
  readonly organizationId: string
  /** ID of a credential or a member. The callers of one organization take turns. */
  readonly callerId: string
  readonly isEndUser: boolean
  /** Called after each SQL statement, with the duration of the statement in milliseconds. */
  readonly onCost: (ms: number) => void
}

/** All of the server's own work uses this one caller's share. */
export const serverReader: Reader = {
  organizationId: 'server',
  callerId: 'server',
  isEndUser: false,
  onCost: () => {},
}

export interface Nouns {
  readonly organizations: Organizations
  readonly tokens: Tokens
  readonly credentials: Credentials
  readonly members: Members
  readonly memberSessions: MemberSessions
  readonly failedSignIns: FailedSignIns
  readonly deviceSignIns: DeviceSignIns
  readonly passkeys: Passkeys
  readonly applications: Applications
  readonly providers: Providers
  readonly probes: Probes
  readonly aliases: Aliases
  readonly routers: Routers
  readonly bundles: Bundles
  readonly endUsers: EndUsers
  readonly teams: Teams
  readonly balances: Balances
  readonly countedUses: CountedUses
  readonly sharedUses: SharedUses
  readonly keys: Keys
  readonly storedFiles: StoredFiles
  readonly conversationCalls: ConversationCalls
  readonly batches: Batches
  readonly grants: Grants
  readonly corrections: Corrections
  readonly outcomes: Outcomes
  readonly emitters: EmitterRows
  readonly gatewaySettings: GatewaySettingsRows
  readonly dailyLimits: DailyLimitRows
  readonly subscriptions: Subscriptions
  readonly invoices: Invoices
  readonly onDemandMonths: OnDemandMonths
  readonly usage: UsageSums
  readonly usageRecords: UsageRecords
  readonly requests: Requests
  readonly endedCalls: EndedCalls
  readonly reports: Reports
  readonly idempotency: IdempotencyAnswers
  readonly audit: AuditEntries
  readonly brands: Brands
  readonly portals: Portals
  readonly bills: Bills
  readonly diagnosis: Diagnosis
  readonly onboarding: Onboarding
}

export interface Organizations {
  insert(organization: Organization): Promise<void>
  byId(id: string): Promise<Organization | null>
  /** Use this method only for the server's own work. */
  all(): Promise<readonly Organization[]>
  count(): Promise<number>
  isCodeTaken(code: string): Promise<boolean>
}

export interface Tokens {
  insert(token: Token, hash: string): Promise<void>
  /** Finds a token by the SHA-256 of the whole secret, in lower-case hex. Also finds revoked tokens. */
  byHash(hash: string): Promise<Token | null>
  byId(organizationId: string, id: string): Promise<Token | null>
  list(organizationId: string, page: Page): Promise<Rows<Token>>
  revoke(id: string, atMs: number): Promise<void>
  /**
   * Revokes the tokens of a member's devices. @param above only tokens with a higher role than this role are revoked;
   * null means all tokens
   */
  revokeOfMember(memberId: string, above: Role | null, atMs: number): Promise<void>
  /**
   * Returns valid tokens that a member created for the organization, newest first. Device tokens are not included.
   * @param above only tokens with a higher role than this role are returned; null means all tokens
   */
  createdBy(memberId: string, above: Role | null, nowMs: number, limit: number): Promise<readonly Token[]>
  /** Revokes all tokens that `createdBy` returns. */
  revokeCreatedBy(memberId: string, above: Role | null, atMs: number): Promise<void>
  /**
   * Returns valid tokens that have more rights than their member, and valid tokens of removed members. The newest token
   * comes first.
   */
  outranking(organizationId: string, nowMs: number, limit: number): Promise<readonly OutrankingToken[]>
  touch(id: string, atMs: number): Promise<void>
  setActiveApplication(id: string, applicationId: string): Promise<void>
}

export interface Applications {
  insert(application: Application): Promise<void>
  /** Finds an application by slug in all organizations, because slugs are globally unique. */
  bySlug(slug: string): Promise<Application | null>
  byId(organizationId: string, id: string): Promise<Application | null>
  isCodeTaken(code: string): Promise<boolean>
  /** Finds an application of any organization, by the `<code>` of the application's keys. */
  byCode(code: string): Promise<Application | null>
  /**
   * Finds an application of any organization, by the ID that belongs to the request's host
   * (surface-selected-by-host.ts).
   */
  ofHost(id: string): Promise<Application | null>
  /** @param onlyId ID of the only application to list; null means all */
  list(organizationId: string, onlyId: string | null, page: Page): Promise<Rows<Application>>
  /** Returns up to `limit` applications that are not archived. */
  serving(organizationId: string, limit: number): Promise<readonly Application[]>
  countServing(organizationId: string): Promise<number>
  contents(applicationId: string, mode: Mode): Promise<ApplicationContents>
  rename(id: string, name: string): Promise<void>
  /** Archives the application and increases its version. */
  archive(id: string, atMs: number): Promise<void>
  /** @param bundleId null means that new end users get no bundle */
  setDefaultBundle(id: string, bundleId: string | null): Promise<void>
  setTestClock(id: string, testClockOffsetMs: number): Promise<void>
  /** Returns applications of all organizations whose test clock was advanced. */
  withTestClock(): Promise<readonly Pick<Application, 'id' | 'testClockOffsetMs'>[]>
  /** Changes the loopback ports of an application, after another program took the former ports. */
  setPorts(id: string, ports: Pick<Application, 'gatewayPort' | 'portalPort'>): Promise<void>
  /**
   * Invalidates every compiled configuration of the application (docs/reference/rules.md "Configuration is never
   * stale").
   */
  raiseVersion(id: string): Promise<void>
  /**
   * Invalidates the configurations of all applications of an organization, because these applications share provider
   * accounts.
   */
  raiseVersions(organizationId: string): Promise<void>
}

export interface Providers {
  insert(provider: Provider): Promise<void>
  /** Replaces all fields except ID, organization, label and creation time. */
  update(provider: Provider): Promise<void>
  byId(organizationId: string, id: string): Promise<Provider | null>
  byLabel(organizationId: string, label: string): Promise<Provider | null>
  list(organizationId: string, page: Page): Promise<Rows<Provider>>
  all(organizationId: string): Promise<readonly Provider[]>
  /** Returns the encrypted credentials of every organization, to find the IDs of their master keys. */
  sealedCredentials(): Promise<readonly string[]>
  remove(id: string): Promise<void>
  /** Returns the prices that are set on the account for exact model IDs, sorted by model ID. */
  prices(accountId: string): Promise<readonly ProviderPrice[]>
  setPrice(accountId: string, model: string, price: Price, nowMs: number): Promise<void>
  removePrice(accountId: string, model: string): Promise<void>
  /**
   * Returns `<application slug>/<name>` of the aliases and routers that use the account as a source. Archived
   * applications are not included.
   */
  dependents(organizationId: string, accountId: string): Promise<readonly string[]>
}

export interface Aliases {
  byName(applicationId: string, name: string): Promise<AliasRecord | null>
  names(applicationId: string): Promise<readonly string[]>
  all(applicationId: string): Promise<readonly AliasRecord[]>
  list(applicationId: string, page: SortedPage<NamedSort>): Promise<Rows<AliasRecord>>
  /** Creates the alias or replaces its sources and ceilings. `isDisabled` and the creation time are kept. */
  put(alias: AliasRecord): Promise<void>
  setDisabled(applicationId: string, name: string, isDisabled: boolean): Promise<void>
  /** Deletes the alias and its prices in bundles. */
  remove(applicationId: string, name: string): Promise<void>
  /** Returns the slugs of the bundles that have their own price for the alias. */
  pricedIn(applicationId: string, name: string): Promise<readonly string[]>
}

/** A bundle with its prices, sorted by alias, and its included pools, in the order in which they were added. */
export interface WholeBundle {
  readonly bundle: BundleRecord
  readonly prices: readonly BundlePrice[]
  readonly includes: readonly IncludeTerms[]
}

/** The same moment by the clock of each mode. */
export type ModeTimes = { readonly [mode in Mode]: number }

export interface Bundles {
  /** Creates the bundle, even if the bundle was deleted before, or replaces all of its fields except ID and slug. */
  put(bundle: BundleRecord): Promise<void>
  /**
   * Returns the ID of a deleted bundle with this slug, or null if no such bundle exists. No other method finds deleted
   * bundles.
   */
  removedId(applicationId: string, slug: string): Promise<string | null>
  /** Deletes the bundle with its prices and its included pools. Granted pools keep the bundle's slug in their names. */
  remove(id: string, at: ModeTimes): Promise<void>
  byId(applicationId: string, id: string): Promise<BundleRecord | null>
  bySlug(applicationId: string, slug: string): Promise<BundleRecord | null>
  whole(applicationId: string): Promise<readonly WholeBundle[]>
  list(applicationId: string, page: SortedPage<NamedSort>): Promise<Rows<BundleRecord>>
  prices(bundleId: string): Promise<readonly BundlePrice[]>
  /** Deletes the row if both prices are null. */
  setPrice(bundleId: string, price: BundlePrice): Promise<void>
  includes(bundleId: string): Promise<readonly IncludeTerms[]>
  /**
   * Returns how many end users have credits that the bundle granted in a currency other than `currency`. Credits count
   * if they can be spent or if a call holds them. Credits that become spendable when the end user returns to the plan
   * also count.
   * @param nowMs for each mode, the time of its clock; credits that have expired by then do not count
   */
  holdersOfOtherCredits(
    bundleId: string,
    currency: string | null,
    nowMs: Readonly<Record<Mode, number>>,
  ): Promise<number>
  /**
   * Returns the current and the former terms of the bundle's included pools. Each row states the period in which the
   * terms applied, by the clock of the mode.
   */
  datedIncludes(bundleId: string, mode: Mode): Promise<readonly (IncludeTerms & TermsSpan)[]>
  /**
   * Adds an included pool at the end of the list. An included pool with the same slug is replaced, and keeps its
   * position. If the terms are the same as before, nothing changes.
   */
  putInclude(bundleId: string, include: IncludeTerms, at: ModeTimes): Promise<void>
  setPrices(bundleId: string, prices: readonly BundlePrice[]): Promise<void>
  /** The terms of an unchanged included pool keep the time at which the terms began. */
  setIncludes(bundleId: string, includes: readonly IncludeTerms[], at: ModeTimes): Promise<void>
}

export interface EndUsers {
  /**
   * Creates the end user, or replaces the email address, the bundle, the times of the subscription, the freeze and the
   * removal.
   */
  put(endUser: EndUser): Promise<void>
  /** `byId` and `byExternalId` never return deleted end users. */
  byId(applicationId: string, id: string): Promise<EndUser | null>
  byExternalId(applicationId: string, externalId: string): Promise<EndUser | null>
  evenRemoved(applicationId: string, id: string): Promise<EndUser | null>
  /**
   * Removes the end user from the bundle, deletes the email address, and replaces the external ID with the service's
   * own ID.
   */
  remove(person: Pick<EndUser, 'id' | 'externalId' | 'email'>, atMs: number): Promise<void>
  list(
    applicationId: string,
    filter: EndUserFilter,
    page: SortedPage<EndUserSort>,
    at: { readonly mode: Mode; readonly nowMs: number },
  ): Promise<Rows<EndUser>>
  count(
    applicationId: string,
    filter: EndUserFilter,
    at: { readonly mode: Mode; readonly nowMs: number },
  ): Promise<number>
  byExternalIds(applicationId: string, externalIds: readonly string[]): Promise<readonly EndUser[]>
  /** Returns the number of end users on the bundle, in either mode. */
  countOn(applicationId: string, bundleId: string): Promise<number>
  /** If `bundle` is set, returns only end users on this bundle whose plan in `mode` has not ended at `nowMs`. */
  ids(
    applicationId: string,
    bundle: { readonly id: string; readonly mode: Mode; readonly nowMs: number } | null,
  ): Promise<readonly string[]>
}

/** This interface has no writes of money, because only the ledger moves money. */
export interface Balances {
  /** End users without a wallet and without expiring credit are omitted. */
  wallets(endUserIds: readonly string[], mode: Mode, nowMs: number): Promise<ReadonlyMap<string, Wallet>>
  /**
   * Returns every pool that was ever granted to the end user in the mode, including ended pools and pools of other
   * plans.
   * @param planId ID of the end user's bundle; pools of other bundles are suspended
   */
  pools(endUserId: string, mode: Mode, planId: string | null): Promise<readonly OwnedPool[]>
  onDemandSpent(endUserId: string, mode: Mode, nowMs: number): Promise<bigint>
  /** Returns the amount of this month's on-demand usage that calls in flight hold. */
  onDemandHeld(endUserId: string, mode: Mode, nowMs: number): Promise<bigint>
  withOnDemand(endUserIds: readonly string[], mode: Mode): Promise<ReadonlySet<string>>
  /** In the position of a page, `at` is the sequence number of an entry. */
  ledger(endUserId: string, mode: Mode, source: 'wallet' | 'all', page: Page): Promise<Rows<LedgerEntry>>
  /** Maps the ID of each source to the name that `LedgerEntry.source` contains. */
  sourceNames(endUserId: string, mode: Mode): Promise<ReadonlyMap<string, string>>
  /** Returns the ledger entries of one call, oldest first. */
  ledgerOfCall(applicationId: string, callId: string): Promise<readonly LedgerEntry[]>
  onDemand(endUserId: string, mode: Mode): Promise<OnDemandSetting>
  /** Returns, by end-user ID, the spend limits that are set on end users, at most one per window. */
  limits(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, readonly EndUserLimit[]>>
  rates(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, readonly RateRule[]>>
  /** Replaces all spend limits and rate limits of the end user. */
  setLimits(
    endUserId: string,
    mode: Mode,
    limits: readonly EndUserLimit[],
    rates?: readonly RateRule[],
  ): Promise<void>
  setOnDemand(endUserId: string, mode: Mode, setting: OnDemandSetting): Promise<void>
  /** Returns the amount that each pool has paid for each model name, minus refunds, in the unit of the pool. */
  poolUse(endUserId: string, mode: Mode, sourceIds: readonly string[]): Promise<readonly PoolUse[]>
}

/** This interface has no writes, because `Ledger.credit` writes a grant together with the money of the grant. */
export interface Grants {
  byId(applicationId: string, id: string): Promise<Grant | null>
  byIdempotencyKey(
    applicationId: string,
    mode: Mode,
    key: string,
  ): Promise<{ readonly grant: Grant; readonly requestHash: string } | null>
  list(applicationId: string, mode: Mode, page: Page): Promise<Rows<Grant>>
}

export interface UsageSums {
  /** Days are counted from January 1, 1970 (UTC); `toDay` is exclusive. */
  byAlias(
    applicationId: string,
    mode: Mode,
    filter: {
      readonly endUserId: string | null
      readonly fromDay: number | null
      readonly toDay: number | null
    },
  ): Promise<readonly UsageSum[]>
  /** Returns usage per end user, summed over all days. */
  byEndUser(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, Omit<UsageSum, 'alias'>>>
  series(asked: SeriesAsked): Promise<UsageSeries>
}

export interface Requests {
  /** In `page`, the `id` of a position is a call ID. Call IDs sort by time. */
  list(applicationId: string, mode: Mode, filter: RequestFilter, page: Page): Promise<Rows<CallRecord>>
  story(applicationId: string, mode: Mode, callId: string): Promise<CallStory | null>
}
