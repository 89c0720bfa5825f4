import type { RateRule } from '#money/decision-types.ts'
import type { Window } from '#money/periods-and-windows.ts'
import type { Mode } from './application-config.ts'
import type { EndUser } from './end-user-record.ts'
import type { Rows } from './list-page.ts'
import type { KeyFilter, KeySort, SortedPage } from './list-sorting-and-filters.ts'

/** An end user's API key without its secret. */
export interface Key {
  readonly id: string
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  readonly name: string
  readonly prefix: string
  readonly lastFour: string
  readonly capMicros: bigint | null
  readonly capPeriod: Window
  /** Each key has its own limits, but the limits count the requests of the whole key line. */
  readonly limits: readonly RateRule[]
  /** The tags of a key never change. */
  readonly tags: readonly string[]
  readonly actorType: string
  readonly actorLabel: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
  readonly replacedBy: string | null
  /**
   * ID of the first key of the key line. Null if this key is the first key of the line. A single cap applies to the
   * whole key line.
   */
  readonly lineId: string | null
  /** `actorType` of the first key of the key line. */
  readonly lineActorType: string | null
}

/** Returns the ID of the key line: a key and the keys that replaced this key by rotation. */
export function lineOf({ id, lineId }: Pick<Key, 'id' | 'lineId'>): string {
  return lineId ?? id
}

/** Whether the end user created the first key of the key line in the portal. */
export function isPortalLine({
  actorType,
  lineActorType,
}: Pick<Key, 'actorType' | 'lineActorType'>): boolean {
  return (lineActorType ?? actorType) === 'end_user'
}

export function hasExpired({ expiresAtMs }: Pick<Key, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs
}

export interface KeyListed extends Key {
  readonly externalId: string
}

export interface Keys {
  insert(key: Key, hash: string): Promise<void>
  byId(applicationId: string, id: string): Promise<KeyListed | null>
  /** Prefixes are random and nearly always unique. */
  byPrefix(applicationId: string, prefix: string): Promise<readonly KeyListed[]>
  /** Returns the keys of one end user and mode that are not revoked. */
  held(endUserId: string, mode: Mode): Promise<readonly KeyListed[]>
  /** Returns all keys of one end user and mode whose key line began in the portal, including revoked keys. */
  ofPortal(endUserId: string, mode: Mode): Promise<readonly KeyListed[]>
  /** @param nowMs the time by the clock of the mode */
  list(
    applicationId: string,
    filter: KeyFilter,
    page: SortedPage<KeySort>,
    nowMs: number,
  ): Promise<Rows<KeyListed>>
  /** Returns the charges of requests that settled on the given days, by key line. */
  charged(
    endUserIds: readonly string[],
    mode: Mode,
    days: { readonly fromDay: number; readonly toDay: number | null },
  ): Promise<ReadonlyMap<string, bigint>>
  /** Returns the worst-case cost of requests in flight, by key line. */
  inFlight(
    applicationId: string,
    endUserIds: readonly string[],
    mode: Mode,
  ): Promise<ReadonlyMap<string, { readonly calls: number; readonly heldMicros: bigint }>>
  /** Returns, by end-user ID, when any of the end user's keys was last used. */
  lastUsed(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, number>>
  /** Sets the cap and the limits of a key, and of all keys of its key line that are not revoked. */
  setCap(
    key: Pick<Key, 'id' | 'lineId' | 'endUserId'>,
    cap: Pick<Key, 'capMicros' | 'capPeriod' | 'limits'>,
  ): Promise<void>
  /**
   * Revokes a key, and ends the grace period of the keys that this key replaced.
   * @returns the IDs of the earlier keys that were revoked together with this key
   */
  revoke(key: Pick<Key, 'id' | 'lineId' | 'endUserId'>, atMs: number): Promise<readonly string[]>
  /**
   * Sets the expiry of a key to `endsAtMs`, because another key replaces it.
   * @returns false if the key was already replaced or revoked, or has expired
   */
  replace(
    id: string,
    by: { readonly replacedBy: string; readonly endsAtMs: number; readonly nowMs: number },
  ): Promise<boolean>
  /**
   * Revokes every key of a deleted end user, in both modes. Also deletes the texts that identify the end user: the name
   * of each key, and the label of an actor who is the end user.
   * @returns the number of keys that were not revoked before
   */
  removePerson(person: Pick<EndUser, 'id' | 'externalId' | 'email'>, atMs: number): Promise<number>
}
