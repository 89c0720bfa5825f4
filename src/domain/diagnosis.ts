import type { Usage } from '#money/usage.ts'
import type { Mode } from './application-config.ts'

/** How a call through a provider account went. */
export interface AccountAnswer {
  readonly accountId: string
  readonly atMs: number
  /** Code of the failure; null: it was answered. */
  readonly errorCode: string | null
}

/** What a provider answered with, where it can be compared with what was recorded. */
export interface ComparedCall {
  readonly callId: string
  readonly accountId: string
  readonly model: string
  readonly usage: Usage
  /** Of this attempt alone. */
  readonly costMicros: bigint
}

export interface OpenHold {
  readonly callId: string
  readonly externalId: string
  readonly reservedAtMs: number
  readonly worstMicros: bigint
}

export interface FrozenPerson {
  readonly externalId: string
  readonly frozenAtMs: number
}

export interface NegativeWallet {
  readonly externalId: string
  readonly postedMicros: bigint
}

export interface LedgerSample {
  readonly sources: number
  readonly entries: number
  /** A sentence for each source whose row or entries do not add up. */
  readonly differences: readonly string[]
}

/** Facts that find faults. Each read is bounded, whatever the size of the store. */
export interface Diagnosis {
  /** The clock of the database; null: it is in this process and has none of its own. */
  clockMs(): Promise<number | null>
  /** When the newest ledger entry was written, where entries are in the order of their commits; null: not known. */
  newestEntryMs(): Promise<number | null>
  /** Whether the application has a key of the mode that is neither revoked nor expired. */
  hasKey(applicationId: string, mode: Mode, nowMs: number): Promise<boolean>
  /** Whether people of the application were given money: by a grant, or by a pool of the newest 200 people. */
  isFunded(applicationId: string, mode: Mode): Promise<boolean>
  frozen(applicationId: string, limit: number): Promise<readonly FrozenPerson[]>
  /** Ids of the people of the newest `calls`, the newest first, and of the newest 200 people. */
  recentPeople(applicationId: string, mode: Mode, calls: number): Promise<readonly string[]>
  negativeWallets(endUserIds: readonly string[], mode: Mode): Promise<readonly NegativeWallet[]>
  /** The oldest first, of those reserved before that time. */
  openHolds(applicationId: string, mode: Mode, beforeMs: number, limit: number): Promise<readonly OpenHold[]>
  /** Calls in flight, of everyone; `oldestAtMs` is when the oldest was asked for, null: there is none. */
  holdsInFlight(): Promise<{ readonly count: number; readonly oldestAtMs: number | null }>
  /** Version of the newest migration that the store has. */
  schemaVersion(): Promise<number>
  /** Of the newest `limit` charged and `limit` failed calls since then, and of their attempts, the newest first. */
  accountAnswers(
    applicationId: string,
    mode: Mode,
    sinceMs: number,
    limit: number,
  ): Promise<readonly AccountAnswer[]>
  /**
   * Of the newest `limit` charged calls, those whose provider states a cost or passed its maximum, the newest first.
   */
  comparedCalls(applicationId: string, mode: Mode, limit: number): Promise<readonly ComparedCall[]>
  /** Each source of these people against its entries, from the newest `entries` of it back. */
  ledgerSample(endUserIds: readonly string[], mode: Mode, entries: number): Promise<LedgerSample>
}
