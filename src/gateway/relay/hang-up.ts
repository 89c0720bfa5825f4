import type { GatewayPorts } from '#gateway/ports.ts'

/**
 * The hang-up rule: a client that leaves does not stop the meter. The provider is read on, up to a time
 * and a size, so that its true usage is charged; past either it is cut off and our count stands. Only so
 * many at once: a crowd that leaves together must not keep a crowd of providers busy
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

  /** @param onOver cut the provider off and settle on what is known; called at once when there is no room */
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

  /** The provider has ended, by itself or not. */
  end(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#ports.drains.count--
  }
}
