import type { RunStatus } from '#money/hold.ts'
import type { IncludeTerms, OwnedPool, TermsSpan } from '#money/plan-pools.ts'
import type { Window } from '#money/period.ts'
import type { Price } from '#money/price.ts'
import type { Role } from '#domain/people/role.ts'
import type { Mode } from './application-config.ts'
import type { AuditEntries } from './audit.ts'
import type { DeviceSignIns } from '#domain/people/device-sign-ins.ts'
import type { FailedSignIns } from './people/failed-sign-ins.ts'
import type { MemberSessions } from '#domain/people/member-sessions.ts'
import type { Passkeys } from '#domain/people/passkeys.ts'
import type { Members } from '#domain/people/members.ts'
import type { Brands } from './brand.ts'
import type { Portals } from './portal.ts'
import type { DailyLimitRows } from './daily-limits.ts'
import type { EmitterRows } from './emitters.ts'
import type { GatewaySettingsRows } from './gateway-settings.ts'
import type { Bills } from './bills.ts'
import type { EndedCalls } from './call-tail.ts'
import type { Diagnosis } from './diagnosis.ts'
import type { Invoices } from './invoices.ts'
import type { OnDemandMonths } from './on-demand-months.ts'
import type { Onboarding } from './onboarding.ts'
import type { Probes } from './probes.ts'
import type { Reports } from './reports.ts'
import type { Routers } from './router-definition.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { EndUserFilter, EndUserSort, KeyFilter, KeySort, NamedSort, SortedPage } from './sorted-lists.ts'
import type { SeriesAsked, UsageSeries } from './usage-series.ts'
import type { UsageRecords } from './usage-records.ts'
import type {
  AliasRecord,
  Application,
  EndUserLimit,
  ApplicationContents,
  BundlePrice,
  BundleRecord,
  CallCorrection,
  CallRecord,
  CallStory,
  CorrectionSums,
  Credit,
  EndUser,
  Grant,
  GrantReversal,
  IdempotencyAnswer,
  IdempotencyScope,
  Key,
  KeyListed,
  LedgerEntry,
  OnDemandSetting,
  Organization,
  Outcome,
  OutcomeRun,
  OutcomeTotals,
  Page,
  PoolUse,
  Provider,
  ProviderPrice,
  RequestFilter,
  Rows,
  Token,
  UsageSum,
  Wallet,
} from './records.ts'

/**
 * The port to everything stored except money in motion (ledger.ts). One group of methods per noun; those of
 * `transaction` take part in it.
 *
 * The signatures carry the access rights: a method that takes an organization or an application answers only
 * rows of it, so a foreign id is not found.
 */
export interface Store {
  /**
   * Reads committed rows. The engine refuses a write through it. For look-ups by a key or a credential: a list or a
   * report of a caller goes through `readFor`, since others wait for a statement that takes long.
   */
  readonly read: Nouns
  /**
   * Reads committed rows within the share of a caller (docs/reference/shared-resources.md). A statement may wait for
   * its turn.
   * @throws Failure too_many_reads, overloaded
   */
  readFor(reader: Reader): Nouns
  /**
   * Runs `work` in one write transaction and passes on its answer once that is durable. A throw rolls
   * everything back and is thrown on. Never opened inside another transaction.
   * @param reader whose turn it takes, where organizations wait for each other; left out: the server's own work
   */
  transaction<T>(work: (nouns: Nouns) => Promise<T>, reader?: Reader): Promise<T>
}

/** A request to the store, and whose share of its connections it takes. */
export interface Reader {
  readonly organizationId: string
  /** A credential or a person: those of one organization take turns. */
  readonly callerId: string
  readonly isEndUser: boolean
  /** Called after each statement with the time that the store needed for it, in milliseconds. */
  readonly onCost: (ms: number) => void
}

/** For work of the server itself: one share for all of it. */
export const serverReader: Reader = {
  organizationId: 'server',
  callerId: 'server',
  isEndUser: false,
  onCost: () => {},
}

export interface Nouns {
  readonly organizations: Organizations
  readonly tokens: Tokens
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
  readonly balances: Balances
  readonly keys: Keys
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
  /** Of every organization; for what the server does by itself. */
  all(): Promise<readonly Organization[]>
  /** 0 on the very first start. */
  count(): Promise<number>
  isCodeTaken(code: string): Promise<boolean>
}

/** A token, and the member behind it. */
export interface OutrankingToken {
  readonly token: Token
  readonly email: string
  /** Null: the member was removed. */
  readonly memberRole: Role | null
}

export interface Tokens {
  insert(token: Token, hash: string): Promise<void>
  /** By the SHA-256 of the whole secret, lower-case hex; revoked ones too. */
  byHash(hash: string): Promise<Token | null>
  byId(organizationId: string, id: string): Promise<Token | null>
  list(organizationId: string, page: Page): Promise<Rows<Token>>
  revoke(id: string, atMs: number): Promise<void>
  /** Revokes what devices of a member hold. @param above only tokens of a higher role than this; null: all */
  revokeOfMember(memberId: string, above: Role | null, atMs: number): Promise<void>
  /**
   * Valid tokens that a member created for the organization, newest first; tokens of devices are not among them.
   * @param above only tokens of a higher role than this; null: all
   */
  createdBy(memberId: string, above: Role | null, nowMs: number, limit: number): Promise<readonly Token[]>
  /** Revokes all of those. */
  revokeCreatedBy(memberId: string, above: Role | null, atMs: number): Promise<void>
  /** Valid tokens that may do more than the member behind them, or whose member was removed; newest first. */
  outranking(organizationId: string, nowMs: number, limit: number): Promise<readonly OutrankingToken[]>
  touch(id: string, atMs: number): Promise<void>
  setActiveApplication(id: string, applicationId: string): Promise<void>
}

export interface Applications {
  insert(application: Application): Promise<void>
  /** In any organization: slugs are unique over all of them. */
  bySlug(slug: string): Promise<Application | null>
  byId(organizationId: string, id: string): Promise<Application | null>
  isCodeTaken(code: string): Promise<boolean>
  /** In any organization, by the `<code>` of its keys. */
  byCode(code: string): Promise<Application | null>
  /** In any organization: the application that a host selected (host-surfaces.ts). */
  ofHost(id: string): Promise<Application | null>
  /** @param onlyId id of the one application to list; null: all */
  list(organizationId: string, onlyId: string | null, page: Page): Promise<Rows<Application>>
  /** Up to `limit` of those that are not archived. */
  serving(organizationId: string, limit: number): Promise<readonly Application[]>
  /** Those that are not archived. */
  countServing(organizationId: string): Promise<number>
  contents(applicationId: string, mode: Mode): Promise<ApplicationContents>
  rename(id: string, name: string): Promise<void>
  /** Archives it and raises its version. */
  archive(id: string, atMs: number): Promise<void>
  /** @param bundleId null: new people get none */
  setDefaultBundle(id: string, bundleId: string | null): Promise<void>
  setTestClock(id: string, testClockOffsetMs: number): Promise<void>
  /** Of any organization: those whose test clock was advanced. */
  withTestClock(): Promise<readonly Pick<Application, 'id' | 'testClockOffsetMs'>[]>
  /** Changes the loopback ports of an application after another program took them. */
  setPorts(id: string, ports: Pick<Application, 'gatewayPort' | 'portalPort'>): Promise<void>
  /**
   * Makes every compiled configuration of the application stale (docs/reference/rules.md "Configuration is
   * never stale").
   */
  raiseVersion(id: string): Promise<void>
  /** The same for all applications of an organization, whose accounts they share. */
  raiseVersions(organizationId: string): Promise<void>
}

export interface Providers {
  insert(provider: Provider): Promise<void>
  /** Replaces all fields but id, organization, label and creation time. */
  update(provider: Provider): Promise<void>
  byId(organizationId: string, id: string): Promise<Provider | null>
  byLabel(organizationId: string, label: string): Promise<Provider | null>
  list(organizationId: string, page: Page): Promise<Rows<Provider>>
  /** Every account of the organization, for resolving the sources of its aliases. */
  all(organizationId: string): Promise<readonly Provider[]>
  /** The encrypted credentials of every organization, for the ids of their master keys. */
  sealedCredentials(): Promise<readonly string[]>
  remove(id: string): Promise<void>
  /** Overrides of what the account is charged, by exact upstream model, in model order. */
  prices(accountId: string): Promise<readonly ProviderPrice[]>
  setPrice(accountId: string, model: string, price: Price, nowMs: number): Promise<void>
  removePrice(accountId: string, model: string): Promise<void>
  /**
   * `<application slug>/<name>` of the aliases and routers that have the account among their sources; those of archived
   * applications do not count.
   */
  dependents(organizationId: string, accountId: string): Promise<readonly string[]>
}

export interface Aliases {
  byName(applicationId: string, name: string): Promise<AliasRecord | null>
  /** Every alias of the application, in order. */
  names(applicationId: string): Promise<readonly string[]>
  /** In name order. */
  all(applicationId: string): Promise<readonly AliasRecord[]>
  list(applicationId: string, page: SortedPage<NamedSort>): Promise<Rows<AliasRecord>>
  /** Creates the alias or replaces its sources and ceilings; `isDisabled` and the creation time stay. */
  put(alias: AliasRecord): Promise<void>
  setDisabled(applicationId: string, name: string, isDisabled: boolean): Promise<void>
  /** Removes the alias and its prices in bundles. */
  remove(applicationId: string, name: string): Promise<void>
  /** Slugs of the bundles that sell the alias at a price of their own. */
  pricedIn(applicationId: string, name: string): Promise<readonly string[]>
}

/** A bundle with what it sells, in alias order, and includes, in the order they were added. */
export interface WholeBundle {
  readonly bundle: BundleRecord
  readonly prices: readonly BundlePrice[]
  readonly includes: readonly IncludeTerms[]
}

/** A moment, by the clock of each mode. */
export type ModeTimes = { readonly [mode in Mode]: number }

export interface Bundles {
  /** Creates the bundle, also one that was removed, or replaces all of its fields but id and slug. */
  put(bundle: BundleRecord): Promise<void>
  /** The id of a removed bundle of that slug; null: there is none. No other method finds removed ones. */
  removedId(applicationId: string, slug: string): Promise<string | null>
  /** Forgets its prices and includes too; its slug goes on to name the pools that it has granted. */
  remove(id: string, at: ModeTimes): Promise<void>
  byId(applicationId: string, id: string): Promise<BundleRecord | null>
  bySlug(applicationId: string, slug: string): Promise<BundleRecord | null>
  /** Every bundle with its prices and includes, in slug order. */
  whole(applicationId: string): Promise<readonly WholeBundle[]>
  list(applicationId: string, page: SortedPage<NamedSort>): Promise<Rows<BundleRecord>>
  /** In alias order. */
  prices(bundleId: string): Promise<readonly BundlePrice[]>
  /** Both prices null: the row is deleted. */
  setPrice(bundleId: string, price: BundlePrice): Promise<void>
  /** In the order they were added. */
  includes(bundleId: string): Promise<readonly IncludeTerms[]>
  /**
   * How many end users hold credits that the bundle granted in another currency than this one. Credits count while
   * they can be spent, are held for a call, or come back with the plan.
   * @param nowMs by the clock of each mode: credits that have expired by then do not count
   */
  holdersOfOtherCredits(
    bundleId: string,
    currency: string | null,
    nowMs: Readonly<Record<Mode, number>>,
  ): Promise<number>
  /** The includes and their former terms, with the time of each by the clock of that mode. */
  datedIncludes(bundleId: string, mode: Mode): Promise<readonly (IncludeTerms & TermsSpan)[]>
  /**
   * A new slug goes last; a known one keeps its place. The same terms again change nothing.
   * @param at the time of the change in each mode
   */
  putInclude(bundleId: string, include: IncludeTerms, at: ModeTimes): Promise<void>
  /** Replaces all of them. */
  setPrices(bundleId: string, prices: readonly BundlePrice[]): Promise<void>
  /** Replaces all of them, in this order. Terms that stay the same keep their time. */
  setIncludes(bundleId: string, includes: readonly IncludeTerms[], at: ModeTimes): Promise<void>
}

export interface EndUsers {
  /** Creates the person or replaces email, bundle, anchor, freeze and removal. */
  put(endUser: EndUser): Promise<void>
  /** Removed people are found by neither of the two. */
  byId(applicationId: string, id: string): Promise<EndUser | null>
  byExternalId(applicationId: string, externalId: string): Promise<EndUser | null>
  /** Removed people too. */
  evenRemoved(applicationId: string, id: string): Promise<EndUser | null>
  /** Takes the person off their bundle, and forgets email and external id: the service's own stands for it. */
  remove(id: string, atMs: number): Promise<void>
  list(
    applicationId: string,
    filter: EndUserFilter,
    page: SortedPage<EndUserSort>,
    at: { readonly mode: Mode; readonly nowMs: number },
  ): Promise<Rows<EndUser>>
  /** Returns how many end users match. */
  count(
    applicationId: string,
    filter: EndUserFilter,
    at: { readonly mode: Mode; readonly nowMs: number },
  ): Promise<number>
  /** External ids -> people; those not found are left out. */
  byExternalIds(applicationId: string, externalIds: readonly string[]): Promise<readonly EndUser[]>
  /** How many people are on the bundle, in either mode. */
  countOn(applicationId: string, bundleId: string): Promise<number>
  /** Ids of everyone, or of everyone on a bundle whose plan has not ended by then in that mode. */
  ids(
    applicationId: string,
    bundle: { readonly id: string; readonly mode: Mode; readonly nowMs: number } | null,
  ): Promise<readonly string[]>
}

/** The money of people, per mode. Read only: the ledger moves it. */
export interface Balances {
  /** By end-user id; end users without a wallet and without credit that ends are left out. */
  wallets(endUserIds: readonly string[], mode: Mode, nowMs: number): Promise<ReadonlyMap<string, Wallet>>
  /**
   * Every pool ever granted to the person in the mode, of other plans and ended ones too.
   * @param planId the bundle that the person is on: pools of others are suspended
   */
  pools(endUserId: string, mode: Mode, planId: string | null): Promise<readonly OwnedPool[]>
  onDemandSpent(endUserId: string, mode: Mode, nowMs: number): Promise<bigint>
  /** What calls in flight hold of this month's overage. */
  onDemandHeld(endUserId: string, mode: Mode, nowMs: number): Promise<bigint>
  /** Those of the people whose overage is on. */
  withOnDemand(endUserIds: readonly string[], mode: Mode): Promise<ReadonlySet<string>>
  /** `at` of the page is the entry's sequence. */
  ledger(endUserId: string, mode: Mode, source: 'wallet' | 'all', page: Page): Promise<Rows<LedgerEntry>>
  /** Source id -> what `LedgerEntry.source` calls it. */
  sourceNames(endUserId: string, mode: Mode): Promise<ReadonlyMap<string, string>>
  /** Entries of one call, oldest first. */
  ledgerOfCall(applicationId: string, callId: string): Promise<readonly LedgerEntry[]>
  onDemand(endUserId: string, mode: Mode): Promise<OnDemandSetting>
  /** By end-user id, the end user's own limits, at most one per window. End users without one are omitted. */
  limits(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, readonly EndUserLimit[]>>
  /** Replaces all of them. */
  setLimits(endUserId: string, mode: Mode, limits: readonly EndUserLimit[]): Promise<void>
  setOnDemand(endUserId: string, mode: Mode, setting: OnDemandSetting): Promise<void>
  /** The use of each of these pools by alias, in the pool's unit; refunds are subtracted. */
  poolUse(endUserId: string, mode: Mode, sourceIds: readonly string[]): Promise<readonly PoolUse[]>
}

export interface Keys {
  insert(key: Key, hash: string): Promise<void>
  byId(applicationId: string, id: string): Promise<KeyListed | null>
  /** Prefixes are random and nearly always unique. */
  byPrefix(applicationId: string, prefix: string): Promise<readonly KeyListed[]>
  /** The keys of one person and mode that are not revoked. */
  held(endUserId: string, mode: Mode): Promise<readonly KeyListed[]>
  /** The keys of one person and mode whose line was started in the portal, revoked ones included. */
  ofPortal(endUserId: string, mode: Mode): Promise<readonly KeyListed[]>
  /** @param nowMs by the clock of the mode */
  list(
    applicationId: string,
    filter: KeyFilter,
    page: SortedPage<KeySort>,
    nowMs: number,
  ): Promise<Rows<KeyListed>>
  /** By line of keys, what requests of those days were charged. Lines without such requests are omitted. */
  charged(
    endUserIds: readonly string[],
    mode: Mode,
    days: { readonly fromDay: number; readonly toDay: number | null },
  ): Promise<ReadonlyMap<string, bigint>>
  /** By line of keys, the worst case of its requests in flight. Lines without one are omitted. */
  inFlight(
    applicationId: string,
    endUserIds: readonly string[],
    mode: Mode,
  ): Promise<ReadonlyMap<string, { readonly calls: number; readonly heldMicros: bigint }>>
  /** By end-user id, when a key of theirs was last used; people without such a key are left out. */
  lastUsed(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, number>>
  setCap(id: string, capMicros: bigint | null, capPeriod: Window): Promise<void>
  /**
   * Revokes a key, and the keys that it replaced as far as they still work: their grace ends with it.
   * @returns IDs of the replaced keys that were revoked
   */
  revoke(key: Pick<Key, 'id' | 'lineId' | 'endUserId'>, atMs: number): Promise<readonly string[]>
  /**
   * Lets a key end at `endsAtMs`, in favour of another one.
   * @returns false: it has been replaced or revoked before, or has expired
   */
  replace(
    id: string,
    by: { readonly replacedBy: string; readonly endsAtMs: number; readonly nowMs: number },
  ): Promise<boolean>
  /**
   * Revokes every key of a person who is removed, in both modes, and forgets what names the person: the name of
   * each key, and an actor's label that is the person's.
   * @returns the number of keys that were not revoked before
   */
  removePerson(person: Pick<EndUser, 'id' | 'externalId' | 'email'>, atMs: number): Promise<number>
}

/** Read only: a grant is written by `Ledger.credit`, with the money it moves. */
export interface Grants {
  byId(applicationId: string, id: string): Promise<Grant | null>
  list(applicationId: string, mode: Mode, page: Page): Promise<Rows<Grant>>
}

export interface CorrectionsAsked {
  readonly applicationId: string
  readonly mode: Mode
  /** Days since 1970, UTC: the first is included, the last is not. */
  readonly fromDay: number
  readonly toDay: number
  /** Null: all together, in one group. People, keys and accounts are named by their ids; a run by its id. */
  readonly by: 'endUser' | 'model' | 'bundle' | 'key' | 'provider' | 'day' | 'run' | null
  /** Id of the person whose calls count; null: anyone's. */
  readonly endUserId: string | null
}

/** What put a mistake right, and what it put right. */
export interface Corrections {
  /** A top-up or an adjustment of one person's wallet; null: that person has no entry of it. */
  credit(endUserId: string, mode: Mode, id: string): Promise<Credit | null>
  /** Corrections of these calls, oldest first of each call. */
  ofCalls(applicationId: string, callIds: readonly string[]): Promise<readonly CallCorrection[]>
  /**
   * What the corrections of those days come to, in groups: a correction counts on its own day, not on that of its
   * call. `group` is null for calls without a bundle or a run, and without `by`.
   */
  sums(asked: CorrectionsAsked): Promise<readonly ({ readonly group: string | null } & CorrectionSums)[]>
  /** Reversals of these grants, oldest first. */
  reversals(applicationId: string, grantIds: readonly string[]): Promise<readonly GrantReversal[]>
  reversal(applicationId: string, id: string): Promise<GrantReversal | null>
  /** Those of the people who have the grant. @param endUserIds null: all of the application */
  recipients(grant: Grant, endUserIds: readonly string[] | null): Promise<readonly string[]>
}

export interface Outcomes {
  put(outcome: Outcome): Promise<void>
  bySlug(applicationId: string, slug: string): Promise<Outcome | null>
  /** Those that are not archived, in slug order. */
  serving(applicationId: string): Promise<readonly Outcome[]>
  list(applicationId: string, page: Page): Promise<Rows<Outcome>>
  totals(applicationId: string, mode: Mode): Promise<ReadonlyMap<string, OutcomeTotals>>
  runs(
    applicationId: string,
    mode: Mode,
    slug: string,
    filter: { readonly status: RunStatus | null; readonly endUserId: string | null },
    page: Page,
  ): Promise<Rows<OutcomeRun>>
  /** The runs of that id, at most one per person. */
  run(applicationId: string, mode: Mode, slug: string, runId: string): Promise<readonly OutcomeRun[]>
  setRunStatus(endUserId: string, mode: Mode, slug: string, runId: string, status: RunStatus): Promise<void>
}

export interface UsageSums {
  /** Per alias, in alias order; days are counted from 1970 (UTC), `toDay` is not included. */
  byAlias(
    applicationId: string,
    mode: Mode,
    filter: {
      readonly endUserId: string | null
      readonly fromDay: number | null
      readonly toDay: number | null
    },
  ): Promise<readonly UsageSum[]>
  /** Per person, over all days; people without use are left out. */
  byEndUser(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, Omit<UsageSum, 'alias'>>>
  /** What calls add up to over time. */
  series(asked: SeriesAsked): Promise<UsageSeries>
}

export interface Requests {
  /** `id` of a position is a call id; they sort by time. */
  list(applicationId: string, mode: Mode, filter: RequestFilter, page: Page): Promise<Rows<CallRecord>>
  story(applicationId: string, mode: Mode, callId: string): Promise<CallStory | null>
}

export interface IdempotencyAnswers {
  find(scope: IdempotencyScope): Promise<IdempotencyAnswer | null>
  /**
   * Stores the answer, and replaces one under the same key from before `expiredMs`.
   * @returns false: another request has stored one meanwhile, and this one's change must not be committed
   */
  put(answer: IdempotencyAnswer, expiredMs: number): Promise<boolean>
  /** Answers of the application that name the person. */
  naming(applicationId: string, externalId: string): Promise<readonly IdempotencyAnswer[]>
  /** Replaces text and person of a stored answer: only to forget the person. */
  rewrite(answer: IdempotencyAnswer): Promise<void>
  /** Deletes answers from before that time. */
  prune(beforeMs: number): Promise<void>
}
