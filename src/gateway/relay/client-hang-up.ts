import type { DrainLimits, Drains } from '#gateway/call/drains.ts'

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
