import { hourMs } from '#money/period.ts'
import type { HourPart, HourSource, TakenHours } from '#store/sql/hour-parts.ts'

/** The recorded end time of a call may be up to this many milliseconds after the time at which its end was stored. */
const clockMs = 300_000

/**
 * Decides which hours the sums in memory cover completely. An hour is complete if memory has received every call end
 * that was stored since before the hour began. The memory is incomplete after a start, after the writer moved to
 * another thread, after storing the sums failed, and while other processes use the same database.
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
    // If a stored hour has not passed yet, the clock was set back.
    if (isNew) this.#fromHour = Math.max(this.#fromHour, throughHour + 2)
    if (lastHour > throughHour) this.#isNew = false
    return { parts, fromHour: this.#fromHour, isNew }
  }
}
