/**
 * Reads about single end users must seek their rows of `usage_days` day by day. In the embedded store, a range of days
 * contains the rows of all end users. The test reads query plans instead of measuring times, with and without the
 * statistics of ANALYZE.
 */
import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keys } from '#store/nouns/keys.ts'
import { portals } from '#store/nouns/portals.ts'
import { margin } from '#store/nouns/reports/margin-sums-by-group.ts'
import { usage } from '#store/nouns/reports/usage-sums.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { RowReader } from '#store/sql/row-runner-interface.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { SqliteDatabase } from '#store/sqlite/database.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteLoad } from '#store/sqlite/load-needed-rows.ts'
import { SqliteRows } from '#store/sqlite/run-prepared-statements.ts'
import { seedSqlite } from '../../tools/seed/seed-store.ts'
import { keyId, personId, seededApplication as applicationId } from '../../tools/seed/sql-that-fills-store.ts'
import { newDataFolder } from '../support/data-folder.ts'

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 20)
const toDay = nowMs / dayMs + 1
const fromDay = toDay - 10
const people = [personId(1), personId(2), personId(7)]
const everyDay = { fromDay: 0, toDay: null }
const inMode = { applicationId, mode: 'live', fromDay, toDay } as const
const ofSeries = {
  applicationId,
  mode: 'live',
  bucket: 'day',
  fromMs: fromDay * dayMs,
  toMs: toDay * dayMs,
  by: 'model',
  alias: null,
  accountId: null,
  bundle: null,
  tag: null,
  payerId: null,
  hasLatency: false,
  groupsMax: 5,
  order: 'calls',
} as const
const firstPage = { limit: 10, after: null }

const reads: Readonly<Record<string, (query: Query) => Promise<unknown>>> = {
  'charges of keys': (query) => keys(query).charged(people, 'live', { fromDay, toDay }),
  'charges of keys over all time': (query) => keys(query).charged(people, 'live', everyDay),
  'charges of an end user': (query) => portals(query).chargedMicros(personId(1), 'live', { fromDay, toDay }),
  'charges of an end user over all time': (query) =>
    portals(query).chargedMicros(personId(1), 'live', everyDay),
  'the first day with usage': (query) => portals(query).firstUseDay(personId(1), 'live'),
  'usage by day': (query) => portals(query).usageByDay(personId(1), 'live', { fromDay, toDay }),
  'usage of an end user': (query) =>
    usage(query, null).byAlias(applicationId, 'live', { endUserId: personId(1), fromDay, toDay }),
  'usage of a page of end users': (query) => usage(query, null).byEndUser(people, 'live'),
  'a series of an end user': (query) =>
    usage(query, null).series({ ...ofSeries, endUserId: personId(1), keyId: null }),
  'a series of a key': (query) =>
    usage(query, null).series({ ...ofSeries, endUserId: null, keyId: keyId(1) }),
  'margin by end user': (query) => margin(query, null, inMode, 'endUser', firstPage),
  'margin by key': (query) => margin(query, null, inMode, 'key', firstPage),
}

const isSeek =
  /^SEARCH (?:usage_days|d) USING PRIMARY KEY \(application_id=\? AND mode=\? AND day=\? AND end_user_id=\?/
/** Finds the `min` or `max` of the day, and reads only one row. */
const isEnd = /^SEARCH usage_days USING PRIMARY KEY \(application_id=\? AND mode=\? AND day>\? AND day<\?\)$/

describe.each(['with', 'without'] as const)('%s statistics', (statistics) => {
  let folder: string
  let connection: DatabaseSync
  beforeAll(async () => {
    folder = newDataFolder('days')
    await seedSqlite(folder, { calls: 5_000, people: 500, days: 20, nowMs })
    connection = openConnection(sqlitePath(folder), 'write')
    if (statistics === 'without') {
      connection.exec('DROP TABLE sqlite_stat1')
      connection.close()
      connection = openConnection(sqlitePath(folder), 'write')
    }
  })
  afterAll(() => {
    connection.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const expectSeeks = (plan: readonly string[]): void => {
    const steps = plan.filter((step) => /usage_days|^(?:SEARCH|SCAN) d /.test(step))
    expect(steps.filter((step) => isSeek.test(step)).length, plan.join('\n')).toBeGreaterThan(0)
    expect(steps.filter((step) => !isSeek.test(step) && !isEnd.test(step))).toEqual([])
  }

  test.each(Object.entries(reads))('%s: the query plan seeks the rows of each day', async (_name, read) => {
    const rows = new SqliteRows(connection)
    const plan: string[] = []
    const never = (): Promise<never> => Promise.reject(new Error('nothing is written'))
    const reader: RowReader = {
      async query(text, parameters) {
        const steps = rows.run(`EXPLAIN QUERY PLAN ${text}`, parameters).rows
        plan.push(...steps.map((step) => String(Reflect.get(step as object, 'detail'))))
        return { ...rows.run(text, parameters), costMs: 0 }
      },
    }
    const database = new SqliteDatabase(
      { lookUps: reader, reports: reader },
      { writeSlots: async () => {}, begin: never, query: never, commit: never, rollback: never },
    )
    await read(database.read)
    expectSeeks(plan)
  })

  test('the query for the spending under a cap seeks the rows of each day', () => {
    const texts: string[] = []
    const prepare = (text: string) => {
      texts.push(text)
      return connection.prepare(text)
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `prepare` is called
    const recorder = { prepare } as unknown as DatabaseSync
    expect(new SqliteLoad(recorder)).toBeDefined()
    const [spent, ...others] = texts.filter((text) => text.includes('usage_days'))
    expect(others).toEqual([])
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${spent}`).all()
    expectSeeks(plan.map(({ detail }) => String(detail)))
  })
})
