import type { Mode } from './account.ts'
import type { CallRecord, RequestFilter } from './records.ts'

/** Calls as they end, for whoever watches them. */
export interface CallTail {
  /**
   * Follows the calls of an application and mode from now on.
   * @returns null: the organization has as many readers in this process as it may have (`readersMax`)
   */
  follow(wanted: TailWanted): TailReader | null
  readonly readersMax: number
}

export interface TailWanted {
  readonly organizationId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly filter: TailFilter
  /** Begins behind this place, of a reader that comes back; null: with what ends from now on. */
  readonly after: TailPlace | null
  /** The text of a call; `call` is the same object for all readers. */
  readonly write: (call: CallRecord, labels: AccountLabels) => string
}

/** The label of each provider account of the organization, by id. */
export type AccountLabels = ReadonlyMap<string, string>

/** The filters of a list of calls, except those of time and of runs. */
export type TailFilter = Omit<RequestFilter, 'fromMs' | 'toMs' | 'outcomeSlug' | 'runId' | 'callId'>

/**
 * A place in the order in which calls end. It is made of what is recorded of a call, so that every process finds the
 * same one, also later.
 */
export interface TailPlace {
  /** Milliseconds since 1970, whatever a test clock says. */
  readonly endedAtMs: number
  readonly callId: string
}

export interface TailEvent {
  /** Null: calls that ended later were sent before it. Who comes back is behind it already. */
  readonly place: TailPlace | null
  readonly text: string
}

/** What a reader gets next. */
export type TailPiece =
  | { readonly kind: 'calls'; readonly events: readonly TailEvent[] }
  /** What ended since then is too long ago, or too much: it is left out. */
  | { readonly kind: 'gap'; readonly after: TailPlace }
  /**
   * Nothing follows: it did not take what it was sent, calls of other processes may be missing, or the process is full
   * and its organization has the most readers.
   */
  | { readonly kind: 'dropped'; readonly reason: 'slow' | 'link_lost' | 'crowded' }
  /** Nothing has ended for a while. */
  | { readonly kind: 'quiet' }

export interface TailReader {
  /** Waits `quietMs` at most. Null: nothing follows. */
  next(quietMs: number, ending: AbortSignal): Promise<TailPiece | null>
  leave(): void
}

/** Ended calls, for those who watch them. */
export interface EndedCalls {
  /** Those of the calls that are recorded, in no order. */
  byIds(applicationId: string, mode: Mode, callIds: readonly string[]): Promise<readonly CallRecord[]>
  /**
   * The places behind one, in order.
   * @param placesMax null is answered when there are more
   */
  placesBehind(
    applicationId: string,
    mode: Mode,
    after: TailPlace,
    placesMax: number,
  ): Promise<readonly TailPlace[] | null>
}

/** Whether a list with that filter has the call. */
export function isTailed(filter: TailFilter, call: CallRecord): boolean {
  const { accountId, alias, endUserId, errorCode, keyId, minCostMicros, status, statusClass } = filter
  const { httpStatus = null } = filter
  return (
    (httpStatus === null || call.httpStatus === httpStatus) &&
    (endUserId === null || call.endUserId === endUserId) &&
    (keyId === null || call.keyId === keyId) &&
    (alias === null || call.alias === alias) &&
    (status === null || call.status === status) &&
    (accountId === null || call.target?.accountId === accountId) &&
    (statusClass === null || String(call.httpStatus).startsWith(statusClass.charAt(0))) &&
    (errorCode === null || call.errorCode === errorCode) &&
    (minCostMicros === null || call.costMicros >= minCostMicros)
  )
}

/** Places in order. */
export function comparePlaces(one: TailPlace, other: TailPlace): number {
  return (
    one.endedAtMs - other.endedAtMs || (one.callId < other.callId ? -1 : Number(one.callId > other.callId))
  )
}
