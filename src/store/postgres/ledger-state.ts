import type { Mode } from '#domain/application-config.ts'
import type { SettleResult } from '#domain/ledger-interface.ts'
import type { Quote } from '#money/decision-types.ts'
import { Book } from '#store/ledger/ledger-state-in-memory.ts'
import type {
  BundleCell,
  CreditEntry,
  GrantTerms,
  KeyCell,
  NewCorrection,
  NewEntry,
  NewUsageRecord,
  OpenHold,
  Person,
  StoredCorrection,
  StoredGrant,
} from '#store/ledger/state-types.ts'
import { BookCache } from '#store/ledger/cache-of-ledger-state.ts'
import { openHoldOf, settledOf } from '#store/ledger/ledger-state-from-rows.ts'
import type { Need } from '#store/ledger/rows-that-operation-needs.ts'
import type { RowValue } from '#store/ledger/rows-that-batch-inserts.ts'
import type { WriteKind } from '#store/ledger/writes-of-batch.ts'
import { type SqlRow, textIn } from '#store/rows/read-row-strictly.ts'
import type { BatchMemory, CommittedCells } from './rows-known-to-lane.ts'
import type { PostgresNeed, PostgresRows } from './load-needed-rows.ts'
import type { CallOwners, PrefetchHints } from './predict-rows-for-batch.ts'
import type { ShardOfBatch } from './sql-for-sharded-tables.ts'
import type { StoredQuotes } from './stored-quotes.ts'
import { PostgresWrite, type Written } from './batch-writes.ts'

/**
 * How many entry numbers one `nextval('ledger_sequence')` reserves
 * (migrations/0001-configuration-holds-and-ledger.postgres.sql).
 */
export const blockSize = 64

export interface BookInput {
  readonly epoch: number
  readonly shard: ShardOfBatch
  readonly rows: PostgresRows
  readonly memory: BatchMemory
  /** The end users for whom the lane (ledger connection) remembered no current rows before the batch. */
  readonly claims: readonly string[]
  readonly locked: ReadonlySet<string>
  /** End users who do not exist are omitted. */
  readonly people: ReadonlyMap<string, SqlRow>
  readonly owners: CallOwners
  /** The first number of each block of entry numbers that this batch reserved. */
  readonly blocks: readonly number[]
  readonly quotes: Pick<StoredQuotes, 'get'>
  /** By application: the last day that the stored sums include (usage-sums-by-day.ts). */
  readonly foldedThrough: number
}

/**
 * Thrown if a decision needs an end user who is not locked, such as a team's payer who was not predicted
 * (predict-rows-for-batch.ts).
 */
export class NotLocked extends Error {
  readonly endUserId: string

  constructor(endUserId: string) {
    super(`not locked: ${endUserId}`)
    this.endUserId = endUserId
  }
}

/** Thrown if the batch needs more entry numbers than it reserved. */
export class OutOfNumbers extends Error {}

/**
 * The rows and decisions of one attempt at a batch. If a decision needs a row that was not read (`Missing`), the row is
 * read and the decision is made again. The writes of all operations are sent together, after the last decision. Until
 * then, later operations find the new rows here.
 */
export class PostgresBook extends Book {
  readonly #in: BookInput
  readonly #write: PostgresWrite
  readonly #holds = new Map<string, OpenHold | null>()
  readonly #added = new Set<OpenHold>()
  readonly #changed = new Set<OpenHold>()
  readonly #newGrants = new Map<string, StoredGrant>()
  readonly #newEntries = new Set<string>()
  readonly #newCorrections: NewCorrection[] = []
  readonly #newCredits: { readonly person: Person; readonly entry: CreditEntry }[] = []
  readonly #settledNow = new Map<string, SettleResult>()
  readonly #newQuotes: RowValue[][] = []
  #block = 0
  #usedOfBlock = 0
  #callOfEntry: string | null = null

  constructor(input: BookInput) {
    super(input.epoch, new BookCache())
    this.#in = input
    this.#write = new PostgresWrite(input.shard)
  }

  override person(endUserId: string, mode: Mode, nowMs: number): Person | null {
    if (this.cache.person(endUserId, mode) === undefined) {
      const remembered = this.#in.memory.person(endUserId, mode)
      if (remembered !== undefined) this.cache.keepPerson(remembered)
    }
    return super.person(endUserId, mode, nowMs)
  }

  override key(owner: Pick<Person, 'endUserId'>, id: string): KeyCell | null {
    if (!this.cache.keys.has(id)) {
      const remembered = this.#in.memory.key(id)
      if (remembered !== undefined) this.cache.keys.set(id, remembered)
    }
    return super.key(owner, id)
  }

  override bundle(id: string): BundleCell | null {
    if (!this.cache.bundles.has(id)) {
      const remembered = this.#in.memory.bundle(id)
      if (remembered !== undefined) this.cache.bundles.set(id, remembered)
    }
    return super.bundle(id)
  }

  open(callId: string): OpenHold | null {
    const known = this.#holds.get(callId)
    if (known !== undefined) return known
    const remembered = this.#in.memory.open(callId)
    if (remembered !== undefined) {
      this.#holds.set(callId, remembered)
      return remembered
    }
    const owner = this.#in.owners.get(callId)
    // This process neither reserved nor recovers the call, so the call has no hold.
    if (owner === undefined) return null
    const [row] = this.#in.rows.of({ kind: 'hold', endUserId: owner.endUserId, callId })
    const open = row === undefined ? null : this.#openHold(row)
    this.#holds.set(callId, open)
    return open
  }

  openOf(person: Person): Iterable<OpenHold> {
    return [...(this.#rememberedOpen(person) ?? this.#openInRows(person)), ...this.#addedOf(person)]
  }

  /** The calls in flight that were stored before the batch. Null if they must be read. */
  #rememberedOpen(person: Person): readonly OpenHold[] | null {
    const { memory, rows } = this.#in
    const ids = memory.openIds(person)
    if (ids === null || rows.has(openNeed(person))) return null
    const open: OpenHold[] = []
    for (const callId of ids) {
      // Skip the call, because the batch has ended it.
      if (this.#holds.get(callId) === null) continue
      const hold = this.open(callId)
      // A lane (ledger connection) remembers no call with a background response, because any process may end such a
      // call.
      if (hold === null) return null
      open.push(hold)
    }
    return open
  }

  #openInRows(person: Person): readonly OpenHold[] {
    const open: OpenHold[] = []
    for (const row of this.#in.rows.of(openNeed(person))) {
      // Prefer the batch's own cell (copy of the row). It is null if the batch has closed the call.
      const callId = textIn(row, 'call_id')
      let hold = this.#holds.get(callId)
      if (hold === undefined) this.#holds.set(callId, (hold = this.#openHold(row)))
      if (hold !== null) open.push(hold)
    }
    return open
  }

  #addedOf({ endUserId, mode }: Person): readonly OpenHold[] {
    const own: OpenHold[] = []
    for (const added of this.#added) {
      const isOfPerson = added.person.endUserId === endUserId && added.person.mode === mode
      if (isOfPerson && this.#holds.get(added.hold.callId) === added) own.push(added)
    }
    return own
  }

  /** Returns the IDs of all calls in flight after the batch. Null if the batch did not need the IDs. */
  #openIdsOf(person: Person): readonly string[] | null {
    const { memory, rows } = this.#in
    const need = openNeed(person)
    const before = rows.has(need)
      ? rows.of(need).map((row) => textIn(row, 'call_id'))
      : memory.openIds(person)
    if (before === null) return null
    const kept = before.filter((callId) => this.#holds.get(callId) !== null)
    return [...kept, ...this.#addedOf(person).map(({ hold }) => hold.callId)]
  }

  settled(applicationId: string, callId: string): SettleResult | null {
    const now = this.#settledNow.get(callId)
    if (now !== undefined) return now
    const owner = this.#in.owners.get(callId)
    if (owner === undefined) return null
    const [row] = this.#in.rows.of({ kind: 'settled', endUserId: owner.endUserId, callId })
    return row === undefined || row.application_id !== applicationId ? null : settledOf(row)
  }

  override grant(terms: GrantTerms): StoredGrant | null {
    return this.#newGrants.get(nameOfGrant(terms)) ?? super.grant(terms)
  }

  override hasEntry(person: Person, idempotencyKey: string): boolean {
    return this.#newEntries.has(nameOfEntry(person, idempotencyKey)) || super.hasEntry(person, idempotencyKey)
  }

  override credits(person: Person): readonly CreditEntry[] {
    const added = this.#newCredits.filter((entry) => entry.person === person)
    return [...super.credits(person), ...added.map(({ entry }) => entry)]
  }

  override corrections(
    applicationId: string,
    endUserId: string,
    callId: string,
  ): readonly StoredCorrection[] {
    const added = this.#newCorrections.filter(
      (correction) => correction.callId === callId && correction.applicationId === applicationId,
    )
    return [...super.corrections(applicationId, endUserId, callId), ...added]
  }

  override addCorrection(correction: NewCorrection): void {
    super.addCorrection(correction)
    this.#newCorrections.push(correction)
  }

  addHold(open: OpenHold): void {
    this.#holds.set(open.hold.callId, open)
    this.#added.add(open)
  }

  changeHold(open: OpenHold): void {
    this.#changed.add(open)
  }

  closeHold(open: OpenHold): void {
    this.#holds.set(open.hold.callId, null)
    // A hold that the same batch adds and closes is never written.
    if (!this.#added.delete(open)) this.#write.closeHold(open)
  }

  override addEntry(entry: NewEntry): number {
    const { cell, person, idempotencyKey } = entry
    if (idempotencyKey !== null) this.#newEntries.add(nameOfEntry(person, idempotencyKey))
    const sequence = super.addEntry(entry)
    if (idempotencyKey !== null && cell.source.kind === 'wallet') {
      const { amount, grantId, kind } = entry
      this.#newCredits.push({ person, entry: { sequence, kind, amount, grantId, idempotencyKey } })
    }
    return sequence
  }

  override addUsageRecord(record: NewUsageRecord): void {
    super.addUsageRecord(record)
    this.#settledNow.set(record.open.hold.callId, record.result)
  }

  override addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    super.addGrant(terms, endUsers, pending)
    const { grantId, nowMs: createdAtMs, requestHash } = terms
    const grant = { grantId, requestHash, endUsers, pending, done: 0, createdAtMs }
    this.#newGrants.set(nameOfGrant(terms), grant)
  }

  writes(): Written {
    for (const endUserId of this.#in.claims) this.#write.claim(endUserId, this.#in.memory.lane)
    for (const open of this.#added) this.#write.addHold(open)
    for (const open of this.#changed) {
      const isStored = this.#holds.get(open.hold.callId) === open && !this.#added.has(open)
      if (isStored) this.#write.changeHold(open)
    }
    this.writeChanged(this.#in.foldedThrough)
    return this.#write.written()
  }

  /** The quotes of the batch, which must be stored before the commit. */
  quotes(): Iterable<Quote> {
    return this.cache.quotes.values()
  }

  get newQuotes(): readonly RowValue[][] {
    return this.#newQuotes
  }

  /** The cells (copies of rows) as the database will have them after the commit of this batch. */
  cells(): CommittedCells {
    const { bundles, keys } = this.cache
    return {
      calls: this.#holds,
      people: this.cache.people(),
      keys: keys.values(),
      bundles: bundles.values(),
      openIdsOf: (person) => this.#openIdsOf(person),
    }
  }

  show(hints: PrefetchHints): void {
    const { applications, bundles, keys } = this.cache
    hints.see({
      applications: applications,
      bundles: [...bundles.values()].filter((bundle) => bundle !== null),
      keys: keys.values(),
      people: this.cache.people(),
    })
  }

  protected rows(need: Need): readonly SqlRow[] {
    if (need.kind !== 'person') return this.#in.rows.of(need)
    if (!this.#in.locked.has(need.endUserId)) throw new NotLocked(need.endUserId)
    const row = this.#in.people.get(need.endUserId)
    return row === undefined ? [] : [row]
  }

  protected write(kind: WriteKind, values: RowValue[]): void {
    if (kind === 'quote') this.#newQuotes.push(values)
    else this.#write.add(kind, values)
  }

  /** Read the aliases together with the bundle, because the bundle is remembered longer than the rows of this batch. */
  protected override aliasNames(applicationId: string): () => readonly string[] {
    const names = super.aliasNames(applicationId)()
    return () => names
  }

  protected override knownQuote(id: string): Quote | undefined {
    return this.#in.quotes.get(id) ?? super.knownQuote(id)
  }

  /**
   * The ledger entries of one call have consecutive numbers (src/store/nouns relies on this). The first entry of a call
   * therefore gets no number near the end of a block.
   */
  protected nextNumber({ callId, person }: NewEntry): number {
    const isOfAnother = callId === null || callId !== this.#callOfEntry
    this.#callOfEntry = callId
    const entriesMax = Math.min(blockSize, 2 * person.cells.length + 1)
    const left = blockSize - this.#usedOfBlock
    if (left === 0 || (isOfAnother && left < entriesMax)) {
      this.#block += 1
      this.#usedOfBlock = 0
    }
    const first = this.#in.blocks[this.#block]
    if (first === undefined) throw new OutOfNumbers('the batch needs more numbers')
    return first + this.#usedOfBlock++
  }

  #openHold(row: SqlRow): OpenHold {
    return openHoldOf(row, this.quoteById(textIn(row, 'quote_id')))
  }
}

function openNeed({ endUserId, mode }: Person): PostgresNeed {
  return { kind: 'holds_of', endUserId, mode }
}

function nameOfGrant(terms: GrantTerms): string {
  const { applicationId, grantId, idempotencyKey, mode, paymentReference = null } = terms
  if (paymentReference !== null) return `${applicationId}\npayment\n${mode}\n${paymentReference}`
  return idempotencyKey === null
    ? `${applicationId}\nid\n${grantId}`
    : `${applicationId}\n${mode}\n${idempotencyKey}`
}

function nameOfEntry(
  { endUserId, mode }: { readonly endUserId: string; readonly mode: Mode },
  idempotencyKey: string,
): string {
  return `${endUserId}\n${mode}\n${idempotencyKey}`
}
