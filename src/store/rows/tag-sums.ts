import { type CallSum, CallSums } from './call-sums.ts'
import type { EndedCall } from './ended-calls.ts'

/** The key of the sums of all calls with a tag, each counted once. No tag is empty. */
export const anyTag = ''

/** Sums of calls by tag. A call with several tags counts in each of them. */
export class TagSums {
  readonly #sums = new Map<string, CallSums>()

  get size(): number {
    return this.#sums.values().reduce((sum, { size }) => sum + size, 0)
  }

  all(): readonly { readonly tag: string; readonly sum: CallSum }[] {
    return [...this.#sums].flatMap(([tag, sums]) => sums.all().map((sum) => ({ tag, sum })))
  }

  add(call: EndedCall): void {
    if (call.tags.length === 0) return
    for (const tag of [anyTag, ...call.tags]) {
      let sums = this.#sums.get(tag)
      if (sums === undefined) this.#sums.set(tag, (sums = new CallSums()))
      sums.add(call)
    }
  }
}
