/** Limits on reading from a provider after the client has disconnected. */
export interface DrainLimits {
  /**
   * How long the gateway keeps reading from the provider after the client disconnects, to learn the usage.
   * `drainBytesMax` limits the number of bytes.
   */
  readonly drainMs: number
  readonly drainBytesMax: number
  /**
   * Maximum number of streams that are read at the same time after their clients disconnected. Beyond this limit, the
   * provider connection is closed immediately, and the gateway charges its own count.
   */
  readonly drainsMax: number
  /** Maximum number of streams of one organization that are read at the same time after their clients disconnected. */
  readonly drainsOfOrganizationMax: number
}

/**
 * Counts the provider responses that this process still reads after their clients have disconnected
 * (docs/reference/threats.md "Clients that disconnect"). The limit prevents clients that disconnect together from
 * keeping many providers busy. Each organization has a share of these reads, so that one organization cannot use up the
 * reads of other organizations.
 */
export class ReadsAfterDisconnect {
  readonly #limits: Pick<DrainLimits, 'drainsMax' | 'drainsOfOrganizationMax'>
  readonly #countOf = new Map<string, number>()
  #count = 0

  constructor(limits: Pick<DrainLimits, 'drainsMax' | 'drainsOfOrganizationMax'>) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /** Returns false if the maximum number of reads is reached. */
  begin(organizationId: string): boolean {
    const { drainsMax, drainsOfOrganizationMax } = this.#limits
    const own = this.#countOf.get(organizationId) ?? 0
    if (this.#count >= drainsMax || own >= drainsOfOrganizationMax) return false
    this.#countOf.set(organizationId, own + 1)
    this.#count++
    return true
  }

  /** Call this function once at the end of each read. */
  end(organizationId: string): void {
    const left = (this.#countOf.get(organizationId) ?? 1) - 1
    if (left > 0) this.#countOf.set(organizationId, left)
    else this.#countOf.delete(organizationId)
    this.#count--
  }
}
