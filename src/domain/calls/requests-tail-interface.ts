import type { Mode } from '#domain/billing/money-account-key.ts'
import type { RequestFilter } from './call-filter.ts'
import type { CallRecord } from './call-record.ts'

export interface CallTail {
  /** @returns null if the organization already has the maximum number of readers in this process (`readersMax`) */
  follow(wanted: TailWanted): TailReader | null
  readonly readersMax: number
}

export interface TailWanted {
  readonly organizationId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly filter: TailFilter
  /**
   * If a reader reconnects, the place of the last call that the reader received. Null means to start with calls that
   * end from now on.
   */
  readonly after: TailPlace | null
  /** Returns the text that is sent to the reader for a call. The `call` object is the same for all readers. */
  readonly write: (call: CallRecord, labels: CallLabels) => string
}

/** The labels of the organization's provider accounts, by ID, and the slugs of the application's teams, by payer. */
export type CallLabels = ReadonlyMap<string, string>

export type TailFilter = Omit<RequestFilter, 'fromMs' | 'toMs' | 'outcomeSlug' | 'runId' | 'callId'>

/**
 * A place in the order in which calls end. The place is derived from the record of a call, so every process computes
 * the same place at any time.
 */
export interface TailPlace {
  /** Milliseconds since 1970. The time is real time, even if the test clock of the application is ahead. */
  readonly endedAtMs: number
  readonly callId: string
}

export interface TailEvent {
  /**
   * Null if calls that ended later were already sent, because a reader that reconnects must start after those calls.
   */
  readonly place: TailPlace | null
  readonly text: string
}

export type TailPiece =
  | { readonly kind: 'calls'; readonly events: readonly TailEvent[] }
  /**
   * Some calls ended while the reader was disconnected. These calls are not sent, because they are too many or too old.
   */
  | { readonly kind: 'gap'; readonly after: TailPlace }
  /**
   * The stream ends for one of these reasons. `slow` means that the reader was too slow. `link_lost` means that calls
   * of other processes may be missing. `crowded` means that this process has too many readers, and that this
   * organization has the most readers.
   */
  | { readonly kind: 'dropped'; readonly reason: 'slow' | 'link_lost' | 'crowded' }
  /** No call has ended for a while, so an empty item keeps the connection alive. */
  | { readonly kind: 'quiet' }

export interface TailReader {
  /** Waits for the next item, for at most `quietMs`. Null means that the stream has ended. */
  next(quietMs: number, ending: AbortSignal): Promise<TailPiece | null>
  leave(): void
}

export interface EndedCalls {
  /** Returns the calls among these IDs that are recorded, in no particular order. */
  byIds(applicationId: string, mode: Mode, callIds: readonly string[]): Promise<readonly CallRecord[]>
  /**
   * Returns the places of all calls after the place `after`.
   * @param placesMax maximum number of places; if there are more, the result is null
   */
  placesBehind(
    applicationId: string,
    mode: Mode,
    after: TailPlace,
    placesMax: number,
  ): Promise<readonly TailPlace[] | null>
}

export function isTailed(filter: TailFilter, call: CallRecord): boolean {
  const { accountId, alias, endUserId, errorCode, keyId, minCostMicros, status, statusClass } = filter
  const { httpStatus = null, payerId = null, tag = null } = filter
  return (
    (httpStatus === null || call.httpStatus === httpStatus) &&
    (endUserId === null || call.endUserId === endUserId) &&
    (keyId === null || call.keyId === keyId) &&
    (alias === null || call.alias === alias) &&
    (status === null || call.status === status) &&
    (accountId === null || call.target?.accountId === accountId) &&
    (statusClass === null || String(call.httpStatus).startsWith(statusClass.charAt(0))) &&
    (errorCode === null || call.errorCode === errorCode) &&
    (tag === null || call.tags.includes(tag)) &&
    (payerId === null || call.payerId === payerId) &&
    (minCostMicros === null || call.costMicros >= minCostMicros)
  )
}

/** The call that ended earlier comes first. */
export function comparePlaces(one: TailPlace, other: TailPlace): number {
  return (
    one.endedAtMs - other.endedAtMs || (one.callId < other.callId ? -1 : Number(one.callId > other.callId))
  )
}
