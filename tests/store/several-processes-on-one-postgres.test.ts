/** Each store acts as a process with its own epoch, lanes and connections. */
import { LedgerStopped } from '#store/ledger/ledger-queue-options.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ReserveRequest, StoreUnavailable } from '#domain/ledger-interface.ts'
import { withClient } from '#store/postgres/connection.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { openOnPostgres } from '../store-conformance/engines.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { type Caller, dayMs, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres, sql } from '../support/start-postgres.ts'
import { eventually } from '../support/start-product.ts'
import { failedAttempt, runRows } from '../support/rows-of-outcome-run.ts'

type Process = Awaited<ReturnType<typeof openOnPostgres>>

/**
 * The process never updates its row. It counts as dead when another process checks the row for the second time. The
 * start of the other process is the first check.
 */
const silent = { beatEveryMs: 2 ** 30, silentMs: 0, sweepEveryMs: 2 ** 30 }
const laterMs = startMs + 60_000

describe.skipIf(!hasPostgres)('processes on one database', () => {
  const processes: Process[] = []
  const fatal: Error[] = []
  let one: Process
  let other: Process
  let world: World

  const start = async (nowMs: number | (() => number), url?: string): Promise<Process> => {
    const started = await openOnPostgres({
      nowMs: typeof nowMs === 'number' ? () => nowMs : nowMs,
      lease: silent,
      onFatal: (error) => fatal.push(error),
      ...(url !== undefined && { url }),
    })
    processes.unshift(started)
    return started
  }

  const addsUp = async (): Promise<void> => {
    const found = await verifyPostgres(one.url)
    expect(found.filter(({ difference }) => difference !== null)).toEqual([])
  }

  beforeEach(async () => {
    fatal.length = 0
    one = await start(startMs)
    other = await start(laterMs, one.url)
    world = new World(one.store, { nowMs: startMs })
    await world.found()
  })
  // The store that created the database also drops it, so close it last.
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.close()
  })

  test('if the balance covers 10, exactly 10 of 100 reserves on two processes succeed', async () => {
    for (let round = 0; round < 20; round++) {
      const caller = await world.person(100n)
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (i % 2 === 0 ? one : other).store.ledger.reserve(world.request(caller, { input: 5, output: 5 })),
        ),
      )
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(10)
      expect(await world.wallet(caller)).toEqual({ posted: 100n, held: 100n })
    }
    await addsUp()
  })

  test('concurrent calls of the same end users on both processes are all charged, and all amounts add up', async () => {
    const callers = await Promise.all(Array.from({ length: 5 }, () => world.person(100_000n)))
    const call = async (ledger: Process['store']['ledger'], request: ReserveRequest): Promise<void> => {
      expect((await ledger.reserve(request)).kind).toBe('reserved')
      await ledger.settle(world.settlement(request, { input: 5, output: 3 }))
    }
    await Promise.all(
      Array.from({ length: 500 }, (_, i) => {
        const caller = callers[i % callers.length]
        if (caller === undefined) throw new Error('a caller is there')
        return call((i % 3 === 0 ? one : other).store.ledger, world.request(caller, { input: 5, output: 5 }))
      }),
    )
    for (const caller of callers) expect(await world.wallet(caller)).toEqual({ posted: 99_200n, held: 0n })
    const { rows } = await entries(one)
    expect(rows).toHaveLength(505)
    await addsUp()
  })

  test('if grants with one idempotency key are sent to both processes concurrently, the credit is added once', async () => {
    const caller = await world.person(0n)
    const terms = {
      applicationId: world.applicationId,
      mode: 'live',
      nowMs: startMs,
      kind: 'grant',
      amountMicros: 500n,
      endUserIds: [caller.endUserId],
      reason: 'test',
      idempotencyKey: 'march',
      requestHash: 'a',
    } as const
    for (let round = 0; round < 5; round++) {
      const [first, second] = await Promise.all([
        one.store.ledger.credit({ ...terms, grantId: `gr_${world.newId()}` }),
        other.store.ledger.credit({ ...terms, grantId: `gr_${world.newId()}` }),
      ])
      expect([first.kind, second.kind]).toEqual(['credited', 'credited'])
    }
    expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 0n })
    await addsUp()
  })

  test('while another session has locked an end user, calls of other end users continue; the locked calls continue when the lock ends', async () => {
    const [locked, free] = [await world.person(1_000n), await world.person(1_000n)]
    const { ledger } = one.store
    const before = world.request(locked, { input: 5, output: 5 })
    await world.reserve(before)
    await withClient({ url: one.url, access: 'write', isPatient: true }, async (session) => {
      await session.query('BEGIN')
      await session.query('SELECT FROM end_users WHERE id = $1 FOR UPDATE', [locked.endUserId])
      const settling = ledger.settle(world.settlement(before, { input: 5, output: 3 }))
      const reserving = ledger.reserve(world.request(locked, { input: 1, output: 1 }))
      for (let call = 0; call < 5; call++) {
        const request = world.request(free, { input: 5, output: 5 })
        expect((await ledger.reserve(request)).kind).toBe('reserved')
        await ledger.settle(world.settlement(request, { input: 5, output: 3 }))
      }
      expect(ledger.isAway).toBe(false)
      expect(await world.wallet(locked)).toEqual({ posted: 1_000n, held: 10n })
      await session.query('COMMIT')
      await settling
      expect((await reserving).kind).toBe('reserved')
    })
    expect(await world.wallet(locked)).toEqual({ posted: 992n, held: 2n })
    expect(await world.wallet(free)).toEqual({ posted: 960n, held: 0n })
    await addsUp()
  })

  test("after one process has frozen an end user, the other process rejects the end user's next reserve", async () => {
    for (let trial = 0; trial < 50; trial++) {
      const caller = await world.person(100n)
      const racing = other.store.ledger.reserve(world.request(caller, { input: 1, output: 1 }))
      await one.store.database.transaction((tx) =>
        tx
          .updateTable('end_users')
          .set({ frozen_at_ms: startMs })
          .where('id', '=', caller.endUserId)
          .execute(),
      )
      const after = await other.store.ledger.reserve(world.request(caller, { input: 1, output: 1 }))
      expect(after).toMatchObject({ kind: 'refused', code: 'end_user_frozen' })
      await racing
    }
  })

  test('another process ends the calls of a process that counts as dead, and the dead process can no longer change the calls', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 }, { inputEstimate: 40 })
    await world.reserve(request)
    expect(await other.store.sweeper.sweep()).toEqual({
      ended: [one.store.epoch],
      calls: 1,
      grants: 0,
      takenOver: 0,
      failures: [],
    })
    expect(await world.wallet(caller)).toEqual({ posted: 960n, held: 0n })
    await expect(world.settle(request, { input: 100, output: 200 })).rejects.toThrow(LedgerStopped)
    await expect(world.reserve(world.request(caller, { input: 1, output: 1 }))).rejects.toThrow(LedgerStopped)
    expect(fatal[0]?.message).toContain('this process was silent for too long')
    expect(await world.wallet(caller)).toEqual({ posted: 960n, held: 0n })
    await addsUp()
  })

  test('if another process ends a call, the run of the call includes the charge and the cost', async () => {
    await world.outcome('report', 10_000n)
    const caller = await world.person(1_000n)
    const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 10_000n }
    const lost = world.request(caller, { input: 100, output: 200 }, { outcome, inputEstimate: 40 })
    await world.reserve(lost)
    await one.store.ledger.redirect(failedAttempt(lost, startMs))
    expect(await other.store.sweeper.sweep()).toMatchObject({ calls: 1 })
    expect(await runRows(other.store, caller, lost.callId, startMs)).toEqual({
      record: { outcome_slug: 'report', run_id: 'run-1', charge_micros: 40n, cost_micros: 53n },
      run: { status: 'running', spent_micros: 40n, calls: 1 },
      margin: [{ of: ['report', 'run-1', caller.endUserId], calls: 1, costMicros: 53n, chargeMicros: 40n }],
    })
    await addsUp()
  })

  /** Another process has recovered the stream. The stream's own process stopped responding after 75 metered tokens. */
  async function recoveredStream(): Promise<{ caller: Caller; request: ReserveRequest }> {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 0, output: 100 })
    await world.reserve(request)
    one.store.ledger.checkpoint({ callId: request.callId, usage: { ...zeroUsage, output: 75 } })
    // The checkpoint is stored with the commit of another call.
    await world.reserve(world.request(caller, { input: 0, output: 1 }))
    await other.store.sweeper.sweep()
    return { caller, request }
  }

  const corrections = () =>
    other.store.database.read.selectFrom('call_corrections').selectAll().orderBy('call_id').execute()

  test('a process that counts as dead stores the actual usage that it receives, and a live process corrects the call once', async () => {
    const { caller, request } = await recoveredStream()
    const before = await world.wallet(caller)
    await expect(world.settle(request, { output: 85 })).rejects.toThrow(LedgerStopped)
    for (let i = 0; i < 3; i++) await other.store.sweeper.sweep()
    expect((await world.wallet(caller)).posted).toBe(before.posted - 10n)
    expect(await corrections()).toMatchObject([
      {
        kind: 'late_usage',
        call_id: request.callId,
        charge_micros: 10n,
        cost_micros: 10n,
        billed_micros: 10n,
        paid_gift_micros: 10n,
        reason: 'late_usage',
        actor: null,
      },
    ])
    const moved = await other.store.database.read
      .selectFrom('ledger')
      .select(['kind', 'amount'])
      .where('call_id', '=', request.callId)
      .orderBy('sequence')
      .execute()
    expect(moved).toEqual([
      { kind: 'usage_debit', amount: -75n },
      { kind: 'adjustment', amount: -10n },
    ])
    expect(await other.store.database.read.selectFrom('late_usage').selectAll().execute()).toEqual([])
    await addsUp()
  })

  const stuckFailure = expect.objectContaining({ message: 'recover the requests of ended processes' })

  /** Reserves money for a call whose hold no process can read. `repair` makes the hold readable again. */
  async function stuckCall(): Promise<{ repair: () => Promise<void> }> {
    const { callId, ...rest } = world.request(await world.person(1_000n), { input: 0, output: 10 })
    await world.reserve({ callId, ...rest })
    await sql(
      one.url,
      `CREATE TABLE kept AS SELECT call_id, legs FROM holds WHERE call_id = '${callId}'`,
      `UPDATE holds SET legs = 'unreadable' WHERE call_id = '${callId}'`,
    )
    const repair = 'UPDATE holds SET legs = kept.legs FROM kept WHERE holds.call_id = kept.call_id'
    return { repair: () => sql(one.url, repair) }
  }

  test('a call that cannot be recovered does not delay the correction of another call by its actual usage', async () => {
    const { repair } = await stuckCall()
    const caller = await world.person(1_000n)
    const late = world.request(caller, { input: 0, output: 100 }, { inputEstimate: 40 })
    await world.reserve(late)
    expect(await other.store.sweeper.sweep()).toMatchObject({ calls: 1, failures: [stuckFailure] })
    await expect(world.settle(late, { output: 85 })).rejects.toThrow(LedgerStopped)
    expect(await other.store.sweeper.sweep()).toMatchObject({ calls: 0, failures: [stuckFailure] })
    expect(await world.wallet(caller)).toEqual({ posted: 915n, held: 0n })
    await repair()
    expect(await other.store.sweeper.sweep()).toMatchObject({ calls: 1, failures: [] })
    await addsUp()
  })

  test('a process starts although a call cannot be recovered, and reports the failure', async () => {
    const { repair } = await stuckCall()
    await sql(one.url, `UPDATE epochs SET ended_at_ms = 1 WHERE epoch = ${one.store.epoch}`)
    const failed: unknown[] = []
    const started = await openOnPostgres({
      nowMs: () => laterMs,
      lease: silent,
      url: one.url,
      onSweepFailed: (error) => failed.push(error),
    })
    processes.unshift(started)
    expect(failed).toEqual([stuckFailure])
    await repair()
    expect(await started.store.sweeper.sweep()).toMatchObject({ calls: 1, failures: [] })
    await addsUp()
  })

  test('a call that cannot be recovered does not hide that this process has taken over a background response', async () => {
    const { repair } = await stuckCall()
    const request = world.request(await world.person(1_000n), { input: 0, output: 100 })
    await world.reserve(request)
    const response = { id: 'resp_1', isStreamed: false, deadlineMs: laterMs, firstByteMs: null, trace: '{}' }
    await one.store.ledger.background({ callId: request.callId, response })
    const takenOver = Promise.withResolvers<number>()
    const failed = Promise.withResolvers<unknown>()
    const third = await openOnPostgres({
      nowMs: () => laterMs,
      lease: { ...silent, silentMs: 2 ** 30, sweepEveryMs: 5 },
      url: one.url,
      onSwept: (swept) => {
        if (swept.takenOver > 0) takenOver.resolve(swept.takenOver)
      },
      onSweepFailed: failed.resolve,
    })
    processes.unshift(third)
    await sql(one.url, `UPDATE epochs SET ended_at_ms = 1 WHERE epoch = ${one.store.epoch}`)
    expect(await takenOver.promise).toBe(1)
    expect(await failed.promise).toEqual(stuckFailure)
    await repair()
    await addsUp()
  })

  test('if the actual usage is below the checkpoint, the difference is returned; usage above the hold is not charged', async () => {
    const high = world.request(await world.person(1_000n), { input: 0, output: 100 })
    const low = await recoveredStream()
    const before = await world.wallet(low.caller)
    const tell = (request: ReserveRequest, output: number) =>
      other.store.ledger.lateUsage({
        applicationId: world.applicationId,
        endUserId: request.endUserId,
        mode: request.mode,
        callId: request.callId,
        usage: { ...zeroUsage, output },
        nowMs: laterMs,
      })
    expect(await Promise.all([tell(low.request, 60), tell(low.request, 60)])).toEqual([
      { kind: 'corrected' },
      { kind: 'nothing' },
    ])
    expect((await world.wallet(low.caller)).posted).toBe(before.posted + 15n)
    expect((await corrections()).map((row) => row.charge_micros)).toEqual([-15n])
    const third = await start(laterMs, one.url)
    await third.store.ledger.reserve(high)
    expect(await tell(high, 250)).toEqual({ kind: 'in_flight' })
    await sql(one.url, `UPDATE epochs SET ended_at_ms = 1 WHERE epoch = ${third.store.epoch}`)
    await other.store.sweeper.sweep()
    expect(await tell(high, 250)).toEqual({ kind: 'corrected' })
    const record = await other.store.database.read
      .selectFrom('usage_records')
      .select('charge_micros')
      .where('call_id', '=', high.callId)
      .executeTakeFirstOrThrow()
    const row = (await corrections()).find(({ call_id }) => call_id === high.callId)
    expect(record.charge_micros + (row?.charge_micros ?? 0n)).toBe(100n)
    await addsUp()
  })

  test('if recovery charged a call and the call is released afterwards, the charge is returned', async () => {
    const { caller, request } = await recoveredStream()
    const before = await world.wallet(caller)
    await expect(world.release(request)).rejects.toThrow(LedgerStopped)
    await other.store.sweeper.sweep()
    expect((await world.wallet(caller)).posted).toBe(before.posted + 75n)
    await addsUp()
  })

  test('if a grant makes no progress for a minute, another process finishes it, even if the grant has a future time', async () => {
    const people: string[] = []
    for (let i = 0; i < 3; i++) people.push((await world.person(0n)).endUserId)
    const clock = { nowMs: startMs }
    const third = await start(() => clock.nowMs, one.url)
    // A test clock can issue a grant ten years in the future.
    await sql(
      one.url,
      `INSERT INTO grants (application_id, id, mode, kind, amount_micros, reason, request_hash, end_users, pending,
         done, created_at_ms)
       VALUES ('${world.applicationId}', 'gr_left', 'live', 'grant', 5, 'x', 'h', 3, '${JSON.stringify(people)}', 0,
         ${startMs + 3650 * dayMs})`,
    )
    const sweptAt = async (afterMs: number): Promise<number> => {
      clock.nowMs = startMs + afterMs
      return (await third.store.sweeper.sweep()).grants
    }
    expect([await sweptAt(0), await sweptAt(59_999)]).toEqual([0, 0])
    await sql(one.url, `UPDATE grants SET done = 1 WHERE id = 'gr_left'`)
    expect([await sweptAt(60_000), await sweptAt(119_999)]).toEqual([0, 0])
    await sql(one.url, `UPDATE grants SET done = 0 WHERE id = 'gr_left'`)
    expect([await sweptAt(120_000), await sweptAt(180_000), await sweptAt(240_000)]).toEqual([0, 1, 0])
    for (const endUserId of people) {
      expect(await world.wallet({ endUserId, keyId: '', mode: 'live' })).toEqual({ posted: 5n, held: 0n })
    }
    await addsUp()
  })

  test('a grant that cannot be continued does not delay the next grant', async () => {
    const { endUserId } = await world.person(0n)
    const clock = { nowMs: startMs }
    const third = await start(() => clock.nowMs, one.url)
    const left = (id: string, named: string): string =>
      `INSERT INTO grants (application_id, id, mode, kind, amount_micros, reason, request_hash, end_users, pending,
         done, created_at_ms)
       VALUES ('${world.applicationId}', '${id}', 'live', 'grant', 5, 'x', '${id}', 1, '["${named}"]', 0, ${startMs})`
    await sql(one.url, left('gr_1', 'eu_stranger'), left('gr_2', endUserId))
    await third.store.sweeper.sweep()
    clock.nowMs = startMs + 60_000
    expect(await third.store.sweeper.sweep()).toMatchObject({
      grants: 1,
      failures: [expect.objectContaining({ message: 'continue the grant gr_1' })],
    })
    expect(await world.wallet({ endUserId, keyId: '', mode: 'live' })).toEqual({ posted: 5n, held: 0n })
    await sql(one.url, `UPDATE grants SET pending = NULL WHERE id = 'gr_1'`)
  })

  test('a process that updates its row does not count as dead, and a process that ended normally leaves nothing to recover', async () => {
    const caller = await world.person(1_000n)
    await sql(one.url, `UPDATE epochs SET beat_at = clock_timestamp() WHERE epoch = ${one.store.epoch}`)
    expect((await other.store.sweeper.sweep()).ended).toEqual([])
    expect((await world.reserve(world.request(caller, { input: 1, output: 1 }))).kind).toBe('reserved')
  })

  test('the check that follows a failed check declares no process dead', async () => {
    await sql(one.url, 'ALTER TABLE epochs RENAME TO hidden')
    await expect(other.store.sweeper.sweep()).rejects.toThrow('epochs')
    await sql(one.url, 'ALTER TABLE hidden RENAME TO epochs')
    expect((await other.store.sweeper.sweep()).ended).toEqual([])
  })

  test('a call whose process stopped cleanly while it was in flight is recovered by the next sweep', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await other.store.ledger.reserve(request)
    const { usage } = world.settlement(request, { input: 80, output: 33 })
    other.store.ledger.checkpoint({ callId: request.callId, usage })
    await other.store.ledger.reserve(world.request(await world.person(10n), { input: 1, output: 1 }))
    await other.close()
    expect((await start(laterMs, one.url)).store.recovered.calls).toBe(2)
    expect(await world.wallet(caller)).toMatchObject({ held: 0n })
    await addsUp()
  })

  test('if connections break at any point, no call is lost and nothing is charged twice', async () => {
    const callers = await Promise.all(Array.from({ length: 4 }, () => world.person(1_000_000n)))
    let settled = 0
    const isDone = (): boolean => settled >= 300
    const cutting = (async () => {
      while (!isDone()) {
        await sql(
          one.url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
        // Some calls must succeed before the connections break again.
        const enough = settled + 10
        const isEnough = (): boolean => settled >= enough || isDone()
        while (!isEnough()) await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    await Promise.all(
      callers.map(async (caller) => {
        while (!isDone()) {
          const request = world.request(caller, { input: 5, output: 5 })
          const result = await world.reserve(request).catch(() => null)
          if (result === null) continue
          expect(result.kind).toBe('reserved')
          await world.settle(request, { input: 5, output: 2 })
          settled += 1
        }
      }),
    )
    await cutting
    const wallets = await Promise.all(callers.map((caller) => world.wallet(caller)))
    const spent = wallets.reduce((sum, { posted }) => sum + 1_000_000n - posted, 0n)
    expect(spent).toBe(7n * BigInt(settled))
    expect(fatal).toEqual([])
    await addsUp()
  })

  const nameOf = (url: string): string => new URL(url).pathname.slice(1)
  const endSessions = (url: string): string =>
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`

  test.each([
    {
      what: 'the database accepts no connections of the server',
      deny: (url: string) => [`ALTER DATABASE ${nameOf(url)} ALLOW_CONNECTIONS false`, endSessions(url)],
      allow: (url: string) => [`ALTER DATABASE ${nameOf(url)} ALLOW_CONNECTIONS true`],
    },
    {
      what: 'new connections find no tables',
      deny: (url: string) => [`ALTER DATABASE ${nameOf(url)} SET search_path = nowhere`, endSessions(url)],
      allow: (url: string) => [`ALTER DATABASE ${nameOf(url)} RESET search_path`, endSessions(url)],
    },
  ])('while $what, a settle waits, and the call is then charged once', async ({ allow, deny }) => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    const admin = one.url.replace(/[^/]*$/, 'postgres')
    await sql(admin, ...deny(one.url))
    try {
      const settling = world.settle(request, { input: 50, output: 50 })
      const refused: unknown = await world
        .reserve(world.request(caller, { input: 1, output: 1 }))
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(StoreUnavailable)
      await sql(admin, ...allow(one.url))
      expect(await settling).toMatchObject({ chargeMicros: 100n })
    } finally {
      await sql(admin, ...allow(one.url))
    }
    expect(await world.wallet(caller)).toEqual({ posted: 900n, held: 0n })
    expect(fatal).toEqual([])
    await addsUp()
  })

  test('when the schema search path is correct again, reads and transactions use new connections', async () => {
    const { database } = one.store
    const admin = one.url.replace(/[^/]*$/, 'postgres')
    const read = () => database.read.selectFrom('organizations').selectAll().execute()
    const change = () => database.transaction((tx) => tx.selectFrom('organizations').selectAll().execute())
    await sql(admin, `ALTER DATABASE ${nameOf(one.url)} SET search_path = nowhere`, endSessions(one.url))
    try {
      await eventually(() => expect(read()).rejects.toMatchObject({ cause: { code: 'denied' } }))
      await eventually(() => expect(change()).rejects.toThrow('does not exist'))
    } finally {
      await sql(admin, `ALTER DATABASE ${nameOf(one.url)} RESET search_path`)
    }
    expect(await eventually(read)).toEqual(await eventually(change))
    await addsUp()
  })

  test('settings of the database for sessions do not change the work of a process', async () => {
    const admin = one.url.replace(/[^/]*$/, 'postgres')
    const name = nameOf(one.url)
    const hasTransactionTimeout = await withClient({ url: one.url, access: 'read' }, async (client) => {
      const { rows } = await client.query("SELECT current_setting('transaction_timeout', true) AS value")
      return rows[0]?.value !== null
    })
    const settings = [
      'array_nulls = off',
      'default_transaction_isolation = serializable',
      "idle_session_timeout = '5s'",
      "statement_timeout = '1s'",
      ...(hasTransactionTimeout ? ["transaction_timeout = '1s'"] : []),
    ]
    await sql(admin, ...settings.map((setting) => `ALTER DATABASE ${name} SET ${setting}`))
    try {
      const { rows } = await withClient({ url: one.url, access: 'write' }, (client) =>
        client.query(
          `SELECT current_setting('idle_session_timeout') AS idle,
             coalesce(current_setting('transaction_timeout', true), '0') AS whole`,
        ),
      )
      expect(rows).toEqual([{ idle: '0', whole: '0' }])
      const third = await start(laterMs, one.url)
      const caller = await world.person(1_000n)
      const request = world.request(caller, { input: 100, output: 200 })
      expect(await third.store.ledger.reserve(request)).toMatchObject({ kind: 'reserved' })
      const there = new World(third.store, { nowMs: startMs })
      expect(await there.settle(request, { input: 50, output: 50 })).toMatchObject({ chargeMicros: 100n })
    } finally {
      await sql(admin, `ALTER DATABASE ${name} RESET ALL`)
    }
    await addsUp()
  })

  test('a row transaction whose connection is cut fails, and the next transaction succeeds', async () => {
    const { database } = one.store
    const failing = database.transaction(async (tx) => {
      await tx.updateTable('organizations').set({ name: 'Never' }).execute()
      await sql(
        one.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle in transaction'`,
      )
      await tx.updateTable('organizations').set({ name: 'Never at all' }).execute()
    })
    const error: unknown = await failing.catch((thrown: unknown) => thrown)
    expect(database.isEnvironmental(error)).toBe(true)
    const names = await database.transaction((tx) => tx.selectFrom('organizations').select('name').execute())
    expect(names).toEqual([{ name: 'Acme' }])
  })

  test('if one write of a batch fails on the server, the whole batch is rolled back, and nothing is charged twice', async () => {
    // The first two inserts of day sums fail as in a deadlock. A sequence counts the inserts, because rollbacks do not
    // reset sequences.
    await sql(
      one.url,
      'CREATE SEQUENCE tries',
      `CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tries') <= 2 THEN RAISE EXCEPTION 'met another' USING ERRCODE = '40P01'; END IF;
         RETURN NEW;
       END $$`,
      'CREATE TRIGGER fail_twice BEFORE INSERT ON usage_days FOR EACH ROW EXECUTE FUNCTION fail_twice()',
    )
    const caller = await world.person(1_000n)
    const request = world.request(caller, { input: 100, output: 200 })
    await world.reserve(request)
    expect(await world.settle(request, { input: 50, output: 50 })).toMatchObject({ chargeMicros: 100n })
    expect(await world.wallet(caller)).toEqual({ posted: 900n, held: 0n })
    await addsUp()
  })

  const long = { input: 100, output: 200 }

  test('a hold that was deleted from the database is not charged, even if its process has cached it', async () => {
    const caller = await world.person(1_000n)
    const [ended, kept] = [world.request(caller, long), world.request(caller, long)]
    await Promise.all([ended, kept].map((request) => world.reserve(request)))
    await sql(
      one.url,
      `DELETE FROM holds WHERE call_id = '${ended.callId}'`,
      `UPDATE sources SET held = held - 300 WHERE id = 'wallet'`,
    )
    const settled = [ended, kept].map((request) => world.settle(request, { input: 50, output: 50 }))
    const [first, second] = await Promise.allSettled(settled)
    expect(first).toMatchObject({ status: 'rejected', reason: { name: 'NoSuchHold' } })
    expect(second).toMatchObject({ value: { chargeMicros: 100n } })
    expect(await world.wallet(caller)).toEqual({ posted: 900n, held: 0n })
    await addsUp()
  })

  test('a call that is reserved again has one hold, even if its process no longer knows the call', async () => {
    const caller = await world.person(1_000n)
    const request = world.request(caller, long)
    await one.store.ledger.reserve(request)
    await expect(one.store.ledger.reserve(request)).rejects.toThrow('has a hold already')
    await expect(other.store.ledger.reserve(request)).rejects.toThrow('has a hold already')
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 300n })
    await addsUp()
  })

  test('the ledger continues despite a column of a newer release or a removed monthly partition', async () => {
    const caller = await world.person(1_000n)
    const call = async (): Promise<void> => {
      const request = world.request(caller, { input: 10, output: 10 })
      expect((await world.reserve(request)).kind).toBe('reserved')
      await world.settle(request, { input: 10, output: 10 })
    }
    await call()
    await sql(
      one.url,
      ...['holds', 'sources', 'end_users', 'keys', 'ledger', 'usage_records', 'lanes'].map(
        (table) => `ALTER TABLE ${table} ADD COLUMN newer TEXT`,
      ),
    )
    await call()
    await sql(one.url, 'DROP TABLE requests_2026_11')
    const request = world.request(caller, { input: 10, output: 10 })
    await world.reserve(request)
    await world.release(request)
    await call()
    expect(await world.wallet(caller)).toEqual({ posted: 940n, held: 0n })
  })

  test.each([
    ['ledger', 'amount = 1'],
    ['usage_records', 'charge_micros = 1'],
    ['quotes', "body = ''"],
  ])(
    'rows of %s can be neither changed nor deleted, and the table cannot be emptied',
    async (table, change) => {
      const caller = await world.person(1_000n)
      const request = world.request(caller, { input: 10, output: 10 })
      await world.reserve(request)
      await world.settle(request, { input: 10, output: 10 })
      for (const statement of [
        `UPDATE ${table} SET ${change}`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table}`,
      ]) {
        await expect(sql(one.url, statement)).rejects.toThrow(`${table} is append-only`)
      }
    },
  )

  test('a row that violates a constraint stops the ledger, and no data is corrected', async () => {
    const caller = await world.person(1_000n)
    await sql(one.url, 'ALTER TABLE sources ADD CONSTRAINT low CHECK (held < 100)')
    const others = await Promise.all(Array.from({ length: 8 }, () => world.person(1_000n)))
    await expect(world.reserve(world.request(caller, { input: 100, output: 1 }))).rejects.toThrow(
      LedgerStopped,
    )
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
    for (const person of others) {
      const refused = world.reserve(world.request(person, { input: 1, output: 1 }))
      await expect(refused).rejects.toThrow(LedgerStopped)
    }
  })
})

async function entries({ store }: Process): Promise<{ rows: unknown[] }> {
  return { rows: await store.database.read.selectFrom('ledger').select('sequence').distinct().execute() }
}
