import type { Mode } from '#domain/application-config.ts'
import type { HeldBound } from '#money/hold.ts'
import type { RateUse } from '#money/rate-limit.ts'

/** The counted use of rate limits, as the ledger has stored it. Uses that no longer count may be included. */
export interface CountedUses {
  /** Returns the uses of the rules of the end user and of the bundle. */
  ofEndUser(endUserId: string, mode: Mode): Promise<readonly RateUse[]>
  /** By line of keys, the uses of the rules of its keys. Lines without a use are omitted. */
  ofLines(endUserId: string, mode: Mode): Promise<ReadonlyMap<string, readonly RateUse[]>>
  /** Returns the holds of the requests in flight, each with the line of its key. */
  inFlight(endUserId: string, mode: Mode): Promise<readonly (HeldBound & { readonly lineId: string })[]>
}
