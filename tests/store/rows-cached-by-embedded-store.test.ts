/**
 * An end user may have a new run for each request, and a new key for each session. The end user stays in the cache of the
 * embedded store's ledger, but not all runs and key lines do.
 */
import { expect, test } from 'vitest'
import { performOne } from '#store/ledger/handle-failed-batches.ts'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import { rateRulesToText } from '#store/rows/json-columns.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { SqliteBook } from '#store/sqlite/ledger-state.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'

const outcome = { slug: 'report', ceilingMicros: 1_000n }
const runs = 200
const keys = 100

async function opened() {
  const store = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  const world = new World(store.store, { nowMs: startMs })
  await world.found()
  /** Call this after all rows exist that the calls need. */
  const openBook = () => {
    const connection = openConnection(sqlitePath(store.folder), 'write')
    const book = new SqliteBook(connection, store.store.epoch, () => {})
    const transact = (work: () => void): void => {
      connection.exec('BEGIN IMMEDIATE')
      book.begin()
      work()
      connection.exec('COMMIT')
    }
    return {
      book,
      commit: (operations: readonly Operation[]): void =>
        transact(() => {
          for (const operation of operations)
            expect(performOne(book, operation)).toMatchObject({ kind: 'done' })
          book.flush()
        }),
      /** Does what the writer does around a transaction of the control plane. */
      createKey: (): void => {
        transact(() => book.flushSlots())
        book.forget(['keys'])
      },
      close: async (): Promise<void> => {
        connection.close()
        await store.closeSound()
      },
    }
  }
  return { world, openBook }
}

test('the ledger keeps few runs of an end user in memory, and finds the others in the store', async () => {
  const { openBook, world } = await opened()
  await world.outcome(outcome.slug, outcome.ceilingMicros)
  const caller = await world.person(1_000_000n)
  const { book, close, commit } = openBook()
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
  const person = book.person(caller.endUserId, caller.mode, startMs)
  kept.push(person?.runs.size ?? 0)
  expect(person && book.run(person, outcome.slug, 'run-0')).toMatchObject({ calls: 1, spentMicros: 9n })
  await close()
  expect(Math.max(...kept)).toBeLessThanOrEqual(33)
})

test('the ledger keeps few key lines of an end user in memory, and their limits continue to count', async () => {
  const { openBook, world } = await opened()
  const rate_limits = rateRulesToText([{ measure: 'requests', window: 'day', most: 2n, models: null }])
  const limited = { rate_limits, cap_micros: 20n, cap_period: 'day' } as const
  const caller = await world.person(1_000_000n)
  const callers = [caller]
  // oxlint-disable-next-line no-await-in-loop -- in order
  for (let n = 0; n < keys; n++) callers.push(await world.key(caller.endUserId, limited))
  const { book, close, commit, createKey } = openBook()
  const kept: number[] = []
  const call = (n: number): void => {
    const request = world.request(callers[n] ?? caller, { input: 1, output: 9 })
    commit([{ kind: 'reserve', request }])
    commit([{ kind: 'settle', request: world.settlement(request, { input: 1, output: 9 }) }])
  }
  for (let n = 1; n <= keys; n++) {
    createKey()
    call(n)
    const person = book.person(caller.endUserId, caller.mode, startMs)
    kept.push(person?.lineUses.size ?? 0, person?.spends.size ?? 0)
  }
  call(1)
  const person = book.person(caller.endUserId, caller.mode, startMs)
  const [used] = person === null ? [] : book.lineUses(person, callers[1]?.keyId ?? '')
  expect(used?.slots.map(({ amount }) => amount)).toEqual([2n])
  // The cap of 20 micros is used up.
  const third = world.request(callers[1] ?? caller, { input: 1, output: 0 })
  commit([])
  expect(performOne(book, { kind: 'reserve', request: third })).toMatchObject({ value: { kind: 'refused' } })
  await close()
  expect(Math.max(...kept)).toBeLessThanOrEqual(33)
})
