/**
 * Checks whether the costs that a provider states for its calls match the costs that the gateway computes
 * (docs/decisions/2026-11-23-disputed-costs.md). The gateway only compares stated costs and never charges them.
 */

export interface StatedCost {
  /** The cost that the provider states, in thousandths of a micro. */
  readonly statedNanos: number
  /** The cost that the gateway computes for the attempt with the stated cost, in micros. */
  readonly costMicros: bigint
}

/** Number of newest calls of an account and model that are compared. */
export const callsCompared = 10

/** The largest accepted difference between the sums of stated and computed costs, in percent. */
const percentMax = 3n

/** Accepted difference per call that rounding can cause, because each computed cost is rounded up to a whole micro. */
const roundingNanos = 1_000n

/**
 * Compares the sums over the newest calls. Rounding, or a retry of a single call, therefore causes no dispute.
 * @param newest calls of one account and model, newest first
 * @returns false if the list has fewer than `callsCompared` calls
 */
export function areCostsDisputed(newest: readonly StatedCost[]): boolean {
  const compared = newest.slice(0, callsCompared)
  if (compared.length < callsCompared) return false
  const { costMicros, statedNanos } = sumOf(compared)
  const difference = costMicros * 1_000n - statedNanos
  const size = difference < 0n ? -difference : difference
  return (size - roundingNanos * BigInt(callsCompared)) * 100n > statedNanos * percentMax
}

export function sumOf(costs: readonly StatedCost[]): { costMicros: bigint; statedNanos: bigint } {
  let costMicros = 0n
  let statedNanos = 0n
  for (const cost of costs) {
    costMicros += cost.costMicros
    statedNanos += BigInt(Math.round(cost.statedNanos))
  }
  return { costMicros, statedNanos }
}

export class StatedCosts {
  readonly #costs = new Map<string, StatedCost[]>()

  /** Adds a stated cost of the account and model. @returns whether the stated costs are now disputed */
  add(key: string, cost: StatedCost): boolean {
    const newest = [cost, ...(this.#costs.get(key) ?? [])].slice(0, callsCompared)
    this.#costs.delete(key)
    this.#costs.set(key, newest)
    for (const oldest of this.#costs.keys()) {
      if (this.#costs.size <= keysMax) break
      this.#costs.delete(oldest)
    }
    return areCostsDisputed(newest)
  }
}

/** Maximum number of entries, of about 1 KB each. */
const keysMax = 4_096
