import type { Mode } from '#domain/application-config.ts'
import type { HeldBound } from '#money/decision-types.ts'
import type { RateUse } from '#money/rate-limit.ts'

/**
 * Reads the usage that rate limits have counted and the ledger has stored. The result may include usage that no longer
 * counts toward a limit.
 */
export interface CountedUses {
  ofEndUser(endUserId: string, mode: Mode): Promise<readonly RateUse[]>
  /** Returns, by key line, the usage that the rate limits of the line's keys have counted. */
  ofLines(endUserId: string, mode: Mode): Promise<ReadonlyMap<string, readonly RateUse[]>>
  /** Each hold states its key line, which consists of a key and the keys that this key replaced. */
  inFlight(endUserId: string, mode: Mode): Promise<readonly (HeldBound & { readonly lineId: string })[]>
}
