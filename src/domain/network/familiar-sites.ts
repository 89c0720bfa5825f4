import { siteOf } from './address-ranges.ts'

/** Maximum number of sites. Above it, the site with the oldest credential is removed. */
const sitesMax = 20_000

/**
 * Sites from which a team has sent a correct credential, with the organization of the latest one. Where strangers can
 * use up a shared limit, familiar sites have a separate limit. The sites are kept in this process only. At a start, the
 * sites of open sessions are read.
 */
export class FamiliarSites {
  /** In the order of their last credential. */
  readonly #organizations = new Map<string, string>()

  /** @param address empty if unknown; then nothing is recorded */
  note(address: string, organizationId: string): void {
    if (address === '') return
    const site = siteOf(address)
    this.#organizations.delete(site)
    this.#organizations.set(site, organizationId)
    if (this.#organizations.size <= sitesMax) return
    const [quietest] = this.#organizations.keys()
    if (quietest !== undefined) this.#organizations.delete(quietest)
  }

  /**
   * ID of the organization that last sent a right credential from the site of the address. Null if no organization did.
   */
  organizationAt(address: string): string | null {
    return this.#organizations.get(siteOf(address)) ?? null
  }
}
