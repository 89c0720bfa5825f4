import type { Offer } from '#money/admit-hold-for-several-targets.ts'
import type { CallBound, Hold, Leg, Limit, Quote, RateLimit } from '#money/decision-types.ts'
import type { RateRoom } from '#domain/limits/remaining-rate-limit.ts'
import type { Refusal } from '#money/refusal-types.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { BackgroundResponse } from '#domain/background/background-response-record.ts'
import type { Account, AccountKey, Mode } from '#domain/billing/money-account-key.ts'

/**
 * Operations are queued and committed in groups. A promise resolves when its transaction is durable. If nothing was
 * written, the promise rejects with `StoreUnavailable`. Every operation of a call contains the call's ID suffix
 * (ids-sorted-by-time.ts), and repeating an operation is safe.
 */
export interface Ledger {
  /**
   * Reserves the worst-case cost of a call, or rejects the call. The result is `stale` if the call was priced with an
   * outdated configuration.
   */
  reserve(request: ReserveRequest): Promise<ReserveResult>
  /** Increases the hold of a call in flight, as far as the money allows. */
  extend(request: ExtendRequest): Promise<ExtendResult>
  /**
   * Stores the next target before the gateway calls the target, because the previous target failed. Recovery then
   * charges by the next target's price and includes the cost of failed attempts. A second `redirect` to the same target
   * changes nothing.
   */
  redirect(request: RedirectRequest): Promise<void>
  /**
   * Stores that a provider generates the response of a call in the background. From then on, any process may settle or
   * release the hold. If the process that created the hold ends, another process takes the hold over. Like a settle,
   * the operation is retried until the store accepts the operation. A second call of `background` changes nothing.
   */
  background(request: BackgroundRequest): Promise<void>
  /** Stores the usage of a stream so far, with the next commit. No caller waits for the result. */
  checkpoint(request: CheckpointRequest): void
  /**
   * Converts the hold to the charge. A second settle of a call changes nothing and returns the first result. The settle
   * is retried until the store accepts the settle. After `settleWaitMs`, the promise rejects with `StoreUnavailable`,
   * but the ledger still completes the settle.
   */
  settle(request: SettleRequest): Promise<SettleResult>
  /** Releases the whole hold, because the provider did no work. A second release of a call changes nothing. */
  release(request: ReleaseRequest): Promise<void>
  /**
   * Writes the record of a call that never had a hold, with the next commit. The promise resolves when the record is
   * written, or when the record is dropped because the store is unavailable or too many records wait. The promise never
   * rejects.
   */
  record(request: RequestRecord): Promise<void>
  /**
   * Updates the pools of an end user: grants due pools, ends lapsed pools, and applies changes of plan
   * (money/plan-pools.ts). Every other operation on an end user's money updates the pools itself. Therefore, call
   * `complete` only before a report of pools. A second call of `complete` changes nothing. The method creates no
   * balance for an end user without a balance.
   */
  complete(request: CompleteRequest): Promise<void>
  /**
   * Sets the balance of a month of on-demand usage to 0 after its invoice was paid or voided. A second call changes
   * nothing, because the ledger has only one such entry per month and invoice.
   */
  clearMonth(request: ClearMonthRequest): Promise<void>
  /**
   * Credits the wallets of end users, or gives expiring credit to end users. With the same idempotency key, each end
   * user is credited only once.
   */
  credit(request: CreditRequest): Promise<CreditResult>
  /** Refunds the charge of a call, fully or partly. The refunds of a call never exceed its charge. */
  refund(request: RefundRequest): Promise<RefundResult>
  /** Corrects the charge of a recovered call to its actual usage. A second call of `lateUsage` changes nothing. */
  lateUsage(request: LateUsageRequest): Promise<LateUsageResult>
}

/** How long a settle waits while the store is unavailable before its promise rejects, in milliseconds. */
export const settleWaitMs = 60_000

/** Thrown if the store cannot accept the operation now. In this case, the operation has written nothing. */
export class StoreUnavailable extends Error {}

export interface ReserveRequest extends Account {
  readonly callId: string
  /**
   * Null if the configuration was read for this request, after the request arrived. Such a configuration may be used
   * even if it has changed since. Otherwise, frequent changes could outdate every try of the request.
   */
  readonly configVersion: number | null
  readonly keyId: string
  /** If the end user now has another bundle, the result of the reserve is `stale`. */
  readonly bundleId: string
  /** If the stored payer differs, the reserve is `stale`. */
  readonly payerId?: string
  readonly nowMs: number
  readonly quote: Quote
  readonly bound: CallBound
  readonly outcome: { readonly slug: string; readonly runId: string; readonly ceilingMicros: bigint } | null
  readonly target: Target
  /**
   * The amount to hold for each target, in the order in which the targets are tried. Absent if only one target is
   * possible. The first offer that the end user can pay is held, and replaces `quote`, `bound` and `target`.
   */
  readonly offers?: readonly TargetOffer[]
  /** The gateway's own count of the input tokens. The count is used if the provider reports no number. */
  readonly inputEstimate: number
  /** Rate limits that several end users share, with the amount that is set aside for this call. */
  readonly sharedRates?: readonly RateLimit[]
}

/**
 * A hold that is large enough for one or more targets of a model name. `target` is the first target that is called.
 */
export interface TargetOffer extends Offer {
  readonly target: Target
}

export interface Target {
  readonly accountId: string
  readonly provider: string
  readonly model: string
}

export type ReserveResult =
  | ({ readonly kind: 'reserved' } & Reservation)
  | (Refusal & {
      readonly runId: string | null
      readonly at: number | null
      readonly limits: readonly Limit[]
      /**
       * For each measure, such as requests, the rate limit with the smallest remaining amount. This request is not
       * counted yet.
       */
      readonly rates?: readonly RateRoom[]
      readonly plan: RefusedPlan | null
    })
  /**
   * The configuration, key or end user has changed since the request was priced. The caller must load the
   * configuration, the key and the end user, and decide again.
   */
  | { readonly kind: 'stale' }

/** The facts about a plan that the message of a rejection contains, in addition to the amounts of the pool. */
export interface RefusedPlan {
  readonly poolName: string
  /** When the pool is granted again. Null if the plan or the pool ends before the next grant. */
  readonly renewsAtMs: number | null
  /** Whether on-demand billing could pay after the pool is used up, but is off for the end user. */
  readonly isOnDemandOff: boolean
}

/** The hold covers the call only if the request to the provider contains the hold's maximums. */
export interface Reservation extends Hold {
  /** Index of the offer for which money was held. 0 if the request had only one offer. */
  readonly offer: number
  readonly outputTokensPerChoice: number
  readonly isClamped: boolean
  /** The wallet after the money was reserved. `held` includes this hold. */
  readonly wallet: { readonly posted: bigint; readonly held: bigint }
  /** The spend ceilings that were checked. The held amounts of the ceilings do not include this hold. */
  readonly limits: readonly Limit[]
  /**
   * For each measure, such as requests, the rate limit with the smallest remaining amount. This request is already
   * counted.
   */
  readonly rates?: readonly RateRoom[]
}

export interface ExtendRequest {
  readonly callId: string
  readonly nowMs: number
  readonly moreOutputTokens: number
  /**
   * Number of further uses of the provider's tools. If set, the request holds money only for these uses, and
   * `moreOutputTokens` is 0.
   */
  readonly moreToolUses?: number
  /** Rate limits that several end users share, with the amount that is set aside for the extension. */
  readonly sharedRates?: readonly RateLimit[]
}
export type ExtendResult =
  | {
      readonly kind: 'extended'
      readonly worstMicros: bigint
      readonly worstCredits: bigint
      readonly legs: readonly Leg[]
      readonly addedOutputTokens: number
      /** Set only if `moreToolUses` was requested. */
      readonly addedToolUses?: number
    }
  | { readonly kind: 'no_room' }

export interface RedirectRequest {
  readonly callId: string
  readonly nowMs: number
  /** The price of the target that is called next. The hold covers the worst-case cost at this price. */
  readonly quote: Quote
  readonly target: Target
  /** Maximum output tokens over all choices, as in the original hold. */
  readonly outputTokens: number
  readonly attempts: readonly FailedAttempt[]
}

export interface FailedAttempt {
  readonly target: Target
  /** Null if no response arrived. */
  readonly status: number | null
  /** The phase in which the connection failed. */
  readonly failure: string | null
  readonly code: string
  /** When the attempt began, in milliseconds since the start of the call. */
  readonly atMs: number
  readonly durationMs: number
  /** Time to the response head, in milliseconds since the start of the attempt. */
  readonly firstByteMs: number | null
  /** The usage that the provider charges for this attempt. */
  readonly usage: Usage | null
  readonly quote: Quote
}

export interface BackgroundRequest {
  readonly callId: string
  readonly response: BackgroundResponse
  /** The usage that has been streamed to the client. The stored usage is never lowered. */
  readonly delivered?: Usage
  /** Required if another process may have created the hold. */
  readonly owner?: AccountKey & { readonly keyId: string }
}

export interface CheckpointRequest {
  readonly callId: string
  readonly usage: Usage
}

export interface SettleRequest {
  readonly callId: string
  readonly nowMs: number
  readonly usage: Usage
  readonly tokenSource: 'provider_reported' | 'estimated'
  readonly record: RequestRecord
  readonly attempts?: readonly FailedAttempt[]
  /**
   * Whether the provider's stated costs differ from the computed costs, or another model than the requested one
   * answered. Absent if the usage states no cost and no difference is known.
   */
  readonly isDisputed?: boolean
  readonly wantsRemaining?: true
}

export interface SettleResult {
  /** The total cost charged to the provider accounts, for the response and for the failed attempts before it. */
  readonly costMicros: bigint
  /** The part of `costMicros` that was computed at assumed rates (money/assumed-rates.ts). */
  readonly assumedMicros: bigint
  readonly billedMicros: bigint
  readonly chargeMicros: bigint
  readonly overHoldMicros: bigint
  readonly walletPostedMicros: bigint
  /**
   * After this settle, the maximum amount that one further request with the same key and model name can reserve. Null
   * means that no limit applies. Absent if the amount was not requested, or if an earlier settle of the call is
   * repeated.
   */
  readonly remainingMicros?: bigint | null
}

export interface ReleaseRequest {
  readonly callId: string
  readonly nowMs: number
  readonly record: RequestRecord
  /** The attempts of the call, which all failed. The application pays the cost of the failed attempts. */
  readonly attempts?: readonly FailedAttempt[]
  /**
   * The last attempt of a call, for a process that may not know the earlier attempts. Earlier attempts are stored with
   * the hold (`RedirectRequest`).
   */
  readonly lastAttempt?: FailedAttempt
}

/** The record of a call, without content and secrets, for requests.list and requests.explain. */
export interface RequestRecord {
  readonly callId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  /** Null if the call has no tags, or if the call was rejected before the tags were checked. */
  readonly tags: readonly string[] | null
  readonly payerId?: string
  /** Null if the call was rejected before a target was chosen. */
  readonly target: Target | null
  readonly wire: string
  readonly streamed: boolean
  readonly status: 'settled' | 'released' | 'refused' | 'recovered'
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly atMs: number
  readonly latencyMs: number
  readonly firstByteMs: number | null
  /** JSON with the steps of the call (gateway/end/trace-of-call.ts). */
  readonly trace: string
}

/**
 * The facts about a call that has ended in this process, for metrics, logs and traces. Recovered calls are not
 * reported, because no process observed the end of these calls.
 */
export interface EndedCall {
  readonly organizationId: string
  readonly applicationSlug: string
  readonly record: RequestRecord
  /** Null if the call was not charged. */
  readonly charged: {
    readonly usage: Usage
    readonly tokenSource: 'provider_reported' | 'estimated'
    readonly result: SettleResult
  } | null
  /** The time of the call's start by the clock of the server. `record.atMs` may follow a test clock instead. */
  readonly startedAtMs: number
  /** When the request was read, in milliseconds since the call began. Null if the call was rejected earlier. */
  readonly readAtMs: number | null
  /** When the response was written completely and the call had settled, in milliseconds since the start of the call. */
  readonly endedAtMs: number
  readonly attempts: readonly EndedAttempt[]
  /** The W3C trace context that the client sent, unchecked. */
  readonly traceparent: string | null
}

export interface EndedAttempt {
  /** Kind of the provider account. */
  readonly provider: string
  readonly account: string
  readonly model: string
  /** Null if no response head arrived. */
  readonly status: number | null
  /** The phase in which the connection failed. */
  readonly failure: string | null
  /** When the attempt began, in milliseconds since the start of the call. */
  readonly atMs: number
  readonly durationMs: number
  /** The amount that the provider charges for a failed attempt, in micros. Absent if the provider charges nothing. */
  readonly costMicros?: string
}

export interface CompleteRequest extends AccountKey {
  readonly nowMs: number
}

/** Why a month of on-demand usage was cleared: its usage was paid or waived. */
export type ClearedReason = 'on_demand_paid' | 'on_demand_waived'

export interface ClearMonthRequest extends AccountKey {
  /** ID of the source, such as `on_demand/2026-11`. */
  readonly sourceId: string
  readonly invoiceId: string
  /** The amount of the invoice line, which is the sum of the month's debits. */
  readonly amountMicros: bigint
  readonly reason: ClearedReason
  readonly nowMs: number
}

export interface CreditRequest {
  readonly grantId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly nowMs: number
  readonly kind: 'grant' | 'topup' | 'adjustment' | 'reversal'
  readonly amountMicros: bigint
  readonly endUserIds: readonly string[]
  readonly reason: string
  readonly idempotencyKey: string | null
  /** When the credit of an expiring `grant` can first be spent. Null or omitted means immediately. */
  readonly startsAtMs?: number | null
  /** When the unspent credit lapses. If null or omitted, the credit never lapses and is added to the wallet. */
  readonly expiresAtMs?: number | null
  /** The same idempotency key or payment reference with a different hash is rejected. */
  readonly requestHash: string
  /** A payment is credited only once per application and mode. Omitted for credits that are not top-ups. */
  readonly paymentReference?: string | null
  /**
   * ID of the grant that a reversal takes back. The reversal takes each end user's unspent part, up to `amountMicros`.
   * If omitted, the reversal takes back a payment, and the wallet may become negative.
   */
  readonly reverses?: string | null
}
export type CreditResult =
  | {
      readonly kind: 'credited'
      readonly grantId: string
      readonly isReplay: boolean
      readonly endUsers: number
    }
  | { readonly kind: 'idempotency_mismatch' }
  /** A negative adjustment would take money that calls in flight have reserved. */
  | { readonly kind: 'below_held'; readonly postedMicros: bigint; readonly heldMicros: bigint }
  /** The balance of an end user would exceed `balanceMax`. */
  | { readonly kind: 'above_max'; readonly endUserId: string; readonly balanceMicros: bigint }

export interface RefundRequest extends AccountKey {
  readonly correctionId: string
  readonly applicationId: string
  readonly callId: string
  readonly nowMs: number
  /** Null means the whole remaining charge. */
  readonly amountMicros: bigint | null
  readonly reason: string
  readonly actor: string | null
  readonly idempotencyKey: string | null
  /** The same idempotency key with a different hash is rejected. */
  readonly requestHash: string
}
export type RefundResult =
  | { readonly kind: 'refunded'; readonly correctionId: string; readonly isReplay: boolean }
  | { readonly kind: 'idempotency_mismatch' }
  /** The call has not ended yet, or was not charged. */
  | { readonly kind: 'not_charged' }
  | { readonly kind: 'exceeds'; readonly chargeMicros: bigint; readonly refundedMicros: bigint }

/**
 * The true usage of a recovered call, which was charged by estimated usage. Only the first request of a call has an
 * effect.
 */
export interface LateUsageRequest extends AccountKey {
  readonly applicationId: string
  readonly callId: string
  readonly usage: Usage
  /** The real time, in milliseconds since 1970. */
  readonly nowMs: number
}
export type LateUsageResult =
  | { readonly kind: 'corrected' }
  /** The call needs no correction, because it was not recovered, was already corrected, or was never charged. */
  | { readonly kind: 'nothing' }
  /** The process of the call has not been found dead yet. */
  | { readonly kind: 'in_flight' }
