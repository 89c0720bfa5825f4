import { siteOf } from './address-ranges.ts'

/** If more sites are known, the site that has sent no correct credential for the longest time is removed. */
const sitesMax = 20_000

/**
 * Remembers the sites (address ranges) from which team members have sent a correct credential. Where strangers could
 * use up a limit that all callers share, familiar sites have a separate limit. The sites are kept only in this process.
 * When the process starts, the sites of open sessions are read.
 */
export class FamiliarSites {
  /** The sites in the order of their last correct credential. */
  readonly #organizations = new Map<string, string>()

  /** @param address the client's address; empty if unknown, in which case nothing is recorded */
  note(address: string, organizationId: string): void {
    if (address === '') return
    const site = siteOf(address)
    this.#organizations.delete(site)
    this.#organizations.set(site, organizationId)
    if (this.#organizations.size <= sitesMax) return
    const [quietest] = this.#organizations.keys()
    if (quietest !== undefined) this.#organizations.delete(quietest)
  }

  organizationAt(address: string): string | null {
    return this.#organizations.get(siteOf(address)) ?? null
  }
}
