/**
 * The state that the writer keeps in memory to decide about money. The book (ledger-state-in-memory.ts) reads and
 * writes these cells.
 */
import type { BackgroundResponse } from '#domain/background/background-response-record.ts'
import type { CreditRequest, RequestRecord, SettleRequest, SettleResult } from '#domain/ledger-interface.ts'
import type { Mode } from '#domain/application-config.ts'
import type { EndUserLimit } from '#domain/end-user-record.ts'
import type { TestClock } from '#domain/test-clock.ts'
import type { Include, OwnedPool } from '#money/plan-pools.ts'
import type { Hold, Leg, OnDemandSource, RateRule, RunStatus, Source, Unit } from '#money/decision-types.ts'
import type { Paid } from '#money/charge-split-by-payer.ts'
import type { Interval, Window } from '#money/periods-and-windows.ts'
import type { LedgerKind } from '#money/posting.ts'
import type { RateUse } from '#money/rate-limit.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { Attempts } from '#store/rows/failed-attempts-column.ts'

export interface ApplicationCell extends TestClock {
  readonly configVersion: number
  readonly isArchived: boolean
  /** Maximum spend of all portal keys of one end user together. Null means no limit. */
  readonly portalTotal: EndUserLimit | null
}

export interface KeyCell {
  readonly id: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  /** ID of the first key of the key line: the key's own ID unless the key replaced another key. */
  readonly lineId: string
  readonly isPortalLine: boolean
  readonly capMicros: bigint | null
  readonly capPeriod: Window
  readonly rates: readonly RateRule[]
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
  lastUsedAtMs: number | null
}

export interface BundleCell {
  readonly id: string
  readonly slug: string
  readonly interval: Interval
  readonly spendLimitMicros: bigint | null
  readonly spendLimitPeriod: Window
  readonly rates: readonly RateRule[]
  /** Current and former terms of the included pools, dated by the clock of each mode. */
  readonly includes: { readonly [mode in Mode]: readonly Include[] }
}

export interface SourceCell {
  source: Source
  /** Null if the source has no entry. */
  lastEntry: number | null
  /** Null for the wallet and for on-demand. */
  readonly pool: Omit<OwnedPool, 'source'> | null
  isNew: boolean
  isDirty: boolean
}

export interface ChangedSource {
  readonly person: Person
  readonly cell: SourceCell
}

export interface RunCell {
  readonly slug: string
  readonly runId: string
  status: RunStatus
  /** The spend ceiling that the run has reached. Null if the run was not stopped at a ceiling. */
  cappedAtMicros: bigint | null
  spentMicros: bigint
  calls: number
  readonly startedAtMs: number
  lastCallAtMs: number
  isNew: boolean
  isDirty: boolean
}

/** The spender ID for which a `Spend` counts all keys of the end user. */
export const wholePerson = ''
/**
 * The spender ID for which a `Spend` counts all keys that the end user created in the portal. No key line has this ID.
 */
export const portalLines = 'portal'

/** Charges within one calendar window, such as a day or a month. The next window has a new `Spend`. */
export interface Spend {
  readonly period: Window
  readonly startsAtMs: number
  readonly endsAtMs: number | null
  micros: bigint
}

export type OnDemandTerms = Pick<OnDemandSource, 'isEnabled' | 'limitMicros' | 'untilMs' | 'closedUntilMs'>

export interface Person {
  readonly endUserId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly isFrozen: boolean
  readonly isRemoved: boolean
  /** Null if the end user has no plan. */
  bundleId: string | null
  /** When the end user leaves the plan, in milliseconds since 1970. Infinity if the plan has no end. */
  bundleUntilMs: number
  readonly subscribedAtMs: number
  readonly bundleSinceMs: number
  readonly onDemand: OnDemandTerms
  /** The payer of the end user's team, and the end user's cap per month. Null if the end user is in no team. */
  readonly payer: { readonly id: string; readonly capMicros: bigint | null } | null
  /** Whether a loaded source is a share in the wallet of a payer, of the current team or of a former team. */
  hasShares: boolean
  readonly limits: readonly EndUserLimit[]
  readonly rates: readonly RateRule[]
  /** The usage counted by the rate limits of the end user and the bundle. `countUse` changes amounts in place. */
  uses: readonly RateUse[]
  /** By the ID of the key line. The usage of a key line is read when it is first needed. */
  readonly lineUses: Map<string, readonly RateUse[]>
  /**
   * Sources that have not ended, and ended pools whose balance may still change (`isNeeded`,
   * rows-that-operation-needs.ts). `sources[i]` is `cells[i].source`.
   */
  cells: SourceCell[]
  sources: Source[]
  /**
   * The time until which the end user has all sources that the bundle in `completeFor` requires (add-due-sources.ts).
   */
  completeUntilMs: number
  completeFor: BundleCell | null
  /** Each key is one string with the outcome's slug and the run's ID (`runName`). */
  readonly runs: Map<string, RunCell>
  /**
   * By spender: the ID of a key line, `wholePerson` or `portalLines`. Each list has at most one item for each kind of
   * calendar window.
   */
  readonly spends: Map<string, Spend[]>
}

export interface OpenHold {
  hold: Hold
  readonly person: Pick<Person, 'endUserId' | 'mode'>
  readonly applicationId: string
  readonly keyId: string
  readonly lineId: string
  readonly isPortalLine: boolean
  readonly outcome: { readonly slug: string; readonly runId: string; readonly ceilingMicros: bigint } | null
  /** The target that serves the call now, in its stored form (rows/json-columns.ts). */
  targetText: string
  /** Null if the target generates no response in the background. */
  background: BackgroundResponse | null
  /** Null if no attempt has failed (rows/failed-attempts-column.ts). */
  attempts: Attempts | null
  readonly inputEstimate: number
  /**
   * The process that the hold belongs to. Changes only if another process takes over a background response
   * (recover-call-of-dead-process.ts).
   */
  epoch: number
  readonly reservedAtMs: number
  readonly dispatchedAtMs: number | null
  checkpoint: Usage | null
  /** The slot that stores the call in SQLite (several-holds-per-row.ts). Null on PostgreSQL. */
  slot: HoldSlot | null
}

export interface HoldSlot {
  readonly id: number
  readonly calls: OpenHold[]
  /** Stored calls that could not be read, as JSON. Each write of the slot keeps them. */
  readonly unreadable: string[]
  isDirty: boolean
}

export interface NewEntry {
  readonly person: Person
  readonly cell: SourceCell
  readonly kind: LedgerKind
  readonly unit: Unit
  readonly amount: bigint
  /** The granted part of the amount. Null if the kind of the entry determines the granted part. */
  readonly given: bigint | null
  readonly callId: string | null
  readonly grantId: string | null
  readonly reason: string | null
  readonly idempotencyKey: string | null
  readonly atMs: number
}

export interface CreditEntry {
  readonly sequence: number
  readonly kind: LedgerKind
  readonly amount: bigint
  readonly grantId: string | null
  readonly idempotencyKey: string
}

export interface StoredCall {
  readonly keyId: string
  readonly alias: string
  readonly accountId: string
  readonly bundle: string | null
  readonly outcomeSlug: string | null
  readonly runId: string | null
  /** The column `tags` (rows/labels-of-calls.ts). */
  readonly labelsText: string | null
  readonly isRecovered: boolean
  readonly quoteId: string
  readonly usage: Usage
  readonly billedMicros: bigint
  readonly chargeMicros: bigint
  readonly worstMicros: bigint
  readonly legs: readonly Leg[]
  /** Null if the record was written by a version that did not split charges. */
  readonly paid: Paid | null
}

export interface StoredCorrection {
  readonly number: number
  readonly id: string
  readonly kind: 'refund' | 'late_usage'
  readonly chargeMicros: bigint
  readonly billedMicros: bigint
  readonly legs: readonly Leg[]
  readonly paid: Paid | null
  readonly idempotencyKey: string | null
  readonly requestHash: string | null
}

export interface NewCorrection extends StoredCorrection {
  readonly applicationId: string
  readonly callId: string
  readonly person: Person
  readonly call: StoredCall
  readonly costMicros: bigint
  readonly entries: readonly number[]
  readonly usage: Usage | null
  readonly reason: string
  readonly actor: string | null
  readonly atMs: number
}

export interface ReversalSum {
  readonly applicationId: string
  readonly id: string
  readonly grantId: string
  micros: bigint
  endUsers: number
}

export interface NewUsageRecord {
  readonly open: OpenHold
  readonly usage: Usage
  readonly inputTokens: number
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly result: SettleResult
  readonly paid: Paid
  readonly legsText: string
  readonly firstEntry: number | null
  readonly atMs: number
  readonly went: RequestRecord
  /** `result.costMicros` includes the cost of these attempts. */
  readonly attempts: Attempts | null
  /** Null if the provider's usage states no cost. */
  readonly isDisputed: boolean | null
}

export interface NewRequest {
  readonly record: RequestRecord
  readonly attempts: Attempts | null
}

export type EndedRecord = NewUsageRecord | NewRequest

/** A large grant consists of several operations, each for some of the end users. */
export type GrantTerms = Omit<CreditRequest, 'endUserIds'>

export interface StoredGrant {
  readonly grantId: string
  readonly requestHash: string
  readonly endUsers: number
  /** All end users of the grant. Null after the grant is finished. */
  readonly pending: readonly string[] | null
  readonly done: number
  readonly createdAtMs: number
}

/**
 * Precision of `keys.last_used_at_ms`. Only the first use is stored immediately. Storing each use would write a
 * separate page for each call.
 */
export const keyUsedEveryMs = 600_000

export function runName(slug: string, runId: string): string {
  return `${slug}\n${runId}`
}
