import { hourMs } from '#money/period.ts'
import type { HourPart, HourSource, TakenHours } from '#store/sql/hour-parts.ts'

/** The end of a call may be stored this long before it by the clock, in milliseconds. */
const clockMs = 300_000

/**
 * Decides which hours the sums in memory cover completely. An hour is complete if, since before its start, no end was
 * stored that is missing in memory. The memory is incomplete after a start, a move of the writer, a failed fold, and
 * while other processes use the same database.
 */
export class HourMemory implements HourSource {
  readonly #nowMs: () => number
  readonly #take: (throughHour: number) => Promise<readonly HourPart[]>
  #fromHour = 0
  #isNew = true

  constructor(nowMs: () => number, take: (throughHour: number) => Promise<readonly HourPart[]>) {
    this.#nowMs = nowMs
    this.#take = take
    this.reset()
  }

  reset(): void {
    this.#fromHour = Math.ceil((this.#nowMs() + clockMs) / hourMs)
    this.#isNew = true
  }

  async take({ lastHour, throughHour }: Parameters<HourSource['take']>[0]): Promise<TakenHours> {
    const parts = await this.#take(lastHour)
    const isNew = this.#isNew
    // The clock was set back if the stored hours are not over yet.
    if (isNew) this.#fromHour = Math.max(this.#fromHour, throughHour + 2)
    if (lastHour > throughHour) this.#isNew = false
    return { parts, fromHour: this.#fromHour, isNew }
  }
}
