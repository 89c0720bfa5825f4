/**
 * Stores changed figures of sources, such as balances and held amounts, that are committed but not yet in the rows of
 * `sources`. Each batch writes the figures of its changed sources into one slot. So the many pages of `sources` are
 * written once for many batches, instead of once for each batch.
 *
 * A single transaction writes the figures of all slots to `sources`, and begins the next cycle of slots. Slot 0 has the
 * current cycle, and rows of an earlier cycle are void. So a crash never applies old figures to a newer row. The ledger
 * runs this transaction when all slots are in use, before it loads a source that has figures in a slot, and before
 * another transaction on its connection. Connections that only read see the rows and the slots together
 * (sources-with-slots.ts).
 */
import type { ChangedSource, Person } from '#store/ledger/book-cells.ts'

/** At about 90 bytes each, this many sources fit on a page of 4 KiB. */
const sourcesMax = 40

/** Number of slots. Writing the figures of all slots to `sources` takes a few milliseconds. */
const slotsMax = 32

/** The row of a slot that the batch must write. */
export interface SourceSlot {
  readonly id: number
  readonly cycle: number
  /** JSON array of the slot's sources. */
  readonly text: string
}

export class SourceSlots {
  readonly cycle: number
  #id = 0
  /** The sources of the current slot. Maps a unique name of each source to its figures as JSON. */
  #current = new Map<string, string>()
  readonly #people = new Set<string>()
  #finished: SourceSlot[] = []
  #isChanged = false

  /** Creates empty slots. @param cycle the current cycle of the slots in the file */
  constructor(cycle: number) {
    this.cycle = cycle
  }

  get isEmpty(): boolean {
    return this.#people.size === 0
  }

  /** Whether an end user has figures that are not in `sources`. */
  hasSourcesOf({ endUserId }: Pick<Person, 'endUserId'>): boolean {
    return this.#people.has(endUserId)
  }

  /** Whether the slots have room for the changed sources of a batch. */
  hasRoom(changed: readonly ChangedSource[]): boolean {
    return (slotsMax - 1 - this.#id) * sourcesMax >= changed.length || this.#fits(changed)
  }

  /** Adds the changed sources of a batch to the current slot, or to the next slots if they do not fit. */
  add(changed: readonly ChangedSource[]): void {
    if (changed.length === 0) return
    this.#isChanged = true
    if (!this.#fits(changed)) this.#startSlot()
    for (const source of changed) {
      if (!this.#fits([source])) {
        this.#finished.push(this.#row())
        this.#startSlot()
      }
      this.#current.set(nameOf(source), textOf(source))
      this.#people.add(source.person.endUserId)
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
    return { id: this.#id, cycle: this.cycle, text: `[${[...this.#current.values()].join()}]` }
  }

  #fits(changed: readonly ChangedSource[]): boolean {
    let size = this.#current.size
    for (const source of changed) if (!this.#current.has(nameOf(source))) size += 1
    return size <= sourcesMax
  }

  #startSlot(): void {
    if (this.#current.size === 0) return
    this.#id += 1
    this.#current = new Map()
  }
}

const noRows: readonly SourceSlot[] = []

function nameOf({ cell, person }: ChangedSource): string {
  return `${person.mode}\n${person.endUserId}\n${cell.source.id}`
}

/** The values have the order of `waitingColumns`. Integers in SQLite's JSON have 64 bits. */
function textOf({ cell: { lastEntry, source }, person: { endUserId, mode } }: ChangedSource): string {
  const { held, id, posted } = source
  const given = source.kind === 'wallet' ? source.given : null
  const [withheld, expired] = source.kind === 'pool' ? [source.withheld, source.expired] : [null, null]
  const key = `${JSON.stringify(endUserId)},"${mode}",${JSON.stringify(id)}`
  return `[${key},${posted},${held},${lastEntry},${given},${withheld},${expired}]`
}

/** The columns of the table `sources` that select a row. */
export const sourceKey = ['end_user_id', 'mode', 'id'] as const
/** The columns of `sources` whose values change. */
export const sourceFigures = ['posted', 'held', 'last_entry', 'given', 'withheld', 'expired'] as const

/** The values of a stored source, in the order of its array. */
const waitingColumns = [...sourceKey, ...sourceFigures]

/** Selects the values of `f`, an element of `figures`. */
export const waitingValues = waitingColumns.map((name, at) => `f.value ->> ${at} AS ${name}`).join(', ')

/** SQL that selects 1 if slots have figures that are not in `sources`. Slot 0 is the first slot of a cycle. */
export const hasWaiting = "SELECT figures <> '[]' FROM source_slots WHERE slot = 0"

/**
 * SQL that writes the figures of all slots to `sources`. In a query with max(), SQLite takes the other columns from the
 * row with the highest value (sqlite.org/lang_select.html#bareagg). The unary plus makes SQLite look up each source by
 * its key, instead of reading all sources.
 */
export const writeWaiting = `UPDATE sources SET ${sourceFigures.map((name) => `${name} = w.${name}`).join(', ')}
  FROM (
    SELECT ${waitingValues}, max(s.slot) FROM source_slots s, json_each(s.figures) f
    WHERE s.cycle = (SELECT cycle FROM source_slots WHERE slot = 0) GROUP BY 1, 2, 3
  ) w
  WHERE ${sourceKey.map((name) => `sources.${name} = +w.${name}`).join(' AND ')}`

/** SQL that begins the next cycle, after `writeWaiting` in the same transaction. */
export const nextCycle = "UPDATE source_slots SET cycle = cycle + 1, figures = '[]' WHERE slot = 0"
