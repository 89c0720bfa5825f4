/**
 * Providers that fail in every known way, behind a router: each client gets a whole answer of another target, or one
 * clear error of its own wire; nobody is called more often than the policy allows; every amount is what an oracle of
 * the test says; and no end user sees a provider's name, model, account or key. tests/long/router-faults.test.ts has
 * all pairs of providers.
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
import { faults } from '../support/provider-faults.ts'
import { clientWires } from '../support/wire-client.ts'

let world: FaultWorld
beforeAll(async () => {
  world = await startFaultWorld()
})
afterAll(() => world.close())

const kindAt = (i: number) => accountKinds[i % accountKinds.length] ?? 'openai'

describe.each(clientWires.map((client, at) => ({ client, at })))('a client of $client', ({ at, client }) => {
  test.each([false, true])(
    'gets one voice or one error, whatever happens (streamed: %s)',
    async (isStream) => {
      const cases = faults
        .filter((fault) => canHappen(fault, isStream))
        .flatMap((fault, i) =>
          [false, true].map((isHopeless): Case => {
            const n = at + i + (isHopeless ? 1 : 0)
            return { client, isStream, fault, isHopeless, first: kindAt(n), second: kindAt(n + 1 + (i >> 2)) }
          }),
        )
      await playAll(world, cases)
    },
  )
})
