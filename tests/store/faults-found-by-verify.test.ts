/**
 * Corrupts a correct store in one way at a time, with all guards against corruption turned off. The rows on PostgreSQL
 * are a copy of the embedded rows.
 */
import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bringUp, putOnPlan } from '#operations/billing/shared/keep-subscription-current.ts'
import { copyToPostgres } from '#store/copy-to-postgres.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import type { Verification } from '#store/ledger/verify/store-snapshot-interface.ts'
import { figureColumns, listed, moneyColumns } from '#store/sql/sql-of-figure-columns.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openTemporary, type Opened } from '../store-conformance/engines.ts'
import { dayMs, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { hasPostgres, sql, type TestDatabase } from '../support/start-postgres.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'
import { reusedDatabase } from '../support/reused-databases.ts'

/** Includes a call in a run, a call in flight, and two invoices. */
async function calls(world: World): Promise<void> {
  await world.found({ price_micros: 30n })
  const caller = await world.person(1_000n)
  await invoices(world, caller.endUserId)
  await world.outcome('report', 1_000n)
  const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 1_000n }
  for (const more of [{}, { outcome }]) {
    const request = world.request(caller, { input: 100, output: 100 }, more)
    await world.reserve(request)
    await world.settle(request, { input: 50, output: 50 })
  }
  await world.reserve(world.request(caller, { input: 100, output: 100 }))
  await corrections(world)
}

/** Another end user has a call that was refunded in two parts, a reversed grant, and a top-up. */
async function corrections(world: World): Promise<void> {
  const { endUserId, ...caller } = await world.person(0n)
  const grant = await world.credit([endUserId], 1_000n)
  assert(grant.kind === 'credited')
  const request = world.request({ endUserId, ...caller }, { input: 100, output: 100 })
  await world.reserve(request)
  await world.settle(request, { input: 50, output: 50 })
  for (const amountMicros of [30n, null]) {
    await world.store.ledger.refund({
      correctionId: `cor_${world.newId()}`,
      applicationId: world.applicationId,
      callId: request.callId,
      endUserId,
      mode: 'live',
      nowMs: startMs,
      amountMicros,
      reason: 'useless',
      actor: null,
      idempotencyKey: null,
      requestHash: '',
    })
  }
  await world.credit([endUserId], 1_000n, { kind: 'reversal', reverses: grant.grantId })
  await world.credit([endUserId], 70n, { kind: 'topup', paymentReference: 'pi_1' })
}

/** For the month of the end user's creation and for the next month. */
async function invoices({ applicationId, bundleId, newId, store }: World, endUserId: string): Promise<void> {
  await sqlStore(store.database).transaction(async (nouns) => {
    const bundle = await nouns.bundles.byId(applicationId, bundleId)
    const endUser = await nouns.endUsers.byId(applicationId, endUserId)
    assert(bundle && endUser)
    const billing = { store: nouns, newId }
    const newcomer = { ...endUser, bundleId: null }
    await putOnPlan(billing, { endUser: newcomer, mode: 'live', nowMs: startMs }, bundle)
    await bringUp(billing, { endUser, mode: 'live', nowMs: startMs + 31 * dayMs })
  })
}

type Corruption = readonly [check: string, corruption: string]

/** The pool is expired and has no ledger entries. The value 5 is in the given column of its row. */
function pool(column: 'granted' | 'withheld' | 'expired' | 'posted'): string {
  const others = ['granted', 'withheld', 'expired', 'posted'].filter((name) => name !== column)
  return `INSERT INTO sources (end_user_id, mode, id, kind, unit, held, ends_at_ms, ${column}, ${others.join(', ')})
    SELECT end_user_id, mode, 'pool', 'pool', 'micros', 0, 1, 5, 0, 0, 0 FROM sources`
}

const corruptions: readonly Corruption[] = [
  [
    'every ledger entry continues the previous entry',
    'UPDATE ledger SET amount = amount - 1 WHERE sequence = 2',
  ],
  ['every ledger entry continues the previous entry', 'DELETE FROM ledger WHERE sequence = 2'],
  ['one chain', 'DELETE FROM ledger WHERE sequence = (SELECT max(sequence) FROM ledger)'],
  ['one chain', 'UPDATE ledger SET previous = NULL, balance_after = amount WHERE sequence = 3'],
  ['every balance equals the sum', 'UPDATE sources SET posted = posted + 1'],
  ['in the unit of its source', "UPDATE ledger SET unit = 'credits' WHERE sequence = 1"],
  ['held amounts equal', 'UPDATE sources SET held = held + 1'],
  ['a wallet is below 0', 'UPDATE sources SET posted = -1'],
  [
    'no pool, no on-demand month and no share',
    `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, held)
     SELECT end_user_id, mode, 'month', 'on_demand', 'micros', 1, 0 FROM sources`,
  ],
  [
    'what members took from a wallet',
    `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, held)
     SELECT end_user_id, mode, 'team/eu_payer/2026-11', 'team', 'micros', 0, 0 FROM sources;
     UPDATE ledger SET source_id = 'team/eu_payer/2026-11' WHERE sequence = 1`,
  ],
  [
    'held amounts equal',
    `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, held)
     SELECT end_user_id, mode, 'team/eu_payer/2026-11', 'team', 'micros', 0, 5 FROM sources`,
  ],
  ['daily sums equal', 'UPDATE usage_days SET charge_micros = charge_micros + 1'],
  ['daily sums equal', 'UPDATE usage_days SET over_hold_micros = over_hold_micros + 1'],
  ['daily sums equal', 'UPDATE usage_days SET paid_gift_micros = paid_gift_micros + 1'],
  ['daily sums equal', 'DELETE FROM usage_days'],
  [
    'the totals of an application',
    `INSERT INTO application_days (application_id, mode, day, alias, ${listed(figureColumns)})
     SELECT application_id, mode, -8, alias, ${listed(figureColumns)} FROM usage_days LIMIT 1`,
  ],
  ...['charged', 'charge_micros', 'billed_micros'].map(
    (column) =>
      [
        'the hourly sums of an application do not exceed',
        `INSERT INTO call_hours (application_id, mode, hour, account_id, alias, bundle, calls, charged, failed_client,
           failed_limit, failed_provider, failed_ours, ${listed(moneyColumns)}, latency, first_byte)
         SELECT application_id, mode, settled_at_ms / 3600000, 'acc', alias, '', count(*), count(*), 0, 0, 0, 0,
           ${moneyColumns.map((name) => `sum(${name})`).join(', ')}, '', ''
         FROM usage_records GROUP BY 1, 2, 3, 5;
         UPDATE call_hours SET ${column} = ${column} + 1`,
      ] as const,
  ),
  [
    'the stored spending of a key',
    `INSERT INTO key_spending (set_number, application_id, mode, end_user_id, key_id, run, billed_micros, charge_micros,
       week_charge_micros, month_charge_micros)
     SELECT 1, application_id, mode, end_user_id, key_id, 0, 0, 0, 0, 1 FROM usage_days LIMIT 1;
     UPDATE usage_fold SET spending_set = 1, spending_day = 1`,
  ],
  ['the stored spending of a key', 'UPDATE usage_fold SET spending_set = 1, spending_day = 100000'],
  ['the gifted credit of a wallet does not exceed', 'UPDATE sources SET given = posted + 1'],
  ['the gifted credit of a wallet equals the replay', 'UPDATE sources SET given = given - 1'],
  ['the gifted credit of a wallet equals the replay', 'UPDATE ledger SET given = 0 WHERE sequence = 1'],
  ['the gifted credit of a wallet equals the replay', `UPDATE ledger SET kind = 'topup' WHERE sequence = 1`],
  ['the amounts that sources paid', 'UPDATE usage_records SET paid_gift_micros = paid_gift_micros - 1'],
  ['the spending of a run', 'UPDATE outcome_runs SET spent_micros = 0'],
  [
    'the periods of a pool',
    `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, held, slug, bundle_id, starts_at_ms, ends_at_ms)
     SELECT end_user_id, mode, 'pool' || n, 'pool', 'micros', 0, 0, 'a', 'b', n, n + 2
     FROM sources, (SELECT 1 AS n UNION ALL SELECT 2) AS two`,
  ],
  ['a pool was granted once', pool('granted')],
  ['a pool was granted once', pool('withheld')],
  ['a pool was granted once', pool('expired')],
  ['the credit of an ended pool expired', pool('posted')],
  ['a finished grant', 'UPDATE grants SET end_users = 2'],
  ['a reversal equals', 'UPDATE grant_reversals SET reversed_micros = reversed_micros - 1'],
  ['a reversal equals', 'DELETE FROM grant_reversals'],
  ['a reversal equals', `UPDATE grants SET reverses = 'another' WHERE kind = 'reversal'`],
  ['every payment reference credited', `UPDATE grants SET end_users = 2 WHERE kind = 'topup'`],
  ['the refunds of a request', 'UPDATE call_corrections SET charge_micros = charge_micros - 1'],
  ['the amounts of a correction', 'UPDATE call_corrections SET paid_gift_micros = 0'],
  ['the amounts of a correction', 'UPDATE call_corrections SET day = day + 1'],
  ['the corrections of a request', 'DELETE FROM call_corrections WHERE number = 1'],
  ['the corrections of a request', `UPDATE call_corrections SET entries = '[]' WHERE number = 2`],
  ['the corrections of a request', `UPDATE call_corrections SET legs = '[]'`],
  ['the corrections of a request', `UPDATE ledger SET kind = 'grant' WHERE kind = 'refund'`],
  ['the sum of its lines', 'UPDATE invoice_lines SET amount_micros = amount_micros + 1'],
  [
    'one invoice per period',
    `UPDATE invoices SET period_start_ms = period_start_ms + 1 WHERE cause = 'renewed'`,
  ],
  ['one invoice per period', 'UPDATE accounts SET invoices = 3'],
  ['one invoice per period', 'UPDATE invoices SET number = 3 WHERE number = 2'],
  ['on-demand billing is blocked', 'UPDATE accounts SET on_demand_until_ms = NULL'],
  ['on-demand billing is blocked', 'UPDATE invoices SET due_at_ms = due_at_ms - 1'],
  ['recomputing a charge', 'UPDATE usage_records SET cost_micros = cost_micros + 1'],
  ['recomputing a charge', 'UPDATE usage_records SET billed_micros = billed_micros + 1'],
  ['recomputing a charge', 'UPDATE usage_records SET over_hold_micros = 1'],
  ['recomputing a charge', `UPDATE quotes SET body = replace(body, '1000000', '1000001')`],
  ['recomputing a charge', 'DELETE FROM quotes'],
  ...['legs', 'usage', 'attempts'].map(
    (column) => ['recomputing a charge', `UPDATE usage_records SET ${column} = 'unreadable'`] as const,
  ),
  ['the corrections of a request', `UPDATE call_corrections SET legs = 'unreadable'`],
  ['the charge of a request', 'UPDATE usage_records SET first_entry = NULL WHERE run_id IS NULL'],
  ['the charge of a request', `UPDATE ledger SET kind = 'adjustment' WHERE sequence = 2`],
]

const unreadableQuote: Corruption = [
  'recomputing a charge',
  `UPDATE quotes SET body = 'unreadable'; UPDATE sources SET posted = -1`,
]

/** Each engine stores calls in flight in a different form. */
const onSqlite: readonly Corruption[] = [
  unreadableQuote,
  ['held amounts equal', 'DELETE FROM hold_slots'],
  ['held amounts equal', `UPDATE hold_slots SET calls = '[]'`],
  // A held call gets the ID of a settled call. The view `holds` then omits the call, so its hold is missing.
  [
    'held amounts equal',
    `UPDATE hold_slots SET calls = json_replace(calls, '$[0][0]', (SELECT min(call_id) FROM usage_records))`,
  ],
  [
    'every hold equals the sum of its legs',
    `UPDATE hold_slots SET calls = json_replace(calls, '$[0][7]', '201')`,
  ],
  [
    'every hold equals the sum of its legs',
    `UPDATE hold_slots SET calls = json_replace(calls, '$[0][9]', 'unreadable')`,
  ],
]
const onPostgres: readonly Corruption[] = [
  unreadableQuote,
  ...['unreadable', '[["wallet"]]', '[["wallet","wallet","micros","x","7"]]', '[null]', '{}'].map(
    (legs) => ['every hold equals the sum of its legs', `UPDATE holds SET legs = '${legs}'`] as const,
  ),
  ['held amounts equal', 'DELETE FROM holds'],
  ['every hold equals the sum of its legs', 'UPDATE holds SET worst_micros = worst_micros + 1'],
  ['both in flight and ended', 'UPDATE holds SET call_id = (SELECT min(call_id) FROM usage_records)'],
]

function wrong(results: readonly Verification[]): string[] {
  return results.flatMap(({ check, difference }) => (difference === null ? [] : [check]))
}

async function openSound(): Promise<Opened & { readonly folder: string }> {
  const opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  await calls(new World(opened.store, { nowMs: startMs }))
  return opened
}

describe('on SQLite', () => {
  let sound: Awaited<ReturnType<typeof openSound>>
  let path: string
  beforeAll(async () => {
    sound = await openSound()
  })
  afterAll(() => sound.close())
  // The copy looks like the store of a killed server.
  beforeEach(() => {
    const folder = newDataFolder('verify')
    path = sqlitePath(folder)
    for (const file of ['', '-wal']) copyFileSync(sqlitePath(sound.folder) + file, path + file)
  })
  afterEach(() => rmSync(dirname(path), { recursive: true }))

  test('verify finds no fault in a store that is not corrupted', async () => {
    expect(wrong(await verifySqlite(path))).toEqual([])
  })

  test.each<Corruption>([
    ...corruptions,
    ...onSqlite,
    ['a new number', 'UPDATE writer_slots SET ledger_sequence = 1'],
    ['cannot be changed or deleted', 'DROP TRIGGER ledger_no_update'],
  ])('verify finds a fault by the check "%s": %s', async (check, corruption) => {
    const connection = openConnection(path, 'write')
    const triggers = connection.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all()
    if (!corruption.startsWith('DROP')) {
      for (const { name } of triggers) connection.exec(`DROP TRIGGER ${String(name)}`)
    }
    connection.exec(corruption)
    if (!corruption.startsWith('DROP')) for (const trigger of triggers) connection.exec(String(trigger.sql))
    connection.close()
    expect(wrong(await verifySqlite(path)).join('\n')).toContain(check)
  })
})

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await reusedDatabase('with_calls', async (url) => {
      const opened = await openSound()
      // Only a store that no server uses can be copied. Copying also ends its call in flight.
      await opened.store.close()
      await copyToPostgres({ folder: opened.folder, url, nowMs: () => startMs })
      await opened.close()
      await sql(
        url,
        inFlight,
        'UPDATE sources s SET held = held + 7 FROM holds h WHERE h.end_user_id = s.end_user_id',
      )
    })
  })
  afterEach(() => database.drop())

  test('verify finds no fault in a store that is not corrupted', async () => {
    expect(wrong(await verifyPostgres(database.url))).toEqual([])
  })

  // Some checks need a call in flight, so store the hold of a settled call again.
  const inFlight = `INSERT INTO holds (call_id, application_id, end_user_id, key_id, mode, alias, quote_id, bound,
      worst_micros, worst_credits, legs, limits, target, input_estimate, epoch, reserved_at_ms)
    SELECT 'open', application_id, end_user_id, key_id, mode, alias, quote_id, '[]', 7, 0,
      '[["wallet","wallet","micros","7","7"]]', '[]', '[]', 1, 1, 1
    FROM usage_records ORDER BY call_id LIMIT 1`

  test.each<Corruption>([
    ...sampleOfCases(corruptions, 3),
    ...onPostgres,
    ['a new number', `SELECT setval('ledger_sequence', 1, false)`],
    ['a unique number', 'UPDATE ledger SET sequence = 1, created_at_ms = created_at_ms + sequence'],
    ['cannot be changed or deleted', 'ALTER TABLE ledger DISABLE TRIGGER ledger_append_only'],
    ['cannot be changed or deleted', 'ALTER TABLE ledger_2026_11 DISABLE TRIGGER ledger_append_only'],
    ['cannot be changed or deleted', 'DROP TRIGGER quotes_append_only ON quotes'],
    [
      'indexes and constraints are valid',
      `ALTER TABLE sources ADD CONSTRAINT held_again CHECK (held >= 0) NOT VALID`,
    ],
  ])('verify reports a fault in the check "%s": %s', async (check, corruption) => {
    // Replicas apply changes without triggers.
    await sql(database.url, `SET session_replication_role = replica; ${corruption}`)
    expect(wrong(await verifyPostgres(database.url)).join('\n')).toContain(check)
  })

  test('a database is rejected if its version differs from the program’s version', async () => {
    await sql(database.url, 'UPDATE schema_versions SET version = version + 100')
    await expect(verifyPostgres(database.url)).rejects.toThrow('written by a newer Tollgate')
  })
})
