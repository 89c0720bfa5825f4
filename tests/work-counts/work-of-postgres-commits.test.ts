/**
 * Counts the work of a commit of many end users on PostgreSQL: 12 settles and 12 reserves, of 1,200 end users.
 * work-of-one-request.test.ts counts the work for a single end user. The clock advances by a second per commit, so that
 * last uses of keys are stored as often as on a real server.
 */
import { expect, it } from 'vitest'
import { openPostgres, type PostgresStore } from '#store/postgres/open-postgres-store.ts'
import { seedPostgres } from '../../tools/seed/seed-store.ts'
import { World } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres, newDatabase } from '../support/start-postgres.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { limitsOf } from './read-documented-limits.ts'
import { countPostgres } from './count-postgres-statements.ts'
import { callsPerCommit, SharedCalls } from './send-calls-of-many-end-users.ts'

const commits = 50
const people = 2 * commits * callsPerCommit
const startMs = Date.UTC(2026, 10, 20, 12)
const columns = ['first request', 'rows in memory', 'two processes']

it.skipIf(!hasPostgres)(
  'a commit of many end users on PostgreSQL does no more work than its limit',
  { timeout: 300_000 },
  async () => {
    const database = await newDatabase()
    const { url } = database
    await seedPostgres(url, { calls: 40_000, people, days: 20, nowMs: startMs })
    const clock = { nowMs: startMs }
    const counts = countPostgres()
    const open = (): Promise<PostgresStore> =>
      openPostgres({
        url,
        nowMs: () => clock.nowMs,
        // A lane is one connection of the ledger.
        lanes: 1,
        onFatal: (error) => {
          throw error
        },
      })
    const [one, other] = [await open(), await open()]
    const world = new World(one, clock)
    /** Each number is per commit. Several processes commit alternately. */
    const countedOf = async (processes: readonly SharedCalls[], times: number): Promise<number[]> => {
      const before = { ...counts }
      for (let n = 0; n < times; n += 1) {
        clock.nowMs += 1_000
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await processes[n % processes.length]?.commit()
      }
      return (['statements', 'roundTrips', 'rows', 'commits'] as const).map((name) =>
        Number(((counts[name] - before[name]) / times).toFixed(1)),
      )
    }
    let last = -1
    const inOrder = new SharedCalls(world, one.ledger, () => (last = (last + 1) % people))
    const random = randomFrom(7)
    const anyone = (): number => random.whole(0, people - 1)
    const mixed = new SharedCalls(world, one.ledger, anyone)
    const mixedOther = new SharedCalls(world, other.ledger, anyone)

    await inOrder.commit()
    const first = await countedOf([inOrder], commits)
    await countedOf([inOrder], commits)
    await mixed.commit()
    const remembered = await countedOf([mixed], commits)
    // After these commits, each process knows that the other changes data of the same end users.
    await countedOf([mixed, mixedOther], 2 * commits)
    const two = await countedOf([mixed, mixedOther], commits)
    await Promise.all([one.close(), other.close()])
    await database.drop()

    const limits = limitsOf('PostgreSQL with many end users', columns)
    for (const [at, name] of ['SQL statements', 'Round trips', 'Rows changed', 'Commits'].entries()) {
      const counted = [first[at], remembered[at], two[at]]
      console.info(`${name}: ${counted.join(', ')}`)
      expect([name, counted]).toEqual([name, limits.get(name)])
    }
  },
)
