import { dayOf, type NewUsageRecord, type Person } from './book.ts'

/** Charged on one day by one key under one name: what a batch adds to a row of `usage_days`. */
export interface DaySum {
  readonly endUserId: string
  readonly mode: string
  readonly day: number
  readonly keyId: string
  readonly alias: string
  readonly applicationId: string
  calls: number
  inputTokens: number
  outputTokens: number
  costMicros: bigint
  billedMicros: bigint
  chargeMicros: bigint
}

/** What a batch has charged so far, which is not in the rows yet. */
export class DaySums {
  // A new one for each batch: a cleared Map would point on from the old one (memory.ts, `deletionsMax`).
  #sums = new Map<string, DaySum>()

  all(): Iterable<DaySum> {
    return this.#sums.values()
  }

  clear(): void {
    if (this.#sums.size > 0) this.#sums = new Map()
  }

  add({ open, usage, inputTokens, result, atMs }: NewUsageRecord): void {
    const { person, keyId, applicationId, hold } = open
    const { alias } = hold.bound
    const day = dayOf(atMs)
    const name = `${person.endUserId}${person.mode}${day}${keyId}${alias}`
    const sum = this.#sums.get(name)
    if (sum === undefined) {
      this.#sums.set(name, {
        endUserId: person.endUserId,
        mode: person.mode,
        day,
        keyId,
        alias,
        applicationId,
        calls: 1,
        inputTokens,
        outputTokens: usage.output,
        costMicros: result.costMicros,
        billedMicros: result.billedMicros,
        chargeMicros: result.chargeMicros,
      })
    } else {
      sum.calls += 1
      sum.inputTokens += inputTokens
      sum.outputTokens += usage.output
      sum.costMicros += result.costMicros
      sum.billedMicros += result.billedMicros
      sum.chargeMicros += result.chargeMicros
    }
  }

  /** By one key or by all (null), on the days `from` (included) to `to` (not; null: without end). */
  spent({ endUserId, mode }: Person, keyId: string | null, fromDay: number, toDay: number | null): bigint {
    let micros = 0n
    for (const sum of this.#sums.values()) {
      if (sum.endUserId !== endUserId || sum.mode !== mode) continue
      if (keyId !== null && sum.keyId !== keyId) continue
      if (sum.day >= fromDay && (toDay === null || sum.day < toDay)) micros += sum.chargeMicros
    }
    return micros
  }
}
