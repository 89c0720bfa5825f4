import type { CallStatus } from './call-record.ts'

export interface RequestFilter {
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  readonly status: CallStatus | null
  readonly accountId: string | null
  readonly statusClass: '2xx' | '4xx' | '5xx' | null
  readonly errorCode: string | null
  readonly httpStatus?: number | null
  /** Minimum provider cost, in micros, of charged calls and of calls in flight. */
  readonly minCostMicros: bigint | null
  readonly outcomeSlug?: string | null
  readonly runId?: string | null
  readonly tag?: string | null
  /** The payer of the end user's team at the time of the call. */
  readonly payerId?: string | null
  readonly callId?: string | null
  /** `fromMs` is inclusive and `toMs` is exclusive. */
  readonly fromMs: number | null
  readonly toMs: number | null
}

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
