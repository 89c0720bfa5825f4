import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'

export class OpenStreams {
  readonly #stopping = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  #count = 0
  #endings = 0

  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Number of changes of tokens, sessions and members in this process, each of which may have ended a credential. */
  get credentialChanges(): number {
    return this.#endings
  }

  noteCredentialChange(): void {
    this.#endings += 1
  }

  /** @returns a function to call when the stream has ended */
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

  /**
   * Ends all streams and waits until their last pieces are sent. The wait is limited, because a client may not be
   * reading.
   */
  async stop(waitMs: number): Promise<void> {
    this.#stopping.abort()
    if (this.#count > 0) await Promise.race([this.#ended.promise, delay(waitMs)])
    // The last piece reaches the socket one turn of the event loop after it was produced.
    await nextTurn()
    await nextTurn()
  }
}
