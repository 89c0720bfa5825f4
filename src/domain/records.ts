import type { ToolRules } from './provider-tool-rules.ts'
import type { OnClientLeft } from '#domain/accounts/client-disconnect.ts'
import type { Hold, Leg, Quote, RateRule, TerminationPolicy, Unit } from '#money/decision-types.ts'
import type { Interval, Window } from '#money/periods-and-windows.ts'
import type { LedgerKind } from '#money/posting.ts'
import type { Price } from '#money/price.ts'
import type { Usage } from '#money/usage.ts'
import type { Role } from '#domain/people/team-roles.ts'
import type { CorrectedName, Figures, PaidFigures, RecordName, UsageFigures } from './figure-sums.ts'
import type { RequestRecord, SettleRequest, SettleResult, Target } from './ledger-interface.ts'
import type { AliasCeilings, Mode, ProviderAccount } from './application-config.ts'
import type { TestClock } from './test-clock.ts'

/** Where a page starts, newest first: after the row with this `id` that was created at `at`. */
export interface Position {
  /** Time in milliseconds, or the sequence number if the list is ordered by sequence. */
  readonly at: number
  readonly id: string
}

export interface Page {
  readonly limit: number
  readonly after: Position | null
}

/** A page of rows, newest first. `next` is null if the page is the last page. */
export interface Rows<T> {
  readonly rows: readonly T[]
  readonly next: Position | null
}

// The following types describe organizations and their tokens.

export interface Organization {
  readonly id: string
  /** The part `<code>` in the organization's tokens (`sk_<code>_…`). */
  readonly code: string
  readonly name: string
  readonly createdAtMs: number
}

/** A customer token without its secret. Only the SHA-256 of the secret is stored. */
export interface Token {
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly prefix: string
  readonly lastFour: string
  readonly role: Role
  /** The only application that the token may use. Null means every application of its organization. */
  readonly applicationId: string | null
  /** The member who signed in on the device that has the token. Null if the token belongs to the organization. */
  readonly memberId: string | null
  /**
   * The kind of caller that created the token. Null if the operator created the token on the server, or if the token
   * was created before this field existed.
   */
  readonly createdByKind: 'member' | 'token' | null
  readonly createdById: string | null
  readonly createdByLabel: string | null
  /** The member who created the token, directly or through a chain of tokens. Null if no member created the token. */
  readonly createdByMemberId: string | null
  readonly activeApplicationId: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
  /** Null if the token never expires. */
  readonly expiresAtMs: number | null
}

// The following types describe applications.

export interface Application extends TestClock {
  readonly id: string
  readonly organizationId: string
  readonly slug: string
  /** The part `<code>` in the application's keys (`ak_<code>_…`). */
  readonly code: string
  readonly name: string
  readonly configVersion: number
  readonly defaultBundleId: string | null
  readonly gatewayPort: number | null
  readonly portalPort: number | null
  readonly createdAtMs: number
  readonly archivedAtMs: number | null
}

/** The counts and sums of an application, for the application's page. */
export interface ApplicationContents {
  readonly endUsers: number
  /** Number of keys that are not revoked, in either mode. */
  readonly keys: number
  readonly bundles: readonly string[]
  readonly models: readonly string[]
  /** Provider cost of all settled calls in the mode, in micros. */
  readonly costMicros: bigint
}

// The following types describe provider accounts.

export interface Provider extends ProviderAccount {
  readonly lastFour: string | null
  /** When the current credential was set. Null if no credential is set, or if it was set before this field existed. */
  readonly credentialSetAtMs: number | null
  readonly onClientLeft: OnClientLeft | null
  readonly createdAtMs: number
}

export interface ProviderPrice {
  readonly model: string
  readonly price: Price
}

// The following types describe aliases (model names).

/** A model alias of an application as it is stored. ApplicationConfig contains the resolved form. */
export interface AliasRecord {
  readonly applicationId: string
  readonly name: string
  readonly sources: readonly AliasRecordSource[]
  readonly ceilings: AliasCeilings
  readonly isDisabled: boolean
  readonly createdAtMs: number
}

export interface AliasRecordSource {
  readonly accountId: string
  readonly model: string
}

// The following types describe bundles.

export interface BundleRecord {
  readonly id: string
  readonly applicationId: string
  readonly slug: string
  readonly displayName: string
  readonly priceMicros: bigint | null
  readonly interval: Interval
  readonly spendLimitMicros: bigint | null
  readonly spendLimitPeriod: Window
  /** Rate limits that apply to each end user of the bundle. */
  readonly limits: readonly RateRule[]
  readonly terminationPolicy: TerminationPolicy
  readonly maxOverdraftMicros: bigint
  readonly debitBasis: Quote['basis']
  /** Whether a request has set the debit basis. If false, the default debit basis applies. */
  readonly isDebitBasisChosen: boolean
  readonly creditCurrency: string | null
  /** Null means the setting of the provider account. */
  readonly onClientLeft: OnClientLeft | null
  /** Rules for tools that providers run. Null means the rules of the application. */
  readonly providerTools: ToolRules | null
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly createdAtMs: number
}

export interface BundlePrice {
  readonly alias: string
  readonly price: Price | null
  readonly credits: Price | null
}

// An end user, with the end user's plan and settings.

export interface EndUser {
  readonly id: string
  readonly applicationId: string
  readonly externalId: string
  readonly email: string | null
  readonly bundleId: string | null
  /** The time at which the first period of the subscription starts. */
  readonly subscribedAtMs: number
  /** When the bundle was assigned to the end user. */
  readonly bundleSinceMs: number
  readonly frozenAtMs: number | null
  /**
   * Why spending is stopped. The reason is shown only to members of the organization, never to the end user. Null if no
   * reason was given or spending is not stopped.
   */
  readonly frozenReason: string | null
  readonly removedAtMs: number | null
  readonly createdAtMs: number
  /** The end user who pays for the end user's team. Null if the end user is in no team. */
  readonly payerId: string | null
  /** Maximum that the end user may spend from the payer's wallet in a calendar month. Null means no maximum. */
  readonly payerCapMicros: bigint | null
}

/** Money that the end user can spend: the wallet plus expiring credit. */
export interface Wallet {
  /** The balance of the wallet and of the credit that can be spent now, in micros. */
  readonly postedMicros: bigint
  readonly heldMicros: bigint
  /** The balance of the wallet alone, minus the amount held in it, in micros. Negative if the end user owes money. */
  readonly lastingMicros: bigint
  /** Credit that has not expired and has a remaining balance. The credit that expires earliest comes first. */
  readonly expiring: readonly ExpiringCredit[]
}

export interface ExpiringCredit {
  readonly grantId: string
  readonly postedMicros: bigint
  readonly heldMicros: bigint
  readonly startsAtMs: number
  readonly endsAtMs: number
}

export interface LedgerEntry {
  readonly id: string
  readonly sequence: number
  readonly kind: LedgerKind
  readonly unit: Unit
  readonly amount: bigint
  readonly balanceAfter: bigint
  /**
   * Name of a source: `wallet`, `on_demand/2026-11`, `pro/tokens/2026-11-20`, `pro/welcome`. Each month and each period
   * has its own source.
   */
  readonly source: string
  /** Display name of the pool. Null for other sources. */
  readonly poolName: string | null
  /** Display name of the plan that granted the pool. Null for other kinds of sources, and if the plan was deleted. */
  readonly planName: string | null
  readonly callId: string | null
  readonly grantId: string | null
  /** The invoice that paid or waived a month of on-demand usage. Null for other kinds of entry. */
  readonly invoiceId: string | null
  /** Reference of the payment, for a top-up. */
  readonly paymentReference: string | null
  readonly reason: string | null
  readonly createdAtMs: number
}

export interface OnDemandSetting {
  readonly isEnabled: boolean
  readonly limitMicros: bigint | null
}

export interface PoolUse {
  readonly sourceId: string
  readonly alias: string
  readonly amount: bigint
}

// The following types describe the limits of end users.

/** Maximum spend of all keys of an end user together within one calendar window. */
export interface EndUserLimit {
  readonly window: Window
  readonly micros: bigint
}

// The following types describe grants.

export interface Grant {
  readonly id: string
  readonly applicationId: string
  readonly mode: Mode
  readonly amountMicros: bigint
  readonly reason: string
  readonly idempotencyKey: string | null
  readonly endUsers: number
  /** Number of the end users who have been credited. */
  readonly done: number
  /** When the credit can first be spent. Null means immediately. */
  readonly startsAtMs: number | null
  /** When the remaining credit lapses. Null means that the credit never lapses. */
  readonly expiresAtMs: number | null
  readonly createdAtMs: number
}

/**
 * A refund of a call, or the true usage of a recovered call. The amounts are the changes to the call's recorded
 * amounts, so the amounts of a refund are negative.
 */
export interface CallCorrection extends CorrectionSums {
  readonly id: string
  readonly callId: string
  readonly kind: 'refund' | 'late_usage'
  readonly legs: readonly Leg[]
  /** IDs of the correction's ledger entries. */
  readonly entryIds: readonly string[]
  readonly reason: string
  /** The actor who requested the correction. Null if the server found the difference itself. */
  readonly actor: string | null
  readonly createdAtMs: number
}

/** The amounts that corrections add to the sums of a day. */
export interface CorrectionSums extends Readonly<Figures<CorrectedName>> {
  /**
   * The charge of calls that were recorded before charges were split by payer. For these calls, the amounts for each
   * payer are all 0n.
   */
  readonly unattributedMicros: bigint
}

/** The amounts that a reversal took back from the end users of a grant. */
export interface GrantReversal {
  readonly id: string
  readonly grantId: string
  readonly reason: string
  /** Number of end users that the reversal is for. */
  readonly endUsers: number
  /** Number of end users that were processed. */
  readonly done: number
  /** Number of end users from whom an amount was taken. */
  readonly reversedEndUsers: number
  readonly reversedMicros: bigint
  readonly createdAtMs: number
}

/** Money added to or taken from an end user's wallet, outside of calls. */
export interface Credit {
  readonly id: string
  readonly endUserId: string
  readonly kind: 'topup' | 'adjustment'
  /** Signed amount. A negative amount was taken from the wallet. */
  readonly amountMicros: bigint
  readonly reason: string
  readonly paymentReference: string | null
  readonly entryId: string
  readonly balanceAfterMicros: bigint
  readonly createdAtMs: number
}

// The following types describe usage, and how calls ended.

export interface UsageSum extends Readonly<UsageFigures> {
  readonly alias: string
}

/**
 * A call as a list shows it: finished, rejected, or in flight (a hold without an end). If the record was written before
 * charges were split by payer, the parts of its charge are 0.
 */
export interface CallRecord extends Readonly<Figures<RecordName>> {
  readonly callId: string
  readonly mode: Mode
  readonly endUserId: string | null
  /** External ID of the end user who made the call. Null for a rejected call whose caller is unknown. */
  readonly externalId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  readonly tags: readonly string[]
  /** The payer of the end user's team at the time of the call. Null if the end user was in no team. */
  readonly payerId: string | null
  /** Null while the call is in flight, because the wire is stored only when the call ends. */
  readonly wire: string | null
  readonly isStreamed: boolean | null
  readonly status: CallStatus
  readonly httpStatus: number | null
  readonly errorCode: string | null
  readonly atMs: number
  readonly latencyMs: number | null
  readonly firstByteMs: number | null
  /** The part of `costMicros` that was computed at assumed rates. */
  readonly assumedMicros: bigint
  /** Whether the provider may charge an amount other than the recorded cost. Also null if the call was not charged. */
  readonly isDisputed: boolean | null
  /** Input tokens that the provider read from its cache. */
  readonly cachedInputTokens: number
  /**
   * The target that returned the response, or that was chosen to return it. Null if no target was chosen, or if the
   * target is no longer known.
   */
  readonly target: Target | null
}

export type CallStatus = RequestRecord['status'] | 'recovered' | 'in_flight'

/** Everything that is stored about one call. */
export interface CallStory {
  readonly call: CallRecord
  /** JSON with the steps that the gateway recorded. Null while the call is in flight. */
  readonly trace: string | null
  readonly hold: CallHold | null
  readonly settlement: CallSettlement | null
}

export interface CallHold extends Omit<Hold, 'callId'> {
  readonly reservedAtMs: number
  readonly dispatchedAtMs: number | null
  readonly checkpoint: Usage | null
  readonly inputEstimate: number
  readonly target: Target
}

export interface CallSettlement
  extends
    Omit<SettleResult, 'walletPostedMicros' | 'remainingMicros'>,
    Pick<Hold, 'quote' | 'worstMicros' | 'legs'> {
  /** Null if the record was written before charges were split by payer. */
  readonly paid: PaidFigures | null
  readonly usage: Usage
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly outcomeSlug: string | null
  readonly runId: string | null
  readonly settledAtMs: number
  readonly target: Target
  /**
   * Whether the costs that the provider states differ from the computed costs, or a model other than the requested one
   * answered. Null if the requested model answered and the usage states no cost.
   */
  readonly isDisputed: boolean | null
}

export interface RequestFilter {
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  readonly status: CallStatus | null
  readonly accountId: string | null
  /** Class of the response's HTTP status. */
  readonly statusClass: '2xx' | '4xx' | '5xx' | null
  readonly errorCode: string | null
  /** HTTP status of the response. Null or omitted means any status. */
  readonly httpStatus?: number | null
  /** Minimum provider cost, in micros, of charged calls and of calls in flight. Null means any cost. */
  readonly minCostMicros: bigint | null
  /** Slug of the outcome to which the call belongs. Null or omitted means any call. */
  readonly outcomeSlug?: string | null
  readonly runId?: string | null
  /** A tag of the call. Null or omitted means any call. */
  readonly tag?: string | null
  /** The payer of the end user's team at the time of the call. */
  readonly payerId?: string | null
  /** If set, only the call with this ID matches. */
  readonly callId?: string | null
  /** Time range of the requests. `fromMs` is inclusive and `toMs` is exclusive. Null means no limit on this side. */
  readonly fromMs: number | null
  readonly toMs: number | null
}

/** The filter that matches every call. */
export const everyCall = {
  endUserId: null,
  keyId: null,
  alias: null,
  status: null,
  accountId: null,
  statusClass: null,
  errorCode: null,
  minCostMicros: null,
  fromMs: null,
  toMs: null,
} as const satisfies RequestFilter
