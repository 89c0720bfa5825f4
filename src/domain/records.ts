import type { OnClientLeft } from './on-client-left.ts'
import type { Hold, Leg, Quote, RunStatus, TerminationPolicy, Unit } from '#money/hold.ts'
import type { Interval, Window } from '#money/period.ts'
import type { LedgerKind } from '#money/posting.ts'
import type { Price } from '#money/price.ts'
import type { Usage } from '#money/usage.ts'
import type { Role } from '#domain/people/role.ts'
import type { PaidFigures } from './figures.ts'
import type { RequestRecord, SettleRequest, SettleResult, Target } from './ledger.ts'
import type { AliasCeilings, Mode, ProviderAccount } from './application-config.ts'
import type { TestClock } from './test-clock.ts'

/** Where a page starts: after the row made at `at` with this `id`, in newest-first order. */
export interface Position {
  /** Milliseconds, or the sequence number where a list is ordered by one. */
  readonly at: number
  readonly id: string
}

export interface Page {
  readonly limit: number
  readonly after: Position | null
}

/** One page, newest first; `next` is null on the last. */
export interface Rows<T> {
  readonly rows: readonly T[]
  readonly next: Position | null
}

// Organizations and their tokens.

export interface Organization {
  readonly id: string
  /** The `<code>` of its `sk_` tokens. */
  readonly code: string
  readonly name: string
  readonly createdAtMs: number
}

/** A customer token, without its secret: only the SHA-256 of the secret is stored. */
export interface Token {
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly prefix: string
  readonly lastFour: string
  readonly role: Role
  /** The one application that it may use; null: every one of its organization. */
  readonly applicationId: string | null
  /** The member who signed in on the device that holds it; null: a token of the organization. */
  readonly memberId: string | null
  /** Who created it. Null: the operator did, on the server, or the token is from before this was kept. */
  readonly createdByKind: 'member' | 'token' | null
  readonly createdById: string | null
  readonly createdByLabel: string | null
  /** The member who created it, or whose token did, at any distance. Null: no member did. */
  readonly createdByMemberId: string | null
  readonly activeApplicationId: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
  /** Null: it never expires. */
  readonly expiresAtMs: number | null
}

// Applications.

export interface Application extends TestClock {
  readonly id: string
  readonly organizationId: string
  readonly slug: string
  /** The `<code>` of its `ak_` keys. */
  readonly code: string
  readonly name: string
  readonly configVersion: number
  readonly defaultBundleId: string | null
  readonly gatewayPort: number | null
  readonly portalPort: number | null
  readonly createdAtMs: number
  readonly archivedAtMs: number | null
}

/** The counts and sums of an application, for its page. */
export interface ApplicationContents {
  readonly endUsers: number
  /** Not revoked, in either mode. */
  readonly keys: number
  readonly bundles: readonly string[]
  readonly models: readonly string[]
  /** Provider cost of all settled calls of the mode. */
  readonly costMicros: bigint
}

// Provider accounts.

export interface Provider extends ProviderAccount {
  readonly lastFour: string | null
  /** When the present credential was set; null: there is none, or it was set before this was noted. */
  readonly credentialSetAtMs: number | null
  readonly onClientLeft: OnClientLeft | null
  readonly createdAtMs: number
}

export interface ProviderPrice {
  readonly model: string
  readonly price: Price
}

// Aliases.

/** A model alias of an application, as it is stored; ApplicationConfig holds it resolved. */
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

// Bundles.

export interface BundleRecord {
  readonly id: string
  readonly applicationId: string
  readonly slug: string
  readonly displayName: string
  readonly priceMicros: bigint | null
  readonly interval: Interval
  readonly spendLimitMicros: bigint | null
  readonly spendLimitPeriod: Window
  readonly terminationPolicy: TerminationPolicy
  readonly maxOverdraftMicros: bigint
  readonly debitBasis: Quote['basis']
  /** Whether a request set the debit basis; false: it is the default, and nobody decided on it. */
  readonly isDebitBasisChosen: boolean
  readonly creditCurrency: string | null
  /** Null: as the provider account has it. */
  readonly onClientLeft: OnClientLeft | null
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly createdAtMs: number
}

export interface BundlePrice {
  readonly alias: string
  readonly price: Price | null
  readonly credits: Price | null
}

// End users and what they have.

export interface EndUser {
  readonly id: string
  readonly applicationId: string
  readonly externalId: string
  readonly email: string | null
  readonly bundleId: string | null
  /** Anchor of the periods of the subscription. */
  readonly subscribedAtMs: number
  /** When the person came to the bundle. */
  readonly bundleSinceMs: number
  readonly frozenAtMs: number | null
  /** For the team, never for the end user. Null if none was given or spending is not stopped. */
  readonly frozenReason: string | null
  readonly removedAtMs: number | null
  readonly createdAtMs: number
}

/** What is spent as money: the wallet, and credit that ends. */
export interface Wallet {
  /** Of the wallet and of the credit that can be spent now. */
  readonly postedMicros: bigint
  readonly heldMicros: bigint
  /** Of the wallet alone, less what is held of it; negative: it owes. */
  readonly lastingMicros: bigint
  /** Credit that has not ended and has something left, the soonest to end first. */
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
  /** `wallet`, `on_demand/2026-11`, `pro/tokens/2026-11-20`, `pro/welcome`: each month and period its own. */
  readonly source: string
  readonly callId: string | null
  readonly grantId: string | null
  /** The invoice by which a month of on-demand usage was paid or waived; null: another kind of entry. */
  readonly invoiceId: string | null
  /** Of the payment behind a top-up. */
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

// Keys.

/** An end user's key, without its secret. */
export interface Key {
  readonly id: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  readonly name: string
  readonly prefix: string
  readonly lastFour: string
  readonly capMicros: bigint | null
  readonly capPeriod: Window
  readonly actorType: string
  readonly actorLabel: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
  /** Id of the key that took its place; null: it was not rotated. */
  readonly replacedBy: string | null
  /** ID of the first key of its line; null: this key is the first. One cap applies to the whole line. */
  readonly lineId: string | null
  /** `actorType` of the first key of the line; null: this key is the first. */
  readonly lineActorType: string | null
}

/** The ID of the key's line: the keys that replaced one another by rotation. */
export function lineOf({ id, lineId }: Pick<Key, 'id' | 'lineId'>): string {
  return lineId ?? id
}

/** Whether the key, or the key that it replaced, was created by the end user in the portal. */
export function isPortalLine({
  actorType,
  lineActorType,
}: Pick<Key, 'actorType' | 'lineActorType'>): boolean {
  return (lineActorType ?? actorType) === 'end_user'
}

/** The most that all keys of an end user may spend together within one calendar window. */
export interface EndUserLimit {
  readonly window: Window
  readonly micros: bigint
}

export function hasExpired({ expiresAtMs }: Pick<Key, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs
}

/** A key with the customer's own id of the person, which lists show. */
export interface KeyListed extends Key {
  readonly externalId: string
}

// Grants, outcomes.

export interface Grant {
  readonly id: string
  readonly applicationId: string
  readonly mode: Mode
  readonly amountMicros: bigint
  readonly reason: string
  readonly idempotencyKey: string | null
  readonly endUsers: number
  /** So many of them have it. */
  readonly done: number
  /** When it may first be spent; null: at once. */
  readonly startsAtMs: number | null
  /** When what is left of it lapses; null: never. */
  readonly expiresAtMs: number | null
  readonly createdAtMs: number
}

/** A refund of a call, or the true usage of a recovered call. Amounts are differences: a refund's are negative. */
export interface CallCorrection extends CorrectionSums {
  readonly id: string
  readonly callId: string
  readonly kind: 'refund' | 'late_usage'
  readonly legs: readonly Leg[]
  /** Ids of its ledger entries. */
  readonly entryIds: readonly string[]
  readonly reason: string
  /** Who asked for it; null: the server found out by itself. */
  readonly actor: string | null
  readonly createdAtMs: number
}

/** What corrections add to the sums of a day. */
export interface CorrectionSums {
  readonly chargeMicros: bigint
  readonly billedMicros: bigint
  readonly costMicros: bigint
  /** The charge by who paid; of calls from before the split all are 0n, and the charge is unattributed. */
  readonly paidPlanMicros: bigint
  readonly paidWalletMicros: bigint
  readonly paidGiftMicros: bigint
  readonly onDemandMicros: bigint
  readonly overdraftMicros: bigint
  readonly unattributedMicros: bigint
}

/** What was taken back of a grant. */
export interface GrantReversal {
  readonly id: string
  readonly grantId: string
  readonly reason: string
  /** End users that it is for. */
  readonly endUsers: number
  /** So many of them were looked at. */
  readonly done: number
  /** From how many of them something was taken. */
  readonly reversedEndUsers: number
  readonly reversedMicros: bigint
  readonly createdAtMs: number
}

/** Money that a person's wallet was given or that was taken from it, outside of calls. */
export interface Credit {
  readonly id: string
  readonly endUserId: string
  readonly kind: 'topup' | 'adjustment'
  /** Signed: negative takes. */
  readonly amountMicros: bigint
  readonly reason: string
  readonly paymentReference: string | null
  readonly entryId: string
  readonly balanceAfterMicros: bigint
  readonly createdAtMs: number
}

export interface Outcome {
  readonly applicationId: string
  readonly slug: string
  readonly displayName: string
  readonly ceilingMicros: bigint
  readonly createdAtMs: number
  readonly archivedAtMs: number | null
}

export interface OutcomeTotals {
  readonly runs: number
  readonly spentMicros: bigint
}

export interface OutcomeRun {
  readonly endUserId: string
  readonly externalId: string
  readonly runId: string
  readonly status: RunStatus
  readonly spentMicros: bigint
  readonly calls: number
  readonly startedAtMs: number
  readonly lastCallAtMs: number
}

// What was used, and how calls went.

export interface UsageSum {
  readonly alias: string
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly billedMicros: bigint
  /** Use beyond what the calls were admitted for: a cost of the application. */
  readonly overHoldMicros: bigint
}

/** A call as a list shows it: finished, refused, or in flight (a hold without an end). */
/** The parts of its charge by who paid are 0 in records from before the split. */
export interface CallRecord extends Readonly<PaidFigures> {
  readonly callId: string
  readonly mode: Mode
  readonly endUserId: string | null
  /** Null for a refused call whose caller was not known. */
  readonly externalId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  /** Null while in flight, like every field that is known only at the end. */
  readonly wire: string | null
  readonly isStreamed: boolean | null
  readonly status: CallStatus
  readonly httpStatus: number | null
  readonly errorCode: string | null
  readonly atMs: number
  readonly latencyMs: number | null
  readonly firstByteMs: number | null
  readonly chargeMicros: bigint
  readonly overHoldMicros: bigint
  /** What the provider account is charged; 0n where nothing was charged, though the provider may have worked. */
  readonly costMicros: bigint
  /** The part of `costMicros` that was computed at assumed rates. */
  readonly assumedMicros: bigint
  readonly billedMicros: bigint
  readonly inputTokens: number
  readonly outputTokens: number
  /** Those of the input that the provider had cached. */
  readonly cachedInputTokens: number
  /** Who answered, or would have; null: it was not decided, or is not known any more. */
  readonly target: Target | null
}

export type CallStatus = RequestRecord['status'] | 'recovered' | 'in_flight'

/** Everything stored about one call. */
export interface CallStory {
  readonly call: CallRecord
  /** JSON text of the gateway's own notes; null while in flight. */
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
  extends Omit<SettleResult, 'walletPostedMicros'>, Pick<Hold, 'quote' | 'worstMicros' | 'legs'> {
  /** Null: the record is from before the split. */
  readonly paid: PaidFigures | null
  readonly usage: Usage
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly outcomeSlug: string | null
  readonly runId: string | null
  readonly settledAtMs: number
  readonly target: Target
  /** True as well if another model answered. Null if the requested one did and the usage states no cost. */
  readonly isDisputed: boolean | null
}

export interface RequestFilter {
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  readonly status: CallStatus | null
  readonly accountId: string | null
  /** Of the answer's HTTP status. */
  readonly statusClass: '2xx' | '4xx' | '5xx' | null
  readonly errorCode: string | null
  /** Status of the response. Null or omitted means any. */
  readonly httpStatus?: number | null
  /** Provider cost. */
  readonly minCostMicros: bigint | null
  /** Null or omitted means any. Charged calls and calls in flight have one; released and refused calls have none. */
  readonly outcomeSlug?: string | null
  readonly runId?: string | null
  /** Only that call. */
  readonly callId?: string | null
  /** The time of the request: the first is included, the last is not. */
  readonly fromMs: number | null
  readonly toMs: number | null
}

// Answers kept for Idempotency-Key.

/** The scope of an Idempotency-Key: the same text in another scope is another key. */
export interface IdempotencyScope {
  readonly organizationId: string
  /** The application of the request, chosen by header or token; null: none. */
  readonly applicationId: string | null
  readonly mode: Mode
  readonly operationId: string
  readonly key: string
}

export interface IdempotencyAnswer extends IdempotencyScope {
  /** SHA-256 of the request. */
  readonly requestHash: string
  readonly status: number
  /** The JSON body of the answer; only its `id` where it held a secret, which is never stored. */
  readonly response: string
  /** The customer's own id of the person whom the answer names; null: nobody. */
  readonly externalId: string | null
  readonly createdAtMs: number
}
