/**
 * The random histories contain calls and the processes that serve them. Ends of calls are stored late, processes
 * restart, summing runs fail midway, commits have unknown results, and a second process runs.
 */
import { randomBytes } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { idSource } from '#domain/ids-sorted-by-time.ts'
import {
  type FailedAttempt,
  type RequestRecord,
  type ReserveRequest,
  StoreUnavailable,
} from '#domain/ledger-interface.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import type { InjectedFault, InjectFault } from '#store/ledger/faults-injected-by-tests.ts'
import { eachEndedCall } from '#store/rows/read-ended-calls-by-time.ts'
import { HourSums } from '#store/rows/sums-of-one-hour.ts'
import type { HourRows } from '#store/sql/hour-sums-interface.ts'
import type { Database, Query } from '#store/sql/database-interface.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import type { SqliteOptions } from '#store/sqlite/open-sqlite-store.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import type { Random } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'
import { covered, moving, openOnPostgres, openTemporary } from './engines.ts'
import { type Caller, startMs, World } from './add-rows-that-calls-need.ts'

export interface Options {
  readonly nowMs: () => number
  readonly faults?: InjectFault
}

interface Opened {
  readonly store: EngineStore
  readonly reopen: () => Promise<Opened>
  /** Null if the engine allows only one process. */
  readonly another: (() => Promise<EngineStore>) | null
  /** Call this after the other processes have ended. */
  readonly remove: () => Promise<void>
}

async function sqlite(
  options: Options & Pick<SqliteOptions, 'choice' | 'writer'>,
  folder?: string,
): Promise<Opened> {
  const opened = await openTemporary({ ...options, ...(folder !== undefined && { folder }) })
  return {
    store: opened.store,
    async reopen() {
      await opened.store.close()
      return sqlite(options, opened.folder)
    },
    another: null,
    remove: () => opened.close(),
  }
}

async function postgres(options: Options): Promise<Opened> {
  const first = await openOnPostgres(options)
  const { url } = first
  const of = (now: EngineStore): Opened => ({
    store: now,
    async reopen() {
      await now.close()
      return of((await openOnPostgres({ ...options, url })).store)
    },
    another: async () => (await openOnPostgres({ ...options, url })).store,
    async remove() {
      await now.close()
      await first.close()
    },
  })
  return of(first.store)
}

/** Only `npm run test:long` covers a writer on a separate thread, as in engines.ts. */
export const engines = covered([
  ...(isLong
    ? [
        {
          name: 'SQLite, writer on a thread',
          open: (options: Options) => sqlite({ ...options, writer: 'thread' }),
        },
      ]
    : []),
  { name: 'SQLite, writer inline', open: (options: Options) => sqlite({ ...options, writer: 'inline' }) },
  {
    name: 'SQLite, writer that moves',
    // With a function that injects faults, both writers run on the main thread, so moves take little time.
    open: (options: Options) => sqlite({ faults: () => null, ...options, ...moving }),
  },
  ...(hasPostgres ? [{ name: 'PostgreSQL', open: postgres }] : []),
])

export type Engine = (typeof engines)[number]

export const callsPerHour = 10

interface Open {
  readonly store: EngineStore
  readonly request: ReserveRequest
  readonly beganAtMs: number
}

interface FoldOptions {
  readonly ending?: AbortSignal | null
  /** Number of transactions after which the process cannot write. Null if the process does not fail. */
  readonly failsAfter?: number | null
  readonly onCommit?: () => void
}

export class Life {
  readonly clock = { nowMs: startMs }
  calls = 0
  /** Rows that were read to compute hourly sums. */
  rowsRead = 0
  transactions = 0
  readonly #random: Random
  readonly #open: Engine['open']
  readonly #hasFaults: boolean
  #fails = false
  #opened: Opened | null = null
  #second: EngineStore | null = null
  #world: World | null = null
  #callers: Caller[] = []
  #calls: Open[] = []
  #testOffsetMs = 0
  readonly #newId = idSource(
    () => this.clock.nowMs,
    (bytes) => bytes.set(randomBytes(bytes.length)),
  )

  constructor(random: Random, open: Engine['open'], hasFaults: boolean) {
    this.#random = random
    this.#open = open
    this.#hasFaults = hasFaults
  }

  get #first(): Opened {
    if (this.#opened === null) throw new Error('the store is not open')
    return this.#opened
  }

  get #places(): World {
    if (this.#world === null) throw new Error('the store is empty')
    return this.#world
  }

  async begin(): Promise<void> {
    const faults = (point: string): InjectedFault | null =>
      this.#fails && (point === 'commit' || point === 'committed') && this.#random.chance(0.3) ? 'io' : null
    this.#opened = await this.#open({ nowMs: () => this.clock.nowMs, ...(this.#hasFaults && { faults }) })
    this.#world = new World(this.#first.store, this.clock)
    await this.#world.found()
    await this.#world.outcome('report', 1_000_000_000n)
    for (const mode of ['live', 'live', 'test'] as const) {
      const caller = await this.#world.person(1_000_000n, { mode })
      await this.#world.credit([caller.endUserId], 1_000_000n, { kind: 'topup', mode })
      this.#callers.push(caller)
    }
    this.#fails = true
    await this.fold(this.#first.store, true)
  }

  get applicationId(): string {
    return this.#places.applicationId
  }

  get stores(): readonly [EngineStore, ...EngineStore[]] {
    const { store } = this.#first
    return this.#second === null ? [store] : [store, this.#second]
  }

  async wholeCall(): Promise<void> {
    await this.#beginCall()
    await this.#endCall()
  }

  async withoutFaults(work: () => Promise<void>): Promise<void> {
    const fails = this.#fails
    this.#fails = false
    await work()
    this.#fails = fails
  }

  /** The query counts the rows of calls that it reads, in `rowsRead`. */
  counted({ database }: EngineStore): Query {
    return database.read.withPlugin(this.#counting)
  }

  async end(): Promise<void> {
    this.#fails = false
    await this.#second?.close()
    await this.#first.remove()
  }

  async step(): Promise<void> {
    const random = this.#random
    const at = random.next()
    if (at < 0.5) await this.#beginCall()
    else if (at < 0.72) await this.#endCall()
    else if (at < 0.85) this.clock.nowMs += random.whole(1, 40) * 60_000
    else if (at < 0.86) this.clock.nowMs += random.whole(2, 12) * hourMs
    else if (at < 0.94)
      await this.fold(this.#anyStore(), true, {
        failsAfter: random.chance(0.05) ? random.whole(0, 2) : null,
      })
    else if (at < 0.95) await this.restart()
    else if (at < 0.96) await this.#aheadTest()
    else if (at < 0.98) this.#fails = this.#hasFaults && !this.#fails
    else await this.#toggleSecond()
  }

  /** Calls end immediately, and each hour is summed up a few minutes later. */
  async hoursOfCalls(hours: number, hasMemory: boolean): Promise<void> {
    for (let hour = 0; hour < hours; hour++) {
      for (let call = 0; call < callsPerHour; call++) await this.wholeCall()
      this.clock.nowMs = (Math.floor(this.clock.nowMs / hourMs) + 1) * hourMs + 300_000
      await this.fold(this.#first.store, hasMemory)
    }
  }

  /** The new process recovers the calls that the old process left open. */
  async restart(): Promise<void> {
    const left = this.#first.store
    this.#fails = false
    this.#opened = await this.#first.reopen()
    this.#fails = true
    this.#calls = this.#calls.filter(({ store }) => store !== left)
    Object.assign(this.#places, { store: this.#first.store })
    await this.fold(this.#first.store, true)
  }

  async fold(
    store: EngineStore,
    hasMemory: boolean,
    { ending = null, failsAfter = null, onCommit }: FoldOptions = {},
  ): Promise<void> {
    const began = this.transactions
    const database: Database = {
      read: store.database.read,
      readFor: (reader) => store.database.readFor(reader).withPlugin(this.#counting),
      isEnvironmental: (error) => store.database.isEnvironmental(error),
      transaction: async (work, reader) => {
        if (failsAfter !== null && this.transactions - began >= failsAfter) throw new Error('killed')
        this.transactions += 1
        const result = await store.database.transaction(work, reader)
        onCommit?.()
        return result
      },
    }
    try {
      await foldCallHours(database, this.clock.nowMs, hasMemory ? store.hours : null, ending)
    } catch (error) {
      if (failsAfter === null) throw error
    }
  }

  /** The job runs twice in every process, an hour apart. `counted` is computed from the rows of the calls. */
  async sums(): Promise<{ stored: object; counted: object; hours: number }> {
    this.#fails = false
    for (let time = 0; time < 2; time++) {
      this.clock.nowMs += hourMs
      for (const store of [this.#first.store, this.#second, this.#first.store])
        if (store !== null) await this.fold(store, true)
    }
    const { database } = this.#first.store
    const { applicationId } = this.#places
    const counted: HourRows[] = []
    const first = Math.floor(startMs / hourMs) - 1
    const last = Math.floor((this.clock.nowMs - 120_000) / hourMs) - 1
    for (let hour = first; hour <= last; hour++)
      for (const mode of ['live', 'test'] as const) {
        const sums = new HourSums()
        const span = { applicationId, mode, fromMs: hour * hourMs, toMs: (hour + 1) * hourMs }
        await eachEndedCall(database.read, span, (call) => sums.add(call), { hasMoney: true })
        counted.push(sums.rows({ applicationId, mode, hour }))
      }
    const all = (table: 'call_hours' | 'target_hours' | 'run_hours' | 'tag_hours'): Promise<object[]> =>
      database.read.selectFrom(table).selectAll().execute()
    return {
      hours: last - first + 1,
      stored: {
        calls: sorted(await all('call_hours')),
        targets: sorted(await all('target_hours')),
        runs: sorted(await all('run_hours')),
        tags: sorted(await all('tag_hours')),
      },
      counted: {
        calls: sorted(counted.flatMap(({ calls }) => calls)),
        targets: sorted(counted.flatMap(({ targets }) => targets)),
        runs: sorted(counted.flatMap(({ runs }) => runs)),
        tags: sorted(counted.flatMap(({ tags }) => tags)),
      },
    }
  }

  readonly #counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      this.rowsRead += result.rows.filter((row) => 'latency_ms' in row).length
      return result
    },
  }

  #anyStore(): EngineStore {
    const { store } = this.#first
    return this.#second === null ? store : this.#random.pick([store, this.#second])
  }

  async #beginCall(): Promise<void> {
    const random = this.#random
    const store = this.#anyStore()
    const caller = random.pick(this.#callers)
    const runId = random.chance(0.2) ? `run-${random.whole(1, 3)}` : null
    const plain = this.#places.request(caller, { input: 50, output: 50 })
    const request: ReserveRequest = {
      ...plain,
      callId: this.#newId(),
      nowMs: this.#timeIn(caller),
      target: random.pick(targets),
      bound: {
        ...plain.bound,
        alias: random.pick(['acme/fast', 'acme/smart']),
        ...(random.chance(0.3) && { tags: random.pick([['a'], ['b'], ['a', 'b']]) }),
        ...(random.chance(0.3) && { payerId: random.pick(['eu_one', 'eu_two']) }),
      },
      outcome: runId === null ? null : { slug: 'report', runId, ceilingMicros: 1_000_000_000n },
    }
    if (random.chance(0.15)) {
      await store.ledger.record({ ...this.#record(request, 'refused', 3), errorCode: 'insufficient_credit' })
      this.calls += 1
      return
    }
    const reserved = await store.ledger.reserve(request).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return null
      throw error
    })
    if (reserved?.kind === 'reserved') this.#calls.push({ store, request, beganAtMs: this.clock.nowMs })
  }

  /** A past time simulates a store that was unavailable until now. */
  async #endCall(): Promise<void> {
    const random = this.#random
    const at = random.whole(0, this.#calls.length - 1)
    const [call] = this.#calls.splice(at, 1)
    if (call === undefined) return
    const { beganAtMs, request, store } = call
    const isLate = request.mode === 'live' && random.chance(0.4)
    const earliestMs = Math.max(beganAtMs, this.clock.nowMs - 2 * hourMs)
    const nowMs = isLate ? random.whole(earliestMs, this.clock.nowMs) : this.clock.nowMs
    const latencyMs = nowMs - beganAtMs
    const attempts = random.chance(0.25) ? { attempts: this.#attempts(request) } : {}
    const endedAtMs = request.mode === 'live' ? nowMs : nowMs + this.#testOffsetMs
    this.calls += 1
    // Release only calls of less than an hour, because the summing job does not read rows of longer uncharged calls
    // (`longestMs`).
    if (random.chance(0.3) && latencyMs < hourMs) {
      const record = this.#record(request, 'released', latencyMs)
      await store.ledger.release({ callId: request.callId, nowMs: endedAtMs, record, ...attempts })
      return
    }
    const used = { input: random.whole(0, 50), output: random.whole(0, 60) }
    await store.ledger.settle({
      ...this.#places.settlement(request, used),
      nowMs: endedAtMs,
      record: this.#record(request, 'settled', latencyMs),
      ...attempts,
    })
  }

  #record(request: ReserveRequest, status: RequestRecord['status'], latencyMs: number): RequestRecord {
    const random = this.#random
    const bundle = random.pick(['free', 'pro'])
    const { outcome } = request
    const policy = { bundle, ...(outcome && { outcome: outcome.slug, run: outcome.runId }) }
    const isBroken = status === 'released' || random.chance(0.2)
    return {
      ...this.#places.record(request, status),
      target: status === 'refused' && random.chance(0.5) ? null : request.target,
      errorCode: isBroken ? random.pick(['upstream_error', 'client_left']) : null,
      latencyMs,
      firstByteMs: random.chance(0.7) ? random.whole(0, 900) : null,
      trace: isBroken ? JSON.stringify({ auth: null, policy }) : `["${bundle}",1]`,
    }
  }

  #attempts({ quote }: ReserveRequest): FailedAttempt[] {
    const random = this.#random
    return Array.from({ length: random.whole(1, 2) }, (_, index) => ({
      target: random.pick(targets),
      status: 503,
      failure: null,
      code: 'upstream_overloaded',
      atMs: index,
      durationMs: 1,
      firstByteMs: null,
      usage: random.chance(0.5) ? { ...zeroUsage, input: random.whole(1, 40) } : null,
      quote,
    }))
  }

  #timeIn({ mode }: Caller): number {
    return this.clock.nowMs + (mode === 'test' ? this.#testOffsetMs : 0)
  }

  /** The test clock advances only if no call of test mode is in flight. */
  async #aheadTest(): Promise<void> {
    if (this.#calls.some(({ request }) => request.mode === 'test')) return
    this.#testOffsetMs += this.#random.whole(1, 12) * 1_800_000
    await this.#first.store.database.transaction((tx) =>
      tx.updateTable('applications').set({ test_clock_offset_ms: this.#testOffsetMs }).execute(),
    )
  }

  async #toggleSecond(): Promise<void> {
    const { another } = this.#first
    if (another === null) return
    const left = this.#second
    if (left === null) {
      this.#second = await another()
      return
    }
    this.#second = null
    this.#calls = this.#calls.filter(({ store }) => store !== left)
    await left.close()
  }
}

const targets = [
  { accountId: 'pa_1', provider: 'openai', model: 'gpt-x' },
  { accountId: 'pa_2', provider: 'anthropic', model: 'claude' },
]

/** Returns sorted rows as text, with sorted histogram buckets, because their order has no meaning. */
function sorted(rows: readonly object[]): string[] {
  const textOf = (row: object): string =>
    JSON.stringify(
      Object.entries(row)
        .map(([name, value]): [string, unknown] => {
          if (name === 'latency' || name === 'first_byte') return [name, sortedBuckets(String(value))]
          return [name, typeof value === 'bigint' ? String(value) : value]
        })
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    )
  return rows.map(textOf).toSorted()
}

function sortedBuckets(text: string): number[][] {
  const flat = JSON.parse(text) as number[]
  const pairs: number[][] = []
  for (let at = 0; at < flat.length; at += 2) pairs.push(flat.slice(at, at + 2))
  return pairs.toSorted(([one = 0], [other = 0]) => one - other)
}
