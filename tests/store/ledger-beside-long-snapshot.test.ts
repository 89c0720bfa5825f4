/**
 * `tollgate verify` and `pg_dump` read one snapshot for minutes. Until they end, PostgreSQL keeps all versions of every
 * changed row. Each batch changes the row of its lane (ledger connection), so a batch must not look at the row's earlier
 * versions.
 */
import { expect, test } from 'vitest'
import pg from 'pg'
import { openOnPostgres } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { ledgerConnections } from '../support/find-ledger-connections.ts'
import { hasPostgres } from '../support/start-postgres.ts'

/** A page has room for about a hundred versions of a lane's row. */
const batchesBefore = 1_500
const batchesCounted = 20

test.skipIf(!hasPostgres)(
  'a batch reads few pages of lanes while a long transaction keeps a snapshot',
  async () => {
    const clients = ledgerConnections()
    const opened = await openOnPostgres({ nowMs: () => startMs })
    const world = new World(opened.store, { nowMs: startMs })
    await world.found()
    const caller = await world.person(1_000_000_000n)
    const runBatches = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 2) {
        const request = world.request(caller, { input: 1, output: 1 })
        // oxlint-disable-next-line no-await-in-loop -- each operation is a batch
        await world.reserve(request)
        // oxlint-disable-next-line no-await-in-loop -- as above
        await world.settle(request, { input: 1, output: 1 })
      }
    }
    await runBatches(2)
    const reader = new pg.Client({ connectionString: opened.url })
    await reader.connect()
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await reader.query('SELECT count(*) FROM lanes')
    const watcher = new pg.Client({ connectionString: opened.url })
    await watcher.connect()
    const pagesRead = async (): Promise<number> => {
      // Each connection reports its counts at most once a second.
      for (const client of clients) {
        // oxlint-disable-next-line no-await-in-loop -- one connection after the other
        await client.query('SELECT pg_stat_force_next_flush()')
      }
      const { rows } = await watcher.query<{ readonly pages: string }>(
        `SELECT heap_blks_hit + heap_blks_read AS pages FROM pg_statio_user_tables WHERE relname = 'lanes'`,
      )
      return Number(rows[0]?.pages)
    }

    await runBatches(batchesBefore)
    const before = await pagesRead()
    await runBatches(batchesCounted)
    const perBatch = ((await pagesRead()) - before) / batchesCounted
    await reader.query('COMMIT')
    await Promise.all([reader.end(), watcher.end()])
    await opened.closeSound()
    // A batch locks the row and changes it. The change may need another page.
    expect(perBatch).toBeGreaterThan(0)
    expect(perBatch).toBeLessThan(6)
  },
)

test.skipIf(!hasPostgres)('after the row of a lane has moved, the next batch finds the row', async () => {
  const opened = await openOnPostgres({ nowMs: () => startMs })
  const world = new World(opened.store, { nowMs: startMs })
  await world.found()
  const caller = await world.person(1_000_000_000n)
  const client = new pg.Client({ connectionString: opened.url })
  await client.connect()
  for (const move of ['VACUUM FULL lanes', 'UPDATE lanes SET batch = batch', 'VACUUM FULL lanes']) {
    const request = world.request(caller, { input: 1, output: 1 })
    // oxlint-disable-next-line no-await-in-loop -- the row moves between two batches
    expect((await world.reserve(request)).kind).toBe('reserved')
    // oxlint-disable-next-line no-await-in-loop -- as above
    await client.query(move)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await world.settle(request, { input: 1, output: 1 })
  }
  await client.end()
  await opened.closeSound()
})
