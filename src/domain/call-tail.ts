import type { Mode } from './account.ts'
import type { CallRecord, RequestFilter } from './records.ts'

/** Calls as they end, for whoever watches them. */
export interface CallTail {
  /**
   * Follows the calls of an application and mode from now on; with `after`, from behind that place on.
   * @returns null: the organization has as many readers here as it may have
   */
  follow(wanted: TailWanted): TailReader | null
}

export interface TailWanted {
  readonly organizationId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly filter: TailFilter
  /** Null: from now on. */
  readonly after: TailPlace | null
  /** The text of a call's event, made once for all readers that get it. */
  readonly write: (called: TailCall, labels: ReadonlyMap<string, string>) => string
}

/** The filters of a list of calls, but those of time. */
export type TailFilter = Omit<RequestFilter, 'fromMs' | 'toMs'>

/**
 * A place in the order in which calls end. It is made of what is recorded, so that every process finds the same one, and
 * a reader that comes back is sent what is behind it.
 */
export interface TailPlace {
  /** When the call ended, milliseconds since 1970, whatever a test clock says. */
  readonly endedAtMs: number
  readonly callId: string
}

export interface TailCall {
  readonly place: TailPlace
  readonly call: CallRecord
  /** True: it is sent behind calls that ended later. A reader that comes back is behind it already. */
  readonly isLate: boolean
}

/** What a reader gets next. */
export type TailPiece =
  | { readonly kind: 'calls'; readonly text: string }
  /** More has ended since `after` than is looked up, or it is too long ago: what follows begins now. */
  | { readonly kind: 'gap'; readonly after: TailPlace }
  /** Nothing follows. */
  | { readonly kind: 'dropped'; readonly reason: 'slow' | 'link_lost' }
  /** Nothing has ended for a while. */
  | { readonly kind: 'quiet' }

export interface TailReader {
  /** The next piece, waited for `quietMs` at most; after `dropped`, and once `ending` is aborted, null. */
  next(quietMs: number, ending: AbortSignal): Promise<TailPiece | null>
  leave(): void
}

/** Whether a list with that filter has the call. */
export function isTailed(filter: TailFilter, call: CallRecord): boolean {
  const { accountId, alias, endUserId, errorCode, keyId, minCostMicros, status, statusClass } = filter
  return (
    (endUserId === null || call.endUserId === endUserId) &&
    (keyId === null || call.keyId === keyId) &&
    (alias === null || call.alias === alias) &&
    (status === null || call.status === status) &&
    (accountId === null || call.target?.accountId === accountId) &&
    (statusClass === null ||
      (call.httpStatus !== null && String(call.httpStatus).startsWith(statusClass.charAt(0)))) &&
    (errorCode === null || call.errorCode === errorCode) &&
    (minCostMicros === null || call.costMicros >= minCostMicros)
  )
}

export function isBehind(one: TailPlace, other: TailPlace): boolean {
  return one.endedAtMs === other.endedAtMs ? one.callId > other.callId : one.endedAtMs > other.endedAtMs
}
