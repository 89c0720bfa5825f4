/** An end user may have a new run for each request, and stays in the cache of the embedded store's ledger. */
import { expect, test } from 'vitest'
import { performOne } from '#store/ledger/handle-failed-batches.ts'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { SqliteBook } from '#store/sqlite/ledger-state.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'

const outcome = { slug: 'report', ceilingMicros: 1_000n }
const runs = 200

test('the ledger keeps few runs of an end user in memory, and finds the others in the store', async () => {
  const opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  const world = new World(opened.store, { nowMs: startMs })
  await world.found()
  await world.outcome(outcome.slug, outcome.ceilingMicros)
  const caller = await world.person(1_000_000n)
  const connection = openConnection(sqlitePath(opened.folder), 'write')
  const book = new SqliteBook(connection, opened.store.epoch, () => {})
  const commit = (operations: readonly Operation[]): void => {
    connection.exec('BEGIN IMMEDIATE')
    book.begin()
    for (const operation of operations) expect(performOne(book, operation)).toMatchObject({ kind: 'done' })
    book.flush()
    connection.exec('COMMIT')
  }
  const requests = Array.from({ length: runs }, (_, n) =>
    world.request(caller, { input: 1, output: 9 }, { outcome: { ...outcome, runId: `run-${n}` } }),
  )
  const kept: number[] = []
  for (const request of requests) {
    commit([{ kind: 'reserve', request }])
    kept.push(book.person(caller.endUserId, caller.mode, startMs)?.runs.size ?? 0)
  }
  // All runs are in one batch.
  commit(requests.map((request) => ({ kind: 'settle', request: world.settlement(request, { output: 9 }) })))
  commit([])
  kept.push(book.person(caller.endUserId, caller.mode, startMs)?.runs.size ?? 0)
  const last = book.person(caller.endUserId, caller.mode, startMs)
  expect(last && book.run(last, outcome.slug, 'run-0')).toMatchObject({ calls: 1, spentMicros: 9n })
  connection.close()
  await opened.closeSound()
  expect(Math.max(...kept)).toBeLessThanOrEqual(33)
})
