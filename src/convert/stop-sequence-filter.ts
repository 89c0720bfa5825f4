import type { NeutralEvent } from './neutral-format.ts'
import { StopAutomaton } from './stop-sequence-automaton.ts'

/**
 * Ends an answer at the client's stop sequence that is complete first, for providers whose wire does not support them
 * (docs/reference/conversions.md "Sampling and limits"). Text that may be the beginning of a stop sequence is withheld
 * until later text shows whether it is a stop sequence. At a match, the choice is finished, and the rest of the choice
 * is dropped.
 */
export class StopFilter {
  readonly #automaton: StopAutomaton
  /** The withheld text of each choice, and the state of the automaton after the text. */
  readonly #held = new Map<number, { readonly text: string; readonly state: number }>()
  readonly #stopped = new Set<number>()

  constructor(stops: readonly string[]) {
    this.#automaton = new StopAutomaton(stops)
  }

  get stoppedCount(): number {
    return this.#stopped.size
  }

  pass(event: NeutralEvent): readonly NeutralEvent[] {
    if (!('choice' in event)) return [event]
    const { choice } = event
    if (this.#stopped.has(choice)) return []
    if (event.kind === 'text') return this.#text(choice, event.text)
    // Withheld text is sent before any other event.
    const rest = this.#held.get(choice)
    this.#held.delete(choice)
    return rest ? [{ kind: 'text', choice, text: rest.text }, event] : [event]
  }

  #text(choice: number, text: string): readonly NeutralEvent[] {
    const held = this.#held.get(choice)
    const before = held?.text ?? ''
    const whole = before + text
    let state = held?.state ?? 0
    for (let at = 0; at < text.length; at++) {
      state = this.#automaton.after(state, text.charCodeAt(at))
      const matched = this.#automaton.matchedAt(state)
      if (matched > 0) return this.#stop(choice, whole, before.length + at + 1, matched)
    }
    const keep = this.#automaton.lengthAt(state)
    const sent = whole.length - keep
    if (keep === 0) this.#held.delete(choice)
    else this.#held.set(choice, { text: sent === 0 ? whole : whole.slice(sent), state })
    return sent === 0 ? [] : [{ kind: 'text', choice, text: whole.slice(0, sent) }]
  }

  #stop(choice: number, whole: string, end: number, matched: number): readonly NeutralEvent[] {
    this.#stopped.add(choice)
    this.#held.delete(choice)
    const at = end - matched
    const stopSequence = whole.slice(at, end)
    const finish = { kind: 'finish', choice, reason: 'stop_sequence', stopSequence } as const
    return at === 0 ? [finish] : [{ kind: 'text', choice, text: whole.slice(0, at) }, finish]
  }
}
