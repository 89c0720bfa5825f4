/**
 * Finds the first of many stop sequences in a text that arrives in pieces (Aho and Corasick, "Efficient String
 * Matching"). The states are the beginnings of all stop sequences. After each character, the state is the longest
 * beginning with which the text ends. The work for a character is constant on average, and does not depend on the
 * number of stop sequences.
 */
export class StopAutomaton {
  /** The next state, by the state and the character. State 0 is the empty beginning. */
  readonly #next = new Map<number, number>()
  /** The length of each beginning. */
  readonly #lengths: number[] = [0]
  /** The longest shorter beginning with which the beginning ends. */
  readonly #shorter: number[] = [0]
  /** The length of the longest stop sequence with which the beginning ends, or 0. */
  readonly #matched: number[] = [0]

  constructor(stops: readonly string[]) {
    const parents = [0]
    const codes = [0]
    for (const stop of stops) {
      let state = 0
      for (let at = 0; at < stop.length; at++) {
        const code = stop.charCodeAt(at)
        const key = keyOf(state, code)
        const known = this.#next.get(key)
        if (known === undefined) {
          this.#next.set(key, this.#lengths.length)
          parents.push(state)
          codes.push(code)
          this.#lengths.push(at + 1)
          this.#shorter.push(0)
          this.#matched.push(0)
        }
        state = known ?? this.#lengths.length - 1
      }
      this.#matched[state] = stop.length
    }
    // Shorter beginnings come first, because longer beginnings need their results.
    const states = parents.map((_, state) => state).toSorted((a, b) => this.lengthAt(a) - this.lengthAt(b))
    for (const state of states) {
      const parent = parents[state] ?? 0
      if (parent !== 0) this.#shorter[state] = this.after(this.#shorter[parent] ?? 0, codes[state] ?? 0)
      this.#matched[state] ||= this.matchedAt(this.#shorter[state] ?? 0)
    }
  }

  after(state: number, code: number): number {
    for (let at = state; ; at = this.#shorter[at] ?? 0) {
      const next = this.#next.get(keyOf(at, code))
      if (next !== undefined) return next
      if (at === 0) return 0
    }
  }

  /** Returns how many characters at the end of the text may be the beginning of a stop sequence. */
  lengthAt(state: number): number {
    return this.#lengths[state] ?? 0
  }

  /** Returns the length of the longest stop sequence with which the text ends, or 0. */
  matchedAt(state: number): number {
    return this.#matched[state] ?? 0
  }
}

function keyOf(state: number, code: number): number {
  return state * 0x10000 + code
}
