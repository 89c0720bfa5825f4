import type { DrainLimits, ReadsAfterDisconnect } from '#gateway/call/limit-reads-after-disconnect.ts'

/**
 * After a client disconnects, the gateway continues to read from the provider, to learn the actual usage. If the
 * maximum time or size is reached, if too many such reads are in progress, or if the server stops, the gateway charges
 * its own count.
 */
export class HangUp {
  readonly #drains: ReadsAfterDisconnect
  readonly #drainMs: number
  readonly #organizationId: string
  #bytesLeft: number
  #timer: NodeJS.Timeout | null = null
  #onOver = (): void => {}

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
   * @param onOver called when reading must stop, or immediately if too many reads are in progress or the server stops;
   *   closes the provider connection and settles the known usage
   */
  begin(onOver: () => void): void {
    this.#onOver = onOver
    if (!this.#drains.begin(this.#organizationId, this.#onOver)) return onOver()
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
    this.#drains.end(this.#organizationId, this.#onOver)
  }
}
