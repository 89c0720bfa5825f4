import { withAny } from './labels-of-calls.ts'
import { type CallSum, CallSums } from './sums-of-calls.ts'
import type { EndedCall } from './read-ended-calls-by-time.ts'

/** A call with several labels counts in the sum of each label. */
export class LabelSums {
  readonly #sums = new Map<string, CallSums>()

  get size(): number {
    return this.#sums.values().reduce((sum, { size }) => sum + size, 0)
  }

  all(): readonly { readonly label: string; readonly sum: CallSum }[] {
    return [...this.#sums].flatMap(([label, sums]) => sums.all().map((sum) => ({ label, sum })))
  }

  add(call: EndedCall): void {
    for (const label of withAny(call.labels)) {
      let sums = this.#sums.get(label)
      if (sums === undefined) this.#sums.set(label, (sums = new CallSums()))
      sums.add(call)
    }
  }
}
