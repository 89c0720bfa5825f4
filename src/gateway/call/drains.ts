/** Limits on reading providers after their clients disconnected. */
export interface DrainLimits {
  /** How long the provider is read for its usage after a client disconnects. `drainBytesMax` limits the size. */
  readonly drainMs: number
  readonly drainBytesMax: number
  /**
   * Maximum number of concurrent reads after a disconnect. Beyond it, the provider connection is closed and the
   * gateway's own count is charged.
   */
  readonly drainsMax: number
  /** The same for the calls of one organization. */
  readonly drainsOfOrganizationMax: number
}

/**
 * The reads of providers after their clients disconnected, in this process. Their number is limited, so that clients
 * that disconnect together cannot keep many providers busy (docs/reference/threats.md "Hang-ups"). Each organization
 * has a share, so that the usage of another organization is still read.
 */
export class Drains {
  readonly #limits: Pick<DrainLimits, 'drainsMax' | 'drainsOfOrganizationMax'>
  readonly #countOf = new Map<string, number>()
  #count = 0

  constructor(limits: Pick<DrainLimits, 'drainsMax' | 'drainsOfOrganizationMax'>) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /** Returns false if there is no room for another read. */
  begin(organizationId: string): boolean {
    const { drainsMax, drainsOfOrganizationMax } = this.#limits
    const own = this.#countOf.get(organizationId) ?? 0
    if (this.#count >= drainsMax || own >= drainsOfOrganizationMax) return false
    this.#countOf.set(organizationId, own + 1)
    this.#count++
    return true
  }

  /** Called once for each read that began. */
  end(organizationId: string): void {
    const left = (this.#countOf.get(organizationId) ?? 1) - 1
    if (left > 0) this.#countOf.set(organizationId, left)
    else this.#countOf.delete(organizationId)
    this.#count--
  }
}
