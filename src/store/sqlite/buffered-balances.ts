/**
 * Stores changed figures of sources (such as balances and held amounts) and changed usage under rate limits. These
 * changes are committed, but not yet in the rows of `sources`, `rate_uses` and `line_rate_uses`. Each batch writes
 * what it changed into one slot. So the many pages of these tables are written once for many batches, instead of
 * once for each batch.
 *
 * A single transaction writes the contents of all slots to the tables, and begins the next cycle of slots. Slot 0 has
 * the current cycle, and rows of an earlier cycle are void. So a crash never applies old figures to a newer row. The
 * ledger runs this transaction when all slots are in use, before it loads a row that has newer figures in a slot, and
 * before another transaction on its connection. Connections that only read see the rows and the slots together
 * (views-with-buffered-balances.ts).
 */
import type { ChangedSource, Person } from '#store/ledger/book-cells.ts'
import type { ChangedUse } from '#store/ledger/changed-rate-limit-usage.ts'
import type { Need } from '#store/ledger/row-needs.ts'
import { rateUsesToText } from '#store/rows/json-columns.ts'

/** Number of bytes that one source takes in a slot. */
const sourceBytes = 90

/** Number of sources that a slot has room for, so that a slot fits on a page of 4 KiB. */
const roomMax = 40

/** Number of slots. Writing the contents of all slots to the tables takes a few milliseconds. */
const slotsMax = 32

/** The row of a slot that the batch must write. */
export interface SourceSlot {
  readonly id: number
  readonly cycle: number
  /** JSON array of the slot's entries. */
  readonly text: string
}

/** The new figures of one source, or the new usage under the rate limits of an end user or a key line. */
export interface SlotEntry {
  /** A name that no other source and no other usage has. */
  readonly name: string
  /** JSON array of the values. Integers in SQLite's JSON have 64 bits. */
  readonly text: string
  /** Room that the entry takes in its slot, measured in sources. */
  readonly room: number
  readonly endUserId: string
  /** Null unless the entry is the usage of a key line. */
  readonly lineId: string | null
}

/** The values have the order of `waitingColumns`. */
export function entryOfSource({ cell: { lastEntry, source }, person }: ChangedSource): SlotEntry {
  const { endUserId, mode } = person
  const { held, id, posted } = source
  const given = source.kind === 'wallet' ? source.given : null
  const [withheld, expired] = source.kind === 'pool' ? [source.withheld, source.expired] : [null, null]
  const key = `${JSON.stringify(endUserId)},"${mode}",${JSON.stringify(id)}`
  const text = `[${key},${posted},${held},${lastEntry},${given},${withheld},${expired}]`
  return { name: key, text, room: 1, endUserId, lineId: null }
}

/**
 * Returns the slot entry of usage. Its third value is null, unlike in the entry of a source. If the ID of the key
 * line is empty, the usage is that of the end user.
 */
export function entryOfUse({ lineId, person }: ChangedUse): SlotEntry {
  const { endUserId, mode } = person
  const key = `${JSON.stringify(endUserId)},"${mode}",null,${JSON.stringify(lineId ?? '')}`
  const text = `[${key},${rateUsesToText(usesOf(person, lineId))}]`
  // Usage that is longer than a slot has a slot of its own.
  const room = Math.min(roomMax, Math.ceil(text.length / sourceBytes))
  return { name: key, text, room, endUserId, lineId }
}

function usesOf({ lineUses, uses }: Person, lineId: string | null): Person['uses'] {
  return lineId === null ? uses : (lineUses.get(lineId) ?? [])
}

export class SourceSlots {
  readonly cycle: number
  #id = 0
  /** The entries of the current slot, by name. */
  #current = new Map<string, SlotEntry>()
  /** Room that these entries take. */
  #taken = 0
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

  /** Whether the slots have room for these entries. */
  hasRoom(entries: readonly SlotEntry[]): boolean {
    if (this.#fits(entries)) return true
    const room = entries.reduce((sum, entry) => sum + entry.room, 0)
    // Any two consecutive slots together contain more entries than fit into one slot, so at most half of the room is
    // unused.
    const needed = room > entries.length ? 2 * room : room
    return needed <= (slotsMax - 1 - this.#id) * roomMax
  }

  /** Adds the entries of a batch to the current slot, or to the next slots if they do not fit. */
  add(entries: readonly SlotEntry[]): void {
    if (entries.length === 0) return
    this.#isChanged = true
    if (!this.#fits(entries)) this.#startSlot()
    for (const entry of entries) {
      if (!this.#fits([entry])) {
        this.#finished.push(this.#row())
        this.#startSlot()
      }
      this.#taken += entry.room - this.#roomOf(entry)
      this.#current.set(entry.name, entry)
      if (entry.lineId === null) this.#people.add(entry.endUserId)
      else this.#lines.add(entry.lineId)
    }
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

  #fits(entries: readonly SlotEntry[]): boolean {
    let room = this.#taken
    for (const entry of entries) room += entry.room - this.#roomOf(entry)
    return room <= roomMax
  }

  /** Returns the room that an earlier version of the entry takes in the current slot. */
  #roomOf({ name }: SlotEntry): number {
    return this.#current.get(name)?.room ?? 0
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

/** Whether `f` is a source. Otherwise, it is usage. */
export const isWaitingSource = 'f.value ->> 2 IS NOT NULL'

/** Selects the values of `f`, which is usage. */
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

/** SQL that begins the next cycle, after `writeWaiting` in the same transaction. */
export const nextCycle = "UPDATE source_slots SET cycle = cycle + 1, figures = '[]' WHERE slot = 0"
