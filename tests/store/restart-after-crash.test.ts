/** The process of each store ended in the middle of an operation. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { type SqlRow, textIn } from '#store/rows/read-row-strictly.ts'
import { withConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { type Opened, openTemporary } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { failedAttempt, runRows } from '../support/rows-of-outcome-run.ts'
import { newDataFolder } from '../support/data-folder.ts'

type Step = (step: number) => void

const laterMs = startMs + 60_000
const opens: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const opened of opens.splice(0)) await opened.close()
})

async function openAt(nowMs: number, folder?: string, onStep?: Step): Promise<Opened & { folder: string }> {
  let step = 0
  const opened = await openTemporary({
    writer: 'inline',
    nowMs: () => nowMs,
    ...(folder && { folder }),
    faults: () => {
      onStep?.(++step)
      return null
    },
  })
  opens.push(opened)
  return opened
}

/**
 * Copies the files as a kill would leave them, with the bytes that the process has written so far. Omits the index of
 * the write-ahead log, because the next process does not use it.
 */
function filesAsOfNow(folder: string): string {
  const copy = newDataFolder('killed')
  for (const suffix of ['', '-wal']) {
    const file = sqlitePath(folder) + suffix
    if (existsSync(file)) copyFileSync(file, sqlitePath(copy) + suffix)
  }
  return copy
}

async function world(opened: Opened): Promise<World> {
  const made = new World(opened.store, { nowMs: startMs })
  await made.found()
  return made
}

async function rowsOf({ store }: Opened, { endUserId }: Caller): Promise<unknown> {
  const { read } = store.database
  const [usage] = await read.selectFrom('usage_records').selectAll().execute()
  const [uncharged] = await read.selectFrom('requests').selectAll().execute()
  const went = usage ?? uncharged
  const [wallet] = await read.selectFrom('sources').selectAll().where('end_user_id', '=', endUserId).execute()
  const holds = await read.selectFrom('holds').selectAll().execute()
  return {
    usage: usage && [usage.token_source, usage.usage, usage.charge_micros, usage.streamed],
    uncharged: uncharged && uncharged.status,
    went: went && [went.at_ms, went.latency_ms],
    wallet: wallet && [wallet.posted, wallet.held],
    holds: holds.length,
  }
}

test('after a restart, a call without a checkpoint is charged for its input', async () => {
  const before = await openAt(startMs)
  const made = await world(before)
  const caller = await made.person(1_000n)
  await made.reserve(made.request(caller, { input: 100, output: 200 }, { inputEstimate: 40 }))
  const after = await openAt(laterMs, filesAsOfNow(before.folder))
  expect(after.store.recovered).toEqual({ calls: 1, grants: 0 })
  expect(await rowsOf(after, caller)).toEqual({
    usage: ['recovered', '{"input":40}', 40n, 0],
    uncharged: undefined,
    went: [startMs, 60_000],
    wallet: [960n, 0n],
    holds: 0,
  })
  await after.closeSound()
})

test('after a restart, a call with a checkpoint is charged for its usage at the checkpoint', async () => {
  const before = await openAt(startMs)
  const made = await world(before)
  const caller = await made.person(1_000n)
  const request = made.request(caller, { input: 100, output: 200 })
  await made.reserve(request)
  const { usage } = made.settlement(request, { input: 80, output: 33 })
  before.store.ledger.checkpoint({ callId: request.callId, usage })
  await made.credit([caller.endUserId], 1n)
  const after = await openAt(laterMs, filesAsOfNow(before.folder))
  expect(await rowsOf(after, caller)).toMatchObject({
    usage: ['recovered', '{"input":80,"output":33}', 113n, 1],
    wallet: [888n, 0n],
    holds: 0,
  })
  await after.closeSound()
})

test('a recovered call remains in its run, and the run includes its charge and its cost', async () => {
  const before = await openAt(startMs)
  const made = await world(before)
  await made.outcome('report', 10_000n)
  const caller = await made.person(1_000n)
  const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 10_000n }
  const ended = made.request(caller, { input: 10, output: 20 }, { outcome })
  await made.reserve(ended)
  await made.settle(ended, { input: 10, output: 5 })
  const lost = made.request(caller, { input: 100, output: 200 }, { outcome, inputEstimate: 40 })
  await made.reserve(lost)
  await before.store.ledger.redirect(failedAttempt(lost, startMs))
  const after = await openAt(laterMs, filesAsOfNow(before.folder))
  expect(after.store.recovered).toEqual({ calls: 1, grants: 0 })
  const counted = {
    record: { outcome_slug: 'report', run_id: 'run-1', charge_micros: 40n, cost_micros: 53n },
    run: { status: 'running', spent_micros: 55n, calls: 2 },
    margin: [{ of: ['report', 'run-1', caller.endUserId], calls: 2, costMicros: 68n, chargeMicros: 55n }],
  }
  expect(await runRows(after.store, caller, lost.callId, startMs)).toEqual(counted)
  await foldCallHours(after.store.database, startMs + 3 * 3_600_000)
  expect(await runRows(after.store, caller, lost.callId, startMs)).toEqual(counted)
  await after.closeSound()
})

test('the actual usage of a recovered call corrects the call once, even if it arrives as a settle and as late usage', async () => {
  const before = await openAt(startMs)
  const made = await world(before)
  const caller = await made.person(1_000n)
  const request = made.request(caller, { input: 100, output: 200 })
  await made.reserve(request)
  const { usage } = made.settlement(request, { input: 80, output: 33 })
  before.store.ledger.checkpoint({ callId: request.callId, usage })
  await made.credit([caller.endUserId], 1n)
  const after = await openAt(laterMs, filesAsOfNow(before.folder))
  const { callId, endUserId, mode, applicationId } = request
  const settlement = made.settlement(request, { input: 80, output: 53 })
  const late = { applicationId, callId, endUserId, mode, usage: settlement.usage, nowMs: laterMs }
  // A settle of a recovered call counts as late usage, and returns the result of the recovery.
  expect(await after.store.ledger.settle(settlement)).toMatchObject({ chargeMicros: 113n })
  await after.store.ledger.settle(settlement)
  expect(await after.store.ledger.lateUsage(late)).toEqual({ kind: 'nothing' })
  expect(await rowsOf(after, caller)).toMatchObject({ wallet: [868n, 0n], holds: 0 })
  const corrections = await after.store.database.read.selectFrom('call_corrections').selectAll().execute()
  expect(corrections).toMatchObject([{ kind: 'late_usage', charge_micros: 20n, cost_micros: 20n, number: 1 }])
  const refund = {
    applicationId,
    callId,
    endUserId,
    mode,
    nowMs: laterMs,
    correctionId: 'cor_1',
    amountMicros: null,
    reason: 'x',
    actor: null,
    idempotencyKey: null,
    requestHash: '',
  }
  expect(await after.store.ledger.refund(refund)).toMatchObject({ kind: 'refunded' })
  expect(await rowsOf(after, caller)).toMatchObject({ wallet: [1_001n, 0n] })
  await after.closeSound()
})

test('a call in test mode is ended at the time of the test clock', async () => {
  const before = await openAt(startMs)
  const made = await world(before)
  const caller = await made.person(1_000n, { mode: 'test' })
  const request = made.request(caller, { input: 100, output: 200 }, { inputEstimate: 40 })
  await made.reserve({ ...request, nowMs: startMs + 1_000 })
  await before.store.database.transaction((tx) =>
    tx.updateTable('applications').set({ test_clock_offset_ms: 1_000 }).execute(),
  )
  const after = await openAt(laterMs, filesAsOfNow(before.folder))
  const [record] = await after.store.database.read.selectFrom('usage_records').selectAll().execute()
  expect([record?.settled_at_ms, record?.charge_micros]).toEqual([laterMs + 1_000, 40n])
  await after.closeSound()
})

test('after a normal stop, no call has to be recovered, and the next start begins a new epoch', async () => {
  const before = await openAt(startMs)
  const made = await world(before)
  const caller = await made.person(1_000n)
  const request = made.request(caller, { input: 100, output: 200 })
  await made.reserve(request)
  await made.settle(request, { input: 1, output: 1 })
  await before.store.close()
  const after = await openAt(laterMs, before.folder)
  expect(after.store.recovered).toEqual({ calls: 0, grants: 0 })
  const epochs = await after.store.database.read.selectFrom('epochs').selectAll().execute()
  expect(epochs).toEqual([
    { epoch: 1, started_at_ms: startMs, ended_at_ms: startMs },
    { epoch: 2, started_at_ms: laterMs, ended_at_ms: null },
  ])
})

test('after a kill at any step of a call, the next start releases all holds, and all amounts add up', async () => {
  const killed: string[] = []
  const copies: Step = () => killed.push(filesAsOfNow(before.folder))
  let onStep: Step = () => {}
  const before = await openAt(startMs, undefined, (step) => onStep(step))
  const made = await world(before)
  const caller = await made.person(1_000n)
  const request = made.request(caller, { input: 100, output: 200 })
  onStep = copies
  await made.reserve(request)
  const { usage } = made.settlement(request, { input: 80, output: 33 })
  before.store.ledger.checkpoint({ callId: request.callId, usage })
  await before.store.ledger.extend({ callId: request.callId, nowMs: startMs, moreOutputTokens: 50 })
  await made.settle(request, { input: 90, output: 30 })
  onStep = () => {}
  killed.push(filesAsOfNow(before.folder))

  const wallets = new Set<string>()
  for (const folder of killed) {
    const after = await openAt(laterMs, folder)
    const row = await after.store.database.read
      .selectFrom('sources')
      .select(['posted', 'held'])
      .executeTakeFirst()
    wallets.add(`${row?.posted} ${row?.held}`)
    await after.closeSound()
  }
  expect(killed.length).toBeGreaterThan(20)
  // In this order: not reserved, charged for the input, charged for the usage at the checkpoint, settled.
  expect([...wallets]).toEqual(['1000 0', '900 0', '887 0', '880 0'])
})

test('an interrupted grant to many end users is finished at the next start, once for each end user', async () => {
  const killed: string[] = []
  let onStep: Step = () => {}
  const before = await openAt(startMs, undefined, (step) => onStep(step))
  const made = await world(before)
  const people: string[] = []
  for (let i = 0; i < 600; i++) people.push((await made.person(0n)).endUserId)
  let commits = 0
  onStep = () => {
    commits += 1
    if (commits === 400 || commits === 1_000) killed.push(filesAsOfNow(before.folder))
  }
  await made.credit(people, 5n, { idempotencyKey: 'all' })
  expect(killed).toHaveLength(2)
  for (const folder of killed) {
    const after = await openAt(laterMs, folder)
    expect(after.store.recovered).toEqual({ calls: 0, grants: 1 })
    const rows = await after.store.database.read.selectFrom('sources').select('posted').execute()
    expect(rows).toHaveLength(600)
    expect(new Set(rows.map(({ posted }) => posted))).toEqual(new Set([5n]))
    await after.closeSound()
  }
})

test('after a kill under load, every acknowledged operation is stored, and no money remains held', async () => {
  const folder = newDataFolder('kill')
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('program-with-endless-calls.ts', import.meta.url)), folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const acknowledged: string[] = []
  const exited = new Promise((resolve) => {
    child.on('exit', resolve)
  })
  for await (const callId of createInterface({ input: child.stdout })) {
    acknowledged.push(callId)
    if (acknowledged.length === 500) child.kill('SIGKILL')
  }
  await exited
  expect(acknowledged.length).toBeGreaterThanOrEqual(500)
  const after = await openAt(laterMs, folder)
  expect(after.store.recovered.calls).toBeGreaterThan(0)
  const rows = await after.store.database.read
    .selectFrom('usage_records')
    .select(['call_id', 'token_source'])
    .execute()
  const settled = new Set(rows.filter((row) => row.token_source !== 'recovered').map((row) => row.call_id))
  expect(acknowledged.filter((callId) => !settled.has(callId))).toEqual([])
  await after.closeSound()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens the folder as a new process, and returns the faults that the process reports. */
async function reopenedWithFaults(folder: string): Promise<{ opened: Opened; faults: Error[] }> {
  const faults: Error[] = []
  const opened = await openTemporary({
    writer: 'inline',
    nowMs: () => laterMs,
    folder,
    queue: { onFault: (error) => faults.push(error) },
  })
  opens.push(opened)
  return { opened, faults }
}

test('a grant that cannot be continued prevents neither the start nor the grants after it', async () => {
  const opened = await openAt(startMs)
  const made = await world(opened)
  const caller = await made.person(0n)
  const left = (id: string, endUserId: string) => ({
    id,
    application_id: made.applicationId,
    mode: 'live' as const,
    kind: 'grant' as const,
    amount_micros: 5n,
    reason: 'bonus',
    idempotency_key: null,
    request_hash: id,
    end_users: 1,
    pending: JSON.stringify([endUserId]),
    done: 0,
    starts_at_ms: null,
    expires_at_ms: null,
    payment_reference: null,
    reverses: null,
    created_at_ms: startMs,
  })
  const rows = [left('gr_1', 'eu_stranger'), left('gr_2', caller.endUserId)]
  await opened.store.database.transaction((tx) => tx.insertInto('grants').values(rows).execute())
  await opened.store.close()
  const { faults, opened: next } = await reopenedWithFaults(opened.folder)
  expect(faults.map(({ message }) => message)).toEqual(['continue the grant gr_1'])
  expect(next.store.recovered).toEqual({ calls: 0, grants: 1 })
  expect(await new World(next.store, { nowMs: laterMs }).wallet(caller)).toEqual({ posted: 5n, held: 0n })
})

test('a call that cannot be recovered prevents neither the start nor the recovery of other calls', async () => {
  const opened = await openAt(startMs)
  const made = await world(opened)
  const [stuck, other] = [await made.person(1_000n), await made.person(1_000n)]
  const requests = [stuck, other].map((caller) => made.request(caller, { input: 0, output: 200 }))
  for (const request of requests) await made.reserve(request)
  await opened.store.close()
  const path = sqlitePath(opened.folder)
  const run = (text: string): Promise<void> =>
    withConnection(path, 'write', (connection) => {
      connection.prepare(text).run(stuck.endUserId)
    })
  await run(
    `INSERT INTO accounts (end_user_id, mode, on_demand_enabled, spend_limits) VALUES (?, 'live', 0, 'unreadable')`,
  )
  const { faults, opened: next } = await reopenedWithFaults(opened.folder)
  expect(faults.map(({ message }) => message)).toEqual([`recover the request ${requests[0]?.callId}`])
  expect(next.store.recovered).toEqual({ calls: 1, grants: 0 })
  await next.store.close()
  await run('DELETE FROM accounts WHERE end_user_id = ?')
  const { faults: none, opened: last } = await reopenedWithFaults(opened.folder)
  expect(none).toEqual([])
  expect(last.store.recovered).toEqual({ calls: 1, grants: 0 })
  await last.verify()
})

test('a hold that cannot be read prevents neither the start nor other calls, and is kept until it can be read', async () => {
  const opened = await openAt(startMs)
  const made = await world(opened)
  const stuck = await made.person(1_000n, { cap_micros: 900n, cap_period: 'month' })
  const other = await made.person(1_000n)
  const [request, ...rest] = [stuck, other].map((caller) => made.request(caller, { input: 0, output: 200 }))
  assert(request !== undefined)
  await Promise.all([request, ...rest].map((one) => made.reserve(one)))
  await opened.store.close()
  const { callId } = request
  const path = sqlitePath(opened.folder)
  const onCall = `'$[' || (SELECT key FROM json_each(calls) WHERE value ->> 0 = '${callId}') || '][9]'`
  const setLegs = (legs: string): Promise<void> =>
    withConnection(path, 'write', (connection) => {
      connection
        .prepare(
          `UPDATE hold_slots SET calls = json_replace(calls, ${onCall}, json(?)) WHERE instr(calls, ?) > 0`,
        )
        .run(legs, callId)
    })
  const slots = (): Promise<unknown[]> =>
    withConnection(path, 'read', (connection) =>
      connection
        .prepare(`SELECT calls ->> (${onCall}) AS legs FROM hold_slots WHERE instr(calls, ?) > 0`)
        .all(callId),
    )
  const [before] = await slots()
  const legs = textIn(before as SqlRow, 'legs')
  await setLegs('"unreadable"')

  const { faults, opened: next } = await reopenedWithFaults(opened.folder)
  expect(faults.map(({ message }) => message)).toEqual([`recover the request ${callId}`])
  expect(String(faults[0]?.cause)).toContain(`the hold of the call ${callId} cannot be read`)
  expect(next.store.recovered).toEqual({ calls: 1, grants: 0 })
  expect((await new World(next.store, { nowMs: laterMs }).wallet(stuck)).held).toBe(200n)
  // The cap of the key would not count the hold.
  const { ledger } = next.store
  const capped = ledger.reserve(made.request(stuck, { input: 0, output: 10 }))
  await expect(capped).rejects.toThrow('cannot be read')
  // The calls of this batch share the row of the hold.
  const more = Array.from({ length: 12 }, () => made.request(other, { input: 0, output: 10 }))
  await Promise.all(more.map((one) => ledger.reserve(one)))
  await Promise.all(more.map((one) => ledger.settle(made.settlement(one, { output: 5 }))))
  await next.store.close()
  expect(await slots()).toEqual([{ legs: 'unreadable' }])

  await setLegs(legs)
  const { faults: none, opened: last } = await reopenedWithFaults(opened.folder)
  expect(none).toEqual([])
  expect(last.store.recovered).toEqual({ calls: 1, grants: 0 })
  expect((await new World(last.store, { nowMs: laterMs }).wallet(stuck)).held).toBe(0n)
  await last.verify()
})
