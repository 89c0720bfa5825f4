import { addSettled, type Counts, figureNames, type Money, zeroOf } from '#domain/sums-of-request-figures.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { type NewUsageRecord, type Person, portalLines, wholePerson } from './state-types.ts'

/** Returns the number of days from January 1, 1970 (UTC) to this time. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

export interface StoredDaySum extends Counts, Money {
  readonly endUserId: string
  readonly mode: string
  readonly day: number
  readonly keyId: string
  readonly alias: string
  readonly applicationId: string
}

export interface DaySum extends StoredDaySum {
  readonly isPortalLine: boolean
}

const noFigures = zeroOf(figureNames)

/** The charges that the current batch has not written to any stored row yet. */
export class DaySums {
  /**
   * The sums of each key line (a key and the keys that replaced it), by the key line's ID. Nearly every key line has
   * only one sum. A map key that joins all columns would be a new string for every call. V8 would keep a copy of each
   * string.
   */
  // Create a new map for each batch, because V8 keeps the old table of a cleared Map in memory
  // (map-for-many-deletions.ts).
  #sums = new Map<string, DaySum[]>()
  #firstDay: number | null = null

  all(): readonly DaySum[] {
    return [...this.#sums.values()].flat()
  }

  /** Null if no day has a charge. */
  get firstDay(): number | null {
    return this.#firstDay
  }

  clear(): void {
    if (this.#sums.size > 0) this.#sums = new Map()
    this.#firstDay = null
  }

  add(record: NewUsageRecord): void {
    const { open, atMs } = record
    const day = dayOf(atMs)
    if (this.#firstDay === null || day < this.#firstDay) this.#firstDay = day
    addSettled(this.#sumOf(open, day), record)
  }

  addCost(open: NewUsageRecord['open'], atMs: number, costMicros: bigint): void {
    const day = dayOf(atMs)
    if (this.#firstDay === null || day < this.#firstDay) this.#firstDay = day
    this.#sumOf(open, day).costMicros += costMicros
  }

  /**
   * Returns the charges on the days from `fromDay` (inclusive) to `toDay` (exclusive; null means no end).
   * @param spender ID of a key line, `wholePerson` or `portalLines`
   */
  spent({ endUserId, mode }: Person, spender: string, fromDay: number, toDay: number | null): bigint {
    let micros = 0n
    const isLine = spender !== wholePerson && spender !== portalLines
    for (const sum of isLine ? (this.#sums.get(spender) ?? []) : this.all()) {
      if (sum.endUserId !== endUserId || sum.mode !== mode) continue
      if (spender === portalLines && !sum.isPortalLine) continue
      if (sum.day >= fromDay && (toDay === null || sum.day < toDay)) micros += sum.chargeMicros
    }
    return micros
  }

  #sumOf(open: NewUsageRecord['open'], day: number): DaySum {
    const { applicationId, hold, isPortalLine, keyId, lineId, person } = open
    const { alias } = hold.bound
    let sums = this.#sums.get(lineId)
    if (sums === undefined) this.#sums.set(lineId, (sums = []))
    for (const sum of sums) if (sum.alias === alias && sum.day === day && sum.keyId === keyId) return sum
    const { endUserId, mode } = person
    const sum: DaySum = {
      endUserId,
      mode,
      day,
      keyId,
      isPortalLine,
      alias,
      applicationId,
      ...noFigures,
    }
    sums.push(sum)
    return sum
  }
}
