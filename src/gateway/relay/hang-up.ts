import type { GatewayLimits } from '#gateway/ports.ts'

/**
 * The hang-up rule: a client that leaves does not stop the meter. The provider is read on, up to a time
 * and a size, so that its true usage is charged; past either it is cut off and our count stands. Only so
 * many at once: a crowd that leaves together must not keep a crowd of providers busy (threats.md 40).
 */
let drains = 0

/** One client that has left. */
export class HangUp {
  #bytesLeft: number
  #timer: NodeJS.Timeout | null = null

  constructor({ drainBytesMax }: GatewayLimits) {
    this.#bytesLeft = drainBytesMax
  }

  /** @param onOver cut the provider off and settle on what is known; called at once when there is no room */
  begin({ drainsMax, drainMs }: GatewayLimits, onOver: () => void): void {
    if (drains >= drainsMax) return onOver()
    drains++
    this.#timer = setTimeout(onOver, drainMs)
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
    drains--
  }
}
