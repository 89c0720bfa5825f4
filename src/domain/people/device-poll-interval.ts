/** Enforces the interval at which a device may poll (RFC 8628, 3.5), in this process only. */
const intervalStepSeconds = 5
const intervalSecondsMax = 60
/** A poll that is at most this early is accepted, because the network probably delayed the previous poll. */
const earlyMs = 1_000
/** If more devices poll, the device whose last poll is oldest is removed. */
const namesMax = 20_000

export const firstIntervalSeconds = 5

export class PollPace {
  readonly #monotonicMs: () => number
  /** The devices in the order of their last polls. */
  readonly #polls = new Map<string, { atMs: number; intervalSeconds: number }>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** Records a poll. @returns the new interval if the poll came too early; null if the poll came in time */
  poll(name: string): number | null {
    const atMs = this.#monotonicMs()
    const last = this.#polls.get(name)
    const before = last?.intervalSeconds ?? firstIntervalSeconds
    const isSoon = last !== undefined && atMs - last.atMs < before * 1000 - earlyMs
    const intervalSeconds = isSoon ? Math.min(intervalSecondsMax, before + intervalStepSeconds) : before
    this.#polls.delete(name)
    this.#polls.set(name, { atMs, intervalSeconds })
    if (this.#polls.size > namesMax) {
      const [quietest] = this.#polls.keys()
      if (quietest !== undefined) this.#polls.delete(quietest)
    }
    return isSoon ? intervalSeconds : null
  }

  intervalOf(name: string): number {
    return this.#polls.get(name)?.intervalSeconds ?? firstIntervalSeconds
  }
}
