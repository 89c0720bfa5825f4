/**
 * Each client gets a complete answer from another target, or one clear error of its own wire. Each fault is tested
 * with a client of one wire. tests/long/faulty-providers-behind-router.test.ts tests every client with each fault.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  accountKinds,
  canHappen,
  playAll,
  startFaultWorld,
  type Case,
  type FaultWorld,
} from '../support/router-with-faulty-provider.ts'
import { faults } from '../support/provider-faults.ts'
import { clientWires } from '../support/request-and-reader-of-each-wire.ts'

let world: FaultWorld
beforeAll(async () => {
  world = await startFaultWorld()
})
afterAll(() => world.close())

const kindAt = (i: number) => accountKinds[i % accountKinds.length] ?? 'openai'

test.each([false, true])(
  'a client gets one answer or one error in every case (streamed: %s)',
  async (isStream) => {
    const cases = faults.flatMap((fault, i) => {
      if (!canHappen(fault, isStream)) return []
      // A fault that affects all requests is tested at both targets, either with a streamed request or with a
      // non-streaming one.
      const ends = fault.of === undefined ? [(i % 2 === 0) === isStream] : [false, true]
      return ends.map((isHopeless): Case => {
        const n = i + (isHopeless ? 1 : 0)
        const client = clientWires[(n + (i >> 2)) % clientWires.length] ?? 'chat'
        return { client, isStream, fault, isHopeless, first: kindAt(n), second: kindAt(n + 1 + (i >> 2)) }
      })
    })
    expect(new Set(cases.map(({ client }) => client)).size).toBe(clientWires.length)
    await playAll(world, cases)
  },
)
