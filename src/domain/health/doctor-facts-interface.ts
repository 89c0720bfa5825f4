import type { Usage } from '#money/usage-counts.ts'
import type { Mode } from '#domain/application-config.ts'

export interface AccountAnswer {
  readonly accountId: string
  readonly atMs: number
  /** Null if the call succeeded. */
  readonly errorCode: string | null
}

/** The values that the provider states in a response, for a comparison with the stored record. */
export interface ComparedCall {
  readonly callId: string
  readonly accountId: string
  readonly model: string
  readonly usage: Usage
  /** Cost of this attempt alone, in micros. */
  readonly costMicros: bigint
}

/** A charged call that a model other than the requested one answered. */
export interface SubstitutedCall {
  readonly callId: string
  readonly accountId: string
  readonly model: string
  /** The name that the provider states for the model that answered. */
  readonly answeredBy: string
}

/** A charged call whose input, by the provider's count, exceeded the maximum input for which money was held. */
export interface OversizedCall {
  readonly callId: string
  readonly accountId: string
  readonly model: string
  readonly inputTokens: number
  readonly inputTokensMax: number
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
  /** A sentence for each source whose stored balance differs from its ledger entries. */
  readonly differences: readonly string[]
}

/** The number of rows per read is limited, regardless of the size of the store. */
export interface Diagnosis {
  /** Null if the database runs in this process and has no clock of its own. */
  clockMs(): Promise<number | null>
  /** Returns the nodes of a distributed database that do not respond, as host and port. */
  nodesAway(): Promise<readonly string[]>
  /**
   * Returns the time of the newest ledger entry. Null if the newest entry is unknown, because the database does not
   * number ledger entries in commit order. Null also if the newest entry is of test mode.
   */
  newestEntryMs(): Promise<number | null>
  hasKey(applicationId: string, mode: Mode, nowMs: number): Promise<boolean>
  /**
   * Returns whether end users of the application received money, by a grant or by a plan's pool. For pools, only the
   * newest 200 end users are searched.
   */
  isFunded(applicationId: string, mode: Mode): Promise<boolean>
  frozen(applicationId: string, limit: number): Promise<readonly FrozenPerson[]>
  /**
   * Returns IDs of end users. The senders of the newest `calls` calls come first, followed by the newest 200 end users.
   */
  recentPeople(applicationId: string, mode: Mode, calls: number): Promise<readonly string[]>
  negativeWallets(endUserIds: readonly string[], mode: Mode): Promise<readonly NegativeWallet[]>
  /** Returns the open holds that were reserved before `beforeMs`, oldest first. */
  openHolds(applicationId: string, mode: Mode, beforeMs: number, limit: number): Promise<readonly OpenHold[]>
  /** `oldestAtMs` is the time of the oldest request, or null if no call is in flight. */
  holdsInFlight(): Promise<{ readonly count: number; readonly oldestAtMs: number | null }>
  schemaVersion(): Promise<number>
  /**
   * Reads the newest `limit` charged calls and the newest `limit` failed calls, with their attempts, newest first.
   * Calls before `sinceMs` are omitted.
   */
  accountAnswers(
    applicationId: string,
    mode: Mode,
    sinceMs: number,
    limit: number,
  ): Promise<readonly AccountAnswer[]>
  /**
   * Searches the newest `limit` charged calls. Returns the calls for which the provider stated a cost, exceeded the
   * requested maximum of output tokens, or searched the web. Also returns disputed calls for which the provider stated a
   * service tier. The newest call comes first.
   */
  comparedCalls(applicationId: string, mode: Mode, limit: number): Promise<readonly ComparedCall[]>
  /**
   * Among the newest `limit` charged calls, returns those that a model other than the requested one answered. The
   * newest call comes first.
   */
  substitutedCalls(applicationId: string, mode: Mode, limit: number): Promise<readonly SubstitutedCall[]>
  /**
   * Among the newest `limit` charged calls, returns calls whose input was larger than the computed maximum. The newest
   * call comes first.
   */
  oversizedCalls(applicationId: string, mode: Mode, limit: number): Promise<readonly OversizedCall[]>
  /** For each source of these end users, compares the balance with the source's newest ledger entries. */
  ledgerSample(endUserIds: readonly string[], mode: Mode, entries: number): Promise<LedgerSample>
}
