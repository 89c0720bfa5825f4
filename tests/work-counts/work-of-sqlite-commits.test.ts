/**
 * Counts the pages and statements that each call adds to a commit of the embedded store (SQLite). The end users of a
 * filled store call in random order, and each commit has 12 calls. work-of-one-request.test.ts counts the work for a
 * single end user, whose rows are always on the same pages.
 */
import { rmSync } from 'node:fs'
import { StatementSync } from 'node:sqlite'
import { afterEach, expect, it, vi } from 'vitest'
import { openConnection } from '#store/sqlite/connection.ts'
import { openSqlite, sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { seedSqlite } from '../../tools/seed/seed-store.ts'
import { World } from '../store-conformance/add-rows-that-calls-need.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { limitsOf } from './read-documented-limits.ts'
import { callsPerCommit, SharedCalls } from './send-calls-of-many-end-users.ts'
import { LoggedPages, outsideTables } from './count-write-ahead-log-pages.ts'

const columns = ['2,000 end users', '10,000 end users']
const nowMs = Date.UTC(2026, 10, 20, 12)
/** After 100 commits, most end users have rows for the day, and some have none yet. */
const commits = { warmUp: 100, counted: 200 }
const callsCounted = commits.counted * callsPerCommit
const tables = [
  'sources',
  'source_slots',
  'usage_records',
  'keys',
  'usage_days',
  'hold_slots',
  'ledger',
  'writer_slots',
]

afterEach(() => void vi.restoreAllMocks())

it.each([
  [2_000, 0],
  [10_000, 1],
] as const)(
  'with %i end users, a call writes no more than its limit',
  { timeout: 120_000 },
  async (people, column) => {
    const folder = newDataFolder('shared-commits')
    await seedSqlite(folder, { calls: 40_000, people, days: 20, nowMs })
    const statements = countStatements()
    const store = await openSqlite({
      folder,
      nowMs: () => nowMs,
      writer: 'inline',
      onFatal: (error) => {
        throw error
      },
    })
    const random = randomFrom(7)
    const calls = new SharedCalls(new World(store, { nowMs }), store.ledger, () =>
      random.whole(0, people - 1),
    )
    const pages = new LoggedPages(folder)
    const commit = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await calls.commit()
        pages.see()
      }
    }
    await commit(commits.warmUp)
    pages.begin()
    const statementsBefore = statements()
    await commit(commits.counted)
    const statementsCounted = statements() - statementsBefore
    await store.close()
    const connection = openConnection(sqlitePath(folder), 'read')
    const byTable = pages.byTable(connection)
    connection.close()
    rmSync(folder, { recursive: true })

    const perCall = (count: number, digits: number): number => Number((count / callsCounted).toFixed(digits))
    const counts: readonly (readonly [name: string, counted: number])[] = [
      ['Pages written', perCall(pages.count, 2)],
      ...tables.map((table) => [`Pages of \`${table}\``, perCall(byTable.get(table) ?? 0, 2)] as const),
      ['Other pages', perCall(byTable.get(outsideTables) ?? 0, 2)],
      // SQLite writes each page with two system calls: one for the frame header and one for the page.
      ['Writes to the write-ahead log', perCall(2 * pages.count, 1)],
      ['KiB written to the write-ahead log', perCall(pages.count * (4 + 24 / 1024), 1)],
      ['SQL statements', perCall(statementsCounted, 1)],
    ]
    const limits = limitsOf('SQLite with many end users', columns)
    const limitOf = (name: string): number | undefined => limits.get(name)?.[column]
    console.info(counts.map(([name, counted]) => `${name}: ${counted} of ${limitOf(name)}`).join('\n'))
    expect(counts).toEqual(counts.map(([name]) => [name, limitOf(name)]))
  },
)

/** The returned function returns the number of SQL statements so far. */
function countStatements(): () => number {
  let statements = 0
  for (const method of ['all', 'get', 'run'] as const) {
    // oxlint-disable-next-line typescript/unbound-method -- it is applied to the statement below
    const original = StatementSync.prototype[method] as (...parameters: unknown[]) => unknown
    vi.spyOn(StatementSync.prototype, method).mockImplementation(function (
      this: StatementSync,
      ...parameters
    ) {
      statements += 1
      return Reflect.apply(original, this, parameters) as never
    })
  }
  return () => statements
}
