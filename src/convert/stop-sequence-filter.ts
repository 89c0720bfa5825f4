import { prefixLengths } from '#wire/text/prefix-lengths.ts'
import type { NeutralEvent } from './neutral-format.ts'

/**
 * Ends an answer at the first of the client's stop sequences, for providers whose wire does not support them
 * (docs/reference/conversions.md "Sampling and limits"). Text that may be the beginning of a stop sequence is withheld
 * until later text shows whether it is a stop sequence. At a match, the choice is finished, and the rest of the choice
 * is dropped.
 */
export class StopFilter {
  readonly #stops: readonly string[]
  readonly #held = new Map<number, string>()
  readonly #stopped = new Set<number>()

  constructor(stops: readonly string[]) {
    this.#stops = stops
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
    return rest ? [{ kind: 'text', choice, text: rest }, event] : [event]
  }

  #text(choice: number, text: string): readonly NeutralEvent[] {
    const whole = (this.#held.get(choice) ?? '') + text
    const found = this.#firstStop(whole)
    if (found) {
      this.#stopped.add(choice)
      this.#held.delete(choice)
      const finish = { kind: 'finish', choice, reason: 'stop_sequence', stopSequence: found.stop } as const
      return found.at === 0 ? [finish] : [{ kind: 'text', choice, text: whole.slice(0, found.at) }, finish]
    }
    const keep = this.#beginningAtEnd(whole)
    if (keep === 0) this.#held.delete(choice)
    else this.#held.set(choice, whole.slice(-keep))
    return keep === whole.length ? [] : [{ kind: 'text', choice, text: whole.slice(0, whole.length - keep) }]
  }

  #firstStop(text: string): { stop: string; at: number } | null {
    let first: { stop: string; at: number } | null = null
    for (const stop of this.#stops) {
      const at = text.indexOf(stop)
      if (at >= 0 && (first === null || at < first.at)) first = { stop, at }
    }
    return first
  }

  /** Returns how many characters at the end of the text may be the beginning of a stop sequence. */
  #beginningAtEnd(text: string): number {
    let longest = 0
    for (const stop of this.#stops) {
      const end = text.slice(Math.max(0, text.length - stop.length + 1))
      if (end.length <= longest || !end.includes(stop.charAt(0))) continue
      longest = Math.max(longest, prefixLengths(end, stop.slice(0, end.length))[end.length] ?? 0)
    }
    return longest
  }
}
