/**
 * Balances, held amounts and counted usage of rate limits in the embedded store. Batches first write them into slots,
 * which are rows that are reused. Random calls are compared with their charges, in this process and in a process that
 * opens the file after `kill -9`. SOURCES_SEED runs only the case with the seed that a failure printed.
 */
import { cpSync, existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import type { RateRule } from '#money/decision-types.ts'
import { amountOf, type RateUse } from '#money/rate-limit.ts'
import { SqliteLane } from '#store/sqlite/batch-engine.ts'
import type { InjectFault } from '#store/ledger/faults-injected-by-tests.ts'
import { balances } from '#store/nouns/balances.ts'
import { keys } from '#store/nouns/keys.ts'
import { countedUses } from '#store/nouns/limits/rate-limit-usage.ts'
import { bigintIn } from '#store/rows/read-row-strictly.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { migrateSqlite } from '#store/sqlite/migrate.ts'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'

const people = 60
const credit = 1_000_000n

const seeds = process.env.SOURCES_SEED
  ? [Number(process.env.SOURCES_SEED)]
  : Array.from({ length: isLong ? 3 : 1 }, () => Math.floor(Math.random() * 2 ** 31))

type Store = Awaited<ReturnType<typeof openTemporary>>
const opens: Store[] = []
afterEach(async () => {
  for (const opened of opens.splice(0)) await opened.close()
})

interface Setting {
  readonly opened: Store
  readonly world: World
  readonly callers: readonly Caller[]
}

type Options = Partial<Parameters<typeof openTemporary>[0]>

async function openPeople(count: number, options: Options = {}): Promise<Setting> {
  const opened = await openTemporary({
    writer: 'inline',
    nowMs: () => startMs,
    queue: { backoffMs: () => 0, settleWaitMs: 60_000 },
    ...options,
  })
  opens.push(opened)
  const world = new World(opened.store, { nowMs: startMs })
  await world.found()
  const callers: Caller[] = []
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let i = 0; i < count; i += 1) callers.push(await world.person(credit))
  return { opened, world, callers }
}

type Wallets = Map<string, { posted: bigint; held: bigint }>

function walletsOf(callers: readonly Caller[]): Wallets {
  return new Map(callers.map(({ endUserId }) => [endUserId, { posted: credit, held: 0n }]))
}

function walletOf(wallets: Wallets, { endUserId }: { readonly endUserId: string }) {
  const wallet = wallets.get(endUserId)
  if (wallet === undefined) throw new Error(`${endUserId} has no wallet`)
  return wallet
}

/** All callers share one batch. */
async function reserve(
  { world }: Setting,
  wallets: Wallets,
  callers: readonly Caller[],
): Promise<ReserveRequest[]> {
  const requests = callers.map((caller) => world.request(caller, { input: 10, output: 10 }))
  const results = await Promise.all(requests.map((request) => world.reserve(request)))
  for (const [i, result] of results.entries()) {
    const request = requests[i]
    expect(result.kind).toBe('reserved')
    if (request !== undefined && result.kind === 'reserved')
      walletOf(wallets, request).held += result.worstMicros
  }
  return requests
}

/** All calls share one batch. */
async function end(
  { world }: Setting,
  wallets: Wallets,
  requests: readonly ReserveRequest[],
  output: number,
): Promise<void> {
  const charges = await Promise.all(
    requests.map(async (request) => {
      if (output > 0) return (await world.settle(request, { input: 10, output })).chargeMicros
      await world.release(request)
      return 0n
    }),
  )
  for (const [i, charge] of charges.entries()) {
    const request = requests[i]
    if (request === undefined) continue
    const wallet = walletOf(wallets, request)
    wallet.posted -= charge
    wallet.held -= 20n
  }
}

/** Includes the slots. */
async function stored({ store }: Store): Promise<Wallets> {
  const { rows } = await sql<{ end_user_id: string; posted: bigint; held: bigint }>`
    SELECT end_user_id, posted, held FROM sources WHERE id = 'wallet'`.execute(store.database.read)
  return new Map(rows.map(({ end_user_id, posted, held }) => [end_user_id, { posted, held }]))
}

/** Excludes the slots. */
function inTable(folder: string): Wallets {
  const connection = openConnection(sqlitePath(folder), 'read')
  try {
    const statement = connection.prepare("SELECT end_user_id, posted, held FROM sources WHERE id = 'wallet'")
    statement.setReadBigInts(true)
    const rows = statement.all()
    return new Map(
      rows.map((row) => [
        String(row.end_user_id),
        { posted: bigintIn(row, 'posted'), held: bigintIn(row, 'held') },
      ]),
    )
  } finally {
    connection.close()
  }
}

/** Copies the files as `kill -9` would leave them. */
function killedCopyOf(folder: string): string {
  const killed = newDataFolder('killed')
  for (const suffix of ['', '-wal']) {
    const path = sqlitePath(folder) + suffix
    if (existsSync(path)) cpSync(path, sqlitePath(killed) + suffix)
  }
  return killed
}

async function expectSound(folder: string): Promise<void> {
  const found = await verifySqlite(sqlitePath(folder))
  expect(found.filter(({ difference }) => difference !== null)).toEqual([])
}

/** The next process must read the same balances. It releases or settles the calls that were in flight. */
async function expectAfterKill(killed: string, wallets: Wallets): Promise<void> {
  await expectSound(killed)
  const isIdle = [...wallets.values()].every(({ held }) => held === 0n)
  const next = await openTemporary({ writer: 'inline', nowMs: () => startMs, folder: killed })
  opens.push(next)
  if (isIdle) expect(await stored(next)).toEqual(wallets)
  await next.closeSound()
}

test.each(seeds)(
  'balances and held amounts equal the sums of the calls (SOURCES_SEED=%i)',
  { timeout: 120_000 },
  async (seed) => {
    const random = randomFrom(seed)
    const setting = await openPeople(people)
    const { callers, opened, world } = setting
    const wallets = walletsOf(callers)
    let open: ReserveRequest[] = []
    let isBehind = false
    for (let batch = 0; batch < 120; batch += 1) {
      const some = Array.from({ length: random.whole(0, 30) }, () => random.pick(callers))
      // oxlint-disable no-await-in-loop -- one after the other
      const [reserved] = await Promise.all([
        reserve(setting, wallets, some),
        end(setting, wallets, open, random.whole(0, 10)),
      ])
      open = reserved
      if (random.chance(0.1)) {
        const { endUserId } = random.pick(callers)
        await world.credit([endUserId], 7n)
        walletOf(wallets, { endUserId }).posted += 7n
      }
      if (random.chance(0.03)) {
        await world.credit(
          callers.map(({ endUserId }) => endUserId),
          3n,
        )
        for (const wallet of wallets.values()) wallet.posted += 3n
      }
      expect(await stored(opened)).toEqual(wallets)
      isBehind ||= !isDeepStrictEqual(inTable(opened.folder), wallets)
      if (random.chance(0.03)) {
        await opened.store.database.transaction((tx) => sql`UPDATE usage_fold SET id = 1`.execute(tx))
        expect(inTable(opened.folder)).toEqual(wallets)
      }
      if (random.chance(0.03)) await expectAfterKill(killedCopyOf(opened.folder), wallets)
      if (random.chance(0.03)) await expectSound(opened.folder)
      // oxlint-enable no-await-in-loop
    }
    // Otherwise, the slots were not used.
    expect(isBehind).toBe(true)
    await end(setting, wallets, open, 3)
    expect(await stored(opened)).toEqual(wallets)
    await expectAfterKill(killedCopyOf(opened.folder), wallets)
    await opened.store.close()
    expect(inTable(opened.folder)).toEqual(wallets)
    await expectSound(opened.folder)
  },
)

/** Includes the slots. */
async function storedUses({ store }: Store, callers: readonly Caller[]): Promise<Uses> {
  const uses = countedUses(store.database.read)
  const tokensOf = (counted: readonly RateUse[] | undefined): bigint[] =>
    (counted ?? []).map(({ slots }) => amountOf(slots)).toSorted((one, other) => Number(one - other))
  const found: Uses = new Map()
  for (const { endUserId, keyId } of callers) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    found.set(endUserId, tokensOf(await uses.ofEndUser(endUserId, 'live')))
    // oxlint-disable-next-line no-await-in-loop -- as above
    found.set(keyId, tokensOf((await uses.ofLines(endUserId, 'live')).get(keyId)))
  }
  return found
}

/** Counted amounts in ascending order, by end user or key. */
type Uses = Map<string, bigint[]>

function usesInTables(folder: string): { readonly endUsers: number; readonly lines: number } {
  const connection = openConnection(sqlitePath(folder), 'read')
  const count = (table: string): number =>
    Number(connection.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows)
  const counts = { endUsers: count('rate_uses'), lines: count('line_rate_uses') }
  connection.close()
  return counts
}

test.each(seeds)(
  'the usage under limits of end users and keys equals the sum of the calls (SOURCES_SEED=%i)',
  { timeout: 120_000 },
  async (seed) => {
    const random = randomFrom(seed)
    const setting = await openPeople(20)
    const { callers, opened } = setting
    // With many rules, the usage of one end user takes several pages, and slots fill quickly.
    const rules = (count: number): RateRule[] =>
      Array.from({ length: count }, (_, at) => ({
        measure: 'outputTokens',
        window: '5h',
        most: 1_000_000n,
        models: [`acme/*`, `other/${at}/${'x'.repeat(count)}`],
      }))
    const counts = callers.map(() => random.pick([1, 1, 2, 30]))
    const ruleOfKey: RateRule = { measure: 'requests', window: 'month', most: 1_000_000n, models: null }
    await opened.store.database.transaction(async (tx) => {
      for (const [at, { endUserId, keyId }] of callers.entries()) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await balances(tx).setLimits(endUserId, 'live', [], rules(counts[at] ?? 0))
        // oxlint-disable-next-line no-await-in-loop -- as above
        await keys(tx).setCap(
          { id: keyId, lineId: null, endUserId },
          { capMicros: null, capPeriod: 'month', limits: [ruleOfKey] },
        )
      }
    })
    const used = new Map(callers.map((caller) => [caller, { tokens: 0n, calls: 0n }]))
    const expected = (): Uses =>
      new Map(
        [...used].flatMap(([{ endUserId, keyId }, { calls, tokens }], at) => [
          [endUserId, tokens === 0n ? [] : Array.from({ length: counts[at] ?? 0 }, () => tokens)],
          [keyId, calls === 0n ? [] : [calls]],
        ]),
      )
    const wallets = walletsOf(callers)
    let isBehind = false
    for (let batch = 0; batch < 60; batch += 1) {
      const some = Array.from({ length: random.whole(0, 12) }, () => random.pick(callers))
      const output = random.whole(0, 10)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await end(setting, wallets, await reserve(setting, wallets, some), output)
      for (const caller of some) {
        const own = used.get(caller)
        if (own === undefined) continue
        own.calls += 1n
        own.tokens += BigInt(output)
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await storedUses(opened, callers)).toEqual(expected())
      isBehind ||= usesInTables(opened.folder).lines < callers.length
      if (!random.chance(0.1)) continue
      // oxlint-disable no-await-in-loop -- as above
      const killed = killedCopyOf(opened.folder)
      const next = await openTemporary({ writer: 'inline', nowMs: () => startMs, folder: killed })
      opens.push(next)
      expect(await storedUses(next, callers)).toEqual(expected())
      await next.closeSound()
      // oxlint-enable no-await-in-loop
    }
    expect(isBehind).toBe(true)
    await opened.store.close()
    const active = [...used.values()]
    expect(usesInTables(opened.folder)).toEqual({
      endUsers: active.filter(({ tokens }) => tokens > 0n).length,
      lines: active.filter(({ calls }) => calls > 0n).length,
    })
    await expectSound(opened.folder)
  },
)

test('the ledger reads the usage of a key from a slot', async () => {
  const setting = await openPeople(1)
  const { callers, opened, world } = setting
  const [caller = expect.fail('no caller')] = callers
  const rule: RateRule = { measure: 'requests', window: 'month', most: 2n, models: null }
  await opened.store.database.transaction((tx) =>
    keys(tx).setCap(
      { id: caller.keyId, lineId: null, endUserId: caller.endUserId },
      { capMicros: null, capPeriod: 'month', limits: [rule] },
    ),
  )
  const connection = openConnection(sqlitePath(opened.folder), 'write')
  const lane = new SqliteLane(connection, {
    epoch: opened.store.epoch,
    onFatal: (error) => {
      throw error
    },
  })
  const decide = () => {
    const request = world.request(caller, { input: 1, output: 1 })
    const [result] = lane.decide([{ kind: 'reserve', request }]).results
    lane.commit()
    // The ledger must then read the end user and the key again.
    lane.forget(['end_users', 'keys'])
    return result
  }
  const admitted = { kind: 'done', value: { kind: 'reserved' } }
  expect([decide(), decide()]).toMatchObject([admitted, admitted])
  expect(decide()).toMatchObject({ kind: 'done', value: { kind: 'refused', code: 'rate_limited', used: 2n } })
  connection.close()
})

test('full slots are written to the table, even if nothing reads the table', async () => {
  const setting = await openPeople(people)
  const { callers, opened } = setting
  const wallets = walletsOf(callers)
  const before = inTable(opened.folder)
  let batches = 0
  while (String(inTable(opened.folder).get(callers[0]?.endUserId ?? '')?.posted) === String(credit)) {
    // The sources of each batch do not fit into the slot with the sources of the previous batch.
    const from = (batches % 2) * 30
    // oxlint-disable no-await-in-loop -- one after the other
    await end(setting, wallets, await reserve(setting, wallets, callers.slice(from, from + 30)), 5)
    // oxlint-enable no-await-in-loop
    batches += 1
    expect(batches).toBeLessThan(400)
  }
  expect(before).toEqual(walletsOf(callers))
  expect(batches).toBeGreaterThan(20)
  await expectAfterKill(killedCopyOf(opened.folder), wallets)
  await opened.closeSound()
})

test('a grant changes the balance of each end user, even if the slots cannot hold all of them', async () => {
  const setting = await openPeople(3)
  const { opened, world } = setting
  const wallets = walletsOf(setting.callers)
  await end(setting, wallets, await reserve(setting, wallets, setting.callers), 5)
  const endUsers = Array.from({ length: 32 * 40 + 1 }, (_, i) => `eu_more_${i}`)
  await opened.store.database.transaction(async (tx) => {
    const row = await tx.selectFrom('end_users').selectAll().limit(1).executeTakeFirstOrThrow()
    for (let at = 0; at < endUsers.length; at += 500) {
      const group = endUsers.slice(at, at + 500)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await tx
        .insertInto('end_users')
        .values(group.map((id) => ({ ...row, id, external_id: id })))
        .execute()
    }
  })
  for (const amount of [5n, 6n]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await world.credit(endUsers, amount)
  }
  for (const endUserId of endUsers) wallets.set(endUserId, { posted: 11n, held: 0n })
  expect(await stored(opened)).toEqual(wallets)
  await expectAfterKill(killedCopyOf(opened.folder), wallets)
  await opened.closeSound()
})

describe('a killed process or a full disk', () => {
  test('if the process is killed at any step of writing the slots to the table, no change is lost', async () => {
    const killed: { readonly at: string; readonly folder: string }[] = []
    let isWatched = false
    const setting = await openPeople(8, {
      faults: (point) => {
        if (isWatched) killed.push({ at: point, folder: killedCopyOf(setting.opened.folder) })
        return null
      },
    })
    const wallets = walletsOf(setting.callers)
    await end(setting, wallets, await reserve(setting, wallets, setting.callers), 5)
    await end(setting, wallets, await reserve(setting, wallets, setting.callers.slice(3)), 6)
    const before = inTable(setting.opened.folder)
    expect(before).toEqual(walletsOf(setting.callers))
    isWatched = true
    await setting.opened.store.database.transaction((tx) => sql`UPDATE usage_fold SET id = 1`.execute(tx))
    isWatched = false
    const days = Array.from({ length: 8 }, () => 'day')
    // The last of these steps begins the next cycle of slots.
    const sources = Array.from({ length: 8 + 1 }, () => 'source')
    const steps = ['begin', ...days, 'state', ...sources, 'commit', 'committed']
    expect(killed.map(({ at }) => at)).toEqual(steps)
    for (const { at, folder } of killed) {
      expect(inTable(folder)).toEqual(at === 'committed' ? wallets : before)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expectAfterKill(folder, wallets)
    }
    await setting.opened.closeSound()
  })

  test('if the disk fails at any step of writing the slots to the table, reads return the correct amounts and no change is lost', async () => {
    let failsAt = Infinity
    let step = 0
    const faults: InjectFault = () => ((step += 1) === failsAt ? 'io' : null)
    const setting = await openPeople(4, { faults })
    const { opened } = setting
    const wallets = walletsOf(setting.callers)
    let failed = 0
    for (let at = 1; at <= 14; at += 1) {
      // oxlint-disable no-await-in-loop -- one after the other
      await end(setting, wallets, await reserve(setting, wallets, setting.callers), 4)
      step = 0
      failsAt = at
      const writing = opened.store.database.transaction((tx) => sql`SELECT held FROM sources`.execute(tx))
      const isFailed = await writing.then(
        () => false,
        () => true,
      )
      if (isFailed) failed += 1
      expect(await stored(opened)).toEqual(wallets)
      failsAt = Infinity
      await expectSound(opened.folder)
      await end(setting, wallets, await reserve(setting, wallets, setting.callers.slice(1)), 0)
      expect(await stored(opened)).toEqual(wallets)
      // oxlint-enable no-await-in-loop
    }
    // The 13 steps are begin, four days, the state, four balances, the next cycle, and two steps of the commit.
    expect(failed).toBe(13)
    await opened.closeSound()
  })

  test('while the disk is full, reads return balances that are only in slots', async () => {
    let isFull = false
    const setting = await openPeople(2, { faults: () => (isFull ? 'full' : null) })
    const wallets = walletsOf(setting.callers)
    await end(setting, wallets, await reserve(setting, wallets, setting.callers), 4)
    isFull = true
    expect(inTable(setting.opened.folder)).not.toEqual(wallets)
    expect(await stored(setting.opened)).toEqual(wallets)
    isFull = false
    await setting.opened.closeSound()
  })
})

test('the ledger writes the slots to the table before it loads a source with figures in a slot', async () => {
  const setting = await openPeople(1)
  const { callers, opened, world } = setting
  const [caller] = callers
  if (caller === undefined) throw new Error('no caller')
  const connection = openConnection(sqlitePath(opened.folder), 'write')
  const lane = new SqliteLane(connection, {
    epoch: opened.store.epoch,
    onFatal: (error) => {
      throw error
    },
  })
  // A call requests more than half of the balance, so the second call shows whether the first hold was read.
  const request = () => world.request(caller, { input: 10, output: 600_000 })
  const decide = () => {
    const [result] = lane.decide([{ kind: 'reserve', request: request() }]).results
    lane.commit()
    return result
  }
  expect(decide()).toMatchObject({ kind: 'done', value: { kind: 'reserved', worstMicros: 600_010n } })
  lane.forget(['end_users'])
  // The call gets fewer output tokens than requested.
  expect(decide()).toMatchObject({ kind: 'done', value: { kind: 'reserved', worstMicros: 399_990n } })
  connection.close()
})

test('a migration includes the balances that a crash left in slots', async () => {
  const setting = await openPeople(3)
  const wallets = walletsOf(setting.callers)
  await end(setting, wallets, await reserve(setting, wallets, setting.callers), 5)
  const killed = killedCopyOf(setting.opened.folder)
  expect(inTable(killed)).not.toEqual(wallets)
  const connection = openConnection(sqlitePath(killed), 'write')
  const migrations = migrationsFor('sqlite')
  const next = { version: migrations.length + 1, name: 'next', sql: 'UPDATE sources SET posted = posted + 1' }
  migrateSqlite(connection, [...migrations, next])
  connection.close()
  for (const wallet of wallets.values()) wallet.posted += 1n
  expect(inTable(killed)).toEqual(wallets)
})

test.each(['inline', 'thread'] as const)(
  'a read concurrent with a writer sees the balance, the held amount and the holds of one commit (%s)',
  { timeout: 60_000 },
  async (writer) => {
    // The readers run on threads, because reads on this thread would prevent the ledger from beginning a batch.
    const setting = await openPeople(20, { writer, openReaders: undefined })
    const { callers, opened } = setting
    const wallets = walletsOf(callers)
    const random = randomFrom(20)
    const over = new AbortController()
    let reads = 0
    const reading = async (): Promise<void> => {
      while (!over.signal.aborted) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { rows } = await sql`
          SELECT s.end_user_id, s.posted, s.held, l.balance_after FROM sources s
          LEFT JOIN ledger l ON l.sequence = s.last_entry
          WHERE s.posted <> l.balance_after OR s.held <> (
            SELECT coalesce(sum(h.worst_micros), 0) FROM holds h
            WHERE h.end_user_id = s.end_user_id AND h.mode = s.mode)`.execute(opened.store.database.read)
        expect(rows).toEqual([])
        reads += 1
      }
    }
    const writing = async (): Promise<void> => {
      let open: ReserveRequest[] = []
      for (let batch = 0; batch < 150; batch += 1) {
        const some = Array.from({ length: random.whole(1, 20) }, () => random.pick(callers))
        // oxlint-disable no-await-in-loop -- one after the other
        const [reserved] = await Promise.all([
          reserve(setting, wallets, some),
          end(setting, wallets, open, random.whole(0, 10)),
        ])
        open = reserved
        if (random.chance(0.05))
          await opened.store.database.transaction((tx) => sql`UPDATE usage_fold SET id = 1`.execute(tx))
        // oxlint-enable no-await-in-loop
      }
      await end(setting, wallets, open, 1)
    }
    await Promise.all([writing().finally(() => over.abort()), reading()])
    expect(reads).toBeGreaterThan(0)
    expect(await stored(opened)).toEqual(wallets)
    await opened.closeSound()
  },
)
