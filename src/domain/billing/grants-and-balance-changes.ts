import type { Mode } from '#domain/application-config.ts'

export interface Grant {
  readonly id: string
  readonly applicationId: string
  readonly mode: Mode
  readonly amountMicros: bigint
  readonly reason: string
  readonly idempotencyKey: string | null
  readonly endUsers: number
  /** Number of the end users who have been credited. */
  readonly done: number
  /** Null means immediately. */
  readonly startsAtMs: number | null
  /** Null means that the credit never lapses. */
  readonly expiresAtMs: number | null
  readonly createdAtMs: number
}

export interface GrantReversal {
  readonly id: string
  readonly grantId: string
  readonly reason: string
  readonly endUsers: number
  readonly done: number
  /** Number of end users from whom an amount was taken. */
  readonly reversedEndUsers: number
  readonly reversedMicros: bigint
  readonly createdAtMs: number
}

/** Money added to or taken from an end user's wallet, outside of calls. */
export interface Credit {
  readonly id: string
  readonly endUserId: string
  readonly kind: 'topup' | 'adjustment'
  /** A negative amount was taken from the wallet. */
  readonly amountMicros: bigint
  readonly reason: string
  readonly paymentReference: string | null
  readonly entryId: string
  readonly balanceAfterMicros: bigint
  readonly createdAtMs: number
}
