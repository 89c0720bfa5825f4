import type { Window } from '#money/periods-and-windows.ts'

export interface EndUser {
  readonly id: string
  readonly applicationId: string
  readonly externalId: string
  readonly email: string | null
  readonly bundleId: string | null
  /** The time at which the first period of the subscription starts. */
  readonly subscribedAtMs: number
  /** When the bundle was assigned to the end user. */
  readonly bundleSinceMs: number
  readonly frozenAtMs: number | null
  /**
   * Why the end user is frozen, which stops all spending. The reason is shown only to members of the organization,
   * never to the end user. Null if no reason was given or spending is not stopped.
   */
  readonly frozenReason: string | null
  readonly removedAtMs: number | null
  readonly createdAtMs: number
  /** The end user who pays for the end user's team. Null if the end user is in no team. */
  readonly payerId: string | null
  /** Maximum that the end user may spend from the payer's wallet in a calendar month. Null means no maximum. */
  readonly payerCapMicros: bigint | null
}

/** Maximum spend of all keys of an end user together within one calendar window. */
export interface EndUserLimit {
  readonly window: Window
  readonly micros: bigint
}
