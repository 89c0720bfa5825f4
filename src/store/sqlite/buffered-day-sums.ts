/**
 * Stores sums of usage that are committed but not yet in `usage_days`. Each batch writes its sums into the row that
 * also contains the state of the writer. The pages of `usage_days` are therefore written once for many batches.
 *
 * A single transaction adds the sums of all slots to `usage_days`, and stores the number of the last batch in the sums.
 * A crash therefore neither loses a sum nor adds a sum twice. The ledger runs this transaction when all slots are in
 * use, and before another transaction or a read uses the table.
 */
import assert from 'node:assert/strict'
import { countNames, figureNames, moneyNames, zeroOf } from '#domain/sums-of-request-figures.ts'
import { sumsOf } from '#domain/add-records-by-field.ts'
import type { StoredDaySum } from '#store/ledger/day-sums-of-batch.ts'
import { columnsOf, dayRow } from '#store/ledger/rows-that-batch-inserts.ts'

/** At about 170 bytes each, the sums of a slot fit on a page of 4 KiB. */
const sumsMax = 20

/** Adding the sums of all slots to `usage_days` takes a few milliseconds. */
const slotsMax = 64

export interface DaySlot {
  readonly id: number
  readonly text: string
}

const figures = sumsOf(zeroOf(figureNames))

export class DaySlots {
  #all = new SumsByKey()
  #current = new SumsByKey()
  #people = new Set<string>()
  #id = 0
  #text = '[]'
  #finished: DaySlot[] = []
  #isChanged = false
  #firstDay: number | null = null

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** Null if there is no sum. */
  get firstDay(): number | null {
    return this.#firstDay
  }

  all(): readonly StoredDaySum[] {
    return this.#all.all()
  }

  /** Whether an end user has a sum that is not in `usage_days`. */
  hasSumsOf(endUserId: string): boolean {
    return this.#people.has(endUserId)
  }

  /** Adds a slot from the file. Call for the oldest slot first, because further sums are added to the last slot. */
  keep(id: number, text: string): void {
    this.#id = id
    this.#text = text
    this.#current = new SumsByKey()
    for (const sum of sumsOfText(text)) this.#addOne(sum)
  }

  /** If there is no room, first write `all` to the table and call `clear`. */
  hasRoom(sums: readonly StoredDaySum[]): boolean {
    return this.#id + 1 < slotsMax || this.#current.fits(sums)
  }

  /** Uses further slots if the sums do not fit into the current slot. */
  add(sums: readonly StoredDaySum[]): void {
    if (sums.length === 0) return
    this.#isChanged = true
    if (!this.#current.fits(sums)) this.#startSlot()
    for (const sum of sums) {
      if (!this.#current.fits([sum])) {
        this.#finished.push({ id: this.#id, text: this.#current.text() })
        this.#startSlot()
      }
      this.#addOne(sum)
    }
  }

  /** Call this function after `all` was written to the table. */
  clear(): void {
    this.#all = new SumsByKey()
    this.#current = new SumsByKey()
    this.#people = new Set()
    this.#id = 0
    this.#text = '[]'
    this.#finished = []
    this.#isChanged = false
    this.#firstDay = null
  }

  /**
   * The row of the current slot comes last. This row is written even if its sums have not changed, because the row
   * contains the number of the batch.
   */
  takeRows(): readonly DaySlot[] {
    if (this.#isChanged) this.#text = this.#current.text()
    this.#isChanged = false
    const rows = [...this.#finished, { id: this.#id, text: this.#text }]
    if (this.#finished.length > 0) this.#finished = []
    return rows
  }

  #startSlot(): void {
    if (this.#current.size === 0) return
    this.#id += 1
    this.#current = new SumsByKey()
  }

  #addOne(sum: StoredDaySum): void {
    this.#current.add(sum)
    this.#all.add(sum)
    this.#people.add(sum.endUserId)
    if (this.#firstDay === null || sum.day < this.#firstDay) this.#firstDay = sum.day
  }
}

/** By the ID of the API key. A key belongs to one end user in one mode, so most keys have only one sum. */
class SumsByKey {
  readonly #byKey = new Map<string, KeptSum[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  all(): readonly StoredDaySum[] {
    return [...this.#byKey.values()].flatMap((ofKey) => ofKey.map(({ sum }) => sum))
  }

  fits(sums: readonly StoredDaySum[]): boolean {
    let size = this.#size
    for (const sum of sums) if (this.#find(sum) === undefined) size += 1
    return size <= sumsMax
  }

  add(more: StoredDaySum): void {
    const known = this.#find(more)
    if (known !== undefined) {
      figures.add(known.sum, more)
      known.text = null
      return
    }
    this.#size += 1
    const kept = { sum: { ...more }, text: null }
    const ofKey = this.#byKey.get(more.keyId)
    if (ofKey === undefined) this.#byKey.set(more.keyId, [kept])
    else ofKey.push(kept)
  }

  /** Only the texts of sums that have changed since the last call are created again. */
  text(): string {
    let text = ''
    for (const ofKey of this.#byKey.values()) {
      for (const kept of ofKey) {
        kept.text ??= textOfSum(kept.sum)
        text += text === '' ? kept.text : `,${kept.text}`
      }
    }
    return `[${text}]`
  }

  #find({ keyId, alias, applicationId, day, endUserId, mode }: StoredDaySum): KeptSum | undefined {
    const ofKey = this.#byKey.get(keyId)
    if (ofKey === undefined) return undefined
    for (const kept of ofKey) {
      const { sum } = kept
      const isSame = sum.alias === alias && sum.day === day && sum.endUserId === endUserId
      if (isSame && sum.mode === mode && sum.applicationId === applicationId) return kept
    }
    return undefined
  }
}

interface KeptSum {
  /** Changed in place. */
  readonly sum: StoredDaySum
  /** Null after a change. */
  text: string | null
}

/** Money is stored as text, because JSON.parse would round it above 2^53. */
function textOfSum(sum: StoredDaySum): string {
  return JSON.stringify(
    dayRow.values(sum).map((value) => (typeof value === 'bigint' ? String(value) : value)),
  )
}

/** @throws if `SumsByKey.text` did not create the text */
function sumsOfText(text: string): StoredDaySum[] {
  const rows: unknown = JSON.parse(text)
  assert(Array.isArray(rows), 'the sums of a slot are an array')
  return rows.map(sumOfValues)
}

function sumOfValues(values: unknown): StoredDaySum {
  assert(Array.isArray(values) && values.length === valuesOfSum, 'a stored sum has a value for each column')
  const [endUserId, mode, day, keyId, alias, applicationId, ...amounts]: unknown[] = values
  const counts = countNames.map((name, at) => [name, Number(amounts[at])])
  const money = moneyNames.map((name, at) => [name, BigInt(String(amounts[countNames.length + at]))])
  return {
    endUserId: String(endUserId),
    mode: String(mode),
    day: Number(day),
    keyId: String(keyId),
    alias: String(alias),
    applicationId: String(applicationId),
    ...zeroOf(figureNames),
    ...Object.fromEntries([...counts, ...money]),
  }
}

const dayColumns = columnsOf(dayRow.columns)
const valuesOfSum = dayColumns.length

/** Before a statement that uses `usage_days`, all sums must be added to the table. */
export function needsDays(sql: string): boolean {
  return sql.includes('usage_days')
}

/** Counts the slots whose sums are not in `usage_days`. */
export const pendingSlots = `SELECT count(*) FROM writer_slots
  WHERE batch > (SELECT max(days_through) FROM writer_slots) AND days <> '[]'`

/** The rows of `usage_days` with the sums of all slots, for connections that only read. */
export const daysWithSlots = `SELECT ${dayColumns
  .map(({ name, isInteger }, at) => (isInteger && at >= 6 ? `sum(${name}) AS ${name}` : name))
  .join(', ')} FROM (
    SELECT ${dayColumns.map(({ name }) => name).join(', ')} FROM main.usage_days
    UNION ALL
    SELECT ${dayColumns
      .map(({ isInteger }, at) => (isInteger ? `CAST(d.value ->> ${at} AS INTEGER)` : `d.value ->> ${at}`))
      .join(', ')}
    FROM main.writer_slots s, json_each(s.days) d
    WHERE s.batch > (SELECT max(days_through) FROM main.writer_slots))
  GROUP BY application_id, mode, day, end_user_id, key_id, alias`
