/**
 * The sums by day in the embedded store. Batches first write them into slots, which are rows that are reused. Random
 * calls are compared with their charges, in this process and in a process that opens the file after `kill -9`.
 * DAYS_SEED runs only the case with the seed that a failure printed.
 */
import { cpSync, existsSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { InjectFault } from '#store/ledger/faults-injected-by-tests.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { bigintIn } from '#store/rows/read-row-strictly.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'

const people = 60
const dayMs = 86_400_000

const seeds = process.env.DAYS_SEED
  ? [Number(process.env.DAYS_SEED)]
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
  readonly clock: { nowMs: number }
}

async function openPeople(count: number, faults?: InjectFault): Promise<Setting> {
  const clock = { nowMs: startMs }
  const opened = await openTemporary({
    writer: 'inline',
    nowMs: () => clock.nowMs,
    queue: { backoffMs: () => 0, settleWaitMs: 60_000 },
    ...(faults && { faults }),
  })
  opens.push(opened)
  const world = new World(opened.store, clock)
  await world.found()
  const callers: Caller[] = []
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let i = 0; i < count; i += 1) callers.push(await world.person(1_000_000_000n))
  return { opened, world, callers, clock }
}

/** Each end user makes one call, in one batch of reserves and one batch of settles. Returns the sum of the charges. */
async function call({ world }: Setting, callers: readonly Caller[], output = 5): Promise<bigint> {
  const requests = callers.map((caller) => world.request(caller, { input: 10, output: 10 }))
  await Promise.all(requests.map((request) => world.reserve(request)))
  const results = await Promise.all(requests.map((request) => world.settle(request, { input: 10, output })))
  return results.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0n)
}

/** Includes the slots. */
async function charged({ store }: Store): Promise<bigint> {
  const { rows } = await sql<{ charge_micros: bigint }>`
    SELECT coalesce(sum(charge_micros), 0) AS charge_micros FROM usage_days`.execute(store.database.read)
  return BigInt(rows[0]?.charge_micros ?? 0)
}

/** Excludes the slots. */
function inTable(folder: string): bigint {
  const connection = openConnection(sqlitePath(folder), 'read')
  try {
    const statement = connection.prepare('SELECT coalesce(sum(charge_micros), 0) AS sum FROM usage_days')
    statement.setReadBigInts(true)
    return bigintIn(statement.get() ?? {}, 'sum')
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

/** The next process must read the same sums. */
async function expectAfterKill(killed: string, micros: bigint): Promise<void> {
  await expectSound(killed)
  const next = await openTemporary({ writer: 'inline', nowMs: () => startMs, folder: killed })
  opens.push(next)
  expect(await charged(next)).toBe(micros)
  expect(inTable(killed)).toBe(micros)
  await next.closeSound()
}

test.each(seeds)(
  'day sums equal the charges of the calls (DAYS_SEED=%i)',
  { timeout: 120_000 },
  async (seed) => {
    const random = randomFrom(seed)
    const setting = await openPeople(people)
    const { callers, clock, opened } = setting
    let micros = 0n
    let most = 0n
    for (let batch = 0; batch < 160; batch += 1) {
      const some = Array.from({ length: random.whole(1, 24) }, () => random.pick(callers))
      // oxlint-disable no-await-in-loop -- one after the other
      micros += await call(setting, some, random.whole(0, 10))
      const lacking = micros - inTable(opened.folder)
      if (lacking > most) most = lacking
      if (random.chance(0.03)) expect(await charged(opened)).toBe(micros)
      if (random.chance(0.03)) await expectAfterKill(killedCopyOf(opened.folder), micros)
      if (random.chance(0.05)) await expectSound(opened.folder)
      if (random.chance(0.03)) clock.nowMs += dayMs
      // oxlint-enable no-await-in-loop
    }
    // Otherwise, the slots were not used.
    expect(most).toBeGreaterThan(0n)
    expect(await charged(opened)).toBe(micros)
    expect(inTable(opened.folder)).toBe(micros)
    await opened.closeSound()
  },
)

test('when the slots are full, their sums are added to the table even if nothing reads the table', async () => {
  const setting = await openPeople(people)
  let micros = 0n
  let batches = 0
  while (inTable(setting.opened.folder) === 0n) {
    const from = (batches * 20) % people
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    micros += await call(setting, setting.callers.slice(from, from + 20))
    batches += 1
    expect(batches).toBeLessThan(100)
  }
  expect(batches).toBeGreaterThan(40)
  await expectAfterKill(killedCopyOf(setting.opened.folder), micros)
  await setting.opened.closeSound()
})

test('if the process is killed at any step of adding the sums to the table, no sum is lost or added twice', async () => {
  const killed: { readonly at: string; readonly folder: string }[] = []
  let isWatched = false
  const setting = await openPeople(8, (point) => {
    if (isWatched) killed.push({ at: point, folder: killedCopyOf(setting.opened.folder) })
    return null
  })
  const micros = (await call(setting, setting.callers)) + (await call(setting, setting.callers.slice(3)))
  expect(inTable(setting.opened.folder)).toBe(0n)
  isWatched = true
  expect(await charged(setting.opened)).toBe(micros)
  isWatched = false
  const days = Array.from({ length: 8 }, () => 'day')
  // The steps named `source` belong to balances, which the same transaction writes from slots to their table. The last
  // of them begins the next cycle of slots.
  const sources = Array.from({ length: 8 + 1 }, () => 'source')
  const steps = ['begin', ...days, 'state', ...sources, 'commit', 'committed']
  expect(killed.map(({ at }) => at)).toEqual(steps)
  expect(killed.map(({ folder }) => inTable(folder))).toEqual([
    ...Array.from({ length: steps.length - 1 }, () => 0n),
    micros,
  ])
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const { folder } of killed) await expectAfterKill(folder, micros)
  await setting.opened.closeSound()
})

describe('the disk fails while the sums are added to the table', () => {
  let failsAt = Infinity
  let step = 0
  const faults: InjectFault = () => ((step += 1) === failsAt ? 'io' : null)

  test('if the disk fails while sums are added, a read fails at most once, and no sum is lost or added twice', async () => {
    failsAt = Infinity
    const setting = await openPeople(4, faults)
    let micros = 0n
    let failed = 0
    for (let at = 1; at <= 14; at += 1) {
      failsAt = Infinity
      // oxlint-disable no-await-in-loop -- one after the other
      micros += await call(setting, setting.callers)
      step = 0
      failsAt = at
      const sum = await charged(setting.opened).catch(() => null)
      if (sum === null) failed += 1
      else expect(sum).toBe(micros)
      failsAt = Infinity
      await expectSound(setting.opened.folder)
      micros += await call(setting, setting.callers.slice(1))
      expect(await charged(setting.opened)).toBe(micros)
      // oxlint-enable no-await-in-loop
    }
    // The 13 steps are begin, four rows, the state, four balances, the next cycle, and two steps of the commit.
    expect(failed).toBe(13)
    await setting.opened.closeSound()
  })

  test('if the disk fails while sums are added, only a transaction that uses the sums fails', async () => {
    failsAt = Infinity
    const setting = await openPeople(2, faults)
    const { database } = setting.opened.store
    const micros = await call(setting, setting.callers)
    const failing = async <T>(work: () => Promise<T>): Promise<T> => {
      step = 0
      failsAt = 1
      return work().finally(() => (failsAt = Infinity))
    }
    await failing(() => database.transaction((tx) => sql`UPDATE usage_fold SET id = 1`.execute(tx)))
    const reading = failing(() => database.transaction((tx) => sql`SELECT 1 FROM usage_days`.execute(tx)))
    await expect(reading).rejects.toThrow('io at begin')
    expect(await charged(setting.opened)).toBe(micros)
    await setting.opened.closeSound()
  })
})

test('a limit counts the sums in slots after another program has written to the file', async () => {
  const setting = await openPeople(1)
  const { opened, world } = setting
  const caller = await world.person(1_000_000_000n, { cap_micros: 200n, cap_period: 'day' })
  const spend = async (): Promise<string> => {
    const request = world.request(caller, { input: 10, output: 10 })
    const { kind } = await world.reserve(request)
    if (kind === 'reserved') await world.settle(request, { input: 10, output: 10 })
    return kind
  }
  let calls = 0
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  while ((await spend()) === 'reserved') calls += 1
  expect(calls).toBeGreaterThan(1)
  expect(inTable(opened.folder)).toBe(0n)
  // A write through another connection makes the ledger read all rows again.
  const other = openConnection(sqlitePath(opened.folder), 'write')
  other.exec('UPDATE usage_fold SET id = 1')
  other.close()
  expect(await spend()).toBe('refused')
  expect(inTable(opened.folder)).toBeGreaterThan(0n)
  await opened.closeSound()
})

test('if the application’s sums already include a day, a new sum of this day is added to the table in the same batch', async () => {
  const setting = await openPeople(3)
  const { clock, opened, world } = setting
  const { database } = opened.store
  const [first] = setting.callers
  let micros = await call(setting, setting.callers)
  clock.nowMs += 3 * dayMs
  expect(await foldUsageDays(database, clock.nowMs)).toBeGreaterThan(0)
  const through = async () =>
    (await database.read.selectFrom('usage_fold').select('through_day').executeTakeFirstOrThrow()).through_day
  const before = await through()
  clock.nowMs = startMs
  micros += await call({ ...setting, world }, first === undefined ? [] : [first])
  expect(inTable(opened.folder)).toBe(micros)
  expect(await through()).toBeLessThan(before)
  await opened.closeSound()
})
