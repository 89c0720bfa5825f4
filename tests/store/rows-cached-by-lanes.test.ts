/**
 * Lanes (the ledger's connections) of two processes cache rows, while others change the rows
 * (src/store/postgres/rows-known-to-lane.ts).
 */
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import type { ReserveRequest, ReserveResult } from '#domain/ledger-interface.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { PostgresRows, type PostgresNeed } from '#store/postgres/load-needed-rows.ts'
import { endUserLimitsToText, rateRulesToText } from '#store/rows/json-columns.ts'
import { openOnPostgres } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { type Random, randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'

type Process = Awaited<ReturnType<typeof openOnPostgres>>

const steps = 120
/**
 * `other` is the share of steps in which the other process acts. `writes` is the share of steps in which rows are
 * changed. If rows rarely change, the lanes read fewer rows.
 */
const mixes = [
  { other: 0.5, writes: 0.25 },
  { other: 0.1, writes: 0.08 },
  { other: 0.03, writes: 0.05 },
] as const
type Mix = (typeof mixes)[number]
const outcome = { slug: 'report', ceilingMicros: 3_000n }

class Pair {
  readonly processes: readonly [Process, Process]
  readonly world: World
  readonly callers: Caller[] = []
  readonly open: { readonly request: ReserveRequest; readonly process: Process }[] = []
  readonly #clock: { nowMs: number }
  readonly #remembers: boolean

  private constructor(processes: readonly [Process, Process], clock: { nowMs: number }, remembers: boolean) {
    this.processes = processes
    this.#clock = clock
    this.#remembers = remembers
    this.world = new World(processes[0].store, clock)
  }

  /** @param remembers if false, another writer changes every row before every step */
  static async start(remembers: boolean): Promise<Pair> {
    const clock = { nowMs: startMs }
    const options = { nowMs: () => clock.nowMs }
    const one = await openOnPostgres(options)
    const pair = new Pair([one, await openOnPostgres({ ...options, url: one.url })], clock, remembers)
    await pair.world.found()
    await pair.world.outcome(outcome.slug, outcome.ceilingMicros)
    for (let i = 0; i < 3; i++) {
      // oxlint-disable-next-line no-await-in-loop -- in order, so that both pairs have the same IDs
      const caller = await pair.world.person(20_000n)
      // oxlint-disable-next-line no-await-in-loop -- see above
      pair.callers.push(caller, await pair.world.key(caller.endUserId))
    }
    return pair
  }

  async write(statement: string): Promise<void> {
    await this.world.store.database.transaction((tx) => sql.raw(statement).execute(tx))
  }

  async rows(query: string): Promise<unknown[]> {
    return (await sql.raw(query).execute(this.world.store.database.read)).rows
  }

  async do(step: Step): Promise<unknown> {
    if (!this.#remembers) {
      await this.write('UPDATE end_users SET email = email')
      await this.write('UPDATE bundles SET slug = slug')
    }
    this.#clock.nowMs += step.afterMs
    try {
      return await step.run(this)
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : error
    }
  }

  async close(): Promise<void> {
    // The first process drops the database when it closes.
    await this.processes[1].close()
    await this.processes[0].close()
  }
}

interface Step {
  readonly afterMs: number
  readonly run: (pair: Pair) => Promise<unknown>
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length]
  if (item === undefined) throw new Error('there is no such item')
  return item
}

function reserveStep(random: Random, { other }: Mix): Step['run'] {
  const [process, who, input, output] = [
    random.chance(other) ? 1 : 0,
    random.whole(0, 5),
    random.whole(1, 900),
    random.whole(1, 900),
  ]
  const run = random.chance(0.4) ? { ...outcome, runId: `run-${random.whole(1, 3)}` } : null
  return async (pair) => {
    const request = pair.world.request(at(pair.callers, who), { input, output }, { outcome: run })
    const by = at(pair.processes, process)
    const { store } = by
    const result = await store.ledger.reserve(request)
    if (result.kind === 'reserved') pair.open.push({ request, process: by })
    return result
  }
}

function endStep(random: Random): Step['run'] {
  const [index, how, used] = [random.whole(0, 1_000), random.next(), random.next()]
  return async (pair) => {
    const which = pair.open[index % Math.max(1, pair.open.length)]
    if (which === undefined) return null
    const { process, request } = which
    const { ledger } = process.store
    const { nowMs } = pair.world.clock
    if (how < 0.25) {
      const { kind } = await ledger.extend({ callId: request.callId, nowMs, moreOutputTokens: 50 })
      return kind
    }
    pair.open.splice(pair.open.indexOf(which), 1)
    if (how < 0.4) {
      const record = pair.world.record(request, 'released')
      return ledger.release({ callId: request.callId, nowMs, record })
    }
    const usage = { input: 1, output: Math.ceil(used * request.bound.outputTokens) }
    return ledger.settle(pair.world.settlement(request, usage))
  }
}

/** The writer is an operation, an operator with a database client, or a process of the previous release. */
function writeStep(random: Random): Step['run'] {
  const [who, number] = [random.whole(0, 5), random.whole(0, 3)]
  const of = random.whole(0, 13)
  return async (pair) => {
    const { endUserId, keyId } = at(pair.callers, who)
    const { bundleId, clock } = pair.world
    const account = (column: string, value: string | number): string =>
      `INSERT INTO accounts (end_user_id, mode, on_demand_enabled, ${column}) VALUES ('${endUserId}', 'live', 0, ${value})
       ON CONFLICT (end_user_id, mode) DO UPDATE SET ${column} = excluded.${column}`
    const limits = endUserLimitsToText([{ window: 'month', micros: BigInt(number) * 2_000n }])
    const rules = rateRulesToText(
      number === 0
        ? []
        : [
            { measure: 'tokens', window: '5h', most: BigInt(number) * 2_000n, models: null },
            { measure: 'requests', window: 'day', most: 40n, models: null },
            { measure: 'calls', window: null, most: BigInt(number), models: null },
          ],
    )
    const rates = rules === null ? 'NULL' : `'${rules}'`
    const statements = [
      account('rate_limits', rates),
      `UPDATE keys SET rate_limits = ${rates} WHERE id = '${keyId}'`,
      `UPDATE end_users SET frozen_at_ms = ${number === 0 ? clock.nowMs : 'NULL'} WHERE id = '${endUserId}'`,
      `UPDATE end_users SET bundle_id = ${number === 0 ? 'NULL' : `'${bundleId}'`} WHERE id = '${endUserId}'`,
      `UPDATE keys SET cap_micros = ${number === 0 ? 'NULL' : number * 3_000} WHERE id = '${keyId}'`,
      `UPDATE keys SET revoked_at_ms = ${number === 0 ? clock.nowMs : 'NULL'} WHERE id = '${keyId}'`,
      account('spend_limits', number === 0 ? 'NULL' : `'${limits}'`),
      account('on_demand_limit_micros', number * 1_000),
      `UPDATE accounts SET on_demand_enabled = ${number % 2} WHERE end_user_id = '${endUserId}'`,
      account('plan_ends_at_ms', number === 0 ? clock.nowMs + dayMs : 'NULL'),
      `UPDATE bundles SET spend_limit_micros = ${number === 0 ? 'NULL' : number * 4_000}`,
      `INSERT INTO bundle_includes (bundle_id, slug, display_name, unit, amount, then_on_demand, recurring, spillover_to,
         position, since_ms, since_test_ms, is_undated)
       VALUES ('${bundleId}', 'pool-${number}', 'Pool', 'micros', ${1_000 * (number + 1)}, 1, 1, '*', ${number}, 0, 0, 0)
       ON CONFLICT DO NOTHING`,
      `UPDATE outcome_runs SET status = '${number < 2 ? 'failed' : 'running'}' WHERE end_user_id = '${endUserId}'`,
      `UPDATE applications SET config_version = ${number === 0 ? 2 : 1}`,
    ]
    await pair.write(at(statements, of))
    return null
  }
}

function stepOf(random: Random, mix: Mix): Step {
  const choice = random.next()
  const afterMs = random.chance(0.05) ? random.whole(1, 20) * dayMs : random.whole(0, 60_000)
  if (choice < mix.writes) return { afterMs, run: writeStep(random) }
  if (choice < mix.writes + (0.95 - mix.writes) / 2) return { afterMs, run: reserveStep(random, mix) }
  if (choice < 0.95) return { afterMs, run: endStep(random) }
  const [process, who] = [random.whole(0, 1), random.whole(0, 5)]
  return {
    afterMs,
    run: async (pair) => {
      const { applicationId, clock } = pair.world
      const result = await at(pair.processes, process).store.ledger.credit({
        grantId: `gr_${pair.world.newId()}`,
        applicationId,
        mode: 'live',
        nowMs: clock.nowMs,
        kind: 'grant',
        amountMicros: 2_000n,
        endUserIds: [at(pair.callers, who).endUserId, at(pair.callers, who + 2).endUserId],
        reason: 'test',
        idempotencyKey: null,
        requestHash: 'hash',
      })
      return result.kind
    },
  }
}

async function untilSomeoneWaits(client: Client): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- repeats until a session waits
    const { rows } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (rows.length > 0) return
  }
}

const stored = [
  'SELECT end_user_id, id, posted, held, given, withheld, expired FROM sources ORDER BY 1, 2',
  'SELECT call_id, charge_micros, legs FROM usage_records ORDER BY 1',
  'SELECT end_user_id, run_id, status, spent_micros, calls FROM outcome_runs ORDER BY 1, 2',
  'SELECT end_user_id, day, key_id, charge_micros FROM usage_days ORDER BY 1, 2, 3',
  'SELECT end_user_id, call_id, worst_micros FROM holds ORDER BY 1, 2',
  'SELECT end_user_id, uses FROM rate_uses ORDER BY 1',
  'SELECT end_user_id, line_id, uses FROM line_rate_uses ORDER BY 1, 2',
]

describe.skipIf(!hasPostgres)('rows that lanes cache', () => {
  const pairs: Pair[] = []
  const start = async (remembers: boolean): Promise<Pair> => {
    const pair = await Pair.start(remembers)
    pairs.push(pair)
    return pair
  }
  afterEach(async () => {
    for (const pair of pairs.splice(0)) await pair.close()
  })

  test.each(sampleOfCases([...mixes.entries()], 3))(
    'while two processes change rows, lanes decide the same with cached rows as with newly read rows (run %i)',
    async (run, mix) => {
      const seed = seedOfRun() + run
      await withSeed(seed, async () => {
        const random = randomFrom(seed)
        const [remembering, reading] = [await start(true), await start(false)]
        for (let i = 0; i < steps; i++) {
          const step = stepOf(random, mix)
          const expected = await reading.do(step)
          expect([i, await remembering.do(step)]).toEqual([i, expected])
        }
        for (const query of stored) expect(await remembering.rows(query)).toEqual(await reading.rows(query))
        await Promise.all([remembering, reading].map((pair) => pair.processes[0].verify()))
      })
    },
    120_000,
  )

  test.each([['before the lock'], ['while a lock waits for the change']] as const)(
    'a bundle that two processes cache is read again if it was changed %s',
    async (when) => {
      const pair = await start(true)
      const caller = at(pair.callers, 0)
      const { world } = pair
      const reserveIn = ({ store }: Process): Promise<ReserveResult> =>
        store.ledger.reserve(world.request(caller, { input: 1, output: 1 }))
      const alternate = async (times: number): Promise<unknown[]> => {
        const kinds: unknown[] = []
        // oxlint-disable-next-line no-await-in-loop -- in turns
        for (let n = 0; n < times; n++) kinds.push((await reserveIn(at(pair.processes, n))).kind)
        return kinds
      }
      expect(new Set(await alternate(20))).toEqual(new Set(['reserved']))
      for (const process of pair.processes) {
        const limit = 'UPDATE bundles SET spend_limit_micros = 1'
        const change = when === 'before the lock' ? [limit] : [`UPDATE end_users SET email = email`, limit]
        const other = new Client({ connectionString: process.url })
        await other.connect()
        await other.query('BEGIN')
        for (const statement of change) await other.query(statement)
        const waiting = when === 'before the lock' ? null : reserveIn(process)
        if (waiting !== null) await untilSomeoneWaits(other)
        await other.query('COMMIT')
        expect(await (waiting ?? reserveIn(process))).toMatchObject({ kind: 'refused' })
        await other.query('UPDATE bundles SET spend_limit_micros = NULL')
        await other.end()
        expect(new Set(await alternate(20))).toEqual(new Set(['reserved']))
      }
    },
  )

  test('lanes cache only rows of tables on which a trigger reports every change', async () => {
    const pair = await start(true)
    const { endUserId, keyId } = at(pair.callers, 0)
    const { applicationId, bundleId } = pair.world
    const person = { endUserId, mode: 'live' } as const
    const remembered: PostgresNeed[] = [
      { kind: 'key', id: keyId, endUserId },
      { kind: 'bundle', id: bundleId },
      { kind: 'aliases', applicationId },
      { kind: 'sources', nowMs: 0, ...person },
      { kind: 'run', slug: 'report', runId: 'run-1', ...person },
      { kind: 'spent', spender: '', fromDay: 0, toDay: null, ...person },
    ]
    const texts = new PostgresRows().reading(remembered).map(({ statement }) => statement.text)
    const tables = new Set(
      texts.flatMap((text) => [...text.matchAll(/\b(?:FROM|JOIN) ([a-z_]{2,})/g)].map(([, table]) => table)),
    )
    tables.delete('unnest')
    const triggers = await pair.rows(
      `SELECT DISTINCT event_object_table AS "table", event_manipulation AS change FROM information_schema.triggers
       WHERE trigger_name LIKE '%_forgotten' OR trigger_name LIKE '%_counted'`,
    )
    const noticed = new Set(triggers.map((row) => Object.values(row as object).join(' ')))
    const missing = [...tables]
      .flatMap((table) => ['INSERT', 'UPDATE', 'DELETE'].map((change) => `${table} ${change}`))
      .filter((change) => !noticed.has(change))
    expect(tables.size).toBeGreaterThan(6)
    expect(missing).toEqual([])
  })

  test('known_by names the process that used the rows last, and is null after any other session has changed them', async () => {
    const pair = await start(true)
    const caller = at(pair.callers, 0)
    const [one, other] = pair.processes
    const { world } = pair
    const knownBy = async (): Promise<unknown> => {
      const [row] = await pair.rows(`SELECT known_by FROM end_users WHERE id = '${caller.endUserId}'`)
      return Reflect.get(row as object, 'known_by')
    }
    for (const { store } of [one, other, one]) {
      const request = world.request(caller, { input: 1, output: 1 })
      expect(await store.ledger.reserve(request)).toMatchObject({ kind: 'reserved' })
      expect(Number(await knownBy()) >> 10).toBe(store.epoch)
      await store.ledger.settle(world.settlement(request, { input: 1, output: 1 }))
    }
    // Like a process of the previous release, this write does not set `known_by`.
    await pair.write(
      `UPDATE sources SET posted = posted - 1000 WHERE end_user_id = '${caller.endUserId}' AND id = 'wallet'`,
    )
    expect(await knownBy()).toBeNull()
    const result = await one.store.ledger.reserve(world.request(caller, { input: 1, output: 1 }))
    expect(result).toMatchObject({ wallet: { posted: 18_994n } })
  })
})
