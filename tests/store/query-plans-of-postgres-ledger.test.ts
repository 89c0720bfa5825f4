/**
 * Each ledger connection (lane) plans a statement once. The plans must find all rows by indexes, although the tables
 * were empty when the statements were planned.
 */
import { expect, test } from 'vitest'
import pg from 'pg'
import { openOnPostgres } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { callsOfEachKind, peopleWithLimits } from '../support/record-ledger-statements.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'

/** The table `usage_fold` has only one row. */
const whole = /Seq Scan on (?!usage_fold\b)|Hash Join|Merge Join/

interface PlannedStatement {
  readonly name: string
  readonly parameters: bigint
  readonly repeated: bigint
}

/** The connections that have sent statements with names, which are the connections of the ledger. */
function ledgerConnections(): ReadonlySet<pg.Client> {
  const clients = new Set<pg.Client>()
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to the client below
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]): unknown {
    const [asked] = parameters
    if (typeof asked === 'object' && asked !== null && 'name' in asked && asked.name === 'lock')
      clients.add(this)
    return Reflect.apply(query, this, parameters)
  } as typeof pg.Client.prototype.query
  return clients
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
  for (const client of clients) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    for (const statement of await statementsOf(client)) {
      names.add(statement.name.replace(/write_\d+/, 'write'))
      if (statement.repeated > 0n)
        faults.push(`${statement.name} was planned ${statement.repeated} times more`)
      if (['begin', 'commit', 'rollback'].includes(statement.name)) continue
      // oxlint-disable-next-line no-await-in-loop -- one statement after the other
      const plan = await planOf(client, statement)
      faults.push(...plan.filter((line) => whole.test(line)).map((line) => `${statement.name}: ${line}`))
    }
  }
  await opened.closeSound()
  expect([...names]).toEqual(
    expect.arrayContaining(['lock', 'write', 'load_sources', 'load_key', 'load_bundle', 'load_spent']),
  )
  expect(faults).toEqual([])
})
