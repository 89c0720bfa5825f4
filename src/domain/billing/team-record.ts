import type { RateRule } from '#money/decision-types.ts'

/** End users of an application who spend from the wallet of one end user, the payer. */
export interface Team {
  readonly id: string
  readonly applicationId: string
  readonly slug: string
  readonly displayName: string
  /** The payer of a team never changes. A payer is in no team. */
  readonly payerId: string
  /** Rate limits that count the requests of all members together. */
  readonly limits: readonly RateRule[]
  readonly createdAtMs: number
}
