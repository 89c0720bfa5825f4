import type { Window } from '#money/periods-and-windows.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { UsageSum } from '#domain/reports/usage-sum-of-model-name.ts'

interface PortalVisit {
  readonly id: string
  readonly organizationId: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Null means the access `write`. */
  readonly access: PortalAccess | null
  /**
   * ID of the member of the customer's organization who opened the portal, in person or with the token of a device.
   * When the member is removed, the session ends.
   */
  readonly openedById: string | null
  /** Shown to the end user. Null if a token opened the portal. */
  readonly openedByLabel: string | null
}

export type PortalAccess = 'read' | 'write'

/** A portal link that has not been redeemed. Only the SHA-256 of its token is stored. */
export interface PortalLink extends PortalVisit {
  readonly returnPath: string
}

/** Only the SHA-256 of its secret is stored. */
export interface PortalSession extends PortalVisit {
  readonly lastUsedAtMs: number
  readonly linkId: string | null
}

export interface PortalSettings {
  /** Whether end users may create keys themselves, and revoke keys that they did not create. */
  readonly endUsersMayMintKeys: boolean
  /**
   * Maximum cap of a key that an end user creates, in micros. Null means that end users may create keys without a cap.
   */
  readonly keyCapMicros: bigint | null
  readonly keyCapPeriod: Window
  /**
   * Maximum amount, in micros, that the keys that an end user created in the portal may spend together in each
   * `keyCapPeriod`. The sum of the caps of these keys may also not exceed this amount. Null means no limit.
   */
  readonly keyCapsTotalMicros: bigint | null
}

/**
 * By default, end users cannot create keys. Before an application allows end users to create keys, the application must
 * set how much these keys may spend together.
 */
export const defaultPortalSettings: PortalSettings = {
  endUsersMayMintKeys: false,
  keyCapMicros: null,
  keyCapPeriod: 'month',
  keyCapsTotalMicros: null,
}

export interface UsageOfDay extends UsageSum {
  /** Number of days since January 1, 1970, UTC. */
  readonly day: number
  /** The amount debited to pools, the wallet or on-demand, in micros. */
  readonly chargeMicros: bigint
}

/**
 * A range of days, as numbers of days since 1970 (UTC). `toDay` is exclusive. If a field is null, the range is open at
 * this end.
 */
export interface Days {
  readonly fromDay: number | null
  readonly toDay: number | null
}

export interface Portals {
  /** Also deletes expired links. */
  insertLink(link: PortalLink, hash: string): Promise<void>
  /**
   * Returns the link and deletes it. If several attempts run concurrently, only one attempt gets the link.
   * @param hash SHA-256 of the token, lower-case hex
   * @param applicationId the application that the link must belong to; null means any
   * @returns null if the link is unknown, already used, expired or of another application
   */
  takeLink(hash: string, applicationId: string | null, nowMs: number): Promise<PortalLink | null>
  /** Also deletes expired sessions. */
  insertSession(session: PortalSession, hash: string): Promise<void>
  /** Returns a session, even if it has expired. */
  session(hash: string): Promise<PortalSession | null>
  isSessionThere(id: string): Promise<boolean>
  touchSession(id: string, atMs: number): Promise<void>
  endSession(id: string): Promise<void>
  endSessionByHash(hash: string): Promise<void>
  endVisits(endUserId: string): Promise<void>
  /**
   * Ends the portal links and sessions that the member of the team opened: in a session of the member, with a device
   * token of the member, or either.
   */
  endVisitsOpenedBy(memberId: string, how: 'in_session' | 'with_device_token' | 'either'): Promise<void>
  settings(applicationId: string): Promise<PortalSettings>
  putSettings(applicationId: string, settings: PortalSettings): Promise<void>
  /**
   * Returns the maximum that the application allows the end user to spend on demand. The end user cannot raise this
   * maximum.
   */
  onDemandCeiling(endUserId: string, mode: Mode): Promise<bigint | null>
  setOnDemandCeiling(endUserId: string, mode: Mode, ceilingMicros: bigint | null): Promise<void>
  callsInFlight(applicationId: string, endUserId: string, mode: Mode): Promise<number>
  chargedMicros(endUserId: string, mode: Mode, days: Days): Promise<bigint>
  /** Returns the first day with usage, in days since 1970 (UTC). */
  firstUseDay(endUserId: string, mode: Mode): Promise<number | null>
  /** Returns usage with the newest day first, and within a day sorted by alias. */
  usageByDay(endUserId: string, mode: Mode, days: Days): Promise<readonly UsageOfDay[]>
}
