/**
 * The rows that a lane (a ledger queue with its own connection) remembers from its committed batches. The next batch
 * need not read these rows. After a failed batch, the lane forgets all rows.
 *
 * End users: `end_users.known_by` names the lane whose memory equals the end user's stored rows (account, sources,
 * runs, day sums, keys). If another writer changes these rows, a trigger sets `known_by` to null in that writer's
 * transaction. The trigger also covers processes of the previous release, which do not know the column. If the column
 * does not name the lane that locks the end user, the lane reads the rows. In the same batch, the lane sets the column
 * to its own name. The column is part of the locked row, so it is current while the lock is held.
 *
 * Bundles: a trigger counts the changes of each application's bundles. The statement that locks end users returns this
 * count and the application's row. If that statement may have waited for a change, the lane reads the count and the row
 * again after the lock.
 *
 * Calls in flight: only the process that opened a hold changes or closes it, and each call has one lane. Other
 * processes end the hold only after they have ended the lane. Every batch checks first that its lane has not ended
 * (postgres/batch-engine.ts). The write that closes a hold also checks that the hold still belongs to this process
 * (batch-writes.ts). Holds of background responses are not remembered, because any process may end them. A batch that
 * adds or ends a hold also sets `known_by`. The list of the end user's calls in flight is therefore remembered like the
 * rows.
 */
import assert from 'node:assert/strict'
import type { Mode } from '#domain/application-config.ts'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import {
  type BundleCell,
  type KeyCell,
  type OpenHold,
  type Person,
  runName,
} from '#store/ledger/state-types.ts'
import { linesMax, runsMax } from '#store/ledger/cache-of-ledger-state.ts'
import { dayOf } from '#store/ledger/day-sums-of-batch.ts'
import { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'
import type { PersonKey } from '#store/ledger/rows-that-operation-needs.ts'
import { numberIn, numberOrNullIn, type SqlRow, textIn } from '#store/rows/read-row-strictly.ts'
import { copyOf } from './copy-person-before-batch.ts'
import type { PostgresNeed } from './load-needed-rows.ts'

/** Beyond this number, the older half of the end users and all bundles are dropped. */
const peopleMax = 50_000
const bundlesMax = 10_000
/** `end_users.known_by` is the epoch (process number) times this factor, plus the lane's number. */
const lanesMax = 1024
/**
 * A batch is contested if other writers have changed end users that the lane remembers. If a larger share of the
 * batches is contested, a batch reads all of its rows together with the lock. A separate read after the lock is another
 * round trip, which costs more than reading unchanged rows.
 */
const contestedShare = 1 / 4
/** Approximate number of recent batches that the share of contested batches covers. */
const batchesOfShare = 8

interface KnownPerson {
  live: Person | null
  test: Person | null
  readonly keys: Map<string, KeyCell>
  /** The IDs of all calls in flight, by mode. Null if the lane has not read them. */
  readonly open: Record<Mode, readonly string[] | null>
}

interface KnownBundle {
  readonly cell: BundleCell
  readonly applicationId: string
  /** The value of `bundle_changes.number` when the bundle was read, or an older value. */
  readonly changes: number
}

/** The cells (copies of rows) that replace the remembered cells after a commit. */
export interface CommittedCells {
  /** Null for a call that has ended. */
  readonly calls: Iterable<readonly [callId: string, open: OpenHold | null]>
  readonly people: Iterable<Person>
  readonly keys: Iterable<KeyCell>
  readonly bundles: Iterable<BundleCell | null>
  /** Null if the batch has not read them. */
  readonly openIdsOf: (person: Person) => readonly string[] | null
}

interface KnownRowsOptions {
  readonly epoch: number
  readonly lane: number
  /** Whether the database has the triggers that maintain `known_by`. If not, the lane remembers nothing. */
  readonly isKept: boolean
}

export class KnownRows {
  readonly #epoch: number
  readonly #isKept: boolean
  /** The value of `end_users.known_by` that names this lane (ledger connection). */
  readonly #lane: number
  #calls = new RenewedMap<OpenHold>()
  #people = new Map<string, KnownPerson>()
  #peopleBefore = new Map<string, KnownPerson>()
  readonly #owners = new Map<string, string>()
  readonly #bundles = new Map<string, KnownBundle>()
  /**
   * End users whose rows another writer has changed since this lane (ledger connection) last committed for them. Their
   * rows are read together with their locks.
   */
  readonly #contested = new Set<string>()
  #contestedShare = 0
  #isCautious = false

  constructor({ epoch, isKept, lane }: KnownRowsOptions) {
    this.#epoch = epoch
    this.#isKept = isKept
    assert(lane < lanesMax, `a process has at most ${lanesMax} lanes`)
    this.#lane = epoch * lanesMax + lane
  }

  /** @param endUserIds the end users that the batch locks */
  for(operations: readonly Operation[], endUserIds: readonly string[]): BatchMemory {
    const added = new Set<string>()
    // Assume that a new call has no hold, so that the hold need not be read. If the call does have a hold, adding a
    // second one fails, and the batch is decided again without remembered rows.
    if (!this.#isCautious) {
      for (const operation of operations)
        if (operation.kind === 'reserve') added.add(operation.request.callId)
    }
    return new BatchMemory(this, this.#lane, added, endUserIds)
  }

  get isKept(): boolean {
    return this.#isKept
  }

  call(callId: string): OpenHold | undefined {
    return this.#calls.get(callId)
  }

  person(endUserId: string): KnownPerson | undefined {
    const known = this.#people.get(endUserId)
    if (known !== undefined) return known
    const before = this.#peopleBefore.get(endUserId)
    if (before !== undefined) this.#people.set(endUserId, before)
    return before
  }

  key(keyId: string): KeyCell | undefined {
    const endUserId = this.#owners.get(keyId)
    return endUserId === undefined ? undefined : this.person(endUserId)?.keys.get(keyId)
  }

  bundle(id: string): KnownBundle | undefined {
    return this.#bundles.get(id)
  }

  isContested(endUserId: string): boolean {
    return this.#contestedShare > contestedShare || this.#contested.has(endUserId)
  }

  /**
   * Call this function once for each batch, after its end users are locked.
   * @param isOwn whether the locked row of each end user names this lane (ledger connection)
   */
  locked(isOwn: ReadonlyMap<string, boolean>): void {
    let contested = 0
    for (const [endUserId, own] of isOwn) if (this.#isChangedByOthers(endUserId, own)) contested = 1
    this.#contestedShare += (contested - this.#contestedShare) / batchesOfShare
  }

  #isChangedByOthers(endUserId: string, isOwn: boolean): boolean {
    if (isOwn) {
      this.#contested.delete(endUserId)
      return false
    }
    const isNew = !this.#people.delete(endUserId) && !this.#peopleBefore.has(endUserId)
    this.#peopleBefore.delete(endUserId)
    if (isNew) return false
    if (this.#contested.size >= peopleMax) this.#contested.clear()
    this.#contested.add(endUserId)
    return true
  }

  /** Call this function after the batch is committed. */
  keep({ bundles, calls, keys, openIdsOf, people }: CommittedCells, memory: BatchMemory): void {
    this.#isCautious = false
    if (!this.#isKept) return
    for (const [callId, open] of calls) {
      if (open === null || open.background !== null) this.#calls.delete(callId)
      else if (open.epoch === this.#epoch) this.#calls.set(callId, open)
    }
    const applicationOf = new Map<string, string>()
    for (const person of people) {
      if (person.runs.size > runsMax) person.runs.clear()
      if (person.lineUses.size > linesMax) person.lineUses.clear()
      if (person.bundleId !== null) applicationOf.set(person.bundleId, person.applicationId)
      const known = this.#entryOf(person.endUserId)
      known[person.mode] = person
      known.open[person.mode] = openIdsOf(person)
    }
    for (const key of keys) if (memory.isLocked(key.endUserId)) this.#keepKey(key)
    for (const bundle of bundles) {
      const applicationId = bundle === null ? undefined : applicationOf.get(bundle.id)
      if (bundle !== null && applicationId !== undefined) this.#keepBundle(bundle, applicationId, memory)
    }
  }

  /** Call this function after a batch has failed or is in doubt. */
  forget(): void {
    this.#calls = new RenewedMap()
    this.#people = new Map()
    this.#peopleBefore = new Map()
    this.#owners.clear()
    this.#bundles.clear()
    this.#isCautious = true
  }

  #entryOf(endUserId: string): KnownPerson {
    let known = this.person(endUserId)
    if (known === undefined) {
      if (this.#people.size >= peopleMax) {
        this.#peopleBefore = this.#people
        this.#people = new Map()
      }
      this.#people.set(
        endUserId,
        (known = { live: null, test: null, keys: new Map(), open: { live: null, test: null } }),
      )
    }
    return known
  }

  #keepKey(key: KeyCell): void {
    if (this.#owners.size >= peopleMax * 2) this.#owners.clear()
    this.#owners.set(key.id, key.endUserId)
    this.#entryOf(key.endUserId).keys.set(key.id, key)
  }

  #keepBundle(cell: BundleCell, applicationId: string, memory: BatchMemory): void {
    // The bundle was read under the lock, so the remembered count of changes is never newer than the bundle.
    const changes = memory.changesOf(applicationId)
    if (changes === undefined) return
    if (this.#bundles.size >= bundlesMax) this.#bundles.clear()
    this.#bundles.set(cell.id, { cell, applicationId, changes })
  }
}

/**
 * The remembered rows that one batch may use. Before `check`, the batch assumes that these rows are up to date. After
 * `check`, the batch uses only rows that are certainly up to date.
 */
export class BatchMemory {
  /** The value of `end_users.known_by` that names this lane (ledger connection). */
  readonly lane: number
  readonly #known: KnownRows
  readonly #added: ReadonlySet<string>
  /** End users whose remembered rows may be used without reading them. */
  #valid: Set<string>
  #locked: ReadonlySet<string> = new Set()
  /**
   * Applications whose rows the locking statement returns, so that they need no separate read. Before that statement
   * has run, the set is a prediction.
   */
  #applications = new Set<string>()
  #changes: Map<string, number> | null = null
  /** Number of bundle changes of each application, read while the end users are locked. */
  readonly #changesNow = new Map<string, number>()
  #isIgnored = false

  constructor(known: KnownRows, lane: number, added: ReadonlySet<string>, endUserIds: readonly string[]) {
    this.#known = known
    this.lane = lane
    this.#added = added
    this.#valid = new Set(endUserIds.filter((id) => !known.isContested(id)))
    for (const id of endUserIds) {
      const person = known.person(id)
      const { applicationId } = person?.live ?? person?.test ?? {}
      if (applicationId === undefined || !this.#valid.has(id)) {
        // The batch must read rows of this end user anyway, and the same round trip reads the rows of all applications.
        this.#applications.clear()
        return
      }
      this.#applications.add(applicationId)
    }
  }

  /**
   * Checks, by the locked rows, whose remembered rows are up to date.
   * @returns `claims`: the end users that the lane (ledger connection) has to claim; `applications`: by ID, the rows of
   * applications whose locked end users all have up-to-date remembered rows
   */
  check(locked: readonly SqlRow[]): { applications: Map<string, SqlRow>; claims: string[] } {
    const applications = new Map<string, SqlRow>()
    const stale: string[] = []
    const claims: string[] = []
    this.#valid = new Set()
    this.#locked = new Set(locked.map((row) => textIn(row, 'id')))
    this.#changes = new Map()
    const isOwnOf = new Map<string, boolean>()
    for (const row of locked) {
      const id = textIn(row, 'id')
      const applicationId = textIn(row, 'application_id')
      const isOwn = numberOrNullIn(row, 'known_by') === this.lane
      isOwnOf.set(id, isOwn)
      if (isOwn) {
        this.#valid.add(id)
        applications.set(applicationId, row)
      } else {
        // Do not use the application's columns of this row. If the lock waited for another writer, PostgreSQL read
        // these columns before the wait.
        if (this.#known.isKept) claims.push(id)
        stale.push(applicationId)
      }
      this.#changes.set(applicationId, numberIn(row, 'bundle_changes'))
    }
    this.#known.locked(isOwnOf)
    for (const applicationId of stale) applications.delete(applicationId)
    this.#applications = new Set(applications.keys())
    return { applications, claims }
  }

  /**
   * Returns the application of each needed bundle that is remembered. Its row has the count of bundle changes. Without
   * the count, a remembered bundle cannot be used.
   */
  applicationsOf(needs: readonly PostgresNeed[]): PostgresNeed[] {
    const ids = needs.map((need) =>
      need.kind === 'bundle' ? this.#known.bundle(need.id)?.applicationId : undefined,
    )
    return [...new Set(ids)].flatMap((id) => (id === undefined ? [] : [{ kind: 'application', id }]))
  }

  /** @param rows the application's row, if it was read after the lock */
  sawApplication(id: string, rows: readonly SqlRow[]): void {
    for (const row of rows) this.#changesNow.set(id, numberIn(row, 'bundle_changes'))
  }

  get isIgnored(): boolean {
    return this.#isIgnored
  }

  /** From now on, the batch reads all rows. */
  ignore(): void {
    this.#isIgnored = true
    this.#known.forget()
  }

  isLocked(endUserId: string): boolean {
    return this.#locked.has(endUserId)
  }

  changesOf(applicationId: string): number | undefined {
    return this.#changes?.get(applicationId)
  }

  /** Returns null if the call has no hold, and undefined if the row must be read. */
  open(callId: string): OpenHold | null | undefined {
    if (this.#isIgnored) return undefined
    const open = this.#known.call(callId)
    if (open !== undefined) return { ...open }
    return this.#added.has(callId) ? null : undefined
  }

  /** Returns a copy, so that a failed batch leaves the memory as it was. */
  person(endUserId: string, mode: Mode): Person | undefined {
    const person = this.#personOf(endUserId, mode)
    return person === null ? undefined : copyOf(person)
  }

  /** Null if they must be read. */
  openIds({ endUserId, mode }: PersonKey): readonly string[] | null {
    if (this.#isIgnored || !this.#valid.has(endUserId)) return null
    return this.#known.person(endUserId)?.open[mode] ?? null
  }

  key(keyId: string): KeyCell | undefined {
    const key = this.#keyOf(keyId)
    return key === undefined ? undefined : { ...key }
  }

  bundle(id: string): BundleCell | undefined {
    if (this.#isIgnored) return undefined
    const known = this.#known.bundle(id)
    if (known === undefined || this.#changes === null) return known?.cell
    const { applicationId, cell, changes } = known
    const locked = this.#applications.has(applicationId) ? this.#changes.get(applicationId) : undefined
    return (this.#changesNow.get(applicationId) ?? locked) === changes ? cell : undefined
  }

  /** Whether remembered rows contain the result of this read. */
  answers(need: PostgresNeed): boolean {
    switch (need.kind) {
      case 'hold':
        return this.open(need.callId) !== undefined
      case 'holds_of':
        return this.openIds(need) !== null
      case 'sources':
        return this.#personOf(need.endUserId, need.mode) !== null
      case 'run':
        return this.#personOf(need.endUserId, need.mode)?.runs.has(runName(need.slug, need.runId)) ?? false
      case 'line_uses':
        return this.#personOf(need.endUserId, need.mode)?.lineUses.has(need.lineId) ?? false
      case 'spent': {
        const spends = this.#personOf(need.endUserId, need.mode)?.spends.get(need.spender) ?? []
        return spends.some(({ startsAtMs }) => dayOf(startsAtMs) === need.fromDay)
      }
      case 'key':
        return this.#keyOf(need.id) !== undefined
      case 'bundle':
        return this.bundle(need.id) !== undefined
      case 'application':
        return !this.#isIgnored && this.#applications.has(need.id)
      default:
        return false
    }
  }

  #personOf(endUserId: string, mode: Mode): Person | null {
    if (this.#isIgnored || !this.#valid.has(endUserId)) return null
    return this.#known.person(endUserId)?.[mode] ?? null
  }

  #keyOf(keyId: string): KeyCell | undefined {
    const key = this.#isIgnored ? undefined : this.#known.key(keyId)
    return key !== undefined && this.#valid.has(key.endUserId) ? key : undefined
  }
}
