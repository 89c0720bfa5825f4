/** The embedded store stores the last uses of all keys together, every five minutes. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openConnection } from '#store/sqlite/connection.ts'
import { openSqlite, sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { inlineReaders } from '../store-conformance/engines.ts'
import { newDataFolder } from '../support/data-folder.ts'

const everyMs = 300_000
/** The writer stores this number of last uses in three parts. */
const count = 1_201

const clock = { nowMs: startMs }
let failsAt = (_point: string): boolean => false
let folder: string
let world: World
let callers: Caller[]
let close: () => Promise<void>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  clock.nowMs = startMs
  failsAt = () => false
  folder = newDataFolder('key-uses')
  const store = await openSqlite({
    folder,
    nowMs: () => clock.nowMs,
    writer: 'inline',
    openReaders: inlineReaders,
    faults: (point) => (failsAt(point) ? 'full' : null),
    onFatal: (error) => {
      throw error
    },
  })
  close = () => store.close()
  world = new World(store, clock)
  await world.found()
  const first = await world.person(1_000_000n)
  const more = Array.from({ length: count - 1 }, () => `key_${world.newId()}`)
  await store.database.transaction(async (tx) => {
    const row = await tx.selectFrom('keys').selectAll().executeTakeFirstOrThrow()
    for (const id of more) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await tx
        .insertInto('keys')
        .values({ ...row, id, hash: id })
        .execute()
    }
  })
  callers = [first, ...more.map((keyId) => ({ ...first, keyId }))]
})
afterEach(async () => {
  vi.useRealTimers()
  await close()
})

async function use(some: readonly Caller[]): Promise<void> {
  await Promise.all(some.map((caller) => world.reserve(world.request(caller, { input: 1, output: 1 }))))
}

/** Number of keys by their stored last use, relative to the start of the test. */
function stored(): Map<number | null, number> {
  const connection = openConnection(sqlitePath(folder), 'read')
  const rows = connection
    .prepare('SELECT last_used_at_ms AS at, count(*) AS total FROM keys GROUP BY 1')
    .all()
  connection.close()
  return new Map(rows.map(({ at, total }) => [at === null ? null : Number(at) - startMs, Number(total)]))
}

/** After the interval, the writer has stored all parts. */
async function elapse(): Promise<void> {
  vi.advanceTimersByTime(everyMs)
  // oxlint-disable-next-line no-await-in-loop -- each part is stored in a turn of its own
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
}

test('the first use of a key is stored with its request, and later uses are stored every five minutes', async () => {
  await use(callers)
  expect(stored()).toEqual(new Map([[0, count]]))
  clock.nowMs += everyMs - 1
  await use(callers)
  await elapse()
  expect(stored()).toEqual(new Map([[0, count]]))
  clock.nowMs += 1
  await use(callers)
  expect(stored()).toEqual(new Map([[0, count]]))
  await elapse()
  expect(stored()).toEqual(new Map([[everyMs, count]]))
})

test('a clean stop stores the last uses of all keys', async () => {
  await use(callers)
  clock.nowMs += everyMs
  await use(callers)
  await close()
  expect(stored()).toEqual(new Map([[everyMs, count]]))
})

test('if the disk is full, the last uses are stored after the next interval, and requests are not affected', async () => {
  await use(callers)
  clock.nowMs += everyMs
  await use(callers)
  let parts = 0
  // The disk fails at the second part. The first part contains 500 keys.
  failsAt = (point) => point === 'commit' && (parts += 1) > 1
  await elapse()
  failsAt = () => false
  expect(stored()).toEqual(
    new Map([
      [0, count - 500],
      [everyMs, 500],
    ]),
  )
  clock.nowMs += 1
  await use(callers.slice(0, 10))
  await elapse()
  expect(stored()).toEqual(new Map([[everyMs, count]]))
})

test('the last uses wait until a transaction of the control plane has ended', async () => {
  await use(callers)
  clock.nowMs += everyMs
  await use(callers)
  await world.store.database.transaction(async (tx) => {
    await tx.updateTable('keys').set({ name: 'renamed' }).execute()
    await elapse()
    expect(stored()).toEqual(new Map([[0, count]]))
  })
  await elapse()
  expect(stored()).toEqual(new Map([[everyMs, count]]))
})

test('a key that is used again while its last use is being stored keeps the newer time', async () => {
  await use(callers)
  clock.nowMs += everyMs
  await use(callers)
  vi.advanceTimersByTime(everyMs)
  await new Promise(setImmediate)
  clock.nowMs += everyMs
  await use(callers)
  await elapse()
  expect(stored()).toEqual(new Map([[2 * everyMs, count]]))
})
