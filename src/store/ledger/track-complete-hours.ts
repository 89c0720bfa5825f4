import { hourMs } from '#money/periods-and-windows.ts'
import type { HourSource, SeenHours, TakenHours } from '#store/sql/hour-sums-interface.ts'
import type { SumsOfHours } from './join-hour-sums.ts'

/** A call's recorded end may be up to this long after the time at which its end was stored. */
const clockMs = 300_000

/**
 * Decides which hours the sums in memory cover completely. An hour is complete if memory has received every call whose
 * end was stored since before the hour began. Later hours may be incomplete after a start and after sums could not be
 * stored. No hour is complete while other processes use the same database.
 */
export class HourMemory implements HourSource {
  readonly #nowMs: () => number
  readonly #sums: SumsOfHours
  #fromHour = 0
  #isNew = true
  /** Whether the sums contain the calls of earlier processes since `#fromHour`. */
  #hasEarlier = false
  #resets = 0

  constructor(nowMs: () => number, sums: SumsOfHours) {
    this.#nowMs = nowMs
    this.#sums = sums
    this.reset()
  }

  reset(): void {
    this.#fromHour = Math.ceil((this.#nowMs() + clockMs) / hourMs)
    this.#isNew = true
    this.#hasEarlier = false
    this.#resets += 1
  }

  /**
   * Call this function once, when the sums contain all calls that ended since the beginning of an hour, including calls
   * that were stored before the start. Has no effect after a reset.
   */
  completeSince(hour: number): void {
    if (this.#resets > 1) return
    this.#fromHour = hour
    this.#hasEarlier = true
  }

  async peek({ throughHour, ...asked }: Parameters<HourSource['peek']>[0]): Promise<SeenHours> {
    const resets = this.#resets
    const fromHour = this.#firstHour(throughHour)
    const { parts, takenHour } = await this.#sums.peek(asked)
    if (this.#resets !== resets) return { parts: [], fromHour: Infinity }
    return { parts, fromHour: takenHour === null ? fromHour : Math.max(fromHour, takenHour + 1) }
  }

  async take({ lastHour, throughHour }: Parameters<HourSource['take']>[0]): Promise<TakenHours> {
    const parts = await this.#sums.take(lastHour)
    const isNew = this.#isNew
    this.#fromHour = this.#firstHour(throughHour)
    if (lastHour > throughHour) this.#isNew = false
    return { parts, fromHour: this.#fromHour, isNew }
  }

  /**
   * After a reset, the stored hours are not complete. If the clock was set back, these hours can be in the future. The
   * hour after them is complete only if the sums contain calls from before the reset.
   */
  #firstHour(throughHour: number): number {
    return this.#isNew ? Math.max(this.#fromHour, throughHour + (this.#hasEarlier ? 1 : 2)) : this.#fromHour
  }
}
