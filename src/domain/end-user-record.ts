import type { Window } from '#money/periods-and-windows.ts'

export interface EndUser {
  readonly id: string
  readonly applicationId: string
  readonly externalId: string
  readonly email: string | null
  readonly bundleId: string | null
  /** The time at which the first period of the subscription starts. */
  readonly subscribedAtMs: number
  readonly bundleSinceMs: number
  readonly frozenAtMs: number | null
  /** Why the end user is frozen. The reason is shown only to members of the organization, never to the end user. */
  readonly frozenReason: string | null
  readonly removedAtMs: number | null
  readonly createdAtMs: number
  /** The end user who pays for the team. */
  readonly payerId: string | null
  /** Maximum that the end user may spend from the payer's wallet in a calendar month. */
  readonly payerCapMicros: bigint | null
}

/** Maximum spend of all keys of an end user together within one calendar window. */
export interface EndUserLimit {
  readonly window: Window
  readonly micros: bigint
}
