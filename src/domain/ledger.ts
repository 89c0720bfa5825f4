import type { CallBound, Hold, Leg, Quote } from '#money/hold.ts'
import type { Refusal } from '#money/refusal.ts'
import type { Usage } from '#money/usage.ts'
import type { Account, AccountKey, Mode } from './account.ts'

/**
 * The port through which money moves. Behind it callers are queued and committed in groups: a promise
 * resolves after its transaction is durable, and rejects with `StoreUnavailable` when nothing of it
 * was written. Every operation of a call names the call's id suffix (id.ts), and repeating one is safe.
 */
export interface Ledger {
  /** Holds the worst case, or refuses, or says that the caller decided on old configuration. */
  reserve(request: ReserveRequest): Promise<ReserveResult>
  /** Holds more for a call in flight, as much of it as fits. */
  extend(request: ExtendRequest): Promise<ExtendResult>
  /** Notes what a stream has used so far. No one waits for it: it rides a commit that happens anyway. */
  checkpoint(request: CheckpointRequest): void
  /**
   * Turns the hold into the charge. A second settle changes nothing and gets the first one's answer.
   * It is kept and retried until the store takes it: a promise that rejects with `StoreUnavailable`
   * (after `settleWaitMs`) says that the caller need not wait any longer, not that it will not happen.
   */
  settle(request: SettleRequest): Promise<SettleResult>
  /** Gives the whole hold back: the provider did no work. A second release changes nothing. */
  release(request: ReleaseRequest): Promise<void>
  /**
   * Writes the record of a call that never had a hold; it rides with whatever is committed next. Resolves once
   * it is on record, or will not be for now (the store is away, too many wait). Never rejects.
   */
  record(request: RequestRecord): Promise<void>
  /**
   * Does to someone's pools what their plan does to them by now: grants, lapses, and what a change of plan
   * takes off and gives back (money/grant.ts). Every other operation of theirs begins with the same, so
   * this is for those who look, and repeating it changes nothing. Who never had a balance gets none by it.
   */
  complete(request: CompleteRequest): Promise<void>
  /** Credits people's wallets. The same idempotency key credits each of them once. */
  credit(request: CreditRequest): Promise<CreditResult>
}

/** How long the end of a call waits for a store that is away before its caller is told. */
export const settleWaitMs = 60_000

/** Thrown when the store cannot take the operation now; nothing of it was written. */
export class StoreUnavailable extends Error {}

export interface ReserveRequest extends Account {
  readonly callId: string
  /** Version of the configuration that priced this call. */
  readonly configVersion: number
  readonly keyId: string
  /** The bundle that priced this call; another one on the person's row makes the request stale. */
  readonly bundleId: string
  readonly nowMs: number
  readonly quote: Quote
  readonly bound: CallBound
  readonly outcome: { readonly slug: string; readonly runId: string; readonly ceilingMicros: bigint } | null
  readonly target: Target
  /** Our count of the input tokens, for a call whose provider never says. */
  readonly inputEstimate: number
}

/** Who answers a call. */
export interface Target {
  readonly accountId: string
  readonly provider: string
  readonly model: string
}

export type ReserveResult =
  | ({ readonly kind: 'reserved' } & Reservation)
  | (Refusal & { readonly runId: string | null; readonly at: number | null })
  /** Configuration, key or person is not what the request was priced on: load again, decide again. */
  | { readonly kind: 'stale' }

/** The hold that was made, and what the request must say for it to suffice. */
export interface Reservation extends Hold {
  readonly outputTokensPerChoice: number
  readonly isClamped: boolean
  /** Wallet at the instant of the reserve, with this hold in `held`. */
  readonly wallet: { readonly posted: bigint; readonly held: bigint }
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
}

export interface SettleResult {
  readonly costMicros: bigint
  readonly billedMicros: bigint
  readonly chargeMicros: bigint
  readonly overHoldMicros: bigint
  readonly walletPostedMicros: bigint
}

export interface ReleaseRequest {
  readonly callId: string
  readonly nowMs: number
  readonly record: RequestRecord
}

/** How a call went, for requests.list and requests.explain. Never content, never a secret. */
export interface RequestRecord {
  readonly callId: string
  readonly applicationId: string
  readonly mode: Mode
  readonly endUserId: string | null
  readonly keyId: string | null
  readonly alias: string | null
  readonly wire: string
  readonly streamed: boolean
  readonly status: 'settled' | 'released' | 'refused' | 'recovered'
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly atMs: number
  readonly latencyMs: number
  readonly firstByteMs: number | null
  /** JSON text: the steps of the call (gateway/end/trace.ts). */
  readonly trace: string
}

export interface CompleteRequest extends AccountKey {
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
  /** SHA-256 of what was asked: the same idempotency key with another hash is refused. */
  readonly requestHash: string
}
export type CreditResult =
  | {
      readonly kind: 'credited'
      readonly grantId: string
      readonly isReplay: boolean
      readonly endUsers: number
    }
  | { readonly kind: 'idempotency_mismatch' }
