import type { GatewayLimits } from './ports.ts'
import type { Call } from './open-call.ts'

/**
 * The hang-up rule: a client that leaves does not stop the meter. The provider is read on, up to a time
 * and a size, so that its true usage is charged; past either it is cut off and our count stands. Only so
 * many at once: a crowd that leaves together must not keep a crowd of providers busy (threats.md 40).
 */
let drains = 0

export class HangUp {
  #isDraining = false
  #bytesLeft: number
  #timer: NodeJS.Timeout | null = null
  readonly #limits: GatewayLimits
  readonly #onOver: () => void

  /** @param onOver cut the provider off and settle on what is known */
  constructor(call: Call, onOver: () => void) {
    this.#limits = call.ports.limits
    this.#bytesLeft = this.#limits.drainBytesMax
    this.#onOver = onOver
  }

  get hasLeft(): boolean {
    return this.#isDraining
  }

  /** The client is gone. */
  begin(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    if (drains >= this.#limits.drainsMax) {
      this.#bytesLeft = -1
      this.#onOver()
      return
    }
    drains++
    this.#timer = setTimeout(this.#onOver, this.#limits.drainMs)
  }

  /** False once more was read after the client left than is worth reading. */
  take(bytes: number): boolean {
    if (!this.#isDraining) return true
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
