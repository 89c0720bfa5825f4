import type { Offer } from '#money/admit-offer.ts'
import type { CallBound, Hold, Leg, Limit, Quote } from '#money/hold.ts'
import type { Refusal } from '#money/refusal.ts'
import type { Usage } from '#money/usage.ts'
import type { Account, AccountKey, Mode } from './account.ts'

/**
 * The port through which money moves. Operations are queued and committed in groups: a promise resolves once
 * its transaction is durable, and rejects with `StoreUnavailable` when nothing of it was written. Every
 * operation of a call names the call's id suffix (id.ts), and repeating one is safe.
 */
export interface Ledger {
  /** Holds the worst case, or refuses, or says that the caller decided on old configuration. */
  reserve(request: ReserveRequest): Promise<ReserveResult>
  /** Holds as much more for a call in flight as fits. */
  extend(request: ExtendRequest): Promise<ExtendResult>
  /**
   * Says which target answers now, before it is called: the one before it did not. Recovery then charges by its price
   * and knows what the others cost. A second one for the same target changes nothing.
   */
  redirect(request: RedirectRequest): Promise<void>
  /** Notes the usage of a stream so far. No caller waits for it: it rides a commit that happens anyway. */
  checkpoint(request: CheckpointRequest): void
  /**
   * Turns the hold into the charge. A second settle changes nothing and gets the first one's answer. The
   * settle is kept and retried until the store takes it: a rejection with `StoreUnavailable` (after
   * `settleWaitMs`) ends the waiting of the caller, not the settle.
   */
  settle(request: SettleRequest): Promise<SettleResult>
  /** Gives the whole hold back: the provider did no work. A second release changes nothing. */
  release(request: ReleaseRequest): Promise<void>
  /**
   * Writes the record of a call that never had a hold, with the next commit. Resolves once the record is
   * written, or cannot be for now (the store is away, too many wait). Never rejects.
   */
  record(request: RequestRecord): Promise<void>
  /**
   * Brings the pools of a person up to date: grants, lapses, and what a change of plan takes off and gives
   * back (money/plan-pools.ts). Every other operation of the person begins with the same, so this one is for
   * reports. Repeating it changes nothing. A person without a balance gets none by it.
   */
  complete(request: CompleteRequest): Promise<void>
  /**
   * Brings a month of on-demand usage back to 0, once its invoice was paid or voided. Repeating it changes nothing: one
   * entry per month and invoice.
   */
  clearMonth(request: ClearMonthRequest): Promise<void>
  /** Credits people's wallets, or gives them credit that ends. The same idempotency key credits each of them once. */
  credit(request: CreditRequest): Promise<CreditResult>
  /** Gives back what a call was charged, in whole or in part; never more in all than it was charged. */
  refund(request: RefundRequest): Promise<RefundResult>
  /** Corrects a recovered call by its true usage. Repeating it changes nothing. */
  lateUsage(request: LateUsageRequest): Promise<LateUsageResult>
}

/** How long a settle waits for a store that is away before its promise rejects. */
export const settleWaitMs = 60_000

/** Thrown when the store cannot take the operation now; nothing of it was written. */
export class StoreUnavailable extends Error {}

export interface ReserveRequest extends Account {
  readonly callId: string
  /** Version of the configuration that priced this call. */
  readonly configVersion: number
  readonly keyId: string
  /** The bundle that priced this call; another bundle on the person's row makes the request stale. */
  readonly bundleId: string
  readonly nowMs: number
  readonly quote: Quote
  readonly bound: CallBound
  readonly outcome: { readonly slug: string; readonly runId: string; readonly ceilingMicros: bigint } | null
  readonly target: Target
  /**
   * Where several targets may answer: what to hold for them, in the order to try; the first that fits is held, in place
   * of `quote`, `bound` and `target`.
   */
  readonly offers?: readonly TargetOffer[]
  /** The gateway's count of the input tokens, for a call whose provider reports none. */
  readonly inputEstimate: number
}

/** A hold that suffices for some targets of a name, of which `target` is called first. */
export interface TargetOffer extends Offer {
  readonly target: Target
}

/** The account and the model that answer a call. */
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
      /** Of the pool in `pool`; null: sources did not refuse the call, or no pool could pay for it. */
      readonly plan: RefusedPlan | null
    })
  /** Configuration, key or person has changed since the request was priced: load again, decide again. */
  | { readonly kind: 'stale' }

/** What a refusal says of the plan besides the numbers of its pool. */
export interface RefusedPlan {
  readonly poolName: string
  /** When the pool is granted again; null: never, since the plan or the pool ends by then. */
  readonly renewsAtMs: number | null
  /** Whether on-demand may pay past the pool once the end user has turned it on. */
  readonly isOnDemandOff: boolean
}

/** The hold that was made, and what the request must say for it to suffice. */
export interface Reservation extends Hold {
  /** Which of the offers was held; 0 where there was one. */
  readonly offer: number
  readonly outputTokensPerChoice: number
  readonly isClamped: boolean
  /** Wallet at the instant of the reserve, with this hold in `held`. */
  readonly wallet: { readonly posted: bigint; readonly held: bigint }
  /** The ceilings that it was decided on, without this hold. */
  readonly limits: readonly Limit[]
}

export interface ExtendRequest {
  readonly callId: string
  readonly nowMs: number
  readonly moreOutputTokens: number
}
export type ExtendResult =
  | {
      readonly kind: 'extended'
      readonly worstMicros: bigint
      readonly worstCredits: bigint
      readonly legs: readonly Leg[]
      readonly addedOutputTokens: number
    }
  | { readonly kind: 'no_room' }

export interface RedirectRequest {
  readonly callId: string
  readonly nowMs: number
  /** Of the target that is called next; its worst case is within the hold. */
  readonly quote: Quote
  readonly target: Target
  /** Output tokens over all choices that it may be asked for: what was held at first. */
  readonly outputTokens: number
  /** Every attempt so far. */
  readonly attempts: readonly FailedAttempt[]
}

/** A try at a provider that did not answer the call. */
export interface FailedAttempt {
  readonly target: Target
  /** HTTP status of its answer; null: there was none. */
  readonly status: number | null
  /** Stage at which the connection failed; null: it did not. */
  readonly failure: string | null
  /** The gateway's code of the error table. */
  readonly code: string
  /** When it began, in milliseconds of the call. */
  readonly atMs: number
  readonly durationMs: number
  /** To the head of its answer, in milliseconds of the attempt; null: none came. */
  readonly firstByteMs: number | null
  /** What the provider did and charges for, as far as is known; null: nothing. */
  readonly usage: Usage | null
  /** Its price. */
  readonly quote: Quote
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
  /** Those that did not answer, before the one that did. */
  readonly attempts?: readonly FailedAttempt[]
  /**
   * Whether another model answered than the requested one, or the costs that the provider states differ from ours.
   * Absent if the requested model answered, as far as is known, and the usage states no cost.
   */
  readonly isDisputed?: boolean
}

export interface SettleResult {
  /** What the accounts are charged: for the answer, and for the attempts before it. */
  readonly costMicros: bigint
  /** The part of `costMicros` that was computed at assumed rates (money/assumed-rates.ts). */
  readonly assumedMicros: bigint
  readonly billedMicros: bigint
  readonly chargeMicros: bigint
  readonly overHoldMicros: bigint
  readonly walletPostedMicros: bigint
}

export interface ReleaseRequest {
  readonly callId: string
  readonly nowMs: number
  readonly record: RequestRecord
  /** None of them answered. Their cost is the application's. */
  readonly attempts?: readonly FailedAttempt[]
}

/** How a call went, for requests.list and requests.explain. Never content, never a secret. */
export interface RequestRecord {
  readonly callId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  /** Who answered, or would have; null: it was refused before that was decided. */
  readonly target: Target | null
  readonly wire: string
  readonly streamed: boolean
  readonly status: 'settled' | 'released' | 'refused' | 'recovered'
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly atMs: number
  readonly latencyMs: number
  readonly firstByteMs: number | null
  /** JSON text: the steps of the call (gateway/end/call-trace.ts). */
  readonly trace: string
}

/** A call that is over in this process, for whatever watches calls. A recovered call is not told: nobody saw its end. */
export interface EndedCall {
  readonly organizationId: string
  readonly applicationSlug: string
  readonly record: RequestRecord
  /** Null: nothing was charged. */
  readonly charged: {
    readonly usage: Usage
    readonly tokenSource: 'provider_reported' | 'estimated'
    readonly result: SettleResult
  } | null
  /** By the clock of the server; `record.atMs` may be that of a test clock. */
  readonly startedAtMs: number
  /** In milliseconds of the call: when its request had been read; null: it was refused before. */
  readonly readAtMs: number | null
  /** In milliseconds of the call: when the end of its answer was written, its money settled. */
  readonly endedAtMs: number
  /** Calls to providers, in their order. */
  readonly attempts: readonly EndedAttempt[]
  /** The W3C trace context that the client sent, unchecked; null: none. */
  readonly traceparent: string | null
}

export interface EndedAttempt {
  /** Kind of the account. */
  readonly provider: string
  /** Id of the account. */
  readonly account: string
  /** The provider's own name of it. */
  readonly model: string
  /** HTTP status; null: no head of an answer came. */
  readonly status: number | null
  /** The phase in which the connection failed; null: it did not. */
  readonly failure: string | null
  /** When it began, in milliseconds of the call. */
  readonly atMs: number
  readonly durationMs: number
  /** Of one that did not answer: what the provider charges for it all the same; absent: nothing. */
  readonly costMicros?: string
}

export interface CompleteRequest extends AccountKey {
  readonly nowMs: number
}

/** How a month of on-demand usage was cleared: the reason of its entry. */
export type ClearedReason = 'on_demand_paid' | 'on_demand_waived'

export interface ClearMonthRequest extends AccountKey {
  /** `on_demand/2026-11`. */
  readonly sourceId: string
  readonly invoiceId: string
  /** The line of the invoice: all that was debited to the month. */
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
  /** Of a `grant` that ends: when it may first be spent; null or omitted: at once. */
  readonly startsAtMs?: number | null
  /** When what is left of it lapses; null or omitted: never, and it is in the wallet. */
  readonly expiresAtMs?: number | null
  /** SHA-256 of the request: the same idempotency key or payment reference with another hash is refused. */
  readonly requestHash: string
  /** The payment behind a top-up: it credits once per application and mode. Omitted for every other kind. */
  readonly paymentReference?: string | null
  /**
   * Id of the grant that a reversal takes back: from each person what is unspent of it, at most `amountMicros`.
   * Without it a reversal is a payment that was taken back, and the wallet may owe afterwards.
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
  /** A negative adjustment would take what calls in flight hold. */
  | { readonly kind: 'below_held'; readonly postedMicros: bigint; readonly heldMicros: bigint }

export interface RefundRequest extends AccountKey {
  readonly correctionId: string
  readonly applicationId: string
  readonly callId: string
  readonly nowMs: number
  /** Null: all that is left of the charge. */
  readonly amountMicros: bigint | null
  readonly reason: string
  /** Who asks, for the record. */
  readonly actor: string | null
  readonly idempotencyKey: string | null
  /** SHA-256 of the request: the same idempotency key with another hash is refused. */
  readonly requestHash: string
}
export type RefundResult =
  | { readonly kind: 'refunded'; readonly correctionId: string; readonly isReplay: boolean }
  | { readonly kind: 'idempotency_mismatch' }
  /** The call has not ended, or was charged nothing. */
  | { readonly kind: 'not_charged' }
  /** More than is left of the charge. */
  | { readonly kind: 'exceeds'; readonly chargeMicros: bigint; readonly refundedMicros: bigint }

/** The true usage of a call that was recovered without it. It needs no lease: it is applied once per call. */
export interface LateUsageRequest extends AccountKey {
  readonly applicationId: string
  readonly callId: string
  readonly usage: Usage
  /** The real time. */
  readonly nowMs: number
}
export type LateUsageResult =
  | { readonly kind: 'corrected' }
  /** Nothing is to be corrected: the call was not recovered, was corrected already, or was never charged. */
  | { readonly kind: 'nothing' }
  /** The call is in flight still: its process has not been found dead. */
  | { readonly kind: 'in_flight' }
