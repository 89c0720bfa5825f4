/**
 * The memory of a decision about money while the writer works. The book (book.ts) reads these cells from
 * rows, and writes the changed ones back in the transaction of the batch.
 */
import type { CreditRequest, RequestRecord, SettleRequest, SettleResult } from '#domain/ledger.ts'
import type { Mode } from '#domain/application-config.ts'
import type { EndUserLimit } from '#domain/records.ts'
import type { TestClock } from '#domain/test-clock.ts'
import type { Include, OwnedPool } from '#money/plan-pools.ts'
import type { Hold, Leg, OnDemandSource, RunStatus, Source, Unit } from '#money/hold.ts'
import type { Paid } from '#money/paid.ts'
import type { Interval, Window } from '#money/period.ts'
import type { LedgerKind } from '#money/posting.ts'
import type { Usage } from '#money/usage.ts'
import type { Attempts } from '#store/rows/attempts.ts'

export interface ApplicationCell extends TestClock {
  readonly configVersion: number
  readonly isArchived: boolean
  /** What all portal keys of one end user may spend together; null: no total. */
  readonly portalTotal: EndUserLimit | null
}

export interface KeyCell {
  readonly id: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  /** ID of the first key of its line: the key itself, unless it took the place of another by rotation. */
  readonly lineId: string
  /** Whether an end user created the first key of the line in the portal. */
  readonly isPortalLine: boolean
  readonly capMicros: bigint | null
  readonly capPeriod: Window
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
  /** Present and former terms, dated by the clock of each mode. */
  readonly includes: { readonly [mode in Mode]: readonly Include[] }
}

export interface SourceCell {
  source: Source
  /** Sequence of its newest ledger entry. */
  lastEntry: number | null
  /** Further columns of a pool's row; null for the wallet and on-demand. */
  readonly pool: Omit<OwnedPool, 'source'> | null
  /** No row yet. */
  isNew: boolean
  isDirty: boolean
}

export interface RunCell {
  readonly slug: string
  readonly runId: string
  status: RunStatus
  /** The ceiling that the run has reached; null: none. */
  cappedAtMicros: bigint | null
  spentMicros: bigint
  calls: number
  readonly startedAtMs: number
  lastCallAtMs: number
  isNew: boolean
  isDirty: boolean
}

/** The spender of a `Spend` that is the whole person: all keys together. */
export const wholePerson = ''
/** The spender that is every portal line of the person together. No line has that ID. */
export const portalLines = 'portal'

/** Charges within one calendar window; the next window needs a new cell. */
export interface Spend {
  readonly period: Window
  readonly startsAtMs: number
  readonly endsAtMs: number | null
  micros: bigint
}

/** See `OnDemandSource`. */
export type OnDemandTerms = Pick<OnDemandSource, 'isEnabled' | 'limitMicros' | 'untilMs' | 'closedUntilMs'>

/** One person in one mode. */
export interface Person {
  readonly endUserId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly isFrozen: boolean
  readonly isRemoved: boolean
  /** Null: on no plan. */
  bundleId: string | null
  /** When the person leaves the plan; Infinity: they do not. */
  bundleUntilMs: number
  readonly subscribedAtMs: number
  readonly bundleSinceMs: number
  readonly onDemand: OnDemandTerms
  readonly limits: readonly EndUserLimit[]
  /** Not over, or pools with something on them; `sources[i]` is `cells[i].source`. */
  cells: SourceCell[]
  sources: Source[]
  /** Until then no source of that bundle is missing (due-sources.ts). */
  completeUntilMs: number
  completeFor: BundleCell | null
  /** By slug and id of the run in one text. */
  readonly runs: Map<string, RunCell>
  /** By ID of a line, `wholePerson` or `portalLines`; one of each kind of window at most. */
  readonly spends: Map<string, Spend[]>
}

/** A call in flight. */
export interface OpenHold {
  hold: Hold
  readonly person: Pick<Person, 'endUserId' | 'mode'>
  readonly applicationId: string
  readonly keyId: string
  /** See `KeyCell`. */
  readonly lineId: string
  readonly isPortalLine: boolean
  readonly outcome: { readonly slug: string; readonly runId: string; readonly ceilingMicros: bigint } | null
  /** Who answers now, in its stored form (rows/json-columns.ts). */
  targetText: string
  /** Who did not (rows/attempts.ts); null: the first one has not failed. */
  attempts: Attempts | null
  readonly inputEstimate: number
  readonly epoch: number
  readonly reservedAtMs: number
  readonly dispatchedAtMs: number | null
  checkpoint: Usage | null
  /** The slot in the embedded store (hold-slots.ts); null on PostgreSQL. */
  slot: HoldSlot | null
}

/** A row of the embedded store for calls in flight. */
export interface HoldSlot {
  readonly id: number
  readonly calls: OpenHold[]
  /** The row must be written. */
  isDirty: boolean
}

export interface NewEntry {
  readonly person: Person
  readonly cell: SourceCell
  readonly kind: LedgerKind
  readonly unit: Unit
  readonly amount: bigint
  /** The part of it that is given money, where the posting says so; null: the kind decides it. */
  readonly given: bigint | null
  readonly callId: string | null
  readonly grantId: string | null
  readonly reason: string | null
  readonly idempotencyKey: string | null
  readonly atMs: number
}

/** An entry of a wallet or a pool that no call caused, as reversals read it. */
export interface CreditEntry {
  readonly sequence: number
  readonly kind: LedgerKind
  readonly amount: bigint
  readonly grantId: string | null
  readonly idempotencyKey: string
}

/** A usage record, as corrections read it. */
export interface StoredCall {
  readonly keyId: string
  readonly alias: string
  readonly accountId: string
  readonly bundle: string | null
  readonly outcomeSlug: string | null
  readonly runId: string | null
  readonly isRecovered: boolean
  readonly quoteId: string
  readonly usage: Usage
  readonly billedMicros: bigint
  readonly chargeMicros: bigint
  readonly worstMicros: bigint
  readonly legs: readonly Leg[]
  /** Null: the record is from before the split. */
  readonly paid: Paid | null
}

/** A correction of a call, as later ones read it. */
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

/** What one reversal has taken back within a batch. */
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
  /** Their cost is in `result.costMicros`. */
  readonly attempts: Attempts | null
  /** Null if the usage states no cost. */
  readonly isDisputed: boolean | null
}

/** A call that was charged nothing, and what it cost nevertheless. */
export interface NewRequest {
  readonly record: RequestRecord
  readonly attempts: Attempts | null
}

/** The terms of a grant; a large one names its people in several operations. */
export type GrantTerms = Omit<CreditRequest, 'endUserIds'>

export interface StoredGrant {
  readonly grantId: string
  readonly requestHash: string
  readonly endUsers: number
  /** All of its people until it is finished, then null. */
  readonly pending: readonly string[] | null
  /** So many of them have it. */
  readonly done: number
}

/** Precision of `keys.last_used_at_ms`: a write per key and minute, not per call. */
export const keyUsedEveryMs = 60_000

export function runName(slug: string, runId: string): string {
  return `${slug}\n${runId}`
}
