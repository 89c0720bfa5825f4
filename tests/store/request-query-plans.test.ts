/** No list of calls may scan a whole table that has a row for each call, even without the statistics of ANALYZE. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCall, type RequestFilter } from '#domain/calls/call-filter.ts'
import { requests } from '#store/nouns/request-list-and-details.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import type { RowReader } from '#store/sql/row-runner-interface.ts'
import { SqliteDatabase } from '#store/sqlite/database.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteRows } from '#store/sqlite/run-prepared-statements.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { startMs } from '../store-conformance/add-rows-that-calls-need.ts'

/** The expected indexes of `usage_records` and of `requests`. Null if the filter does not read the table. */
const cases: readonly (readonly [Partial<RequestFilter>, string | null, string | null])[] = [
  [{}, 'PRIMARY KEY', 'sqlite_autoindex_requests_1'],
  [{ endUserId: 'eu_1' }, 'PRIMARY KEY', 'requests_end_user'],
  [{ alias: 'acme/fast' }, 'PRIMARY KEY', 'sqlite_autoindex_requests_1'],
  [{ accountId: 'pa_1' }, 'PRIMARY KEY', 'sqlite_autoindex_requests_1'],
  [{ minCostMicros: 1n }, 'PRIMARY KEY', 'sqlite_autoindex_requests_1'],
  [{ statusClass: '2xx' }, 'PRIMARY KEY', 'sqlite_autoindex_requests_1'],
  [{ statusClass: '5xx' }, 'usage_records_failed', 'sqlite_autoindex_requests_1'],
  [{ errorCode: 'internal' }, 'usage_records_failed', 'sqlite_autoindex_requests_1'],
  [{ status: 'recovered' }, 'usage_records_recovered', 'sqlite_autoindex_requests_1'],
  [{ fromMs: startMs, toMs: startMs + 1 }, 'PRIMARY KEY', 'sqlite_autoindex_requests_1'],
]

let opened: Awaited<ReturnType<typeof openTemporary>>
let connection: ReturnType<typeof openConnection>
beforeAll(async () => {
  opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  connection = openConnection(sqlitePath(opened.folder), 'read')
})
afterAll(async () => {
  connection.close()
  await opened.close()
})

/** Each step is a line. */
async function plansOf(read: (nouns: ReturnType<typeof requests>) => Promise<unknown>): Promise<string[]> {
  const rows = new SqliteRows(connection)
  const lines: string[] = []
  const never = (): Promise<never> => Promise.reject(new Error('nothing is written'))
  const reader: RowReader = {
    async query(text, parameters) {
      const plan = rows.run(`EXPLAIN QUERY PLAN ${text}`, parameters).rows
      lines.push(...plan.map((step) => String(Reflect.get(step as object, 'detail'))))
      return { ...rows.run(text, parameters), costMs: 0 }
    },
  }
  const database = new SqliteDatabase(
    { lookUps: reader, reports: reader },
    { writeSlots: async () => {}, begin: never, query: never, commit: never, rollback: never },
  )
  await read(requests(database.read))
  return lines
}

const scans = (lines: readonly string[]): string[] =>
  lines.filter((line) => /^SCAN (?:usage_records|requests|ledger|end_users|keys|u)\b/.test(line))

test.each(cases)('the filter %o uses an index', async (filter, charged, uncharged) => {
  const lines = await plansOf((nouns) =>
    nouns.list('app', 'live', { ...everyCall, ...filter }, { limit: 50, after: { at: 0, id: '9' } }),
  )
  expect(scans(lines)).toEqual([])
  const used = (table: string): string[] => [
    ...new Set(
      lines.flatMap(
        (line) =>
          new RegExp(`^SEARCH ${table} USING (?:COVERING )?(?:INDEX )?(.+?) \\(`).exec(line)?.[1] ?? [],
      ),
    ),
  ]
  expect(used('usage_records')).toEqual(charged === null ? [] : [charged])
  expect(used('requests')).toEqual(uncharged === null ? [] : [uncharged])
})

test('the explanation of a call scans no table', async () => {
  const lines = await plansOf((nouns) => nouns.story('app', 'live', '01'))
  expect(scans(lines)).toEqual([])
})
