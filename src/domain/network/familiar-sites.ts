import { siteOf } from './address-ranges.ts'

/** More sites than this are not remembered: the ones that have been quiet longest are forgotten. */
const sitesMax = 20_000

/**
 * Sites from which a team has sent a right credential, and the organization of the latest one. Where strangers can use
 * up a shared limit, familiar sites have one of their own. In this process alone; a start reads the sites of open
 * sessions.
 */
export class FamiliarSites {
  /** In the order of their last credential. */
  readonly #organizations = new Map<string, string>()

  /** @param address empty: unknown, and not noted */
  note(address: string, organizationId: string): void {
    if (address === '') return
    const site = siteOf(address)
    this.#organizations.delete(site)
    this.#organizations.set(site, organizationId)
    if (this.#organizations.size <= sitesMax) return
    const [quietest] = this.#organizations.keys()
    if (quietest !== undefined) this.#organizations.delete(quietest)
  }

  /** ID of the organization that last sent a right credential from the site of the address. Null if none did. */
  organizationAt(address: string): string | null {
    return this.#organizations.get(siteOf(address)) ?? null
  }
}
