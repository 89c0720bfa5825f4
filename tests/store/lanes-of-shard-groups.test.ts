/** tests/long/citus-node-failure.test.ts tests lanes while a node does not respond. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { poolOf } from '#store/postgres/connection.ts'
import { endEpoch } from '#store/postgres/process-lease.ts'
import { openInShardGroups } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { eventually } from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'

describe.skipIf(!hasPostgres)('in four shard groups', () => {
  let opened: Awaited<ReturnType<typeof openInShardGroups>>
  let world: World
  const fatal: Error[] = []

  beforeEach(async () => {
    fatal.length = 0
    opened = await openInShardGroups({ nowMs: () => startMs, onFatal: (error) => fatal.push(error) })
    world = new World(opened.store, { nowMs: startMs })
    await world.found()
  })
  afterEach(() => opened.closeSound())

  const lanes = async (): Promise<number> => {
    const pool = poolOf({ url: opened.url, access: 'read' }, 1)
    const { rows } = await pool.query('SELECT FROM lanes')
    await pool.end()
    return rows.length
  }

  test('a start creates no row of a lane; the first batch of each lane creates the row', async () => {
    expect(await lanes()).toBe(0)
    const caller = await world.person(1_000n)
    expect(await lanes()).toBe(1)
    for (let calls = 0; calls < 3; calls++) {
      const request = world.request(caller, { input: 10, output: 10 })
      expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
      await world.settle(request, { input: 10, output: 10 })
    }
    expect(await lanes()).toBe(1)
    expect(fatal).toEqual([])
  })

  test('a process that was declared dead creates no lane, and must exit', async () => {
    const pool = poolOf({ url: opened.url, access: 'write' }, 1)
    await endEpoch(pool, opened.store.epoch, startMs)
    await pool.end()
    await expect(world.person(1_000n)).rejects.toThrow('this process was silent for too long')
    // The process exits after the batch has rejected its operations.
    await eventually(async () => expect(fatal).toHaveLength(1))
    expect(await lanes()).toBe(0)
  })
})
