/** The portal of an application: how people come in, how long they stay, what they may do there. */
import type { Window } from '#money/period.ts'
import type { Mode } from './account.ts'
import type { UsageSum } from './records.ts'

/** Whom a link or a session of the portal is for. */
interface PortalVisit {
  readonly id: string
  readonly organizationId: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Null: as `write`. */
  readonly access: PortalAccess | null
  /** The member of the team who opened it, and their e-mail address. Null: it is the end user's own. */
  readonly openedById: string | null
  readonly openedByLabel: string | null
}

export type PortalAccess = 'read' | 'write'

/** A handoff that was not redeemed yet. Only the SHA-256 of its token is stored. */
export interface PortalLink extends PortalVisit {
  /** A path on the portal's host. */
  readonly returnPath: string
}

/** A person who is signed in. Only the SHA-256 of its secret is stored. */
export interface PortalSession extends PortalVisit {
  readonly lastUsedAtMs: number
  /** The link that began it. Null: not known. */
  readonly linkId: string | null
}

export interface PortalSettings {
  /** Whether people mint keys themselves, and revoke keys that they did not mint. */
  readonly endUsersMayMintKeys: boolean
  /** The widest cap of a key that a person mints; null: such a key may be without one. */
  readonly keyCapMicros: bigint | null
  readonly keyCapPeriod: Window
  /**
   * What all keys that one end user created in the portal may spend together per `keyCapPeriod`; their caps add up to
   * this at most. Null: no total.
   */
  readonly keyCapsTotalMicros: bigint | null
}

/** End users create no keys until the application has decided what such keys may spend together. */
export const defaultPortalSettings: PortalSettings = {
  endUsersMayMintKeys: false,
  keyCapMicros: null,
  keyCapPeriod: 'month',
  keyCapsTotalMicros: null,
}

/** The use of one alias on one day. */
export interface UsageOfDay extends UsageSum {
  /** Days since 1970, UTC. */
  readonly day: number
  /** What left their pools, wallet or on-demand. */
  readonly chargeMicros: bigint
}

/** Days since 1970 (UTC); `toDay` is not included, null: without end. */
export interface Days {
  readonly fromDay: number | null
  readonly toDay: number | null
}

export interface Portals {
  /** Forgets expired links too. */
  insertLink(link: PortalLink, hash: string): Promise<void>
  /**
   * Takes the link away: of all who try at once, one gets it.
   * @param hash SHA-256 of the token, lower-case hex
   * @param applicationId the application that it must be of; null: any
   * @returns null: it is unknown, taken, expired or of another application
   */
  takeLink(hash: string, applicationId: string | null, nowMs: number): Promise<PortalLink | null>
  /** Forgets expired sessions too. */
  insertSession(session: PortalSession, hash: string): Promise<void>
  /** Expired ones too. */
  session(hash: string): Promise<PortalSession | null>
  isSessionThere(id: string): Promise<boolean>
  touchSession(id: string, atMs: number): Promise<void>
  endSession(id: string): Promise<void>
  /** By the SHA-256 of the secret. */
  endSessionByHash(hash: string): Promise<void>
  /** Ends every session and every link of a person. */
  endVisits(endUserId: string): Promise<void>
  settings(applicationId: string): Promise<PortalSettings>
  putSettings(applicationId: string, settings: PortalSettings): Promise<void>
  /** What the customer has set as the person's on-demand ceiling, which the person cannot raise; null: none. */
  onDemandCeiling(endUserId: string, mode: Mode): Promise<bigint | null>
  setOnDemandCeiling(endUserId: string, mode: Mode, ceilingMicros: bigint | null): Promise<void>
  callsInFlight(applicationId: string, endUserId: string, mode: Mode): Promise<number>
  /** What calls of those days were charged. */
  chargedMicros(endUserId: string, mode: Mode, days: Days): Promise<bigint>
  /** The first day of any use, in days since 1970 (UTC); null: nothing was used yet. */
  firstUseDay(endUserId: string, mode: Mode): Promise<number | null>
  /** Newest day first, then in alias order. */
  usageByDay(endUserId: string, mode: Mode, days: Days): Promise<readonly UsageOfDay[]>
}
