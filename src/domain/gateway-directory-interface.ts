import type { AccountKey } from '#domain/billing/money-account-key.ts'
import type { ApplicationConfig, KeyRecord } from './application-config.ts'
import type { DayUse, LimitScope } from './daily-limits.ts'

/** The data that the gateway reads without the ledger, such as keys by hash and compiled configurations. */
export interface Directory {
  config(applicationId: string): Promise<ApplicationConfig | null>
  /** The gateway compares this version to detect that a cached configuration is outdated. */
  configVersion(applicationId: string): Promise<number | null>
  /**
   * Returns the application's key whose whole secret has this SHA-256 (lower-case hex). The key may be revoked or
   * expired, because the reserve transaction rejects such keys.
   */
  key(applicationId: string, hash: string): Promise<KeyRecord | null>
  /** Returns the hashes that belong to a key of any application. @param hashes as for `key`; at least one */
  keysAmong(hashes: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns how much an end user can spend. @param realMs the real time, even in test mode */
  means(account: AccountKey, realMs: number): Promise<Means>
  /**
   * Returns the earliest past-due invoice that blocks on-demand billing. Null if no invoice blocks on-demand billing,
   * or if the blocking invoice is not issued yet.
   */
  overdueInvoice(account: AccountKey, realMs: number): Promise<OverdueInvoice | null>
  /** Returns the usage that counts against the daily limit of the scope. @param dayStartsAtMs midnight, UTC */
  dayUse(scope: LimitScope, dayStartsAtMs: number): Promise<DayUse>
  /**
   * Returns every application that a request can select by its Host header (surface-selected-by-host.ts), with its
   * ports. Includes archived applications.
   */
  applications(): Promise<readonly ApplicationHost[]>
}

/**
 * The maximum that an end user could pay, including the amounts held by calls in flight. By this maximum, the gateway
 * rejects calls that the end user could not pay even if all holds were released. The reserve transaction makes the
 * final decision.
 */
export interface Means {
  readonly isFrozen: boolean
  /**
   * The sum of the amounts that the end user's sources of money can pay, in micros. Null if a source has no maximum.
   * Also null if the next call grants a pool, because the pool's amount is not known before that call.
   */
  readonly micros: bigint | null
  readonly hasCredits: boolean
}

export interface OverdueInvoice {
  readonly id: string
  readonly amountMicros: bigint
  readonly dueAtMs: number
}

export interface ApplicationHost {
  readonly applicationId: string
  readonly slug: string
  readonly gatewayPort: number | null
  readonly portalPort: number | null
  /**
   * If true, the application's hosts only return an error, which states that the application is archived. The hosts of
   * an archived application are never assigned to another application.
   */
  readonly isArchived: boolean
}
