/** The portal of an application: how end users sign in, how long sessions last, and what end users may do. */
import type { Window } from '#money/period.ts'
import type { Mode } from '#domain/accounts/account.ts'
import type { UsageSum } from './records.ts'

/** The end user of a portal link or session. */
interface PortalVisit {
  readonly id: string
  readonly organizationId: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Null means `write`. */
  readonly access: PortalAccess | null
  /** The member of the team who opened it, and the member's email address. Null if it is the end user's own. */
  readonly openedById: string | null
  readonly openedByLabel: string | null
}

export type PortalAccess = 'read' | 'write'

/** A portal link that has not been redeemed. Only the SHA-256 of its token is stored. */
export interface PortalLink extends PortalVisit {
  /** A path on the portal's host. */
  readonly returnPath: string
}

/** The session of an end user who is signed in. Only the SHA-256 of its secret is stored. */
export interface PortalSession extends PortalVisit {
  readonly lastUsedAtMs: number
  /** The link that started the session. Null if unknown. */
  readonly linkId: string | null
}

export interface PortalSettings {
  /** Whether end users create keys themselves, and revoke keys that they did not create. */
  readonly endUsersMayMintKeys: boolean
  /** Maximum cap of a key that an end user creates, in micros. Null means that such a key may have no cap. */
  readonly keyCapMicros: bigint | null
  readonly keyCapPeriod: Window
  /**
   * Maximum spend per `keyCapPeriod` of all keys together that one end user created in the portal, in micros. The sum
   * of their caps is limited to the same amount. Null means no total.
   */
  readonly keyCapsTotalMicros: bigint | null
}

/** End users cannot create keys until the application has set how much such keys may spend together. */
export const defaultPortalSettings: PortalSettings = {
  endUsersMayMintKeys: false,
  keyCapMicros: null,
  keyCapPeriod: 'month',
  keyCapsTotalMicros: null,
}

/** The usage of one alias on one day. */
export interface UsageOfDay extends UsageSum {
  /** Days since 1970, UTC. */
  readonly day: number
  /** The amount debited to pools, wallet or on-demand, in micros. */
  readonly chargeMicros: bigint
}

/** Days since 1970 (UTC). `toDay` is exclusive; null means no end. */
export interface Days {
  readonly fromDay: number | null
  readonly toDay: number | null
}

export interface Portals {
  /** Also deletes expired links. */
  insertLink(link: PortalLink, hash: string): Promise<void>
  /**
   * Takes the link and deletes it. If several attempts run concurrently, only one gets the link.
   * @param hash SHA-256 of the token, lower-case hex
   * @param applicationId the application that the link must belong to; null means any
   * @returns null if the link is unknown, already used, expired or of another application
   */
  takeLink(hash: string, applicationId: string | null, nowMs: number): Promise<PortalLink | null>
  /** Also deletes expired sessions. */
  insertSession(session: PortalSession, hash: string): Promise<void>
  /** Also returns expired sessions. */
  session(hash: string): Promise<PortalSession | null>
  isSessionThere(id: string): Promise<boolean>
  touchSession(id: string, atMs: number): Promise<void>
  endSession(id: string): Promise<void>
  /** By the SHA-256 of the secret. */
  endSessionByHash(hash: string): Promise<void>
  /** Ends all sessions and deletes all links of an end user. */
  endVisits(endUserId: string): Promise<void>
  settings(applicationId: string): Promise<PortalSettings>
  putSettings(applicationId: string, settings: PortalSettings): Promise<void>
  /** Returns the customer's on-demand ceiling for the end user, who cannot raise it. Null if no ceiling is set. */
  onDemandCeiling(endUserId: string, mode: Mode): Promise<bigint | null>
  setOnDemandCeiling(endUserId: string, mode: Mode, ceilingMicros: bigint | null): Promise<void>
  callsInFlight(applicationId: string, endUserId: string, mode: Mode): Promise<number>
  /** Returns the charges of the calls on the given days, in micros. */
  chargedMicros(endUserId: string, mode: Mode, days: Days): Promise<bigint>
  /** Returns the first day with usage, in days since 1970 (UTC). Null if there is no usage yet. */
  firstUseDay(endUserId: string, mode: Mode): Promise<number | null>
  /** Newest day first, then in alias order. */
  usageByDay(endUserId: string, mode: Mode, days: Days): Promise<readonly UsageOfDay[]>
}
