/**
 * Runs tests/end-to-end/router-faults.test.ts with every kind of provider as the first of two, on both stores. The test
 * selects a random share of all cases, and a random second provider. FAULT_SHARE=1 runs all cases. SEED repeats a
 * failed run.
 */
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  accountKinds,
  canHappen,
  playAll,
  startFaultWorld,
  type Case,
  type FaultWorld,
} from '../support/fault-world.ts'
import { hasPostgres, newDatabase, type TestDatabase } from '../support/postgres.ts'
import { sizeOf } from '../support/processes.ts'
import { faults } from '../support/provider-faults.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/random.ts'
import { clientWires } from '../support/wire-client.ts'

const share = sizeOf('FAULT_SHARE', 0.5)
const seed = seedOfRun()

const ways = clientWires
  .flatMap((client) =>
    [false, true].flatMap((isStream) => accountKinds.map((first, at) => ({ client, isStream, first, at }))),
  )
  .map((way, place) => ({ ...way, place }))

/**
 * In tests/end-to-end/router-faults.test.ts, every kind of provider is the first target for one client. Here, only
 * the store differs.
 */
const waysOnPostgres = ways.filter(({ at, client }) => clientWires[at] === client)

describe.each(['the embedded store', 'PostgreSQL'])(`on %s (SEED=${seed})`, (store) => {
  const isThere = store === 'the embedded store' || hasPostgres
  let database: TestDatabase | null = null
  let world: FaultWorld
  beforeAll(async () => {
    if (!isThere) return
    if (store === 'PostgreSQL') database = await newDatabase()
    world = await startFaultWorld(database === null ? {} : { databaseUrl: database.url })
  })
  afterAll(async () => {
    if (!isThere) return
    await world.close()
    await database?.drop()
  })

  test.skipIf(!isThere).each(store === 'PostgreSQL' ? waysOnPostgres : ways)(
    'a client of $client gets one answer or one error if $first is the first target (streamed: $isStream)',
    async ({ client, first, isStream, place }) => {
      const random = randomFrom(seed + place + (store === 'PostgreSQL' ? ways.length : 0))
      const cases = faults
        .filter((fault) => canHappen(fault, isStream))
        .flatMap((fault) =>
          [false, true].map((isHopeless): Case => {
            const second = random.pick(accountKinds)
            return { client, isStream, fault, isHopeless, first, second }
          }),
        )
        .filter(() => random.chance(share))
      await withSeed(seed, () => playAll(world, cases))
    },
  )
})
