import assert from 'node:assert/strict'
import type { Mode } from '#domain/application-config.ts'
import type { SettleResult } from '#domain/ledger-interface.ts'
import type { Quote } from '#money/decision-types.ts'
import type { RateUse } from '#money/rate-limit.ts'
import { quoteFromText, rateUsesFromText } from '#store/rows/json-columns.ts'
import { bigintIn, type SqlRow, textIn } from '#store/rows/read-row-strictly.ts'
import {
  type ApplicationCell,
  type BundleCell,
  type ChangedSource,
  type CreditEntry,
  type EndedRecord,
  type GrantTerms,
  type KeyCell,
  keyUsedEveryMs,
  type NewCorrection,
  type NewEntry,
  type NewRequest,
  type NewUsageRecord,
  type OpenHold,
  type Person,
  type ReversalSum,
  type RunCell,
  runName,
  type SourceCell,
  type StoredCall,
  type StoredCorrection,
  type StoredGrant,
} from './state-types.ts'
import type { BookCache } from './cache-of-ledger-state.ts'
import {
  applicationOf,
  bundleOf,
  keyOf,
  personAt,
  monthCellOf,
  creditEntryOf,
  storedCallOf,
  storedCorrectionOf,
  personOf,
  runOf,
  storedGrantOf,
} from './ledger-state-from-rows.ts'
import { type ChangedUse, ChangedUses, rowOfUse } from './rows-of-changed-rate-limit-usage.ts'
import { DaySums, type StoredDaySum } from './day-sums-of-batch.ts'
import { endedAtMs } from './hour-sums-of-ended-calls.ts'
import { isNeeded, type Need } from './rows-that-operation-needs.ts'
import {
  correctionRow,
  dayRow,
  entryRow,
  grantRow,
  quoteRow,
  requestRow,
  reversalRow,
  type RowValue,
  runRow,
  usageRow,
} from './rows-that-batch-inserts.ts'
import { rowOfSource } from './row-of-changed-source.ts'
import type { WriteKind } from './writes-of-batch.ts'

/**
 * Contains the cells (the ledger's copies of rows, state-types.ts) and the rows that the current batch writes. Ledger
 * operations such as reserve.ts access stored data only through this class. All methods are synchronous.
 *
 * A row that never changes, such as a ledger entry, is written immediately. A row that many operations of a batch
 * change, such as a source, is written once, before the commit.
 */
export abstract class Book {
  readonly epoch: number
  readonly changedUses = new ChangedUses()
  protected readonly cache: BookCache
  readonly #daySums = new DaySums()
  #dirtySources: ChangedSource[] = []
  #dirtyRuns: { readonly person: Person; readonly run: RunCell }[] = []
  readonly #reversals = new Map<string, ReversalSum>()
  #ended: EndedRecord[] = []
  // Create a new map for each batch, because V8 keeps the table of a cleared Map in memory (map-for-many-deletions.ts).
  #usedKeys = new Map<string, KeyCell>()

  constructor(epoch: number, cache: BookCache) {
    this.epoch = epoch
    this.cache = cache
  }

  abstract open(callId: string): OpenHold | null
  abstract openOf(person: Person): Iterable<OpenHold>
  /** Null if the call was never settled. */
  abstract settled(applicationId: string, callId: string): SettleResult | null
  abstract addHold(open: OpenHold): void
  /** Call this method after replacing `open.hold` or `open.checkpoint`. */
  abstract changeHold(open: OpenHold): void
  /** If the call is charged, `closeHold` must run before `addUsageRecord`. */
  abstract closeHold(open: OpenHold, how: 'charged' | 'released'): void
  protected abstract rows(need: Need): readonly SqlRow[]
  protected abstract write(kind: WriteKind, values: RowValue[]): void
  protected abstract nextNumber(entry: NewEntry): number

  application(id: string): ApplicationCell | null {
    const { applications } = this.cache
    let cell = applications.get(id)
    if (cell === undefined) {
      const row = this.#row({ kind: 'application', id })
      cell = row === undefined ? null : applicationOf(row)
      applications.set(id, cell)
    }
    return cell
  }

  key({ endUserId }: Pick<Person, 'endUserId'>, id: string): KeyCell | null {
    const known = this.cache.keys.get(id)
    if (known !== undefined) return known
    const row = this.#row({ kind: 'key', id, endUserId })
    if (row === undefined) return null
    const cell = keyOf(id, row)
    this.cache.keys.set(id, cell)
    return cell
  }

  bundle(id: string): BundleCell | null {
    const { bundles } = this.cache
    let cell = bundles.get(id)
    if (cell === undefined) {
      cell = this.#readBundle(id)
      bundles.set(id, cell)
    }
    return cell
  }

  person(endUserId: string, mode: Mode, nowMs: number): Person | null {
    const known = this.cache.person(endUserId, mode)
    if (known !== undefined) return personAt(known, nowMs)
    const row = this.#row({ kind: 'person', endUserId })
    if (row === undefined) return null
    const rows = this.rows({ kind: 'sources', endUserId, mode, nowMs })
    const sources = rows.filter((source) => source.id !== null && isNeeded(source, nowMs))
    const person = personOf(endUserId, mode, row, rows[0], sources)
    this.cache.keepPerson(person)
    return personAt(person, nowMs)
  }

  /** Null if the end user does not exist. Costs less than `person`. */
  ownerOf(endUserId: string): string | null {
    const row = this.#row({ kind: 'owner', endUserId })
    return row === undefined ? null : textIn(row, 'application_id')
  }

  run(person: Person, slug: string, runId: string): RunCell | null {
    const name = runName(slug, runId)
    const known = person.runs.get(name)
    if (known !== undefined) return known
    const { endUserId, mode } = person
    const row = this.#row({ kind: 'run', slug, runId, endUserId, mode })
    if (row === undefined) return null
    const run = runOf(slug, runId, row)
    this.cache.keepRun(person, run)
    return run
  }

  /**
   * Returns the charges on the days from `fromDay` (inclusive) to `toDay` (exclusive; null means no end), in micros.
   * @param spender ID of a key line, `wholePerson` or `portalLines`
   */
  spent(person: Person, spender: string, fromDay: number, toDay: number | null): bigint {
    const { endUserId, mode } = person
    this.cache.noteLines(person)
    const row = this.#row({ kind: 'spent', spender, fromDay, toDay, endUserId, mode })
    assert(row !== undefined, `the spending of ${endUserId} was not summed`)
    // Add the charges of the current batch, which no stored row contains yet.
    return bigintIn(row, 'charge_micros') + this.#daySums.spent(person, spender, fromDay, toDay)
  }

  grant({
    applicationId,
    grantId,
    idempotencyKey,
    mode,
    paymentReference = null,
  }: GrantTerms): StoredGrant | null {
    const row = this.#row({ kind: 'grant', applicationId, mode, grantId, idempotencyKey, paymentReference })
    return row === undefined ? null : storedGrantOf(row)
  }

  hasEntry({ endUserId, mode }: Person, idempotencyKey: string): boolean {
    return this.#row({ kind: 'entry', idempotencyKey, endUserId, mode }) !== undefined
  }

  /** Null if the call has not ended, or was not charged. */
  chargedCall(applicationId: string, endUserId: string, callId: string): StoredCall | null {
    const row = this.#row({ kind: 'charged_call', applicationId, endUserId, callId })
    return row === undefined ? null : storedCallOf(row)
  }

  /** Oldest first. */
  corrections(applicationId: string, endUserId: string, callId: string): readonly StoredCorrection[] {
    return this.rows({ kind: 'corrections', applicationId, endUserId, callId }).map(storedCorrectionOf)
  }

  addCorrection(correction: NewCorrection): void {
    this.write('correction', correctionRow.values(correction))
  }

  /** Returns the ledger entries of the end user's wallet, except those that a call caused. */
  credits({ endUserId, mode }: Person): readonly CreditEntry[] {
    return this.rows({ kind: 'credits', endUserId, mode }).map(creditEntryOf)
  }

  /** Returns the same object for all quotes with the same content. Stores the quote when it is first used. */
  quote(quote: Quote): Quote {
    const known = this.knownQuote(quote.id)
    if (known !== undefined) return known
    this.write('quote', quoteRow.values(quote))
    this.cache.quotes.set(quote.id, quote)
    return quote
  }

  /**
   * Loads the source of a past period: on-demand usage, or a share in a payer's wallet or pool. Null if the source does
   * not exist.
   */
  month(person: Person, sourceId: string): SourceCell | null {
    const { endUserId, mode } = person
    const known = person.cells.find(({ source }) => source.id === sourceId)
    if (known !== undefined) return known
    const row = this.#row({ kind: 'source', sourceId, endUserId, mode })
    if (row === undefined) return null
    const cell = monthCellOf(row, person.onDemand)
    person.cells.push(cell)
    person.sources.push(cell.source)
    return cell
  }

  addSource(person: Person, cell: SourceCell): void {
    person.cells.push(cell)
    person.sources.push(cell.source)
    this.changeSource(person, cell)
  }

  changeSource(person: Person, cell: SourceCell): void {
    const at = person.cells.indexOf(cell)
    assert(at !== -1, `source ${cell.source.id} of ${person.endUserId} is not loaded`)
    person.sources[at] = cell.source
    if (cell.isDirty) return
    cell.isDirty = true
    this.#dirtySources.push({ person, cell })
  }

  /** Returns the sequence number of the ledger entry. */
  addEntry(entry: NewEntry): number {
    const sequence = this.nextNumber(entry)
    this.write('ledger', entryRow.values(sequence, entry))
    entry.cell.lastEntry = sequence
    return sequence
  }

  addUsageRecord(record: NewUsageRecord): void {
    this.write('usage', usageRow.values(record))
    this.#ended.push(record)
    this.#daySums.add(record)
  }

  /** @param open the call's hold; undefined if the call had no hold and no cost */
  addRequest(request: NewRequest, open?: OpenHold): void {
    this.write('request', requestRow.values(request))
    this.#ended.push(request)
    const { attempts } = request
    if (open !== undefined && attempts !== null && attempts.costMicros > 0n)
      this.#daySums.addCost(open, endedAtMs(request), attempts.costMicros)
  }

  /** Returns the calls that have ended since the previous call of this function, in order. */
  takeEnded(): readonly EndedRecord[] {
    const ended = this.#ended
    if (ended.length > 0) this.#ended = []
    return ended
  }

  changeRun(person: Person, run: RunCell): void {
    if (run.isDirty) return
    run.isDirty = true
    this.cache.keepRun(person, run)
    this.#dirtyRuns.push({ person, run })
  }

  lineUses(person: Person, lineId: string): readonly RateUse[] {
    const known = person.lineUses.get(lineId)
    if (known !== undefined) return known
    const row = this.#row({ kind: 'line_uses', lineId, endUserId: person.endUserId, mode: person.mode })
    const uses = rateUsesFromText(row === undefined ? null : textIn(row, 'uses'))
    this.cache.keepLineUses(person, lineId, uses)
    return uses
  }

  useKey(key: KeyCell, nowMs: number): void {
    if (key.lastUsedAtMs !== null && nowMs - key.lastUsedAtMs < keyUsedEveryMs) return
    key.lastUsedAtMs = nowMs
    this.#usedKeys.set(key.id, key)
  }

  addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    this.write('grant', grantRow.values(terms, endUsers, pending))
  }

  finishGrant(applicationId: string, grantId: string): void {
    this.write('grant_finished', [null, null, applicationId, grantId])
  }

  addReversal(applicationId: string, id: string, grantId: string, micros: bigint): void {
    const name = `${applicationId}\n${id}`
    const sum = this.#reversals.get(name) ?? { applicationId, id, grantId, micros: 0n, endUsers: 0 }
    sum.micros += micros
    sum.endUsers += 1
    this.#reversals.set(name, sum)
  }

  stepGrant(applicationId: string, grantId: string, done: number): void {
    this.write('grant_stepped', [done, applicationId, grantId])
  }

  clearMonth({ endUserId, mode }: Person, sourceId: string, entry: number): void {
    this.write('month_cleared', [entry, endUserId, mode, sourceId])
  }

  /**
   * Call this function after the last operation of a batch.
   * @param foldedThrough the last day that is included in the stored sums of the application (usage-sums-by-day.ts)
   */
  protected writeChanged(foldedThrough: number): void {
    this.writeFigures(this.#dirtySources, this.changedUses.all())
    for (const { cell } of this.#dirtySources) {
      cell.isNew = false
      cell.isDirty = false
    }
    this.writeDays(this.#daySums.all(), this.#daySums.firstDay, foldedThrough)
    for (const { person, run } of this.#dirtyRuns) {
      this.#writeRun(person, run)
      run.isNew = false
      run.isDirty = false
    }
    for (const sum of this.#reversals.values()) this.write('reversal', reversalRow.values(sum))
    this.writeKeyUses(this.#usedKeys.values())
    this.forgetChanges()
  }

  writeKeyUses(keys: Iterable<KeyCell>): void {
    for (const { endUserId, id, lastUsedAtMs } of keys) this.write('key_used', [lastUsedAtMs, endUserId, id])
  }

  protected writeFigures(sources: readonly ChangedSource[], uses: readonly ChangedUse[]): void {
    for (const source of sources) this.write(...rowOfSource(source))
    for (const use of uses) this.write(...rowOfUse(use))
  }

  /**
   * @param firstDay the earliest day of the sums; null if there are no sums
   * @param foldedThrough the last day that is included in the stored sums of the application
   */
  protected writeDays(sums: readonly StoredDaySum[], firstDay: number | null, foldedThrough: number): void {
    for (const sum of sums) this.write('day', dayRow.values(sum))
    if (firstDay !== null && firstDay <= foldedThrough) this.write('unfold', [firstDay])
  }

  protected forgetChanges(): void {
    this.#dirtySources = []
    this.#dirtyRuns = []
    this.changedUses.clear()
    // Clear a map only if it is not empty, because clearing allocates a new table.
    if (this.#reversals.size > 0) this.#reversals.clear()
    if (this.#usedKeys.size > 0) this.#usedKeys = new Map()
    this.#daySums.clear()
  }

  protected knownQuote(id: string): Quote | undefined {
    return this.cache.quotes.get(id)
  }

  quoteById(id: string): Quote {
    const known = this.knownQuote(id)
    if (known !== undefined) return known
    const row = this.#row({ kind: 'quote', id })
    assert(row !== undefined, `quote ${id} is not stored`)
    const quote = quoteFromText(id, textIn(row, 'body'))
    this.cache.quotes.set(id, quote)
    return quote
  }

  #row(need: Need): SqlRow | undefined {
    return this.rows(need)[0]
  }

  #readBundle(id: string): BundleCell | null {
    const rows = this.rows({ kind: 'bundle', id })
    const [row] = rows
    if (row === undefined) return null
    const includes = rows.filter(({ slug }) => slug !== null)
    const names = includes.length === 0 ? () => [] : this.aliasNames(textIn(row, 'application_id'))
    return bundleOf(id, row, includes, names)
  }

  protected aliasNames(applicationId: string): () => readonly string[] {
    return () => this.rows({ kind: 'aliases', applicationId }).map((alias) => textIn(alias, 'name'))
  }

  #writeRun(person: Person, run: RunCell): void {
    if (run.isNew) {
      this.write('run', runRow.values(person, run))
      return
    }
    const { status, cappedAtMicros, spentMicros, calls, lastCallAtMs, slug, runId } = run
    const { endUserId, mode } = person
    const changed = [status, cappedAtMicros, spentMicros, calls, lastCallAtMs]
    this.write('run_changed', [...changed, endUserId, mode, slug, runId])
  }
}
