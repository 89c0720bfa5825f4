/**
 * IDs are optional on the generate wire, and most calls of Gemini 2 have no ID (docs/reference/wires.md "Streams on the
 * generate wire"). Results without IDs are matched with the calls of their function, in the order of the calls. The
 * function's name alone is not enough, because a turn may call the same function twice. Some clients send the ID of the
 * call as the name. If no call has the name of a result, the result belongs to the first call without a result.
 */
export class CallNames {
  readonly #given: ReadonlySet<string>
  readonly #byId = new Map<string, Call>()
  readonly #byName = new Map<string, CallQueue>()
  readonly #all: CallQueue = { calls: [], answered: 0 }
  #minted = 0

  constructor(given: ReadonlySet<string>) {
    this.#given = given
  }

  call(name: string, given: string | null): string {
    const call = { id: given ?? this.#mint(), isMinted: given === null, isAnswered: false }
    this.#byId.set(call.id, call)
    const queue = this.#byName.get(name) ?? { calls: [], answered: 0 }
    queue.calls.push(call)
    this.#byName.set(name, queue)
    this.#all.calls.push(call)
    return call.id
  }

  /** A result without a call keeps its own ID, or gets a new ID. */
  result(name: string, given: string | null): string {
    const call = (given === null ? undefined : this.#byId.get(given)) ?? this.#next(name, given !== null)
    if (!call) return given ?? this.#mint()
    call.isAnswered = true
    return call.id
  }

  /**
   * If the function was not called, returns the first call without a result, whatever its function is. Null if the call
   * and the result have different IDs.
   * @param isNamed whether the result has an ID that no call has
   */
  #next(name: string, isNamed: boolean): Call | null {
    const queue = this.#byName.get(name) ?? this.#all
    while (queue.calls[queue.answered]?.isAnswered === true) queue.answered++
    const call = queue.calls[queue.answered]
    return call && (call.isMinted || !isNamed) ? call : null
  }

  #mint(): string {
    let id = `call_${this.#minted++}`
    while (this.#given.has(id)) id = `call_${this.#minted++}`
    return id
  }
}

/** The first `answered` calls have results. */
interface CallQueue {
  readonly calls: Call[]
  answered: number
}

interface Call {
  readonly id: string
  readonly isMinted: boolean
  isAnswered: boolean
}
