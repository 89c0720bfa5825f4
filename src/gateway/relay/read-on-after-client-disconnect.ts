import type { DrainLimits, ReadsAfterDisconnect } from '#gateway/call/limit-reads-after-disconnect.ts'

/**
 * After a client disconnects, the gateway continues to read from the provider, to learn the actual usage. If the
 * maximum time or size is reached, or if too many such reads are in progress, the gateway charges its own count.
 */
export class HangUp {
  readonly #drains: ReadsAfterDisconnect
  readonly #drainMs: number
  readonly #organizationId: string
  #bytesLeft: number
  #timer: NodeJS.Timeout | null = null

  constructor(
    drains: ReadsAfterDisconnect,
    { drainBytesMax, drainMs }: Pick<DrainLimits, 'drainBytesMax' | 'drainMs'>,
    organizationId: string,
  ) {
    this.#drains = drains
    this.#drainMs = drainMs
    this.#organizationId = organizationId
    this.#bytesLeft = drainBytesMax
  }

  /**
   * @param onOver called when reading must stop, or immediately if too many reads are in progress; closes the provider
   *   connection and settles the known usage
   */
  begin(onOver: () => void): void {
    if (!this.#drains.begin(this.#organizationId)) return onOver()
    this.#timer = setTimeout(onOver, this.#drainMs)
  }

  /** Returns false if the client has disconnected and the maximum size is exceeded. */
  take(bytes: number): boolean {
    this.#bytesLeft -= bytes
    return this.#bytesLeft >= 0
  }

  end(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#drains.end(this.#organizationId)
  }
}
