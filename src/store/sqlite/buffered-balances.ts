/**
 * Stores changed figures of sources (such as balances and held amounts) and changed usage counted by rate limits. These
 * changes are committed, but not yet in the rows of `sources`, `rate_uses` and `line_rate_uses`. Each batch writes its
 * changes into one slot. The many pages of these tables are therefore written once for many batches, instead of once
 * for each batch.
 *
 * A single transaction writes the contents of all slots to the tables, and begins the next cycle of slots. Slot 0
 * contains the number of the current cycle. Slots of an earlier cycle are ignored. A crash therefore never applies old
 * figures to a newer row. The ledger runs this transaction when all slots are in use, and before another transaction on
 * its connection. The ledger also runs this transaction before loading a row that has newer figures in a slot.
 * Connections that only read see the rows and the slots together (views-with-buffered-balances.ts).
 */
import type { ChangedSource, Person, SourceCell } from '#store/ledger/state-types.ts'
import type { ChangedUse } from '#store/ledger/rows-of-changed-rate-limit-usage.ts'
import type { Need } from '#store/ledger/rows-that-operation-needs.ts'
import { rateUsesToText } from '#store/rows/json-columns.ts'

/** Number of bytes that one source takes in a slot. */
const sourceBytes = 90

/** Room in a slot, in bytes. With this room, 40 sources fit into a slot, which is a page of 4 KiB. */
const roomMax = 40 * sourceBytes

/** Maximum number of slots in one cycle. */
const slotsMax = 192

/**
 * Maximum number of rows that the slots contain. Writing 1,280 rows to the tables takes a few milliseconds. A row that
 * changes again counts only once, even if it is in several slots. If the same end users send many requests, the rows
 * are therefore written to the tables less often.
 */
const rowsMax = 1_280

/** The row of a slot that the batch must write. */
export interface SourceSlot {
  readonly id: number
  readonly cycle: number
  /** JSON array of the slot's entries. */
  readonly text: string
}

/** The new figures of one source, or the new usage counted by the rate limits of an end user or a key line. */
export interface SlotEntry {
  /**
   * The cell (copy of the row in memory) of the source. For usage, the end user or the ID of the key line. During one
   * cycle of the slots, a source or end user keeps the same object in memory. Before a row is loaded again, the slots
   * are written to the tables.
   */
  readonly key: SourceCell | Person | string
  /** JSON array of the values. Money is written as integers, because integers in SQLite's JSON have 64 bits. */
  readonly text: string
  /** Room in the slot, in bytes. */
  readonly room: number
  readonly endUserId: string
  /** Null unless the entry is the usage of a key line. */
  readonly lineId: string | null
  /** The source or the usage that the entry contains. */
  readonly changed: ChangedSource | ChangedUse
}

/** Returns the entry for a changed source. Its values have the order of `waitingColumns`. */
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
 * Returns the entry for changed usage. The third value of the entry is null, which distinguishes usage from a source.
 * The fourth value is the ID of the key line, or empty if the rate limits of the end user and the bundle count the
 * usage.
 */
export function entryOfUse(changed: ChangedUse): SlotEntry {
  const { lineId, person } = changed
  const { endUserId, mode } = person
  const row = `${JSON.stringify(endUserId)},"${mode}",null,${JSON.stringify(lineId ?? '')}`
  const text = `[${row},${rateUsesToText(usesOf(person, lineId))}]`
  // If the text of the usage is longer than a slot normally holds, the usage fills a slot alone.
  const room = Math.min(roomMax, text.length)
  return { key: lineId ?? person, text, room, endUserId, lineId, changed }
}

function usesOf({ lineUses, uses }: Person, lineId: string | null): Person['uses'] {
  return lineId === null ? uses : (lineUses.get(lineId) ?? [])
}

export class SourceSlots {
  readonly cycle: number
  #id = 0
  /** The entries of the current slot, by their keys. */
  #current = new Map<SlotEntry['key'], SlotEntry>()
  /** Room that the entries of the current slot take, in bytes. */
  #taken = 0
  /** The sources and the usage that the slots contain, by the keys of their entries. */
  readonly #changed = new Map<SlotEntry['key'], SlotEntry['changed']>()
  /** End users whose sources or usage are in slots. */
  readonly #people = new Set<string>()
  /** Key lines whose usage is in slots. */
  readonly #lines = new Set<string>()
  #finished: SourceSlot[] = []
  #isChanged = false

  /** Creates empty slots. @param cycle the current cycle of the slots in the file */
  constructor(cycle: number) {
    this.cycle = cycle
  }

  get isEmpty(): boolean {
    return this.#id === 0 && this.#current.size === 0
  }

  /** Whether slots have newer figures than the rows that answer this need. */
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
   * Adds the entries of a batch to the current slot, or to the next slots if they do not fit. Returns false, and adds
   * nothing, if the slots do not have room for the entries.
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

  /** Returns the sources and the usage that the slots contain. Each source and each usage is returned only once. */
  changed(): Iterable<SlotEntry['changed']> {
    return this.#changed.values()
  }

  /** Returns the rows that a batch must write. */
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

  /** Returns how much additional room the current slot needs if these entries are added. */
  #moreRoom(entries: readonly SlotEntry[]): number {
    let more = 0
    for (const entry of entries) more += entry.room - this.#roomOf(entry)
    return more
  }

  #fitsNextSlots(entries: readonly SlotEntry[]): boolean {
    const room = entries.reduce((sum, entry) => sum + entry.room, 0)
    const hasOnlySources = entries.every((entry) => entry.room === sourceBytes)
    // The next slot begins only when an entry does not fit. The entries of two consecutive slots are therefore larger
    // than one slot, so at most half of the room remains unused. Sources alone fill their slots completely, because the
    // size of a slot is a multiple of the size of a source.
    return (hasOnlySources ? room : 2 * room) <= (slotsMax - 1 - this.#id) * roomMax
  }

  /** Returns the room that the previous entry with this key takes in the current slot. 0 if there is no such entry. */
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

/** The columns of the table `sources` that select a row. */
export const sourceKey = ['end_user_id', 'mode', 'id'] as const
/** The columns of `sources` whose values change. */
export const sourceFigures = ['posted', 'held', 'last_entry', 'given', 'withheld', 'expired'] as const

/** The columns of a stored source, in the order of the values in its JSON array. */
const waitingColumns = [...sourceKey, ...sourceFigures]

/** Selects the values of `f`, an element of `figures`. */
export const waitingValues = waitingColumns.map((name, at) => `f.value ->> ${at} AS ${name}`).join(', ')

/** SQL condition: whether `f`, an element of `figures`, is a source. Otherwise, `f` is usage counted by rate limits. */
export const isWaitingSource = 'f.value ->> 2 IS NOT NULL'

/** Selects the values of `f`, an element of `figures` that is usage counted by rate limits. */
export const waitingUses =
  'f.value ->> 0 AS end_user_id, f.value ->> 1 AS mode, f.value ->> 3 AS line_id, f.value ->> 4 AS uses'

/** SQL that selects 1 if slots have entries that are not in the tables. Slot 0 is the first slot of a cycle. */
export const hasWaiting = "SELECT figures <> '[]' FROM source_slots WHERE slot = 0"

/**
 * In a query with max(), SQLite takes the other columns from the row with the highest value
 * (sqlite.org/lang_select.html#bareagg).
 */
const newestUses = `SELECT ${waitingUses}, max(s.slot) FROM source_slots s, json_each(s.figures) f
    WHERE s.cycle = (SELECT cycle FROM source_slots WHERE slot = 0) AND NOT ${isWaitingSource} GROUP BY 1, 2, 3`

/**
 * SQL statements that write the contents of all slots to the tables. The unary plus makes SQLite look up each source by
 * its key, instead of reading all sources.
 */
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

/** SQL that begins the next cycle of slots. Run it after `writeWaiting`, in the same transaction. */
export const nextCycle = "UPDATE source_slots SET cycle = cycle + 1, figures = '[]' WHERE slot = 0"
