import type { AccountKey } from './account.ts'
import type { ApplicationConfig, KeyRecord } from './application-config.ts'
import type { DayUse, LimitScope } from './daily-limits.ts'

/** What the gateway reads besides money: keys by hash, and compiled configuration. */
export interface Directory {
  /** Null: there is no such application. */
  config(applicationId: string): Promise<ApplicationConfig | null>
  /** The version of the configuration as stored now: whether a remembered one is old, for one read. */
  configVersion(applicationId: string): Promise<number | null>
  /**
   * The key whose whole secret has this SHA-256 (lower-case hex), if it belongs to that application. Revoked
   * and expired keys are found too: the reserve refuses them.
   */
  key(applicationId: string, hash: string): Promise<KeyRecord | null>
  /** The money of a person. @param realMs the real time, also in test mode */
  means(account: AccountKey, realMs: number): Promise<Means>
  /** The past-due invoice that keeps on-demand from paying, the earliest; null: none does, or it is not issued yet. */
  overdueInvoice(account: AccountKey, realMs: number): Promise<OverdueInvoice | null>
  /** What counts against the daily limit of that scope. @param dayStartsAtMs midnight, UTC */
  dayUse(scope: LimitScope, dayStartsAtMs: number): Promise<DayUse>
  /** Every application that a host can select, archived ones too, with its ports (see host-surfaces.ts). */
  applications(): Promise<readonly ApplicationHost[]>
}

/**
 * The most that a person could pay, holds of calls in flight included: for refusing calls that no release
 * could make payable. What may really be spent, the reserve decides.
 */
export interface Means {
  readonly isFrozen: boolean
  /** All sources in micros together; null: without a ceiling, or a pool is granted with the next call. */
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
  /** Its hosts answer only that it is archived: nobody else ever gets them. */
  readonly isArchived: boolean
}
