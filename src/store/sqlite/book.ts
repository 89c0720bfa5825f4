import assert from 'node:assert/strict'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RequestRecord, SettleResult } from '#domain/ledger.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Quote } from '#money/hold.ts'
import {
  type ApplicationCell,
  type Book,
  type BundleCell,
  type GrantTerms,
  type KeyCell,
  keyUsedEveryMs,
  type NewEntry,
  type NewUsageRecord,
  type OpenHold,
  type Person,
  type RunCell,
  runName,
  type SourceCell,
  type StoredGrant,
} from '#store/ledger/book.ts'
import { DaySums } from '#store/ledger/day-sums.ts'
import { Memory, OpenHolds } from '#store/ledger/cache.ts'
import { HoldSlots } from './hold-slots.ts'
import { SqliteLoad } from './load.ts'
import { numberIn } from '#store/rows/sql-row.ts'
import { SqliteWrite, type Step } from './write.ts'

/**
 * The book over SQLite. What is appended is written at once; what many operations of a batch touch
 * (sources, day sums, runs, keys) is written once, by `flush`, before the commit.
 */
export class SqliteBook implements Book {
  readonly epoch: number
  readonly #memory = new Memory()
  readonly #load: SqliteLoad
  readonly #write: SqliteWrite
  readonly #readState: StatementSync
  #batch = -1
  #sequence = -1
  #dirtySources: { readonly person: Person; readonly cell: SourceCell }[] = []
  #dirtyRuns: { readonly person: Person; readonly run: RunCell }[] = []
  // A new one for each batch: a cleared Map would point on from the old one (memory.ts, `deletionsMax`).
  #dirtyKeys = new Map<string, number>()
  readonly #daySums = new DaySums()
  /** Of the calls in `#memory.holds`: made with them. */
  #slots = new HoldSlots(0)

  constructor(connection: DatabaseSync, epoch: number, step: Step) {
    this.epoch = epoch
    this.#load = new SqliteLoad(connection)
    this.#write = new SqliteWrite(connection, step)
    this.#readState = connection.prepare('SELECT batch, ledger_sequence FROM writer_state WHERE id = 1')
    this.#readState.setReadBigInts(true)
  }

  application(id: string): ApplicationCell | null {
    const { applications } = this.#memory
    let cell = applications.get(id)
    if (cell === undefined) {
      cell = this.#load.application(id)
      applications.set(id, cell)
    }
    return cell
  }

  key(id: string): KeyCell | null {
    const known = this.#memory.keys.get(id)
    if (known !== undefined) return known
    const cell = this.#load.key(id)
    if (cell !== null) this.#memory.keys.set(id, cell)
    return cell
  }

  bundle(id: string): BundleCell | null {
    const { bundles } = this.#memory
    let cell = bundles.get(id)
    if (cell === undefined) {
      cell = this.#load.bundle(id)
      bundles.set(id, cell)
    }
    return cell
  }

  person(endUserId: string, mode: Mode, nowMs: number): Person | null {
    const known = this.#memory.person(endUserId, mode)
    if (known !== undefined) return known
    const person = this.#load.person(endUserId, mode, nowMs)
    if (person !== null) this.#memory.keepPerson(person)
    return person
  }

  ownerOf(endUserId: string): string | null {
    return this.#load.ownerOf(endUserId)
  }

  run(person: Person, slug: string, runId: string): RunCell | null {
    const name = runName(slug, runId)
    const known = person.runs.get(name)
    if (known !== undefined) return known
    const run = this.#load.run(person, slug, runId)
    if (run !== null) person.runs.set(name, run)
    return run
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

  settled(applicationId: string, callId: string): SettleResult | null {
    return this.#load.settled(applicationId, callId)
  }

  spent(person: Person, keyId: string | null, fromDay: number, toDay: number | null): bigint {
    const micros = this.#load.spent(person, keyId, fromDay, toDay)
    // What this batch has charged so far is not in the rows yet.
    return micros + this.#daySums.spent(person, keyId, fromDay, toDay)
  }

  grant(terms: GrantTerms): StoredGrant | null {
    return this.#load.grant(terms)
  }

  hasEntry(person: Person, idempotencyKey: string): boolean {
    return this.#load.hasEntry(person, idempotencyKey)
  }

  quote(quote: Quote): Quote {
    const { quotes } = this.#memory
    const known = quotes.get(quote.id)
    if (known !== undefined) return known
    this.#write.quote(quote)
    quotes.set(quote.id, quote)
    return quote
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

  addSource(person: Person, cell: SourceCell): void {
    person.cells.push(cell)
    person.sources.push(cell.source)
    this.changeSource(person, cell)
  }

  changeSource(person: Person, cell: SourceCell): void {
    const at = person.cells.indexOf(cell)
    assert(at !== -1, 'a person has their own sources')
    person.sources[at] = cell.source
    if (cell.isDirty) return
    cell.isDirty = true
    this.#dirtySources.push({ person, cell })
  }

  addEntry(entry: NewEntry): number {
    const sequence = (this.#sequence += 1)
    this.#write.entry(sequence, entry)
    entry.cell.lastEntry = sequence
    return sequence
  }

  addUsageRecord(record: NewUsageRecord): void {
    this.#write.usage(record)
    this.#daySums.add(record)
  }

  addRequest(record: RequestRecord): void {
    this.#write.request(record)
  }

  changeRun(person: Person, run: RunCell): void {
    if (run.isDirty) return
    run.isDirty = true
    person.runs.set(runName(run.slug, run.runId), run)
    this.#dirtyRuns.push({ person, run })
  }

  useKey(key: KeyCell, nowMs: number): void {
    if (key.lastUsedAtMs !== null && nowMs - key.lastUsedAtMs < keyUsedEveryMs) return
    key.lastUsedAtMs = nowMs
    this.#dirtyKeys.set(key.id, nowMs)
  }

  addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    this.#write.addGrant(terms, endUsers, pending)
  }

  finishGrant(applicationId: string, grantId: string): void {
    this.#write.finishGrant(applicationId, grantId)
  }

  /** Within the transaction, before the first operation of a batch. */
  begin(): void {
    this.#memory.trim()
    if (this.#batch !== -1) return
    const { batch, ledgerSequence } = this.storedState()
    this.#batch = batch
    this.#sequence = ledgerSequence
  }

  /** Within the transaction, after the last operation. Answers the number that the commit makes true. */
  flush(): number {
    const write = this.#write
    for (const slot of this.#slots.takeDirty()) write.holdSlot(slot)
    for (const { person, cell } of this.#dirtySources) {
      write.source(person, cell)
      cell.isNew = false
      cell.isDirty = false
    }
    for (const sum of this.#daySums.all()) write.day(sum)
    const { firstDay } = this.#daySums
    if (firstDay !== null) write.unfold(firstDay)
    for (const { person, run } of this.#dirtyRuns) {
      write.run(person, run)
      run.isNew = false
      run.isDirty = false
    }
    for (const [keyId, atMs] of this.#dirtyKeys) write.keyUsed(keyId, atMs)
    this.#batch += 1
    write.state(this.#batch, this.#sequence)
    this.#clean()
    return this.#batch
  }

  /** After a batch that was not committed, or may not have been: nothing in memory can be believed. */
  forgetAll(): void {
    this.#memory.forgetAll()
    this.#slots = new HoldSlots(0)
    this.#batch = -1
    this.#clean()
  }

  /** After someone else's commit on this connection. */
  forget(tables: readonly string[] | null): void {
    this.#memory.forget(tables)
    this.#batch = -1
  }

  storedState(): { batch: number; ledgerSequence: number } {
    const row = this.#readState.get()
    assert(row !== undefined, 'the writer has a state')
    return { batch: numberIn(row, 'batch'), ledgerSequence: numberIn(row, 'ledger_sequence') }
  }

  #clean(): void {
    this.#dirtySources = []
    this.#dirtyRuns = []
    if (this.#dirtyKeys.size > 0) this.#dirtyKeys = new Map()
    this.#daySums.clear()
  }

  #holds(): OpenHolds {
    const known = this.#memory.holds
    if (known !== null) return known
    const holds = new OpenHolds()
    const slots = new HoldSlots(this.#load.slotsCount())
    for (const { open, slot } of this.#load.holds((id) => this.#quoteById(id))) {
      holds.add(open)
      slots.keep(open, slot)
    }
    slots.findFree()
    this.#memory.holds = holds
    this.#slots = slots
    return holds
  }

  #quoteById(id: string): Quote {
    const { quotes } = this.#memory
    const quote = quotes.get(id) ?? this.#load.quote(id)
    quotes.set(id, quote)
    return quote
  }
}
