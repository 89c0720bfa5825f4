/**
 * The memory of a decision about money while the writer works. The book (book.ts) reads these cells from
 * rows, and writes the changed ones back in the transaction of the batch.
 */
import type { CreditRequest, RequestRecord, SettleRequest, SettleResult } from '#domain/ledger.ts'
import type { Mode } from '#domain/application-config.ts'
import type { TestClock } from '#domain/test-clock.ts'
import type { Include, OwnedPool } from '#money/plan-pools.ts'
import type { Hold, OnDemandSource, RunStatus, Source, Unit } from '#money/hold.ts'
import type { Interval, Window } from '#money/period.ts'
import type { LedgerKind } from '#money/posting.ts'
import type { Usage } from '#money/usage.ts'
import type { Attempts } from '#store/rows/attempts.ts'

export interface ApplicationCell extends TestClock {
  readonly configVersion: number
  readonly isArchived: boolean
}

export interface KeyCell {
  readonly id: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
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

/** Charges within one calendar window; the next window needs a new cell. */
export interface Spend {
  readonly period: Window
  readonly startsAtMs: number
  readonly endsAtMs: number | null
  micros: bigint
}

/** See `OnDemandSource`. */
export type OnDemandTerms = Pick<OnDemandSource, 'isEnabled' | 'limitMicros' | 'untilMs'>

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
  /** Not over, or pools with something on them; `sources[i]` is `cells[i].source`. */
  cells: SourceCell[]
  sources: Source[]
  /** Until then no source of that bundle is missing (due-sources.ts). */
  completeUntilMs: number
  completeFor: BundleCell | null
  /** By slug and id of the run in one text. */
  readonly runs: Map<string, RunCell>
  /** By key id; '' for the whole person. */
  readonly spends: Map<string, Spend>
}

/** A call in flight. */
export interface OpenHold {
  hold: Hold
  readonly person: Pick<Person, 'endUserId' | 'mode'>
  readonly applicationId: string
  readonly keyId: string
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
  readonly callId: string | null
  readonly grantId: string | null
  readonly reason: string | null
  readonly idempotencyKey: string | null
  readonly atMs: number
}

export interface NewUsageRecord {
  readonly open: OpenHold
  readonly usage: Usage
  readonly inputTokens: number
  readonly tokenSource: SettleRequest['tokenSource'] | 'recovered'
  readonly result: SettleResult
  readonly legsText: string
  readonly firstEntry: number | null
  readonly atMs: number
  readonly went: RequestRecord
  /** Their cost is in `result.costMicros`. */
  readonly attempts: Attempts | null
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
