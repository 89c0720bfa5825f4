import type { KeyRecord, Snapshot } from './snapshot.ts'

/** What the gateway reads besides money: keys by hash, and compiled configuration. */
export interface Directory {
  /** Null: no such application. */
  snapshot(applicationId: string): Promise<Snapshot | null>
  /**
   * The key whose whole secret has this SHA-256 (lower-case hex), if it belongs to that application.
   * Revoked and expired keys are found too: what became of them is decided by the reserve.
   */
  key(applicationId: string, hash: string): Promise<KeyRecord | null>
  /** Every application that a host can select, with its ports (see hosts.ts). */
  applications(): Promise<readonly ApplicationHost[]>
}

export interface ApplicationHost {
  readonly applicationId: string
  readonly slug: string
  readonly gatewayPort: number | null
  readonly portalPort: number | null
}
