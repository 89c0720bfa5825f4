import type { Mode } from '#domain/accounts/account.ts'
import type { CallRecord, RequestFilter } from './records.ts'

/** Calls as they end, for readers that follow them. */
export interface CallTail {
  /**
   * Follows the calls of an application and mode from now on.
   * @returns null if the organization already has the maximum number of readers in this process (`readersMax`)
   */
  follow(wanted: TailWanted): TailReader | null
  readonly readersMax: number
}

export interface TailWanted {
  readonly organizationId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly filter: TailFilter
  /** Starts after this place, for a reader that reconnects. Null means starting with calls that end from now on. */
  readonly after: TailPlace | null
  /** Returns the text of a call. `call` is the same object for all readers. */
  readonly write: (call: CallRecord, labels: AccountLabels) => string
}

/** The label of each provider account of the organization, by ID. */
export type AccountLabels = ReadonlyMap<string, string>

/** The filters of a list of calls, except those for time and runs. */
export type TailFilter = Omit<RequestFilter, 'fromMs' | 'toMs' | 'outcomeSlug' | 'runId' | 'callId'>

/**
 * A place in the order in which calls end. It is derived from the record of a call, so every process computes the same
 * place, also later.
 */
export interface TailPlace {
  /** Milliseconds since 1970, in real time and not by a test clock. */
  readonly endedAtMs: number
  readonly callId: string
}

export interface TailEvent {
  /** Null if calls that ended later were already sent. A reader that reconnects is already past this call. */
  readonly place: TailPlace | null
  readonly text: string
}

/** The next piece for a reader. */
export type TailPiece =
  | { readonly kind: 'calls'; readonly events: readonly TailEvent[] }
  /** The calls that ended since then are too old or too many, and are omitted. */
  | { readonly kind: 'gap'; readonly after: TailPlace }
  /**
   * Nothing follows. The reader was too slow, calls of other processes may be missing, or the process is full and this
   * organization has the most readers.
   */
  | { readonly kind: 'dropped'; readonly reason: 'slow' | 'link_lost' | 'crowded' }
  /** No call has ended for a while. */
  | { readonly kind: 'quiet' }

export interface TailReader {
  /** Waits at most `quietMs`. Null means that nothing follows. */
  next(quietMs: number, ending: AbortSignal): Promise<TailPiece | null>
  leave(): void
}

/** Ended calls, for readers that follow them. */
export interface EndedCalls {
  /** Returns those of the calls that are recorded, in no particular order. */
  byIds(applicationId: string, mode: Mode, callIds: readonly string[]): Promise<readonly CallRecord[]>
  /**
   * Returns the places after a place, in order.
   * @param placesMax if there are more places, null is returned
   */
  placesBehind(
    applicationId: string,
    mode: Mode,
    after: TailPlace,
    placesMax: number,
  ): Promise<readonly TailPlace[] | null>
}

/** Whether a list with that filter contains the call. */
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

/** Compares two places, for sorting. */
export function comparePlaces(one: TailPlace, other: TailPlace): number {
  return (
    one.endedAtMs - other.endedAtMs || (one.callId < other.callId ? -1 : Number(one.callId > other.callId))
  )
}
