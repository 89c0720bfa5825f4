/**
 * Stores changed figures of sources (such as balances) and changed usage of rate limits in slots. The changes are
 * committed, but not yet in the rows of `sources`, `rate_uses` and `line_rate_uses`. Each batch writes its changes into
 * one slot, so the many pages of these tables are written once for many batches.
 *
 * A single transaction writes all slots to the tables, and begins the next cycle of slots. Slot 0 contains the number
 * of the current cycle. Slots of an earlier cycle are ignored, so a crash never applies old figures to a newer row. The
 * ledger runs this transaction when all slots are in use, and before another transaction on its connection. It also
 * runs this transaction before loading a row with newer figures in a slot. Connections that only read see rows and
 * slots together (views-with-buffered-balances.ts).
 */
import type { ChangedSource, Person, SourceCell } from '#store/ledger/state-types.ts'
import type { ChangedUse } from '#store/ledger/rows-of-changed-rate-limit-usage.ts'
import type { Need } from '#store/ledger/rows-that-operation-needs.ts'
import { rateUsesToText } from '#store/rows/json-columns.ts'

const sourceBytes = 90

/** Bytes in a slot. With this room, 40 sources fit into a slot, which is a page of 4 KiB. */
const roomMax = 40 * sourceBytes

const slotsMax = 192

/**
 * Writing this many rows to the tables takes a few milliseconds. A row that changes again counts only once, so requests
 * of the same end users fill the slots more slowly.
 */
const rowsMax = 1_280

export interface SourceSlot {
  readonly id: number
  readonly cycle: number
  readonly text: string
}

/** The new figures of one source, or the new usage of the rate limits of an end user or a key line. */
export interface SlotEntry {
  /**
   * The cell (copy of the row) of the source. For usage, the end user or the ID of the key line. Within one cycle of
   * the slots, the object stays the same. The slots are written to the tables before a row is loaded again.
   */
  readonly key: SourceCell | Person | string
  /** JSON array. Money is written as integers, because integers in SQLite's JSON have 64 bits. */
  readonly text: string
  readonly room: number
  readonly endUserId: string
  /** Null unless the entry is the usage of a key line. */
  readonly lineId: string | null
  readonly changed: ChangedSource | ChangedUse
}

/** The values have the order of `waitingColumns`. */
export function entryOfSource(changed: ChangedSource): SlotEntry {
  const { cell, person } = changed
  const { endUserId, mode } = person
  const { lastEntry, source } = cell
  const { held, id, posted } = source
  const given = source.kind === 'wallet' ? source.given : null
  const [withheld, expired] = source.kind === 'pool' ? [source.withheld, source.expired] : [null, null]
  const row = `${JSON.stringify(endUserId)},"${mode}",${JSON.stringify(id)}`
  const text = `[${row},${posted},${held},${lastEntry},${given},${withheld},${expired}]`
  return { key: cell, text, room: sourceBytes, endUserId, lineId: null, changed }
}

/**
 * The third value is null, which distinguishes usage from a source. The fourth value is the ID of the key line. Empty
 * for the rate limits of the end user and the bundle.
 */
export function entryOfUse(changed: ChangedUse): SlotEntry {
  const { lineId, person } = changed
  const { endUserId, mode } = person
  const row = `${JSON.stringify(endUserId)},"${mode}",null,${JSON.stringify(lineId ?? '')}`
  const text = `[${row},${rateUsesToText(usesOf(person, lineId))}]`
  // A text that is longer than a slot normally holds fills a slot alone.
  const room = Math.min(roomMax, text.length)
  return { key: lineId ?? person, text, room, endUserId, lineId, changed }
}

function usesOf({ lineUses, uses }: Person, lineId: string | null): Person['uses'] {
  return lineId === null ? uses : (lineUses.get(lineId) ?? [])
}

export class SourceSlots {
  readonly cycle: number
  #id = 0
  #current = new Map<SlotEntry['key'], SlotEntry>()
  #taken = 0
  /** By the keys of the entries. */
  readonly #changed = new Map<SlotEntry['key'], SlotEntry['changed']>()
  readonly #people = new Set<string>()
  readonly #lines = new Set<string>()
  #finished: SourceSlot[] = []
  #isChanged = false

  /** @param cycle the current cycle of the slots in the file */
  constructor(cycle: number) {
    this.cycle = cycle
  }

  get isEmpty(): boolean {
    return this.#id === 0 && this.#current.size === 0
  }

  /** Whether slots have newer figures than the rows that answer the need. */
  isNewerFor(need: Need): boolean {
    switch (need.kind) {
      case 'source':
      case 'sources':
        return this.#people.has(need.endUserId)
      case 'line_uses':
        return this.#lines.has(need.lineId)
      default:
        return false
    }
  }

  /**
   * Adds the entries of a batch to the current slot and, if necessary, to the next slots. Returns false, and adds
   * nothing, if there is no room.
   */
  add(entries: readonly SlotEntry[]): boolean {
    if (entries.length === 0) return true
    if (this.#changed.size + entries.length > rowsMax) return false
    const isWithinSlot = this.#taken + this.#moreRoom(entries) <= roomMax
    if (!isWithinSlot && !this.#fitsNextSlots(entries)) return false
    this.#isChanged = true
    if (!isWithinSlot) this.#startSlot()
    for (const entry of entries) {
      const before = this.#roomOf(entry)
      if (!isWithinSlot && this.#taken + entry.room - before > roomMax) {
        this.#finished.push(this.#row())
        this.#startSlot()
      }
      this.#keep(entry, before)
    }
    return true
  }

  /** Returns each source and each usage only once. */
  changed(): Iterable<SlotEntry['changed']> {
    return this.#changed.values()
  }

  takeRows(): readonly SourceSlot[] {
    if (!this.#isChanged) return noRows
    this.#isChanged = false
    const rows = [...this.#finished, this.#row()]
    if (this.#finished.length > 0) this.#finished = []
    return rows
  }

  #row(): SourceSlot {
    let text = ''
    for (const entry of this.#current.values()) text += text === '' ? entry.text : `,${entry.text}`
    return { id: this.#id, cycle: this.cycle, text: `[${text}]` }
  }

  /** @param before room that an earlier version of the entry takes in the current slot */
  #keep(entry: SlotEntry, before: number): void {
    const { changed, endUserId, key, lineId, room } = entry
    this.#taken += room - before
    this.#current.set(key, entry)
    if (before > 0 || this.#changed.has(key)) return
    this.#changed.set(key, changed)
    if (lineId === null) this.#people.add(endUserId)
    else this.#lines.add(lineId)
  }

  #moreRoom(entries: readonly SlotEntry[]): number {
    let more = 0
    for (const entry of entries) more += entry.room - this.#roomOf(entry)
    return more
  }

  #fitsNextSlots(entries: readonly SlotEntry[]): boolean {
    const room = entries.reduce((sum, entry) => sum + entry.room, 0)
    const hasOnlySources = entries.every((entry) => entry.room === sourceBytes)
    // The next slot begins only when an entry does not fit, so at most half of the room remains unused. Sources alone
    // fill their slots completely, because the size of a slot is a multiple of their size.
    return (hasOnlySources ? room : 2 * room) <= (slotsMax - 1 - this.#id) * roomMax
  }

  /** 0 if there is no previous entry with this key. */
  #roomOf({ key }: SlotEntry): number {
    return this.#current.get(key)?.room ?? 0
  }

  #startSlot(): void {
    if (this.#current.size === 0) return
    this.#id += 1
    this.#current = new Map()
    this.#taken = 0
  }
}

const noRows: readonly SourceSlot[] = []

export const sourceKey = ['end_user_id', 'mode', 'id'] as const
export const sourceFigures = ['posted', 'held', 'last_entry', 'given', 'withheld', 'expired'] as const

/** In the order of the values in the JSON array of a stored source. */
const waitingColumns = [...sourceKey, ...sourceFigures]

export const waitingValues = waitingColumns.map((name, at) => `f.value ->> ${at} AS ${name}`).join(', ')

/** Whether `f`, an element of `figures`, is a source. Otherwise, `f` is usage. */
export const isWaitingSource = 'f.value ->> 2 IS NOT NULL'

/** The values of `f`, an element of `figures` that is usage. */
export const waitingUses =
  'f.value ->> 0 AS end_user_id, f.value ->> 1 AS mode, f.value ->> 3 AS line_id, f.value ->> 4 AS uses'

/** Selects 1 if slots have entries that are not in the tables. Slot 0 is the first slot of a cycle. */
export const hasWaiting = "SELECT figures <> '[]' FROM source_slots WHERE slot = 0"

/**
 * In a query with max(), SQLite takes the other columns from the row with the highest value
 * (sqlite.org/lang_select.html#bareagg).
 */
const newestUses = `SELECT ${waitingUses}, max(s.slot) FROM source_slots s, json_each(s.figures) f
    WHERE s.cycle = (SELECT cycle FROM source_slots WHERE slot = 0) AND NOT ${isWaitingSource} GROUP BY 1, 2, 3`

/** The unary plus makes SQLite look up each source by its key, instead of reading all sources. */
export const writeWaiting = [
  `UPDATE sources SET ${sourceFigures.map((name) => `${name} = w.${name}`).join(', ')}
  FROM (
    SELECT ${waitingValues}, max(s.slot) FROM source_slots s, json_each(s.figures) f
    WHERE s.cycle = (SELECT cycle FROM source_slots WHERE slot = 0) AND ${isWaitingSource} GROUP BY 1, 2, 3
  ) w
  WHERE ${sourceKey.map((name) => `sources.${name} = +w.${name}`).join(' AND ')}`,
  `INSERT OR REPLACE INTO rate_uses (end_user_id, mode, uses)
    SELECT end_user_id, mode, uses FROM (${newestUses}) WHERE line_id = ''`,
  `INSERT OR REPLACE INTO line_rate_uses (end_user_id, mode, line_id, uses)
    SELECT end_user_id, mode, line_id, uses FROM (${newestUses}) WHERE line_id <> ''`,
] as const

/** Run this after `writeWaiting`, in the same transaction. */
export const nextCycle = "UPDATE source_slots SET cycle = cycle + 1, figures = '[]' WHERE slot = 0"
