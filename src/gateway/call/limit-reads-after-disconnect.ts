export interface DrainLimits {
  /**
   * How long the gateway continues to read for the usage after the client disconnects. `drainBytesMax` limits the
   * bytes.
   */
  readonly drainMs: number
  readonly drainBytesMax: number
  /**
   * Maximum number of concurrent reads after disconnects. Beyond this limit, the provider connection is closed
   * immediately, and the gateway's own count is charged.
   */
  readonly drainsMax: number
  /** The same maximum for each organization. */
  readonly drainsOfOrganizationMax: number
}

/**
 * Counts the provider responses that are read after their clients disconnected (docs/reference/threats.md "Clients that
 * disconnect"). Without a limit, clients that disconnect together could keep many providers busy. The limit per
 * organization leaves reads for other organizations.
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

  begin(organizationId: string): boolean {
    const { drainsMax, drainsOfOrganizationMax } = this.#limits
    const own = this.#countOf.get(organizationId) ?? 0
    if (this.#count >= drainsMax || own >= drainsOfOrganizationMax) return false
    this.#countOf.set(organizationId, own + 1)
    this.#count++
    return true
  }

  /** Call this once at the end of each read. */
  end(organizationId: string): void {
    const left = (this.#countOf.get(organizationId) ?? 1) - 1
    if (left > 0) this.#countOf.set(organizationId, left)
    else this.#countOf.delete(organizationId)
    this.#count--
  }
}
