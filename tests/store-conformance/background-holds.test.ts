import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { BackgroundResponse } from '#domain/background/background-response-record.ts'
import type { Account } from '#domain/billing/money-account-key.ts'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import { sqlBackgroundHolds } from '#store/nouns/background-holds.ts'
import { poolOf } from '#store/postgres/connection.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import { hasPostgres, sql as sqlOn } from '../support/start-postgres.ts'
import { openOnPostgres } from './engines.ts'
import { restartingEngines, sqliteProcess } from './open-store-of-dead-process.ts'
import { startMs, World, type Caller } from './add-rows-that-calls-need.ts'

const clock = { nowMs: startMs }
const nowMs = (): number => clock.nowMs

const response: BackgroundResponse = {
  id: 'resp_of_the_provider',
  isStreamed: true,
  deadlineMs: startMs + 1_000,
  firstByteMs: 7,
  trace: '{"auth":null,"note":"]]"}',
}

interface Held {
  readonly world: World
  readonly caller: Caller
  readonly request: ReserveRequest
}

/** The call costs at most 300 micros. */
async function held(store: EngineStore): Promise<Held> {
  const world = new World(store, clock)
  await world.found()
  const caller = await world.person(1_000n)
  const request = world.request(caller, { input: 100, output: 200 })
  await world.reserve(request)
  await store.ledger.background({ callId: request.callId, response })
  return { world, caller, request }
}

function ownerOf({ caller, world }: Held): Account {
  return { applicationId: world.applicationId, endUserId: caller.endUserId, mode: 'live' }
}

function found({ database, epoch }: EngineStore, call: Held) {
  const holds = sqlBackgroundHolds(database, epoch)
  return Promise.all([holds.find(ownerOf(call), call.request.callId), holds.own()])
}

describe.each(restartingEngines)('background holds on $name', ({ open }) => {
  test('a hold contains the data with which the end of the background response is found', async () => {
    const one = await open(nowMs)
    const call = await held(one.store)
    const { bound, callId, inputEstimate, keyId, quote, target } = call.request
    const [here, own] = await found(one.store, call)
    expect(here).toEqual({
      applicationId: call.world.applicationId,
      callId,
      endUserId: call.caller.endUserId,
      mode: 'live',
      keyId,
      bound,
      quote,
      target,
      inputEstimate,
      reservedAtMs: startMs,
      response,
      checkpoint: null,
    })
    expect(own).toEqual([here])
    // A search for background responses must not find this request.
    const other = call.world.request(call.caller, { input: 1, output: 1 })
    await call.world.reserve(other)
    expect(await found(one.store, { ...call, request: other })).toEqual([null, [here]])
    await call.world.release(other)
    await call.world.settle(call.request, { input: 90, output: 10 })
    expect(await found(one.store, call)).toEqual([null, []])
    await one.end()
  })

  test('the next process takes over the hold of a background response, and settles the call by its true usage', async () => {
    const first = await open(nowMs)
    const call = await held(first.store)
    const other = call.world.request(call.caller, { input: 5, output: 5 })
    await call.world.reserve(other)
    const second = await first.reopen()
    const world = Object.assign(Object.create(call.world) as World, { store: second.store })
    expect(second.store.recovered.calls).toBe(1)
    const [here, own] = await found(second.store, call)
    expect(own).toEqual([here])
    expect(here?.response).toEqual(response)
    // The other request is charged for its input, and the background response keeps its hold.
    expect(await world.wallet(call.caller)).toEqual({ posted: 995n, held: 300n })
    const third = await second.reopen()
    const later = Object.assign(Object.create(call.world) as World, { store: third.store })
    expect(third.store.recovered.calls).toBe(0)
    expect(await later.settle(call.request, { input: 90, output: 60 })).toMatchObject({ chargeMicros: 150n })
    expect(await later.settle(call.request, { input: 90, output: 61 })).toMatchObject({ chargeMicros: 150n })
    expect(await later.wallet(call.caller)).toEqual({ posted: 845n, held: 0n })
    await third.end()
  })

  test('a request of a batch is found by the ID of its batch, and by no other search', async () => {
    const first = await open(nowMs)
    const single = await held(first.store)
    const { caller, world } = single
    const key = { applicationId: world.applicationId, endUserId: caller.endUserId, mode: 'live' } as const
    const names = Array.from({ length: 20 }, (_, at) => `r${at}`)
    const calls = names.map(() => world.request(caller, { input: 5, output: 5 }))
    for (const [at, request] of calls.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await world.reserve(request)
      const { callId } = request
      const batched = {
        ...response,
        id: at < 15 ? 'batch_1' : 'batch_2',
        batched: { customId: names[at] ?? '', wire: 'messages' as const },
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await first.store.ledger.background({ callId, response: batched })
    }
    const { target } = single.request
    const batch = { ...key, accountId: target.accountId, format: 'anthropic', providerId: 'batch_1' } as const
    const look = async ({ database, epoch }: EngineStore) => {
      const holds = sqlBackgroundHolds(database, epoch)
      const own = await holds.ownBatches()
      return {
        single: (await holds.own()).length,
        own: own.map(({ callIds, providerId }) => `${providerId} ${callIds.length}`).toSorted(),
        names: (await holds.ofBatch(batch)).map((call) => String(call.response.batched?.customId)).toSorted(),
        elsewhere: (await holds.ofBatch({ ...batch, accountId: 'pa_other' })).length,
        others: (await holds.ofBatch({ ...batch, endUserId: 'eu_other' })).length,
        inTest: (await holds.ofBatch({ ...batch, mode: 'test' })).length,
        count: await holds.batched(key),
      }
    }
    const all = {
      single: 1,
      own: ['batch_1 15', 'batch_2 5'],
      names: names.slice(0, 15).toSorted(),
      elsewhere: 0,
      others: 0,
      inTest: 0,
      count: 20,
    }
    expect(await look(first.store)).toEqual(all)
    // The next process takes over all background responses.
    const second = await first.reopen()
    expect(second.store.recovered.calls).toBe(0)
    expect(await look(second.store)).toEqual(all)
    const later = Object.assign(Object.create(world) as World, { store: second.store })
    for (const request of calls.slice(0, 15)) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      await later.settle(request, { input: 5, output: 1 })
    }
    expect(await look(second.store)).toEqual({ ...all, own: ['batch_2 5'], names: [], count: 5 })
    for (const request of calls.slice(15)) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      await later.release(request)
    }
    await later.settle(single.request, { input: 1, output: 1 })
    expect(await look(second.store)).toMatchObject({ single: 0, own: [], count: 0 })
    expect(await later.wallet(caller)).toEqual({ posted: 1_000n - 15n * 6n - 2n, held: 0n })
    await second.end()
  })

  test('a background response whose call has already ended is not stored', async () => {
    const one = await open(nowMs)
    const call = await held(one.store)
    await call.world.settle(call.request, { input: 1, output: 1 })
    await one.store.ledger.background({ callId: call.request.callId, response })
    expect(await found(one.store, call)).toEqual([null, []])
    await one.end()
  })
})

test('on SQLite, all requests of an end user are found, even if one statement cannot name all of them', async () => {
  const one = await sqliteProcess(nowMs)
  const { caller, request, world } = await held(one.store)
  const batched = { customId: 'r', wire: 'messages' as const }
  await one.store.ledger.background({ callId: request.callId, response: { ...response, batched } })
  const { database, epoch } = one.store
  const holds = sqlBackgroundHolds(database, epoch)
  const key = { applicationId: world.applicationId, endUserId: caller.endUserId, mode: 'live' } as const
  const format = 'anthropic'
  const batch = { ...key, accountId: request.target.accountId, format, providerId: response.id } as const
  const [slot] = (await sql<{ calls: string }>`SELECT calls FROM hold_slots`.execute(database.read)).rows
  const copies = Array.from({ length: 32_800 }, (_, at) =>
    (slot?.calls ?? '').slice(1, -1).replace(request.callId, `${request.callId}${at}`),
  )
  const slots = JSON.stringify(copies.map((call) => `[${call}]`))
  await database.transaction((tx) =>
    sql`INSERT INTO hold_slots (slot, calls) SELECT 1000 + key, value FROM json_each(${slots})`.execute(tx),
  )
  expect(await holds.batched(key)).toBe(32_801)
  expect(await holds.ofBatch(batch)).toHaveLength(32_801)
  // Removes the copied holds, because no money is held for them.
  await database.transaction((tx) => sql`DELETE FROM hold_slots WHERE slot >= 1000`.execute(tx))
  await one.end()
})

test.runIf(hasPostgres)('two processes that end the same response settle it once', async () => {
  const first = await openOnPostgres({ nowMs })
  const second = await openOnPostgres({ nowMs, url: first.url })
  const call = await held(first.store)
  const there = Object.assign(Object.create(call.world) as World, { store: second.store })
  // The first process has just read and written the end user's rows, so it settles with cached rows.
  const calls = Array.from({ length: 20 }, () => call.world.request(call.caller, { input: 5, output: 5 }))
  for (const request of calls) {
    // oxlint-disable-next-line no-await-in-loop -- one response after the other
    await call.world.reserve(request)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await first.store.ledger.background({ callId: request.callId, response })
    // oxlint-disable-next-line no-await-in-loop -- as above
    const results = await Promise.all([
      there.settle(request, { input: 5, output: 2 }),
      call.world.settle(request, { input: 5, output: 2 }),
      there.settle(request, { input: 5, output: 2 }),
    ])
    expect(results.map(({ chargeMicros }) => chargeMicros)).toEqual([7n, 7n, 7n])
  }
  await there.settle(call.request, { input: 10, output: 0 })
  expect(await call.world.settle(call.request, { input: 10, output: 0 })).toMatchObject({ chargeMicros: 10n })
  expect(await call.world.wallet(call.caller)).toEqual({ posted: 1_000n - 20n * 7n - 10n, held: 0n })
  await second.close()
  await first.closeSound()
})

test.runIf(hasPostgres)(
  'on PostgreSQL, a background response is found without reading the holds of other end users',
  async () => {
    const opened = await openOnPostgres({ nowMs })
    const call = await held(opened.store)
    const { applicationId } = ownerOf(call)
    await sqlOn(
      opened.url,
      `INSERT INTO holds (call_id, application_id, end_user_id, key_id, mode, alias, quote_id, bound, worst_micros,
          worst_credits, legs, limits, target, input_estimate, epoch, reserved_at_ms)
        SELECT 'call_' || n, '${applicationId}', 'eu_other' || n, 'key_1', 'live', 'fast', 'quote_1', '{}', 1, 0, '[]',
          '{}', '{}', 1, ${opened.store.epoch}, 0 FROM generate_series(1, 5000) AS n`,
      'ANALYZE holds',
    )
    const readers = poolOf({ url: opened.url, access: 'read' }, 1)
    const pagesOfHolds = async (): Promise<number> => {
      // A connection reports its counts at most once a second.
      await readers.query('SELECT pg_stat_force_next_flush()')
      const { rows } = await readers.query<{ readonly pages: string }>(
        `SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read AS pages
          FROM pg_statio_user_tables WHERE relname = 'holds'`,
      )
      return Number(rows[0]?.pages)
    }
    const holds = sqlBackgroundHolds(new PostgresDatabase(readers, readers), opened.store.epoch)
    // The first statement of a connection also reads the metadata of the indexes.
    await holds.find(ownerOf(call), call.request.callId)
    const before = await pagesOfHolds()
    expect(await holds.find(ownerOf(call), call.request.callId)).not.toBe(null)
    const pages = (await pagesOfHolds()) - before
    await readers.end()
    await sqlOn(opened.url, `DELETE FROM holds WHERE key_id = 'key_1'`)
    await call.world.settle(call.request, { input: 1, output: 1 })
    await opened.closeSound()
    expect(pages).toBeGreaterThan(0)
    // The count may include pages of an earlier batch. The holds of the other end users have more than 100 pages.
    expect(pages).toBeLessThan(50)
  },
)
