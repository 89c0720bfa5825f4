/** tests/end-to-end/router-faults.test.ts, with every kind of provider as the first of two, on both stores. */
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
import { faults } from '../support/provider-faults.ts'
import { clientWires } from '../support/wire-client.ts'

const ways = clientWires.flatMap((client) =>
  [false, true].flatMap((isStream) => accountKinds.map((first, at) => ({ client, isStream, first, at }))),
)

/** There every kind is first for one client: what differs is the store. */
const waysOnPostgres = ways.filter(({ at, client }) => clientWires[at] === client)

describe.each(['the embedded store', 'PostgreSQL'])('on %s', (store) => {
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
    'a client of $client gets one voice or one error, with $first first (streamed: $isStream)',
    async ({ at, client, first, isStream }) => {
      const cases = faults
        .filter((fault) => canHappen(fault, isStream))
        .flatMap((fault, i) =>
          [false, true].map((isHopeless): Case => {
            const second = accountKinds[(at + i + (isHopeless ? 1 : 0)) % accountKinds.length] ?? first
            return { client, isStream, fault, isHopeless, first, second }
          }),
        )
      await playAll(world, cases)
    },
  )
})
