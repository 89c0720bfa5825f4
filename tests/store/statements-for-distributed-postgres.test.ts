/**
 * Checks the ledger's statements for a distributed PostgreSQL, on one node. Every statement of a request must contain
 * the distribution column of its tables, and no transaction may use rows of two shard groups.
 * tests/long/requests-on-citus.test.ts runs the statements on Citus.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { distributedBy, onEachNode } from '#store/postgres/sql-for-sharded-tables.ts'
import { type ShardGroup, ShardGroups } from '#store/postgres/shard-groups.ts'
import { ShardTables } from '#store/postgres/shard-tables.ts'
import { hashOfText } from '#store/sql/postgres-text-hash.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { openInShardGroups, openOnPostgres } from '../store-conformance/engines.ts'
import { type Caller, dayMs, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import {
  callsOfEachKind,
  payerOf,
  peopleWithLimits,
  recordTransactions,
  type SentStatement,
  teamsInGroups,
} from '../support/record-ledger-statements.ts'
import { eventually } from '../support/start-product.ts'
import { hasPostgres, newDatabase } from '../support/start-postgres.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { evenShardGroups } from '../support/equal-shard-groups.ts'

const forms = [
  { name: 'one shard group', open: openOnPostgres },
  { name: 'four shard groups', open: openInShardGroups },
]
const transactions = hasPostgres ? recordTransactions() : []
const use = /\b(FROM|JOIN|INTO|UPDATE|USING) ([a-z_]{2,})(?: ([a-z]+)\b)?/g
const notTables = new Set(['unnest', 'generate_series', 'lane', 'people', 'free'])

/** The texts in an array parameter (store/postgres/array-parameter.ts). Other parameters are returned unchanged. */
function elementsOf(value: string): string[] {
  if (!value.startsWith('{')) return [value]
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, element = '']) => element)
}

interface TableUse {
  readonly table: string
  /** The parameter that the statement compares with the distribution column. */
  readonly alias: string
  readonly isAdded: boolean
  readonly isWritten: boolean
}

function usesOf(text: string): TableUse[] {
  const withs = new Set([...text.matchAll(/\b(\w+) AS (?:MATERIALIZED )?\(/g)].map(([, name]) => name))
  return [...text.matchAll(use)]
    .filter(([, , table = '']) => !notTables.has(table) && !withs.has(table))
    .map(([, verb = '', table = '', alias = '']) => {
      const isWritten = verb === 'INTO' || verb === 'UPDATE' || text.includes(`DELETE FROM ${table}`)
      const hasAlias = alias !== '' && alias === alias.toLowerCase()
      return { table, alias: hasAlias ? `${alias}.` : '', isAdded: verb === 'INTO', isWritten }
    })
    .filter(({ table }) => table !== 'SET')
}

function faultsOf({ name, text }: SentStatement): string[] {
  return usesOf(text).flatMap(({ alias, isAdded, isWritten, table }) => {
    const column = distributedBy[table]
    if (column === undefined) {
      if (!onEachNode.includes(table)) return [`${name} uses ${table}, which is not on every node`]
      return isWritten ? [`${name} writes ${table}, which is on every node`] : []
    }
    if (isAdded) {
      const columns = text.split(`INTO ${table} (`)[1]?.split(')')[0]?.split(', ') ?? []
      return columns.includes(column) ? [] : [`${name} adds to ${table} without ${column}`]
    }
    const compared = `(?<![\\w.])${alias.replace('.', '\\.')}${column} = (?:w\\.(?:end_user_id|shard_key)|ANY|\\$)`
    return new RegExp(compared).test(text) ? [] : [`${name} finds ${table} without ${alias}${column}`]
  })
}

describe.skipIf(!hasPostgres).each(forms)('the statements of requests in $name', ({ name, open }) => {
  const clock = { nowMs: startMs }
  let opened: Awaited<ReturnType<typeof open>>
  const groups = new ShardGroups(name === 'one shard group' ? [oneGroup] : evenShardGroups(4))
  let world: World
  let callers: Caller[]
  let seed: number
  let ofRequests: readonly (readonly SentStatement[])[]
  // All tests share one run of the requests, because it takes most of the time. Only the last test changes the clock
  // and the sums of days.
  beforeAll(async () => {
    seed = seedOfRun()
    opened = await open({ nowMs: () => clock.nowMs })
    world = new World(opened.store, clock)
    callers = await teamsInGroups(world, await peopleWithLimits(world, 24), (id) => groups.of(id))
    transactions.length = 0
    const random = randomFrom(seed)
    await withSeed(seed, async () => {
      await callsOfEachKind(world, callers, random)
      clock.nowMs += 3_600_000
      await callsOfEachKind(world, callers, random)
    })
    ofRequests = [...transactions]
  })
  afterAll(() => opened.closeSound())

  test('each statement names the distribution column, and no statement writes a table that is copied to each node', () => {
    const statements = new Map(ofRequests.flat().map((statement) => [statement.name, statement]))
    const names = [...statements.keys()].map((statement) =>
      statement.replace(/write_(?:on_shard_)?\d+/, 'write').replace('lock_at_place', 'lock'),
    )
    const needed = [
      'lock',
      'write',
      'write_run',
      'load_key',
      'load_sources',
      'load_bundle',
      'load_spent',
      'load_run',
    ]
    expect(names, `SEED=${seed}`).toEqual(
      expect.arrayContaining([...needed, 'load_line_uses', 'load_settled']),
    )
    expect([...statements.values()].flatMap(faultsOf)).toEqual([])
  })

  test.skipIf(name === 'four shard groups')(
    'a lane that connects to the node of its shard sends the same statements with the tables of the shard',
    async () => {
      const tables = [...Object.keys(distributedBy), ...onEachNode]
      const ofShard = new ShardTables(7n, new Map(tables.map((table) => [table, `${table}_7`])))
      const client = new Client({ connectionString: opened.url })
      await client.connect()
      await client.query('BEGIN')
      for (const table of tables)
        // oxlint-disable-next-line no-await-in-loop -- one connection
        await client.query(`ALTER TABLE ${table} RENAME TO ${table}_7`)
      for (const [at, { name: statement, text }] of [
        ...new Map(ofRequests.flat().map((each) => [each.text, each])).values(),
      ].entries()) {
        const sent = ofShard.at({ name: statement, text, values: [] })
        // PostgreSQL checks every table and column when it prepares a statement.
        // oxlint-disable-next-line no-await-in-loop -- as above
        await client.query(`PREPARE statement_${at} AS ${sent.text}`)
      }
      await client.query('ROLLBACK')
      await client.end()
    },
  )

  const expectOneGroupEach = (all: readonly (readonly SentStatement[])[]): void => {
    const people = new Set(callers.map(({ endUserId }) => endUserId))
    const used = new Set<number>()
    for (const transaction of all) {
      const ids = transaction
        .flatMap(({ values }) => values.flat())
        .flatMap((value) => elementsOf(String(value)))
        .filter((id) => people.has(id))
      const inGroups = new Set(ids.map((id) => groups.of(id)))
      expect(inGroups.size, `SEED=${seed}`).toBeLessThanOrEqual(1)
      for (const group of inGroups) used.add(group)
    }
    expect(used.size).toBe(groups.keys.length)
  }

  test('no transaction uses end users of two groups, and each group has transactions', () => {
    expectOneGroupEach(ofRequests)
  })

  test('a grant adds credit to the end users of all groups, with one transaction for each group', async () => {
    transactions.length = 0
    const before = await Promise.all(callers.map((caller) => world.wallet(caller)))
    const ids = callers.map(({ endUserId }) => endUserId)
    const grant = { idempotencyKey: 'all', requestHash: 'a' }
    const first = await world.credit(ids, 7n, grant)
    expect(first).toMatchObject({ kind: 'credited', isReplay: false, endUsers: callers.length })
    expect(await world.credit(ids, 7n, grant)).toEqual({ ...first, isReplay: true })
    const after = await Promise.all(callers.map((caller) => world.wallet(caller)))
    expect(after.map(({ posted }) => posted)).toEqual(before.map(({ posted }) => posted + 7n))
    await expect(world.credit([...ids, 'eu_stranger'], 7n)).rejects.toThrow('eu_stranger')
    expect(await Promise.all(callers.map((caller) => world.wallet(caller)))).toEqual(after)
    expectOneGroupEach(transactions)
  })

  test('in each group, the wallet of a payer pays for requests of members', async () => {
    await Promise.all(
      callers.map(async (caller) => {
        const request = world.request(caller, { input: 10, output: 20 }, payerOf(caller))
        expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
        await world.settle(request, { input: 10, output: 20 })
      }),
    )
    const entries = await opened.store.database.read
      .selectFrom('ledger')
      .select('end_user_id')
      .distinct()
      .where('reason', 'like', 'team/%')
      .execute()
    expect(new Set(entries.map((entry) => groups.of(entry.end_user_id))).size).toBe(groups.keys.length)
  })

  test('a payer can pay only for end users in the same shard group', async () => {
    const { read } = sqlStore(opened.store.database)
    const [payer, ...others] = callers
    const isPayable = await read.teams.payableBy(payer?.endUserId ?? '')
    const payable = others.filter(({ endUserId }) => isPayable(endUserId))
    const group = groups.of(payer?.endUserId ?? '')
    expect(payable).toEqual(others.filter(({ endUserId }) => groups.of(endUserId) === group))
    expect(payable.length === others.length).toBe(groups.keys.length === 1)
  })

  test.skipIf(name === 'one shard group')(
    'a settle that is days late writes only rows of its end user, and marks the outdated sums without delaying a lane',
    async () => {
      const { database } = opened.store
      const [late, other] = callers.filter(({ endUserId }) => groups.of(endUserId) === 0)
      if (late === undefined || other === undefined) throw new Error('each group has end users')
      const settle = async (caller: Caller): Promise<void> => {
        const request = world.request(caller, { input: 10, output: 20 }, payerOf(caller))
        expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
        await world.settle(request, { input: 10, output: 20 })
      }
      const day = Math.floor(startMs / dayMs)
      expect(await foldUsageDays(database, startMs + 10 * dayMs)).toBeGreaterThan(0)
      const throughDay = async (): Promise<number> =>
        (await database.read.selectFrom('usage_fold').select('through_day').executeTakeFirstOrThrow())
          .through_day
      expect(await throughDay()).toBe(day + 8)
      transactions.length = 0
      const fold = new Client({ connectionString: opened.url })
      await fold.connect()
      await fold.query('BEGIN')
      await fold.query('SELECT FROM usage_fold FOR UPDATE')
      const records = async (): Promise<number> =>
        (await database.read.selectFrom('usage_records').select('call_id').execute()).length
      const before = await records()
      const isSettled = settle(late)
      await eventually(async () => expect(await records()).toBe(before + 1))
      clock.nowMs = startMs + 10 * dayMs
      await settle(other)
      expect(await throughDay()).toBe(day + 8)
      await fold.query('ROLLBACK')
      await fold.end()
      await isSettled
      await eventually(async () => expect(await throughDay()).toBe(day - 1))
      expect(transactions.flat().flatMap(faultsOf)).toEqual([])
    },
  )
})

const oneGroup: ShardGroup = { key: '', from: -(2 ** 31), to: 2 ** 31 - 1 }

describe('shard groups', () => {
  test.skipIf(!hasPostgres)('the hash of a text of any length equals PostgreSQL’s hash', async () => {
    const seed = seedOfRun()
    const random = randomFrom(seed)
    const letters = ['a', 'Z', '_', '7', 'ß', '€', '😀']
    const texts = Array.from({ length: 400 }, (_, at) =>
      Array.from({ length: at % 50 }, () => random.pick(letters)).join(''),
    )
    const database = await newDatabase()
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<{ hash: number }>(
      `SELECT hashtext(w.text COLLATE "C") AS hash FROM unnest($1::text[]) WITH ORDINALITY AS w(text, i) ORDER BY i`,
      [texts],
    )
    await client.end()
    await database.drop()
    expect(texts.map(hashOfText), `SEED=${seed}`).toEqual(rows.map(({ hash }) => hash))
  })

  test('every text belongs to exactly one group, and the key of a group belongs to that group', () => {
    for (const count of [1, 2, 3, 8, 32].filter((shards) => 2 ** 32 % shards === 0)) {
      const made = evenShardGroups(count)
      const groups = new ShardGroups(made)
      expect(groups.keys).toHaveLength(count)
      for (const [at, key] of groups.keys.entries()) expect(groups.of(key)).toBe(at)
    }
    const [first, , third, fourth] = evenShardGroups(4)
    if (!first || !third || !fourth) throw new Error('there are four groups')
    expect(() => new ShardGroups([first, third, fourth])).toThrow(
      /does not begin where the previous group ends/,
    )
    expect(() => new ShardGroups([first])).toThrow('the shard groups contain every hash')
  })
})
