/**
 * Each ledger connection (lane) plans a statement once. The plans must find all rows by indexes, although the tables
 * were empty when the statements were planned. They are planned again after a vacuum. At that time, few holds exist,
 * but the indexes of `holds` still have the size that they had between two vacuums. Operators may also run ANALYZE before
 * the first row of the next month exists.
 */
import { expect, test } from 'vitest'
import type pg from 'pg'
import { openOnPostgres } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { ledgerConnections } from '../support/find-ledger-connections.ts'
import { callsOfEachKind, peopleWithLimits } from '../support/record-ledger-statements.ts'
import { hasPostgres, sql } from '../support/start-postgres.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'

/** The table `usage_fold` has only one row. */
const whole = /Seq Scan on (?!usage_fold\b)|Hash Join|Merge Join/

/** 200,000 requests begin, and most of them end before the first vacuum. */
const manyHolds = `INSERT INTO holds (call_id, application_id, end_user_id, key_id, mode, alias, quote_id, bound,
    worst_micros, worst_credits, legs, limits, target, input_estimate, epoch, reserved_at_ms)
  SELECT 'call_' || lpad(n::text, 20, '0'), 'app_1', md5(n::text), 'key_1', 'live', 'fast', 'quote_1', '{}', 1, 0,
    '[]', '{}', '{}', n, 1, 0 FROM generate_series(1, 200000) AS n`

/** Numbers of these requests that are still in flight at each vacuum. */
const inFlight = [150, 20, 3, 1]

/** Grants and top-ups of the application, each with an idempotency key. */
const manyGrants = [
  `INSERT INTO grants (application_id, id, mode, kind, amount_micros, reason, idempotency_key, payment_reference,
      request_hash, end_users, created_at_ms)
    SELECT (SELECT min(id) FROM applications), 'grt_' || n, 'live', 'topup', 1, 'top-up', 'key_' || n, 'payment_' || n,
      '', 1, n FROM generate_series(1, 20000) AS n`,
  'ANALYZE grants',
]

interface PlannedStatement {
  readonly name: string
  readonly parameters: bigint
  readonly repeated: bigint
}

async function statementsOf(client: pg.Client): Promise<readonly PlannedStatement[]> {
  const { rows } = await client.query<PlannedStatement>(
    `SELECT name, cardinality(parameter_types) AS parameters, custom_plans AS repeated FROM pg_prepared_statements`,
  )
  return rows
}

async function planOf(client: pg.Client, { name, parameters }: PlannedStatement): Promise<readonly string[]> {
  const values = Array.from({ length: Number(parameters) }, () => 'NULL').join(', ')
  const { rows } = await client.query<{ readonly 'QUERY PLAN': string }>(
    `EXPLAIN EXECUTE "${name}"${values === '' ? '' : `(${values})`}`,
  )
  return rows.map((row) => row['QUERY PLAN'])
}

/**
 * Returns the first column of each index of `holds`, `grants`, and the partitions of `ledger` and `usage_records`. These
 * tables may have many rows before they are analyzed again.
 */
async function firstColumns(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ readonly name: string; readonly first: string }>(
    `SELECT relname AS name, pg_get_indexdef(oid, 1, false) AS first FROM pg_class WHERE oid IN (
      SELECT indexrelid FROM pg_index WHERE indrelid IN ('holds'::regclass, 'grants'::regclass) OR indrelid IN (
        SELECT inhrelid FROM pg_inherits WHERE inhparent IN ('ledger'::regclass, 'usage_records'::regclass)))`,
  )
  return new Map(rows.map(({ first, name }) => [name, first]))
}

const indexScan =
  /Index (?:Only )?Scan (?:Backward )?(?:using|on) (?<index>\w+) .*(?:\n *Index Cond: (?<condition>.*))?/g

/**
 * Returns the index scans that have no condition, or no condition on the first column. They read the whole index.
 */
function wholeIndexes(plan: readonly string[], first: ReadonlyMap<string, string>): readonly string[] {
  return [...plan.join('\n').matchAll(indexScan)]
    .filter(({ groups }) => {
      const column = first.get(groups?.index ?? '')
      return column !== undefined && groups?.condition?.includes(column) !== true
    })
    .map(([text]) => text)
}

test.skipIf(!hasPostgres)('each statement of the ledger is planned once and uses only indexes', async () => {
  const clients = ledgerConnections()
  const clock = { nowMs: startMs }
  const opened = await openOnPostgres({ nowMs: () => clock.nowMs })
  const world = new World(opened.store, clock)
  const callers = await peopleWithLimits(world, 24)
  const seed = seedOfRun()
  await withSeed(seed, () => callsOfEachKind(world, callers, randomFrom(seed)))

  const names = new Set<string>()
  const faults: string[] = []
  // The partitions of the next months are empty.
  await sql(opened.url, manyHolds, ...manyGrants, 'ANALYZE ledger, usage_records')
  for (const remaining of inFlight) {
    const end = `DELETE FROM holds WHERE key_id = 'key_1' AND input_estimate > ${remaining}`
    // PostgreSQL plans the statements again after each vacuum.
    // oxlint-disable-next-line no-await-in-loop -- each number of holds has its own plans
    await sql(opened.url, end, 'VACUUM (ANALYZE) holds')
    for (const client of clients) {
      // oxlint-disable-next-line no-await-in-loop -- one connection after the other
      const first = await firstColumns(client)
      // oxlint-disable-next-line no-await-in-loop -- as above
      for (const statement of await statementsOf(client)) {
        names.add(statement.name.replace(/write_\d+/, 'write'))
        if (statement.repeated > 0n)
          faults.push(`${statement.name} was planned ${statement.repeated} times more`)
        if (['begin', 'commit', 'rollback'].includes(statement.name)) continue
        // oxlint-disable-next-line no-await-in-loop -- one statement after the other
        const plan = await planOf(client, statement)
        const found = [...plan.filter((line) => whole.test(line)), ...wholeIndexes(plan, first)]
        faults.push(...found.map((text) => `${statement.name}, ${remaining} in flight: ${text}`))
      }
    }
  }
  await sql(
    opened.url,
    `DELETE FROM holds WHERE key_id = 'key_1'`,
    `DELETE FROM grants WHERE id LIKE 'grt_%'`,
  )
  await opened.closeSound()
  expect([...names]).toEqual(
    expect.arrayContaining(['lock', 'write', 'load_sources', 'load_key', 'load_bundle', 'load_spent']),
  )
  expect(faults).toEqual([])
})
