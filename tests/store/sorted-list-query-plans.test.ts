/**
 * With 10,000 end users, a page of a sorted list reads each row at most once. The test counts rows and reads query
 * plans instead of measuring times.
 */
import { rmSync } from 'node:fs'
import { Client, type Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Position } from '#domain/list-page.ts'
import { type EndUserSort, endUserSorts } from '#domain/list-sorting-and-filters.ts'
import { endUsers } from '#store/nouns/end-users.ts'
import { poolOf } from '#store/postgres/connection.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { RowReader } from '#store/sql/row-runner-interface.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { SqliteDatabase } from '#store/sqlite/database.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteRows } from '#store/sqlite/run-prepared-statements.ts'
import { seedPostgres, seedSqlite, sumPostgres, sumSqlite } from '../../tools/seed/seed-store.ts'
import { seededApplication } from '../../tools/seed/sql-that-fills-store.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { hasPostgres, newDatabase, type TestDatabase } from '../support/start-postgres.ts'

const people = 10_000
const limit = 50
const nowMs = Date.UTC(2026, 10, 20)
const size = { calls: 5_000, people, days: 20, nowMs }

/** A plan that reads all applications would read twice as many rows because of this application. */
const otherApplication = [
  `INSERT INTO applications (id, organization_id, slug, code, name, config_version, created_at_ms)
   SELECT 'app_other', organization_id, 'other', 'other2', name, 1, created_at_ms FROM applications`,
  `INSERT INTO end_users (id, application_id, external_id, bundle_id, subscribed_at_ms, created_at_ms)
   SELECT id || '_other', 'app_other', external_id, bundle_id, subscribed_at_ms, created_at_ms FROM end_users`,
]

/**
 * Tables that determine the sorted value, in addition to the table of end users. Corrections change the amount that an
 * end user has spent.
 */
const valueTables: Readonly<Record<EndUserSort, readonly string[]>> = {
  created: [],
  name: [],
  balance: ['sources'],
  spent: ['key_spending', 'usage_days', 'call_corrections', 'usage_fold'],
  last_seen: ['keys'],
}

async function readPages(query: Query, by: EndUserSort): Promise<void> {
  const list = (after: Position | null) =>
    endUsers(query).list(
      seededApplication,
      { bundleId: null },
      { limit, sorting: { by, direction: 'desc' }, after },
      { mode: 'live', nowMs },
    )
  const first = await list(null)
  expect(first.rows).toHaveLength(limit)
  const second = await list(first.next)
  const ids = [...first.rows, ...second.rows].map(({ id }) => id)
  expect(new Set(ids).size).toBe(2 * limit)
}

describe('on SQLite', () => {
  let folder: string
  let connection: ReturnType<typeof openConnection>
  beforeAll(async () => {
    folder = newDataFolder('sorted')
    await seedSqlite(folder, size)
    await sumSqlite(folder, nowMs)
    connection = openConnection(sqlitePath(folder), 'write')
    for (const statement of otherApplication) connection.exec(statement)
    connection.exec('ANALYZE')
  })
  afterAll(() => {
    connection.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(endUserSorts)('the sort by %s searches each table by an index', async (by) => {
    const rows = new SqliteRows(connection)
    const plans: string[] = []
    const never = (): Promise<never> => Promise.reject(new Error('nothing is written'))
    const reader: RowReader = {
      async query(text, parameters) {
        const plan = rows.run(`EXPLAIN QUERY PLAN ${text}`, parameters).rows
        plans.push(...plan.map((step) => String(Reflect.get(step as object, 'detail'))))
        return { ...rows.run(text, parameters), costMs: 0 }
      },
    }
    const database = new SqliteDatabase(
      { lookUps: reader, reports: reader },
      { writeSlots: async () => {}, begin: never, query: never, commit: never, rollback: never },
    )
    await readPages(database.read, by)
    // Only intermediate results may be scanned.
    expect(plans.filter((step) => /^SCAN (?!ranked|days|parts)/.test(step))).toEqual([])
    expect(plans.filter((step) => /^SEARCH end_users USING .*\(application_id=\?\)/.test(step))).toHaveLength(
      2,
    )
    const values = plans.filter((step) => /^SEARCH (?!end_users)/.test(step))
    expect(values.length > 0).toBe(valueTables[by].length > 0)
    // The sort by spending adds up the rows of the whole application (sql-of-spending-for-sorting.ts). Any other sort
    // looks up the values of each end user.
    const own = by === 'spent' ? ofSpending : /\(end_user_id=\?/
    expect(values.filter((step) => !own.test(step))).toEqual([])
    expect(plans.filter((step) => /^USE TEMP B-TREE FOR (?!GROUP BY)/.test(step))).toEqual([
      'USE TEMP B-TREE FOR ORDER BY',
      'USE TEMP B-TREE FOR ORDER BY',
    ])
  })
})

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  let database: TestDatabase
  let client: Client
  let readers: Pool
  beforeAll(async () => {
    database = await newDatabase()
    await seedPostgres(database.url, size)
    await sumPostgres(database.url, nowMs)
    client = new Client({ connectionString: database.url })
    await client.connect()
    for (const statement of otherApplication) await client.query(statement)
    await client.query('VACUUM ANALYZE')
    readers = poolOf({ url: database.url, access: 'read' }, 1)
  })
  afterAll(async () => {
    await readers.end()
    await client.end()
    await database.drop()
  })

  test.each(endUserSorts)('the sort by %s reads each row at most once and keeps one page', async (by) => {
    const statements: [text: string, values: unknown[]][] = []
    const recorded = new Proxy(readers, {
      get: (pool, name) =>
        name !== 'query'
          ? Reflect.get(pool, name)
          : (text: string, values: unknown[]) => {
              statements.push([text, values])
              return pool.query(text, values)
            },
    })
    await readPages(new PostgresDatabase(recorded, readers).read, by)
    expect(statements).toHaveLength(4)
    for (const [text, values] of statements) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
        values,
      )
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      const nodes = plan === undefined ? [] : nodesOf(plan)
      expect(nodes.flatMap((node) => node['Sort Method'] ?? [])).toEqual(
        text.includes('ORDER BY') ? ['top-N heapsort'] : [],
      )
      const read = rowsRead(nodes)
      expect([...read.keys()].filter((table) => ![...valueTables[by], 'end_users'].includes(table))).toEqual(
        [],
      )
      for (const [table, count] of read) {
        // oxlint-disable-next-line no-await-in-loop -- as above
        const all = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`)
        // Tolerates one row more for each end user. PostgreSQL rounds the number of rows of a scan that it repeats for
        // each end user.
        expect(count, `${table}: ${text}`).toBeLessThanOrEqual(Number(all.rows[0]?.count) + people)
      }
    }
  })
})

/** Matches steps that find an application's spending by an index: stored sums, later days and corrections. */
const ofSpending =
  /call_corrections .*\(application_id=\?|^SEARCH s .*\(set_number=\? AND application_id=\?|usage_days .*\(application_id=\? AND mode=\? AND day>\?|usage_fold .*rowid=\?|\(end_user_id=\?\) LEFT-JOIN$/

/** Includes rows that a filter removed. */
function rowsRead(nodes: readonly PlanNode[]): Map<string, number> {
  const read = new Map<string, number>()
  for (const node of nodes) {
    const table = node['Relation Name']
    if (table === undefined) continue
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    read.set(table, (read.get(table) ?? 0) + rows)
  }
  return read
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Sort Method'?: string
  readonly Plans?: readonly PlanNode[]
}
