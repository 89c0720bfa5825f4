import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'

/** The streamed answers that are under way in this process. */
export class OpenStreams {
  readonly #stopping = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  #count = 0
  #endings = 0

  /** Aborted when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** How often a credential may have ended in this process: tokens, sessions or members have changed. */
  get credentialChanges(): number {
    return this.#endings
  }

  noteCredentialChange(): void {
    this.#endings += 1
  }

  /** @returns what is called when it has ended */
  begin(): () => void {
    this.#count += 1
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#count -= 1
      if (this.#count === 0 && this.#stopping.signal.aborted) this.#ended.resolve()
    }
  }

  /** Ends them, and waits for their last pieces. A client that takes nothing is not waited for longer. */
  async stop(waitMs: number): Promise<void> {
    this.#stopping.abort()
    if (this.#count > 0) await Promise.race([this.#ended.promise, delay(waitMs)])
    // The last piece is written on the turn after it was made.
    await nextTurn()
    await nextTurn()
  }
}
