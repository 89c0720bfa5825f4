/**
 * Reads of callers run separately from look-ups, take turns on the connections, and never run on the event loop.
 * Transactions of different organizations take turns, too.
 */
import { StatementSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Reader } from '#domain/store-interface.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { engines, openTemporary, type Opened } from './engines.ts'
import { startMs } from './add-rows-that-calls-need.ts'
import { isReadOnlyError } from '#tests/support/read-only-error.ts'

/** Occupies its connection, on either engine. */
const report = (query: Query): Promise<unknown> =>
  sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    SELECT count(*) AS rows_counted FROM n`.execute(query)

const readerOf = (organizationId: string, more: Partial<Reader> = {}): Reader => ({
  organizationId,
  callerId: `${organizationId} token`,
  isEndUser: false,
  onCost: () => {},
  ...more,
})

describe.each(engines)('$name', ({ name, open }) => {
  let opened: Opened
  beforeEach(async () => {
    const nowMs = (): number => startMs
    const threads = { writer: 'inline', openReaders: undefined } as const
    opened = name === 'SQLite, writer inline' ? await openTemporary({ ...threads, nowMs }) : await open(nowMs)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await opened.close()
  })

  /** The following reads then do not wait for a connection to open. */
  const openConnections = async (): Promise<void> => {
    const organizations = ['a', 'b', 'c', 'd']
    await Promise.all(
      organizations.map((organization) => report(opened.store.database.readFor(readerOf(organization)))),
    )
  }

  // The machine schedules threads in any order, so each test compares with half of a burst. In the order of arrival,
  // the last read would end after the whole burst.
  test('a read of another organization does not wait for a burst of one organization', async () => {
    await openConnections()
    const { database } = opened.store
    const ended: string[] = []
    const burst = Array.from({ length: 30 }, () =>
      report(database.readFor(readerOf('a'))).then(() => ended.push('a')),
    )
    // A busy machine also completes a short read before the last reads of the burst.
    await database.readFor(readerOf('b')).selectFrom('organizations').selectAll().execute()
    ended.push('b')
    const endedBefore = ended.length - 1
    await Promise.all(burst)
    expect(endedBefore).toBeLessThan(30)
    expect(ended).toHaveLength(31)
  })

  test('a look-up does not wait for a report', async () => {
    await openConnections()
    const { database } = opened.store
    let ended = 0
    const organizations = ['a', 'b', 'c', 'd']
    const reports = organizations.flatMap((organization) =>
      Array.from({ length: 15 }, () =>
        report(database.readFor(readerOf(organization))).then(() => (ended += 1)),
      ),
    )
    await database.read.selectFrom('organizations').selectAll().execute()
    const endedBefore = ended
    await Promise.all(reports)
    expect(endedBefore).toBeLessThan(30)
  })

  test('no SQL statement of a read runs on the event loop', async () => {
    const { database } = opened.store
    const methods = ['all', 'get', 'run', 'iterate'] as const
    const spies = methods.map((method) => vi.spyOn(StatementSync.prototype, method))
    const reader = readerOf('a')
    await Promise.all(Array.from({ length: 8 }, () => report(database.readFor(reader))))
    await database.read.selectFrom('organizations').selectAll().execute()
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0, 0])
  })

  test('a transaction of another organization does not wait for a burst of one organization', async () => {
    const { database } = opened.store
    const ended: string[] = []
    const writing = (organization: string, n: number): Promise<unknown> =>
      database
        .transaction(
          (tx) =>
            tx
              .insertInto('organizations')
              .values({
                id: `org_${organization}${n}`,
                code: `${organization}${n}`,
                name: 'N',
                created_at_ms: n,
              })
              .execute(),
          readerOf(organization),
        )
        .then(() => ended.push(organization))
    const burst = Array.from({ length: 10 }, (_, n) => writing('a', n))
    await writing('b', 0)
    // The second organization's transaction arrived while one of the first organization was running and another was
    // next.
    const before = [...ended]
    await Promise.all(burst)
    expect(before).toEqual(['a', 'a', 'b'])
    expect(ended).toHaveLength(11)
  })

  test('each SQL statement reports its cost', async () => {
    const { database } = opened.store
    const costs: number[] = []
    const reader = readerOf('a', { onCost: (ms) => costs.push(ms) })
    await report(database.readFor(reader))
    await database.readFor(reader).selectFrom('organizations').selectAll().execute()
    expect(costs).toHaveLength(2)
    const [long = 0, short = 0] = costs
    expect(long).toBeGreaterThan(short)
  })

  test('a query that is run for a caller’s read cannot write', async () => {
    const organization = { id: 'org_1', code: 'one', name: 'One', created_at_ms: startMs }
    const written = opened.store.database
      .readFor(readerOf('a'))
      .insertInto('organizations')
      .values(organization)
      .execute()
    await expect(written, name).rejects.toSatisfy(isReadOnlyError)
  })
})
