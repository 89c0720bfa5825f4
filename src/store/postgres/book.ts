import assert from 'node:assert/strict'
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
import type { CallPlaces } from './call-owners.ts'
import {
  applicationOf,
  bundleOf,
  keyOf,
  openHoldOf,
  personOf,
  runOf,
  settledOf,
  storedGrantOf,
} from '#store/ledger/cells-of-rows.ts'
import { quoteFromText } from '#store/rows/json-columns.ts'
import { DaySums } from '#store/ledger/day-sums.ts'
import type { Rows } from './load.ts'
import type { Seen } from './prefetch.ts'
import { PostgresWrite, type Write } from './write.ts'
import {
  bigintIn,
  bigintOrNullIn,
  numberOrNullIn,
  type SqlRow,
  textIn,
  textOrNullIn,
} from '#store/rows/sql-row.ts'

/** How many numbers `nextval('ledger_sequence')` reserves (migrations/0001-foundation.postgres.sql). */
export const blockSize = 64

export interface BookInput {
  readonly epoch: number
  readonly rows: Rows
  /** Everyone of the batch, locked; a person who is not there is not in it. */
  readonly people: ReadonlyMap<string, SqlRow>
  readonly places: CallPlaces
  /** First number of each block that was taken for this batch. */
  readonly blocks: readonly number[]
  /** Quotes that are stored for certain. */
  readonly quotes: ReadonlyMap<string, Quote>
  /** Through which day the sums of everyone are made (usage-fold.ts). */
  readonly foldedThrough: number
}

/** More numbers are needed than were taken. */
export class OutOfNumbers extends Error {}

/**
 * The book over the rows of one batch. It is made anew for each try at a batch, so a decision that comes
 * upon a row that was not read (`Missing`) is thrown away whole and made again with that row.
 */
export class PostgresBook implements Book {
  readonly epoch: number
  readonly #in: BookInput
  readonly #write = new PostgresWrite()
  readonly #applications = new Map<string, ApplicationCell | null>()
  readonly #keys = new Map<string, KeyCell | null>()
  readonly #bundles = new Map<string, BundleCell | null>()
  readonly #people = new Map<string, Person | null>()
  readonly #holds = new Map<string, OpenHold | null>()
  readonly #added: OpenHold[] = []
  readonly #changed = new Set<OpenHold>()
  readonly #newQuotes = new Map<string, Quote>()
  readonly #newGrants = new Map<string, StoredGrant>()
  readonly #newEntries = new Set<string>()
  readonly #settledNow = new Map<string, SettleResult>()
  readonly #dirtySources: { readonly person: Person; readonly cell: SourceCell }[] = []
  readonly #dirtyRuns: { readonly person: Person; readonly run: RunCell }[] = []
  readonly #usedKeys = new Map<string, number>()
  readonly #daySums = new DaySums()
  #block = 0
  #usedOfBlock = 0
  #callOfEntry: string | null = null

  constructor(input: BookInput) {
    this.epoch = input.epoch
    this.#in = input
  }

  application(id: string): ApplicationCell | null {
    return remembered(this.#applications, id, () => {
      const row = this.#in.rows.one({ kind: 'application', id })
      return row === undefined ? null : applicationOf(row)
    })
  }

  key(id: string): KeyCell | null {
    return remembered(this.#keys, id, () => {
      const row = this.#in.rows.one({ kind: 'key', id })
      return row === undefined ? null : keyOf(id, row)
    })
  }

  bundle(id: string): BundleCell | null {
    return remembered(this.#bundles, id, () => {
      const rows = this.#in.rows.of({ kind: 'bundle', id })
      const [row] = rows
      if (row === undefined) return null
      const includes = rows.filter(({ slug }) => slug !== null)
      const applicationId = textIn(row, 'application_id')
      return bundleOf(id, { ...row, slug: row.bundle_slug }, includes, () =>
        this.#in.rows.of({ kind: 'names', applicationId }).map((alias) => textIn(alias, 'name')),
      )
    })
  }

  person(endUserId: string, mode: Mode, nowMs: number): Person | null {
    return remembered(this.#people, `${endUserId}\n${mode}`, () => {
      const row = this.#in.people.get(endUserId)
      if (row === undefined) return null
      const rows = this.#in.rows.of({ kind: 'sources', endUserId, mode })
      const [first] = rows
      const account = first === undefined || first.on_demand_enabled === null ? undefined : first
      const sources = rows.filter((source) => source.id !== null && isNeeded(source, nowMs))
      return personOf(endUserId, mode, row, account, sources)
    })
  }

  ownerOf(endUserId: string): string | null {
    const row = this.#in.rows.one({ kind: 'owner', endUserId })
    return row === undefined ? null : textIn(row, 'application_id')
  }

  run(person: Person, slug: string, runId: string): RunCell | null {
    const name = runName(slug, runId)
    const known = person.runs.get(name)
    if (known !== undefined) return known
    const { endUserId, mode } = person
    const row = this.#in.rows.one({ kind: 'run', slug, runId, endUserId, mode })
    if (row === undefined) return null
    const run = runOf(slug, runId, row)
    person.runs.set(name, run)
    return run
  }

  open(callId: string): OpenHold | null {
    return remembered(this.#holds, callId, () => {
      const place = this.#in.places.get(callId)
      // No call of this process, and none that it was told of: it has no hold here.
      if (place === undefined) return null
      const row = this.#in.rows.one({ kind: 'hold', endUserId: place.endUserId, callId })
      return row === undefined ? null : this.#openHold(row)
    })
  }

  openOf({ endUserId, mode }: Person): Iterable<OpenHold> {
    const open: OpenHold[] = []
    for (const row of this.#in.rows.of({ kind: 'holds_of', endUserId, mode })) {
      // The cell that this batch has made of the row already, null where it has closed the call.
      const hold = remembered(this.#holds, textIn(row, 'call_id'), () => this.#openHold(row))
      if (hold !== null) open.push(hold)
    }
    for (const added of this.#added) {
      const isTheirs = added.person.endUserId === endUserId && added.person.mode === mode
      if (isTheirs && this.#holds.get(added.hold.callId) === added) open.push(added)
    }
    return open
  }

  settled(applicationId: string, callId: string): SettleResult | null {
    const now = this.#settledNow.get(callId)
    if (now !== undefined) return now
    const place = this.#in.places.get(callId)
    if (place === undefined) return null
    const row = this.#in.rows.one({ kind: 'settled', endUserId: place.endUserId, callId })
    return row === undefined || row.application_id !== applicationId ? null : settledOf(row)
  }

  spent(person: Person, keyId: string | null, fromDay: number, toDay: number | null): bigint {
    const { endUserId, mode } = person
    const row = this.#in.rows.one({ kind: 'spent', keyId, fromDay, toDay, endUserId, mode })
    assert(row !== undefined, 'a sum is a row')
    return bigintIn(row, 'charge_micros') + this.#daySums.spent(person, keyId, fromDay, toDay)
  }

  grant({ applicationId, grantId, idempotencyKey, mode }: GrantTerms): StoredGrant | null {
    const now = this.#newGrants.get(grantName(applicationId, mode, grantId, idempotencyKey))
    if (now !== undefined) return now
    const row = this.#in.rows.one({ kind: 'grant', applicationId, mode, grantId, idempotencyKey })
    return row === undefined ? null : storedGrantOf(row)
  }

  hasEntry({ endUserId, mode }: Person, idempotencyKey: string): boolean {
    if (this.#newEntries.has(`${endUserId}\n${mode}\n${idempotencyKey}`)) return true
    return this.#in.rows.one({ kind: 'entry', idempotencyKey, endUserId, mode }) !== undefined
  }

  quote(quote: Quote): Quote {
    const known = this.#in.quotes.get(quote.id) ?? this.#newQuotes.get(quote.id)
    if (known !== undefined) return known
    this.#write.quote(quote)
    this.#newQuotes.set(quote.id, quote)
    return quote
  }

  addHold(open: OpenHold): void {
    this.#holds.set(open.hold.callId, open)
    this.#added.push(open)
    this.#write.addHold(open)
  }

  changeHold(open: OpenHold): void {
    this.#changed.add(open)
  }

  closeHold(open: OpenHold): void {
    this.#holds.set(open.hold.callId, null)
    this.#write.closeHold(open)
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
    const sequence = this.#nextNumber(entry)
    this.#write.entry(sequence, entry)
    entry.cell.lastEntry = sequence
    const { person, idempotencyKey } = entry
    if (idempotencyKey !== null) {
      this.#newEntries.add(`${person.endUserId}\n${person.mode}\n${idempotencyKey}`)
    }
    return sequence
  }

  addUsageRecord(record: NewUsageRecord): void {
    this.#write.usage(record)
    this.#daySums.add(record)
    this.#settledNow.set(record.open.hold.callId, record.result)
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
    this.#usedKeys.set(key.id, nowMs)
  }

  addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    const { applicationId, grantId, idempotencyKey, mode, requestHash } = terms
    this.#write.addGrant(terms, endUsers, pending)
    this.#newGrants.set(grantName(applicationId, mode, grantId, idempotencyKey), {
      grantId,
      requestHash,
      endUsers,
      pending,
    })
  }

  finishGrant(applicationId: string, grantId: string): void {
    this.#write.finishGrant(applicationId, grantId)
  }

  /** Everything that the decisions have changed, once each. */
  writes(): Write[] {
    const write = this.#write
    for (const open of this.#changed) {
      if (this.#holds.get(open.hold.callId) === open) write.changeHold(open)
    }
    for (const { person, cell } of this.#dirtySources) write.source(person, cell)
    for (const sum of this.#daySums.all()) write.day(sum)
    const { firstDay } = this.#daySums
    if (firstDay !== null && firstDay <= this.#in.foldedThrough) write.unfold(firstDay)
    for (const { person, run } of this.#dirtyRuns) write.run(person, run)
    for (const [keyId, atMs] of this.#usedKeys) write.keyUsed(keyId, atMs)
    return write.statements()
  }

  /** Stored once this batch is committed. */
  newQuotes(): Iterable<Quote> {
    return this.#newQuotes.values()
  }

  show(seen: Seen): void {
    seen.see(present(this.#people), present(this.#bundles), present(this.#keys))
  }

  #openHold(row: SqlRow): OpenHold {
    const slug = textOrNullIn(row, 'outcome_slug')
    const ceilingMicros = slug === null ? null : bigintOrNullIn(row, 'ceiling_micros')
    return openHoldOf(row, this.#quoteById(textIn(row, 'quote_id')), ceilingMicros)
  }

  #quoteById(id: string): Quote {
    const known = this.#in.quotes.get(id)
    if (known !== undefined) return known
    const row = this.#in.rows.one({ kind: 'quote', id })
    assert(row !== undefined, `quote ${id} is stored`)
    return quoteFromText(id, textIn(row, 'body'))
  }

  /** The entries of one call follow each other (nouns look them up so): they never begin near a block's end. */
  #nextNumber({ callId, person }: NewEntry): number {
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
}

function grantName(
  applicationId: string,
  mode: Mode,
  grantId: string,
  idempotencyKey: string | null,
): string {
  return idempotencyKey === null
    ? `${applicationId}\nid\n${grantId}`
    : `${applicationId}\n${mode}\n${idempotencyKey}`
}

/** Not over, or a pool with something on it, or with money held. */
function isNeeded(source: SqlRow, nowMs: number): boolean {
  const endsAtMs = numberOrNullIn(source, 'ends_at_ms')
  if (endsAtMs === null || endsAtMs > nowMs || bigintIn(source, 'held') > 0n) return true
  return source.kind === 'pool' && bigintIn(source, 'posted') > 0n
}

function* present<T>(known: ReadonlyMap<string, T | null>): Iterable<T> {
  for (const value of known.values()) if (value !== null) yield value
}

function remembered<T>(known: Map<string, T>, name: string, make: () => T): T {
  const value = known.get(name)
  if (value !== undefined) return value
  const made = make()
  known.set(name, made)
  return made
}
