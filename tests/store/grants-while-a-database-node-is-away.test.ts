/**
 * A node of a distributed PostgreSQL does not respond. Each node has a copy of the table of grants, so batches with
 * grants fail, and batches of shards on other nodes succeed. The test simulates this on one node by letting every write
 * of a grant fail.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { ShardGroups } from '#store/postgres/shard-groups.ts'
import { openInShardGroups } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres, sql } from '../support/start-postgres.ts'
import { evenShardGroups } from '../support/equal-shard-groups.ts'

const credit = 1_000_000n
const amount = 7n
const used = { input: 10, output: 10 }
/** The sweeper continues a grant after this time without progress (postgres/dead-process-sweeper.ts). */
const stalledMs = 60_000

describe.skipIf(!hasPostgres)('grants that cannot be written', () => {
  const clock = { nowMs: startMs }
  const groups = new ShardGroups(evenShardGroups(4))
  /** `writesLeft` grants can still be written, and `failures` batches have failed since. */
  const node = { writesLeft: Infinity, failures: 0 }
  let opened: Awaited<ReturnType<typeof openInShardGroups>>
  let world: World
  let callers: Caller[]

  beforeEach(async () => {
    clock.nowMs = startMs
    node.writesLeft = Infinity
    node.failures = 0
    opened = await openInShardGroups({
      nowMs: () => clock.nowMs,
      faults(point) {
        if (point !== 'grant' || node.writesLeft-- > 0) return null
        node.failures += 1
        return 'io'
      },
    })
    world = new World(opened.store, clock)
    await world.found()
    callers = []
    // oxlint-disable-next-line no-await-in-loop -- one end user after the other
    for (let made = 0; made < 16; made++) callers.push(await world.person(credit))
  })
  afterEach(() => opened.closeSound())

  const idsOf = (some: readonly Caller[]): string[] => some.map(({ endUserId }) => endUserId)
  const serve = async (caller: Caller): Promise<void> => {
    const request = world.request(caller, used)
    expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
    expect(await world.settle(request, used)).toMatchObject({ chargeMicros: 20n })
  }
  const granted = async (): Promise<bigint[]> => {
    const rows = await opened.store.database.read
      .selectFrom('ledger')
      .select(['end_user_id', 'amount'])
      .where('kind', '=', 'grant')
      .where('amount', '=', amount)
      .execute()
    return callers.map(({ endUserId }) => BigInt(rows.filter((row) => row.end_user_id === endUserId).length))
  }

  test('a grant in progress is rejected, requests of all shards are served, and the sweeper completes the grant', async () => {
    expect(new Set(idsOf(callers).map((id) => groups.of(id))).size).toBe(4)
    node.writesLeft = 2
    await expect(world.credit(idsOf(callers), amount)).rejects.toThrow(StoreUnavailable)
    expect(node.failures).toBeGreaterThan(0)
    await Promise.all(callers.map(serve))
    expect(opened.store.ledger.keptCount).toBe(0)
    const first = await granted()
    expect(new Set(first)).toEqual(new Set([0n, 1n]))

    node.writesLeft = Infinity
    expect((await opened.store.sweeper.sweep()).grants).toBe(0)
    clock.nowMs += stalledMs
    expect((await opened.store.sweeper.sweep()).grants).toBe(1)
    expect(await granted()).toEqual(callers.map(() => 1n))
  })

  test('a grant is rejected as unavailable if its end users cannot be read', async () => {
    await sql(
      opened.url,
      `CREATE FUNCTION fail() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
         RAISE 'connection to the remote node failed' USING ERRCODE = '08006'; END $$`,
      'ALTER TABLE end_users RENAME TO stored_end_users',
      'CREATE VIEW end_users AS SELECT * FROM stored_end_users WHERE fail()',
    )
    await expect(world.credit(idsOf(callers), amount)).rejects.toThrow(StoreUnavailable)
    await sql(
      opened.url,
      'DROP VIEW end_users',
      'DROP FUNCTION fail',
      'ALTER TABLE stored_end_users RENAME TO end_users',
    )
    expect(await granted()).toEqual(callers.map(() => 0n))
  })

  test('requests in the same batches as new grants are served', async () => {
    const some = callers.filter(({ endUserId }) => groups.of(endUserId) === 0)
    const [first] = some
    if (first === undefined) throw new Error('the group has end users')
    node.writesLeft = 0
    const grants = Array.from({ length: 3 }, () => world.credit([first.endUserId], amount))
    const served = some.map(serve)
    for (const result of await Promise.allSettled(grants))
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) as Error })
    await Promise.all(served)
    // The failed batch runs twice, and then the first grant runs alone.
    expect(node.failures).toBeLessThanOrEqual(3)
    expect(await granted()).toEqual(callers.map(() => 0n))
  })
})
