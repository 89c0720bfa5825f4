import type { GatewayPorts } from '#gateway/call/ports.ts'

/**
 * The hang-up rule: usage is still charged after a client disconnects. The provider is read further, up to a time and a
 * size limit, so that its actual usage is charged. Beyond either limit, the provider connection is closed and the
 * gateway's own count is charged. The number of such reads is limited, so that clients that disconnect together cannot
 * keep many providers busy (docs/reference/threats.md "Hang-ups").
 */
export class HangUp {
  readonly #ports: Pick<GatewayPorts, 'drains' | 'limits'>
  #bytesLeft: number
  #timer: NodeJS.Timeout | null = null

  constructor(ports: Pick<GatewayPorts, 'drains' | 'limits'>) {
    this.#ports = ports
    this.#bytesLeft = ports.limits.drainBytesMax
  }

  /**
   * @param onOver closes the provider connection and settles on the known usage; called immediately if there is no room
   */
  begin(onOver: () => void): void {
    const { drains, limits } = this.#ports
    if (drains.count >= limits.drainsMax) return onOver()
    drains.count++
    this.#timer = setTimeout(onOver, limits.drainMs)
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
    this.#ports.drains.count--
  }
}
