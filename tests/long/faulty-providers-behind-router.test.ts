/**
 * Runs tests/end-to-end/faulty-providers-behind-router.test.ts with every client, on both stores. On the embedded
 * store, each fault is tested with each client, and with each kind of provider as the first of two. On PostgreSQL, each
 * fault is tested with one client. The seed selects the kinds of provider for each client. FAULT_KINDS=4 tests every
 * client with every first provider. SEED repeats a failed run.
 */
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  accountKinds,
  canHappen,
  playAll,
  startFaultWorld,
  type Case,
  type FaultWorld,
} from '../support/router-with-faulty-provider.ts'
import { hasPostgres, newDatabase, type TestDatabase } from '../support/start-postgres.ts'
import { sizeOf } from '../support/start-several-processes.ts'
import { faults } from '../support/provider-faults.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { clientWires } from '../support/request-and-reader-of-each-wire.ts'

/** Number of provider kinds that are tested as the first provider, for each client and fault. */
const kindsEach = sizeOf('FAULT_KINDS', 1)
const seed = seedOfRun()
const random = randomFrom(seed)

/** Each fault occurs once with a second provider that answers, and once with a second provider that also fails. */
const ends = [false, true].flatMap((isStream) =>
  faults
    .filter((fault) => canHappen(fault, isStream))
    .flatMap((fault) => [false, true].map((isHopeless) => ({ fault, isHopeless, isStream }))),
)
const cases: readonly Case[] = ends.flatMap((end) => {
  const shift = random.whole(0, accountKinds.length - 1)
  return clientWires.flatMap((client, place) =>
    Array.from({ length: kindsEach }, (_, at): Case => {
      const first = accountKinds[(place + shift + at) % accountKinds.length] ?? random.pick(accountKinds)
      return { ...end, client, first, second: random.pick(accountKinds) }
    }),
  )
})
const casesOnPostgres = ends.map((end): Case => ({
  ...end,
  client: random.pick(clientWires),
  first: random.pick(accountKinds),
  second: random.pick(accountKinds),
}))

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

  test
    .skipIf(!isThere)
    .each(clientWires.flatMap((client) => [false, true].map((isStream) => ({ client, isStream }))))(
    'a client of $client gets one answer or one error for each fault (streamed: $isStream)',
    async ({ client, isStream }) => {
      const all = store === 'PostgreSQL' ? casesOnPostgres : cases
      const own = all.filter((each) => each.client === client && each.isStream === isStream)
      await withSeed(seed, () => playAll(world, own))
    },
  )
})
