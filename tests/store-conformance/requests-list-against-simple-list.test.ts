/** Compares requests.list with a simple list, for every filter and page, while calls begin and end. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { idSource, suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { FailedAttempt, RequestRecord, Target } from '#domain/ledger-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { everyCall, type RequestFilter } from '#domain/calls/call-filter.ts'
import type { CallRecord, CallStatus } from '#domain/calls/call-record.ts'
import type { ListBounds } from '#store/nouns/merge-into-page.ts'
import { listRequests } from '#store/nouns/request-list.ts'
import { isPostgres } from '#store/sql/database-interface.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World, type Caller } from './add-rows-that-calls-need.ts'

const aliases = ['acme/fast', 'acme/smart', 'acme/rare']
const targets: readonly Target[] = [
  { accountId: 'pa_1', provider: 'openai', model: 'gpt-x' },
  { accountId: 'pa_10', provider: 'anthropic', model: 'claude' },
]
const failures = [
  [502, 'upstream_error'],
  [429, 'upstream_rate_limited'],
  [402, 'spend_limit_exceeded'],
] as const

interface Known {
  readonly callId: string
  readonly caller: Caller
  readonly alias: string
  readonly target: Target
  /** Null if the call belongs to no outcome. */
  readonly runId: string | null
  status: CallStatus
  httpStatus: number | null
  errorCode: string | null
  costMicros: bigint
}

/** `lateMs` may have any value, because the tests with these bounds store no end of a call late. */
const boundsOfTests: readonly ListBounds[] = [
  { rowsMax: [1, 4], entriesMax: [4, 8], entryCallsMax: 3, lateMs: 0 },
  { rowsMax: [2, 6], entriesMax: [10, 30], entryCallsMax: 20, lateMs: 0 },
  { rowsMax: [1, 3], entriesMax: [2, 3, 5, 9], entryCallsMax: 4, lateMs: 0 },
  {
    rowsMax: [500, 10_000],
    entriesMax: [100, 320, 700, 1_500, 4_000],
    entryCallsMax: 300,
    lateMs: 3_600_000,
  },
]

describe.each(engines)('requests.list on $name', ({ open }) => {
  const clock = { nowMs: startMs }
  let opened: Opened
  let world: World
  let callers: Caller[]
  let known: Known[]
  /** Each ID contains the time of its call, as on a real server. */
  const newId = idSource(
    () => clock.nowMs,
    (bytes) => bytes.fill(7),
  )
  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    await world.outcome('trip', 1_000_000n)
    known = []
    callers = []
    for (let n = 0; n < 4; n++) {
      const caller = await world.person(1_000_000n)
      callers.push(caller, await world.key(caller.endUserId))
    }
    callers.push(await world.person(1_000_000n, { mode: 'test' }))
  })
  afterEach(() => opened.closeSound())

  async function begin(random: Random): Promise<Known> {
    const caller = random.pick(callers)
    const target = random.pick(targets)
    // About every twentieth call uses the rare model name.
    const alias = random.whole(0, 19) === 0 ? 'acme/rare' : random.pick(aliases.slice(0, 2))
    const callId = newId()
    const request = world.request(caller, { input: 50, output: 50 }, { callId, target })
    const runId = random.whole(0, 2) === 0 ? random.pick(['run_1', 'run_2']) : null
    const outcome = runId === null ? null : { slug: 'trip', runId, ceilingMicros: 1_000_000n }
    await world.reserve({ ...request, bound: { ...request.bound, alias }, outcome })
    const call: Known = {
      callId,
      caller,
      alias,
      target,
      runId,
      status: 'in_flight',
      httpStatus: null,
      errorCode: null,
      costMicros: 0n,
    }
    known.push(call)
    return call
  }

  async function end(random: Random, call: Known): Promise<void> {
    const { callId, caller } = call
    const isWell = random.whole(0, 3) > 0
    const [httpStatus, errorCode] = isWell ? [200, null] : random.pick(failures)
    const record = (status: RequestRecord['status']): RequestRecord => ({
      callId,
      applicationId: world.applicationId,
      mode: caller.mode,
      endUserId: caller.endUserId,
      keyId: caller.keyId,
      alias: call.alias,
      tags: null,
      target: call.target,
      wire: 'chat',
      streamed: false,
      status,
      httpStatus,
      errorCode,
      atMs: startMs,
      latencyMs: 1,
      firstByteMs: null,
      trace: '{}',
    })
    const { nowMs } = clock
    Object.assign(call, { httpStatus, errorCode })
    if (!isWell && random.whole(0, 1) === 0) {
      // The application pays for the known usage of a failed attempt.
      const input = random.whole(0, 2) * 20
      const attempt: FailedAttempt = {
        target: call.target,
        status: httpStatus,
        failure: null,
        code: errorCode ?? 'internal',
        atMs: 0,
        durationMs: 1,
        firstByteMs: null,
        usage: { ...zeroUsage, input },
        quote: world.request(caller, { input: 50, output: 50 }).quote,
      }
      const attempts = input === 0 ? {} : { attempts: [attempt] }
      await world.store.ledger.release({ callId, nowMs, record: record('released'), ...attempts })
      Object.assign(call, { status: 'released', costMicros: BigInt(input) })
      return
    }
    // Calls without usage have no ledger entry.
    const input = random.whole(0, 2) * 20
    const output = input === 0 ? 0 : random.whole(0, 50)
    const usage = { input, output }
    const request = world.request(caller, { input: 50, output: 50 }, { callId })
    await world.settle(request, usage, { record: record('settled') })
    Object.assign(call, { status: 'settled', costMicros: BigInt(input + output) })
  }

  async function refuse(random: Random): Promise<void> {
    const caller = random.pick(callers)
    const alias = random.pick(aliases)
    const target = random.pick(targets)
    const request = world.request(caller, { input: 1, output: 1 }, { callId: newId(), target })
    await world.store.ledger.record({
      ...world.record({ ...request, bound: { ...request.bound, alias } }, 'refused'),
      httpStatus: 402,
      errorCode: 'insufficient_credit',
    })
    const { callId } = request
    const costMicros = 0n
    const errorCode = 'insufficient_credit'
    known.push({
      callId,
      caller,
      alias,
      target,
      runId: null,
      status: 'refused',
      httpStatus: 402,
      errorCode,
      costMicros,
    })
  }

  function isListed(call: Known, filter: RequestFilter): boolean {
    const ms = suffixMs(call.callId) ?? 0
    const { accountId, alias, endUserId, errorCode, fromMs, keyId, minCostMicros, status, toMs } = filter
    const { callId = null, httpStatus = null, outcomeSlug = null, runId = null } = filter
    const isRunKept = ['settled', 'recovered', 'in_flight'].includes(call.status)
    const digit = call.httpStatus === null ? '' : String(call.httpStatus).charAt(0)
    return (
      call.caller.mode === 'live' &&
      (endUserId === null || call.caller.endUserId === endUserId) &&
      (keyId === null || call.caller.keyId === keyId) &&
      (alias === null || call.alias === alias) &&
      (accountId === null || call.target.accountId === accountId) &&
      (status === null || call.status === status) &&
      (filter.statusClass === null || `${digit}xx` === filter.statusClass) &&
      (errorCode === null || call.errorCode === errorCode) &&
      (httpStatus === null || call.httpStatus === httpStatus) &&
      (outcomeSlug === null || (call.runId !== null && isRunKept)) &&
      (runId === null || (call.runId === runId && isRunKept)) &&
      (callId === null || call.callId === callId) &&
      (minCostMicros === null || call.costMicros >= minCostMicros) &&
      (fromMs === null || ms >= fromMs) &&
      (toMs === null || ms < toMs)
    )
  }

  function randomFilter(random: Random): RequestFilter {
    const some = <T>(values: readonly T[]): T | null =>
      random.whole(0, 3) === 0 ? random.pick(values) : null
    const times = known.map(({ callId }) => suffixMs(callId) ?? 0)
    const caller = random.pick(callers.slice(0, -1))
    return {
      endUserId: random.chance(0.5) ? caller.endUserId : null,
      keyId: some([caller.keyId]),
      alias: some(aliases),
      status: some<CallStatus>(['settled', 'released', 'refused', 'recovered', 'in_flight']),
      accountId: some(['pa_1', 'pa_10', 'pa_2']),
      statusClass: some(['2xx', '4xx', '5xx'] as const),
      errorCode: some(['upstream_error', 'insufficient_credit', 'internal']),
      httpStatus: some([200, 402, 429, 502]),
      outcomeSlug: some(['trip']),
      runId: some(['run_1', 'run_2']),
      callId: random.whole(0, 9) === 0 ? random.pick(known).callId : null,
      minCostMicros: some([0n, 1n, 40n, 1_000n]),
      fromMs: some(times),
      toMs: some(times),
    }
  }

  /**
   * @param between runs after each page
   * @returns the IDs of all pages
   */
  async function pages(
    filter: RequestFilter,
    { limit, bounds }: { limit: number; bounds: ListBounds },
    between: () => Promise<void> = async () => {},
  ): Promise<CallRecord[]> {
    const found: CallRecord[] = []
    let after = null
    do {
      const { read } = opened.store.database
      const page = { limit, after }
      const { next, rows } = await listRequests(read, world.applicationId, 'live', filter, page, bounds)
      expect(rows.length).toBeLessThanOrEqual(limit)
      if (next !== null && after !== null) expect(next.id < (after as { id: string }).id).toBe(true)
      found.push(...rows)
      after = next
      await between()
    } while (after !== null)
    return found
  }

  test(
    'requests.list returns the same rows as a simple list, for any filter and page size',
    { timeout: 300_000 },
    async () => {
      const seed = seedOfRun()
      const random = randomFrom(seed)
      for (let n = 0; n < 120; n++) {
        clock.nowMs += random.whole(0, 50)
        if (random.whole(0, 5) === 0) await refuse(random)
        else await begin(random)
        const inFlight = known.filter(({ status }) => status === 'in_flight')
        const ending = random.chance(0.8) ? inFlight.slice(-1) : inFlight
        if (random.whole(0, 4) > 0 && ending.length > 0) await end(random, random.pick(ending))
      }
      for (let n = 0; n < 80; n++) {
        const filter = n === 0 ? everyCall : randomFilter(random)
        const expected = known.filter((call) => isListed(call, filter))
        const found = await pages(filter, {
          limit: random.pick([1, 2, 5, 40]),
          bounds: random.pick(boundsOfTests),
        })
        const why = `SEED=${seed} ${JSON.stringify(filter, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`
        const ids = expected.map(({ callId }) => callId).toSorted()
        expect(
          found.map(({ callId }) => callId),
          why,
        ).toEqual(ids.toReversed())
        const byId = new Map(known.map((call) => [call.callId, call]))
        for (const call of found) {
          const { costMicros, errorCode, httpStatus, status, target } = byId.get(call.callId) ?? call
          expect(call, why).toMatchObject({ costMicros, errorCode, httpStatus, status, target })
        }
      }
    },
  )

  test(
    'while calls begin and end between two pages, requests.list lists every earlier call exactly once',
    { timeout: 300_000 },
    async () => {
      const seed = seedOfRun()
      const random = randomFrom(seed)
      for (let n = 0; n < 40; n++) {
        const call = await begin(random)
        if (n % 3 > 0) await end(random, call)
      }
      const before = known.filter(({ caller }) => caller.mode === 'live').map(({ callId }) => callId)
      for (const bounds of boundsOfTests.slice(1)) {
        const found = await pages(everyCall, { limit: 3, bounds }, async () => {
          await refuse(random)
          const inFlight = known.filter(({ status }) => status === 'in_flight')
          if (inFlight.length > 0) await end(random, random.pick(inFlight))
        })
        const ids = found.map(({ callId }) => callId)
        expect(new Set(ids).size, `SEED=${seed}`).toBe(ids.length)
        expect(
          ids.filter((id) => before.includes(id)),
          `SEED=${seed}`,
        ).toEqual(before.toSorted().toReversed())
      }
    },
  )

  test('if charged calls fill a page, older uncharged calls are not read', async () => {
    const caller = await world.person(1_000_000n)
    for (let n = 0; n < 8; n++) {
      clock.nowMs += 1
      const request = world.request(caller, { input: 1, output: 1 }, { callId: newId() })
      await world.store.ledger.record(world.record(request, 'refused'))
    }
    for (let n = 0; n < 3; n++) {
      clock.nowMs += 1
      const target = { accountId: 'pa_10', provider: 'anthropic', model: 'claude' }
      const request = world.request(caller, { input: 1, output: 1 }, { callId: newId(), target })
      await world.reserve(request)
      await world.settle(request, { input: 1 })
    }
    let reads = 0
    const counted = opened.store.database.read.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify('from' in node ? node.from : '').includes('"requests"')) reads++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const filter = { ...everyCall, accountId: 'pa_10' }
    const bounds = { rowsMax: [1, 4], entriesMax: [4, 8], entryCallsMax: 3, lateMs: 0 }
    const list = (limit: number) =>
      listRequests(counted, world.applicationId, 'live', filter, { limit, after: null }, bounds)
    expect((await list(2)).rows).toHaveLength(2)
    expect(reads, 'one read for the number of rows, and one for the rows').toBe(2)
    reads = 0
    expect((await list(3)).rows).toHaveLength(3)
    expect(reads, 'the page is not full, so all steps are read').toBe(4)
  })

  test('the record of a call that is found through ledger entries is read once, however many steps follow', async () => {
    const caller = await world.person(1_000_000n)
    const begun: string[] = []
    for (let n = 0; n < 12; n++) {
      clock.nowMs += 1_000
      const request = world.request(caller, { input: 50, output: 50 }, { callId: newId() })
      begun.push(request.callId)
      await world.reserve(request)
      await world.settle(request, { input: 10 })
    }
    const { read } = opened.store.database
    const tested: string[] = []
    const counted = read.withPlugin({
      transformQuery({ node }) {
        const text = JSON.stringify(node)
        if (text.includes('usage_records.call_id IN ('))
          tested.push(...begun.filter((id) => text.includes(id)))
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const filter = { ...everyCall, endUserId: caller.endUserId, alias: 'acme/unused' }
    const bounds = { rowsMax: [1, 2], entriesMax: [3, 6, 100], entryCallsMax: 300, lateMs: 0 }
    await listRequests(counted, world.applicationId, 'live', filter, { limit: 2, after: null }, bounds)
    // The newest call is found among the newest calls of the application.
    expect(tested.toSorted()).toEqual(isPostgres(read) ? [] : begun.slice(0, -1))
  })

  test('a page of an end user does not read all ledger entries of the end user', async () => {
    const caller = await world.person(1_000_000n)
    const another = await world.person(1_000_000n)
    const begun: string[] = []
    for (let n = 0; n < 40; n++)
      for (const by of [another, another, another, caller]) {
        clock.nowMs += 1_000
        const request = world.request(by, { input: 50, output: 50 }, { callId: newId() })
        if (by === caller) begun.push(request.callId)
        await world.reserve(request)
        await world.settle(request, { input: 10 })
      }
    const { read } = opened.store.database
    const entries: number[] = []
    const counted = read.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        for (const row of result.rows) if ('entries' in row) entries.push(Number(row['entries']))
        return result
      },
    })
    const filter = { ...everyCall, endUserId: caller.endUserId }
    const bounds = { rowsMax: [1, 2], entriesMax: [1, 2], entryCallsMax: 300, lateMs: 0 }
    const after = { at: 0, id: begun[35] ?? '' }
    const page = await listRequests(counted, world.applicationId, 'live', filter, { limit: 2, after }, bounds)
    expect(page.rows.map(({ callId }) => callId)).toEqual([begun[34], begun[33]])
    // The page begins after five newer calls. PostgreSQL has an index of the end user's calls.
    expect(entries).toEqual(isPostgres(read) ? [] : [1, 2, 8, 32])
  })

  test('pages of requests.list contain calls whose ends were stored late and out of order', async () => {
    const caller = await world.person(1_000_000n)
    const begun = async (afterMs: number, by = caller) => {
      clock.nowMs += afterMs
      const request = world.request(by, { input: 50, output: 50 }, { callId: newId() })
      await world.reserve(request)
      return request
    }
    const { nowMs } = clock
    const late = [await begun(0), await begun(20_000), await begun(1_000)]
    const others = [await begun(3_600_000)]
    const ofAnother = await begun(1, await world.person(1_000n))
    others.push(await begun(1))
    for (const request of [...others, ofAnother]) await world.settle(request, { input: 10 })
    // The ends of the first three calls are stored late, as if the store had been unavailable.
    const endedAtMs = [nowMs + 10_000, nowMs + 30_000, nowMs + 30_000]
    for (const [at, request] of late.entries())
      await world.settle(request, { input: 10 }, { nowMs: endedAtMs[at] ?? 0 })
    const bounds = { rowsMax: [1], entriesMax: [3], entryCallsMax: 300, lateMs: 10_800_000 }
    const found = await pages({ ...everyCall, endUserId: caller.endUserId }, { limit: 1, bounds })
    const ids = [...late, ...others].map(({ callId }) => callId)
    expect(found.map(({ callId }) => callId)).toEqual(ids.toReversed())
  })
})
