import type { Mode } from '#domain/application-config.ts'
import type { HeldBound } from '#money/decision-types.ts'
import type { RateUse } from '#money/rate-limit.ts'

/**
 * Reads the usage that rate limits have counted, as the ledger has stored it. Usage that no longer counts may be
 * included.
 */
export interface CountedUses {
  /** Returns the usage that the rate limits of the end user and the bundle have counted. */
  ofEndUser(endUserId: string, mode: Mode): Promise<readonly RateUse[]>
  /**
   * Returns, by key line, the usage that the rate limits of the line's keys have counted. Key lines without usage are
   * omitted.
   */
  ofLines(endUserId: string, mode: Mode): Promise<ReadonlyMap<string, readonly RateUse[]>>
  /**
   * Returns the holds of the requests in flight, each with the key line (the key and the keys it replaced) that it
   * belongs to.
   */
  inFlight(endUserId: string, mode: Mode): Promise<readonly (HeldBound & { readonly lineId: string })[]>
}
