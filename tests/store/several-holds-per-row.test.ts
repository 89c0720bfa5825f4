/**
 * The embedded store reuses the rows of ended calls. Calls in random batches begin, get larger holds, get checkpoints
 * and end. After each batch, the rows must contain exactly the calls of a plain list. The same applies in the next
 * process after a kill. HOLDS_SEED runs only the case with the seed that a failure printed.
 */
import { cpSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import { holdsInSlots } from '#store/rows/read-rows-of-open-holds.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteLoad } from '#store/sqlite/load-needed-rows.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'

const batches = 120
/** Slots with a number below this one may contain calls that have ended (several-holds-per-row.ts). */
const unemptiedMax = 16

const seeds = process.env.HOLDS_SEED
  ? [Number(process.env.HOLDS_SEED)]
  : Array.from({ length: isLong ? 5 : 2 }, () => Math.floor(Math.random() * 2 ** 31))

type Store = Awaited<ReturnType<typeof openTemporary>>
const opens: Store[] = []
afterEach(async () => {
  for (const opened of opens.splice(0)) await opened.close()
})

async function openFolder(folder?: string): Promise<Store> {
  const opened = await openTemporary({ writer: 'inline', nowMs: () => startMs, ...(folder && { folder }) })
  opens.push(opened)
  return opened
}

interface Call {
  readonly request: ReserveRequest
  worstMicros: bigint
  checkpoint: string | null
}

/** Reads the calls in flight from the rows. */
function stored(folder: string) {
  const connection = openConnection(sqlitePath(folder), 'read')
  try {
    const all = (sql: string) => {
      const statement = connection.prepare(sql)
      statement.setReadBigInts(true)
      return statement.all()
    }
    return {
      calls: all('SELECT call_id, worst_micros, checkpoint, alias, outcome_slug, run_id FROM holds').map(
        (row) => ({ ...row }),
      ),
      slots: all('SELECT slot, json_array_length(calls) AS named FROM hold_slots').map((row) => ({
        slot: Number(row.slot),
        named: Number(row.named),
      })),
    }
  } finally {
    connection.close()
  }
}

function sortedById<T extends { readonly call_id?: unknown }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => (String(a.call_id) < String(b.call_id) ? -1 : 1))
}

test.each(seeds)('the rows contain exactly the calls in flight (HOLDS_SEED=%i)', async (seed) => {
  const random = randomFrom(seed)
  const below = (bound: number): number => random.whole(0, bound - 1)
  const opened = await openFolder()
  const world = new World(opened.store, { nowMs: startMs })
  await world.found()
  const ceilingMicros = 1_000_000_000n
  await world.outcome(`report "weekly"`, ceilingMicros)
  const caller = await world.person(1_000_000_000n)
  const { ledger } = opened.store
  const open = new Map<string, Call>()
  let mostOpen = 0

  const begin = async (): Promise<void> => {
    const outcome =
      below(3) === 0 ? { slug: `report "weekly"`, runId: `run '${below(3)}', \\`, ceilingMicros } : null
    const request = world.request(caller, { input: 1 + below(90), output: 1 + below(90) }, { outcome })
    const result = await world.reserve(request)
    expect(result.kind).toBe('reserved')
    if (result.kind === 'reserved') {
      open.set(request.callId, { request, worstMicros: result.worstMicros, checkpoint: null })
    }
  }
  const grow = async (call: Call): Promise<void> => {
    const { callId } = call.request
    const result = await ledger.extend({ callId, nowMs: startMs, moreOutputTokens: 1 + below(50) })
    if (result.kind === 'extended') call.worstMicros = result.worstMicros
  }
  const end = async ({ request }: Call): Promise<void> => {
    open.delete(request.callId)
    await (below(4) === 0 ? world.release(request) : world.settle(request, { input: 1, output: below(2) }))
  }
  const meter = (call: Call): void => {
    const { callId } = call.request
    const output = 1 + below(1_000)
    ledger.checkpoint({ callId, usage: world.settlement(call.request, { output }).usage })
    call.checkpoint = `{"output":${output}}`
  }

  for (let batch = 0; batch < batches; batch++) {
    // The number of calls rises and falls, so the number of slots varies.
    const isRising = Math.floor(batch / 20) % 2 === 0
    const work: Promise<void>[] = []
    for (const call of open.values()) {
      const what = below(isRising ? 12 : 4)
      if (what === 0) work.push(end(call))
      else if (what === 1) work.push(grow(call))
      else if (what === 2) meter(call)
    }
    for (let i = below(isRising ? 24 : 6); i > 0; i--) work.push(begin())
    await Promise.all(work)
    // Checkpoints are written only with the next batch.
    await world.credit([caller.endUserId], 1n)
    mostOpen = Math.max(mostOpen, open.size)

    const { calls, slots } = stored(opened.folder)
    const expected = [...open.values()].map(({ checkpoint, request, worstMicros }) => ({
      call_id: request.callId,
      worst_micros: worstMicros,
      checkpoint,
      alias: request.bound.alias,
      outcome_slug: request.outcome?.slug ?? null,
      run_id: request.outcome?.runId ?? null,
    }))
    expect(sortedById(calls), `batch ${batch}`).toEqual(sortedById(expected))
    // Lists of calls read the slots directly, so each of their columns must equal the view's column.
    const { read } = opened.store.database
    const { applicationId } = world
    const listed = { applicationId, callId: null, limit: open.size + 1 }
    const view = await read.selectFrom('holds').selectAll().orderBy('call_id', 'desc').execute()
    const without = view.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'limits')),
    )
    expect(await holdsInSlots(read, listed, () => true), `batch ${batch}`).toEqual(without)
    const [one] = open.keys()
    if (one !== undefined) {
      const found = await holdsInSlots(read, { applicationId, callId: one, limit: 1 }, () => true)
      expect(found.map(({ call_id }) => call_id)).toEqual([one])
    }
    // A new slot is created only when each existing slot has a call in flight.
    expect(slots.length).toBeLessThanOrEqual(mostOpen + 1)
    const named = slots.filter(({ slot }) => slot >= unemptiedMax).reduce((sum, slot) => sum + slot.named, 0)
    expect(named).toBeLessThanOrEqual(8 * open.size)
  }

  const killed = newDataFolder('killed')
  for (const suffix of ['', '-wal']) cpSync(sqlitePath(opened.folder) + suffix, sqlitePath(killed) + suffix)
  const after = await openFolder(killed)
  expect(after.store.recovered.calls).toBe(open.size)
  expect(stored(killed).calls).toEqual([])
  opens.splice(0)
  await after.closeSound()
  await Promise.all([...open.values()].map(end))
  expect(stored(opened.folder).calls).toEqual([])
  await opened.closeSound()
})

test('each query of the ledger reads the slots of calls in flight once, instead of once for each call', async () => {
  const opened = await openFolder()
  const connection = openConnection(sqlitePath(opened.folder), 'read')
  const preparing = vi.spyOn(connection, 'prepare')
  const load = new SqliteLoad(connection)
  const texts = preparing.mock.calls.map(([text]) => text)
  preparing.mockRestore()
  const scans = texts.flatMap((text) => {
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${text}`).all()
    const lines = plan.filter(({ detail }) => /^SCAN .* VIRTUAL TABLE/.test(String(detail)))
    return text.includes('hold') && lines.length > 0 ? [lines.length] : []
  })
  expect(load.rows({ kind: 'holds' })).toEqual([])
  connection.close()
  // The scans read the calls, the slot of each call, and the text of one call in one slot.
  expect(scans).toEqual([1, 1, 1])
})
