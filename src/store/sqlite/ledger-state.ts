import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import type { SettleResult } from '#domain/ledger-interface.ts'
import type { StoredDaySum } from '#store/ledger/day-sums-of-batch.ts'
import { Book } from '#store/ledger/ledger-state-in-memory.ts'
import type { ChangedSource, KeyCell, OpenHold, Person } from '#store/ledger/state-types.ts'
import { type ChangedUse, rowOfUse } from '#store/ledger/rows-of-changed-rate-limit-usage.ts'
import { BookCache } from '#store/ledger/cache-of-ledger-state.ts'
import { openHoldOf, settledOf } from '#store/ledger/ledger-state-from-rows.ts'
import type { Need } from '#store/ledger/rows-that-operation-needs.ts'
import type { RowValue } from '#store/ledger/rows-that-batch-inserts.ts'
import { rowOfSource } from '#store/ledger/row-of-changed-source.ts'
import type { WriteKind } from '#store/ledger/writes-of-batch.ts'
import { flagIn, numberIn, type SqlRow, textIn } from '#store/rows/read-row-strictly.ts'
import { DaySlots } from './buffered-day-sums.ts'
import { HoldSlots, openHoldsToText } from './several-holds-per-row.ts'
import { KeyUses } from './key-last-uses-to-store.ts'
import { SqliteLoad } from './load-needed-rows.ts'
import { OpenHolds, type UnreadableHold } from './open-holds-in-memory.ts'
import { sqliteCode } from './classify-sqlite-errors.ts'
import { entryOfSource, entryOfUse, type SlotEntry, SourceSlots } from './buffered-balances.ts'
import { SqliteWrite, type Step } from './batch-writes.ts'

/** SQLite has only one writer, so this book keeps all rows that it has read, and every call in flight, in memory. */
export class SqliteBook extends Book {
  readonly keyUses = new KeyUses()
  readonly #load: SqliteLoad
  readonly #write: SqliteWrite
  #batch = -1
  #sequence = -1
  #daysThrough = -1
  /** The last day in the stored sums of applications (usage-sums-by-day.ts). */
  #foldedThrough = -1
  #days = new DaySlots()
  /**
   * Whether `#days` has the contents of the slots in the file (buffered-day-sums.ts). Transactions of the control plane
   * do not change these slots.
   */
  #hasDays = false
  #sources = new SourceSlots(-1)
  /**
   * Whether `#sources` has the contents of the slots in the file (buffered-balances.ts). Only the ledger writes these
   * slots.
   */
  #hasSources = false
  /** Null if the holds must be loaded again. Only the ledger writes holds. */
  #openHolds: OpenHolds | null = null
  #slots = new HoldSlots(0)

  constructor(connection: DatabaseSync, epoch: number, step: Step) {
    super(epoch, new BookCache())
    this.#load = new SqliteLoad(connection)
    this.#write = new SqliteWrite(connection, step)
  }

  open(callId: string): OpenHold | null {
    return this.#holds().get(callId)
  }

  openOf(person: Person): Iterable<OpenHold> {
    return this.#holds().of(person)
  }

  allOpen(): Iterable<OpenHold> {
    return this.#holds().all()
  }

  /** IDs of the calls whose holds could not be read. */
  unreadable(): string[] {
    return Array.from(this.#holds().unreadable(), ({ callId }) => callId)
  }

  settled(applicationId: string, callId: string): SettleResult | null {
    const [row] = this.#load.rows({ kind: 'settled', applicationId, callId })
    return row === undefined ? null : settledOf(row)
  }

  addHold(open: OpenHold): void {
    this.#holds().add(open)
    this.#slots.add(open)
  }

  changeHold(open: OpenHold): void {
    this.#slots.change(open)
  }

  closeHold(open: OpenHold, how: 'charged' | 'released'): void {
    this.#holds().delete(open)
    this.#slots.close(open, how)
  }

  /** The first use of a key is stored immediately. Later uses are stored together (key-last-uses-to-store.ts). */
  override useKey(key: KeyCell, nowMs: number): void {
    if (key.lastUsedAtMs === null || this.keyUses.isFull) super.useKey(key, nowMs)
    else this.keyUses.use(key, nowMs)
  }

  /** Call within the transaction, before the first operation. */
  begin(): void {
    this.cache.trim()
    if (this.#batch !== -1) return
    const row = this.#one({ kind: 'state' })
    this.#sequence = numberIn(row, 'ledger_sequence')
    this.#daysThrough = numberIn(row, 'days_through')
    this.#foldedThrough = numberIn(row, 'through_day')
    this.#days = new DaySlots()
    for (const slot of this.#load.rows({ kind: 'day_slots' }))
      this.#days.keep(numberIn(slot, 'slot'), textIn(slot, 'days'))
    this.#hasDays = true
    if (!this.#hasSources) this.#readSources(row)
    this.#batch = numberIn(row, 'batch')
  }

  /** Call within the transaction, after the last operation. Returns the batch number that the commit stores. */
  flush(): number {
    for (const slot of this.#slots.takeDirty()) this.#write.holdSlot(slot.id, openHoldsToText(slot))
    this.writeChanged(this.#foldedThrough)
    for (const slot of this.#sources.takeRows()) this.#write.sourceSlot(slot)
    this.#batch += 1
    // Stored sums of applications may lack calls of the same day that are in slots, so add the slots to `usage_days`
    // now.
    if ((this.#days.firstDay ?? Infinity) <= this.#foldedThrough) this.#addDays()
    this.#writeState()
    return this.#batch
  }

  /** Whether slots may contain sums, balances or usage that are not in the tables yet. */
  get mayHaveSlots(): boolean {
    return !this.#hasDays || !this.#days.isEmpty || !this.#hasSources || !this.#sources.isEmpty
  }

  /** Call within a transaction, after `begin`. */
  flushSlots(): void {
    if (!this.#days.isEmpty) {
      this.#addDays()
      this.#writeState()
    }
    if (!this.#sources.isEmpty) this.#flushSources()
  }

  /** Call this method after a batch that failed or is in doubt. All rows are then read again. */
  forgetAll(): void {
    this.cache.forgetAll()
    this.#openHolds = null
    this.#slots = new HoldSlots(0)
    this.#batch = -1
    this.#hasDays = false
    this.#hasSources = false
    this.forgetChanges()
  }

  /** Call this function after a control-plane transaction on this connection. Null means the rows of all tables. */
  forget(tables: readonly string[] | null): void {
    this.cache.forget(tables)
    // Only the control plane creates keys. The slots are empty, unless they could not be written before its transaction.
    if (this.#sources.isEmpty) this.cache.trimLines()
    this.#batch = -1
  }

  storedBatch(): number {
    return numberIn(this.#one({ kind: 'state' }), 'batch')
  }

  protected rows(need: Need): readonly SqlRow[] {
    if (need.kind === 'spent' && this.#days.hasSumsOf(need.endUserId)) this.#addDays()
    if (this.#sources.isNewerFor(need)) this.#flushSources()
    return this.#load.rows(need)
  }

  protected write(kind: WriteKind, values: readonly RowValue[]): void {
    this.#write.write(kind, values)
  }

  protected nextNumber(): number {
    return (this.#sequence += 1)
  }

  /** Stores changed figures in a slot. Adds a row for each source that has none yet. */
  protected override writeFigures(sources: readonly ChangedSource[], uses: readonly ChangedUse[]): void {
    const entries: SlotEntry[] = []
    for (const source of sources) if (!source.cell.isNew) entries.push(entryOfSource(source))
    for (const use of uses) entries.push(entryOfUse(use))
    if (this.#sources.add(entries)) {
      super.writeFigures(
        sources.filter(({ cell }) => cell.isNew),
        [],
      )
    } else {
      this.#flushSources()
      super.writeFigures(sources, uses)
    }
  }

  /** Stores day sums in a slot, from which `#addDays` later moves them to `usage_days`. */
  protected override writeDays(sums: readonly StoredDaySum[]): void {
    if (!this.#days.hasRoom(sums)) this.#addDays()
    this.#days.add(sums)
  }

  /** Adds the sums of all slots, up to batch number `#batch`, to `usage_days`. */
  #addDays(): void {
    super.writeDays(this.#days.all(), this.#days.firstDay, this.#foldedThrough)
    this.#days.clear()
    this.#daysThrough = this.#batch
  }

  /** Moves figures that an earlier process or earlier batches left in slots to the tables. */
  #readSources(state: SqlRow): void {
    this.#sources = new SourceSlots(numberIn(state, 'source_cycle'))
    if (flagIn(state, 'has_waiting')) {
      this.#write.waitingSources()
      this.#beginSourceCycle()
    }
    this.#hasSources = true
  }

  /**
   * Writes the figures from memory, because reading them from the JSON of the slots would take much more CPU time. If
   * the current batch has already changed these figures, its transaction also stores the changes.
   */
  #flushSources(): void {
    for (const changed of this.#sources.changed())
      this.write(...('cell' in changed ? rowOfSource(changed) : rowOfUse(changed)))
    this.#beginSourceCycle()
  }

  #beginSourceCycle(): void {
    this.#write.nextSourceCycle()
    this.#sources = new SourceSlots(this.#sources.cycle + 1)
  }

  #writeState(): void {
    const state = { batch: this.#batch, ledgerSequence: this.#sequence, daysThrough: this.#daysThrough }
    for (const slot of this.#days.takeRows()) this.#write.state(state, slot)
  }

  #holds(): OpenHolds {
    if (this.#openHolds !== null) return this.#openHolds
    const holds = new OpenHolds()
    const slots = new HoldSlots(numberIn(this.#one({ kind: 'slots' }), 'slots'))
    const places = this.#load.rows({ kind: 'hold_slots' })
    const slotOf = new Map(places.map((row) => [textIn(row, 'call_id'), numberIn(row, 'slot')]))
    for (const row of this.#load.rows({ kind: 'holds' })) {
      const callId = textIn(row, 'call_id')
      const slot = slotOf.get(callId) ?? -1
      const open = this.#readHold(callId, row)
      if ('fault' in open) {
        holds.addUnreadable(open)
        for (const stored of this.#load.rows({ kind: 'hold_text', slot, callId }))
          slots.keepUnreadable(textIn(stored, 'text'), slot)
      } else {
        holds.add(open)
        slots.keep(open, slot)
      }
    }
    slots.findFree()
    this.#openHolds = holds
    this.#slots = slots
    return holds
  }

  /** A single hold that cannot be read must not stop the ledger for all end users. */
  #readHold(callId: string, row: SqlRow): OpenHold | UnreadableHold {
    try {
      return openHoldOf(row, this.quoteById(textIn(row, 'quote_id')))
    } catch (cause) {
      if (sqliteCode(cause) !== null) throw cause
      // The message contains the reason, because another thread gets only the message.
      const reason = cause instanceof Error ? cause.message : String(cause)
      const fault = new Error(`the hold of the call ${callId} cannot be read: ${reason}`, { cause })
      return { callId, endUserId: row.end_user_id, mode: row.mode, fault }
    }
  }

  #one(need: { readonly kind: 'slots' | 'state' }): SqlRow {
    const [row] = this.#load.rows(need)
    assert(row !== undefined, `the store has no ${need.kind} of the writer`)
    return row
  }
}
