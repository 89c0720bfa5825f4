/**
 * Counts what one of many calls adds to the embedded store: 2,000 end users in random order, and 12 calls in each
 * commit. request-cost.test.ts counts the calls of a single end user, who finds all rows on the same pages.
 */
import { rmSync } from 'node:fs'
import { StatementSync } from 'node:sqlite'
import { afterEach, expect, it, vi } from 'vitest'
import { openSqlite } from '#store/sqlite/engine.ts'
import { seedSqlite } from '../../tools/seed/seed.ts'
import { World } from '../store-conformance/world.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { randomFrom } from '../support/random.ts'
import { limitsOf } from './documented-limits.ts'
import { callsPerCommit, SharedCalls } from './shared-calls.ts'
import { pagesInLog } from './write-ahead-log-pages.ts'

const people = 2_000
const nowMs = Date.UTC(2026, 10, 20, 12)
/** So many calls that most end users have rows of the day, and some end users have none yet. */
const commits = { warmUp: 100, counted: 200 }
const columns = ['12 requests per commit']

afterEach(() => void vi.restoreAllMocks())

it('a call of many end users writes no more than its limit', { timeout: 120_000 }, async () => {
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
  const calls = new SharedCalls(new World(store, { nowMs }), store.ledger, () => random.whole(0, people - 1))
  let pages = 0
  let pagesBefore = pagesInLog(folder)
  const commit = async (): Promise<void> => {
    await calls.commit()
    const inLog = pagesInLog(folder)
    pages += inLog >= pagesBefore ? inLog - pagesBefore : inLog
    pagesBefore = inLog
  }
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let n = 0; n < commits.warmUp; n += 1) await commit()
  const before = { pages, statements: statements() }
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let n = 0; n < commits.counted; n += 1) await commit()
  const callsCounted = commits.counted * callsPerCommit
  const pagesPerCall = (pages - before.pages) / callsCounted
  const counts: readonly (readonly [name: string, counted: number])[] = [
    ['Pages written', Number(pagesPerCall.toFixed(2))],
    ['KiB written to the log', Number((pagesPerCall * (4 + 24 / 1024)).toFixed(1))],
    ['SQL statements', Number(((statements() - before.statements) / callsCounted).toFixed(1))],
  ]
  await store.close()
  rmSync(folder, { recursive: true })
  const limits = limitsOf('SQLite with many end users', columns)
  console.info(counts.map(([name, counted]) => `${name}: ${counted} of ${limits.get(name)?.[0]}`).join('\n'))
  expect(counts).toEqual(counts.map(([name]) => [name, limits.get(name)?.[0]]))
})

/** Returns a function for the number of statements that this process has run. */
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
