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

/**
 * The hang-up rule: usage is still charged after a client disconnects. The provider is read further, up to a time and a
 * size limit, so that its actual usage is charged. Beyond either limit, or if too many providers are read, the provider
 * connection is closed and the gateway's own count is charged.
 */
export class HangUp {
  readonly #drains: Drains
  readonly #drainMs: number
  readonly #organizationId: string
  #bytesLeft: number
  #timer: NodeJS.Timeout | null = null

  constructor(
    drains: Drains,
    { drainBytesMax, drainMs }: Pick<DrainLimits, 'drainBytesMax' | 'drainMs'>,
    organizationId: string,
  ) {
    this.#drains = drains
    this.#drainMs = drainMs
    this.#organizationId = organizationId
    this.#bytesLeft = drainBytesMax
  }

  /**
   * @param onOver closes the provider connection and settles on the known usage; called immediately if there is no room
   */
  begin(onOver: () => void): void {
    if (!this.#drains.begin(this.#organizationId)) return onOver()
    this.#timer = setTimeout(onOver, this.#drainMs)
  }

  /** Returns false after the size limit for reads without a client is exceeded. */
  take(bytes: number): boolean {
    this.#bytesLeft -= bytes
    return this.#bytesLeft >= 0
  }

  /** Called when the provider's response has ended. */
  end(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#drains.end(this.#organizationId)
  }
}
