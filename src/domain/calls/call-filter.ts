import type { CallStatus } from './call-record.ts'

export interface RequestFilter {
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  readonly status: CallStatus | null
  readonly accountId: string | null
  /** Class of the response's HTTP status. */
  readonly statusClass: '2xx' | '4xx' | '5xx' | null
  readonly errorCode: string | null
  /** HTTP status of the response. Null or omitted means any status. */
  readonly httpStatus?: number | null
  /** Minimum provider cost, in micros, of charged calls and of calls in flight. Null means any cost. */
  readonly minCostMicros: bigint | null
  /** Slug of the outcome to which the call belongs. Null or omitted means any call. */
  readonly outcomeSlug?: string | null
  readonly runId?: string | null
  /** A tag that the call must have. Null or omitted means any call. */
  readonly tag?: string | null
  /** The payer of the end user's team at the time of the call. */
  readonly payerId?: string | null
  /** If set, only the call with this ID matches. */
  readonly callId?: string | null
  /**
   * Time range of the requests. `fromMs` is inclusive and `toMs` is exclusive. A null `fromMs` means no start, and a
   * null `toMs` means no end.
   */
  readonly fromMs: number | null
  readonly toMs: number | null
}

/** The filter that matches every call. */
export const everyCall = {
  endUserId: null,
  keyId: null,
  alias: null,
  status: null,
  accountId: null,
  statusClass: null,
  errorCode: null,
  minCostMicros: null,
  fromMs: null,
  toMs: null,
} as const satisfies RequestFilter
