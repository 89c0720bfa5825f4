/**
 * Limits how many requests are rejected in one turn of the event loop. If thousands of clients send a request at the
 * same time, Node reads all these requests in one or two turns. If all of them were rejected in these turns, each turn
 * would take up to 0.3 s. A request that is served needs about five turns, and `/health` needs two.
 *
 * Further requests are rejected in the following turns, in the order of their arrival. Each turn rejects a share of the
 * waiting requests, so the rejections of a burst end after about 0.3 s. With a fixed number per turn, rejections would
 * wait longer and longer if clients that may not rest send more requests (resting-connections.ts).
 */
export class SpreadRejections<T extends RejectedRequest> {
  readonly #perTurnMin: number
  readonly #turn: () => number
  readonly #reject: (request: T) => void
  #waiting: T[] = []
  /** The turn of the event loop in which requests were last rejected on arrival. */
  #lastTurn = -1
  #rejectedInTurn = 0
  #isDue = false

  /**
   * @param perTurnMin if fewer requests are rejected in a turn, none of them waits
   * @param turn returns the number of the current turn of the event loop
   */
  constructor(perTurnMin: number, turn: () => number, reject: (request: T) => void) {
    this.#perTurnMin = perTurnMin
    this.#turn = turn
    this.#reject = reject
  }

  add(request: T): void {
    if (this.#waiting.length === 0 && this.#hasRoomInTurn()) {
      this.#reject(request)
      return
    }
    this.#waiting.push(request)
    this.#continueLater()
  }

  rejectAll(): void {
    this.#rejectWaiting(this.#waiting.length)
  }

  #hasRoomInTurn(): boolean {
    const turn = this.#turn()
    if (turn !== this.#lastTurn) {
      this.#lastTurn = turn
      this.#rejectedInTurn = 0
    }
    this.#rejectedInTurn += 1
    return this.#rejectedInTurn <= this.#perTurnMin
  }

  #continueLater(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#rejectWaiting(Math.max(this.#perTurnMin, Math.ceil(this.#waiting.length * shareInTurn)))
      if (this.#waiting.length > 0) this.#continueLater()
    })
  }

  #rejectWaiting(most: number): void {
    for (const request of this.#waiting.splice(0, most)) if (!request.isGone()) this.#reject(request)
  }
}

const shareInTurn = 1 / 16

interface RejectedRequest {
  /** Whether the client has disconnected. */
  readonly isGone: () => boolean
}
