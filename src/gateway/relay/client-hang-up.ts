import type { GatewayPorts } from '#gateway/ports.ts'

/**
 * The hang-up rule: a client that leaves does not stop the meter. The provider is read on, up to a time and a size,
 * so that its true usage is charged; past either it is cut off and the gateway's own count stands. The number of
 * such reads is bounded: clients that leave together must not keep many providers busy
 * (docs/reference/threats.md "Hang-ups").
 */
export class HangUp {
  readonly #ports: Pick<GatewayPorts, 'drains' | 'limits'>
  #bytesLeft: number
  #timer: NodeJS.Timeout | null = null

  constructor(ports: Pick<GatewayPorts, 'drains' | 'limits'>) {
    this.#ports = ports
    this.#bytesLeft = ports.limits.drainBytesMax
  }

  /** @param onOver cuts the provider off and settles on the known usage; called at once when there is no room */
  begin(onOver: () => void): void {
    const { drains, limits } = this.#ports
    if (drains.count >= limits.drainsMax) return onOver()
    drains.count++
    this.#timer = setTimeout(onOver, limits.drainMs)
  }

  /** False once more was read after the client left than is worth reading. */
  take(bytes: number): boolean {
    this.#bytesLeft -= bytes
    return this.#bytesLeft >= 0
  }

  /** The provider's answer is over. */
  end(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#ports.drains.count--
  }
}
