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
  readonly #stops = new Set<() => void>()
  #isStopped = false

  constructor(limits: Pick<DrainLimits, 'drainsMax' | 'drainsOfOrganizationMax'>) {
    this.#limits = limits
  }

  get count(): number {
    return this.#stops.size
  }

  /** @param stop a function of its own for each read, which ends the read when the server stops */
  begin(organizationId: string, stop: () => void): boolean {
    const { drainsMax, drainsOfOrganizationMax } = this.#limits
    const own = this.#countOf.get(organizationId) ?? 0
    if (this.#isStopped || this.count >= drainsMax || own >= drainsOfOrganizationMax) return false
    this.#countOf.set(organizationId, own + 1)
    this.#stops.add(stop)
    return true
  }

  /** Ends all reads and begins no more. Otherwise, a stopping server would wait for silent providers. */
  stop(): void {
    this.#isStopped = true
    for (const stop of this.#stops) stop()
  }

  /** Call this once at the end of each read, with the same function as at its start. */
  end(organizationId: string, stop: () => void): void {
    this.#stops.delete(stop)
    const left = (this.#countOf.get(organizationId) ?? 1) - 1
    if (left > 0) this.#countOf.set(organizationId, left)
    else this.#countOf.delete(organizationId)
  }
}
