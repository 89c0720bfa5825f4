/**
 * Whether the costs that a provider states for its calls agree with the gateway's own
 * (docs/decisions/2026-11-23-usage-beside-totals.md "Disputed costs"). Stated costs are compared, never charged.
 */

/** One call whose usage states a cost. */
export interface StatedCost {
  /** The provider's word, in thousandths of a micro. */
  readonly statedNanos: number
  /** The gateway's result for the same attempt. */
  readonly costMicros: bigint
}

/** The newest calls of an account and model that are compared; fewer prove nothing. */
export const callsCompared = 10

/** The largest difference of the sums that is accepted. */
const percentMax = 3n

/** Each cost is rounded up once, to a whole micro: that alone is no difference. */
const roundingNanos = 1_000n

/**
 * Compares the sums over the newest calls, so that one rounding or one retry does not decide.
 * @param newest calls of one account and model, the newest first
 * @returns false if there are fewer than `callsCompared`
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

/** The newest stated costs that this process has seen, by account and model. */
export class StatedCosts {
  readonly #costs = new Map<string, StatedCost[]>()

  /** @returns whether the costs of the account and model are disputed, this one included */
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

/** About 1 KB each. */
const keysMax = 4_096
