/** Each commit has the same number of calls. */
import assert from 'node:assert/strict'
import type { Ledger, ReserveRequest } from '#domain/ledger-interface.ts'
import { keyId, personId, seededApplication, seededBundle } from '../../tools/seed/sql-that-fills-store.ts'
import type { World } from '../store-conformance/add-rows-that-calls-need.ts'

export const callsPerCommit = 12
const traceLength = 400

export class SharedCalls {
  readonly #world: World
  readonly #ledger: Ledger
  readonly #nextPerson: () => number
  readonly #trace = 'x'.repeat(traceLength)
  #open: readonly ReserveRequest[] = []

  /**
   * @param world creates the call IDs, so that calls of several processes have different IDs
   * @param nextPerson returns the number of the end user of the next call
   */
  constructor(world: World, ledger: Ledger, nextPerson: () => number) {
    this.#world = world
    this.#ledger = ledger
    this.#nextPerson = nextPerson
  }

  /** Settles the calls of the previous commit, and reserves the same number of calls. */
  async commit(): Promise<void> {
    const world = this.#world
    const reserved = Array.from({ length: callsPerCommit }, () => {
      const person = this.#nextPerson()
      const caller = { endUserId: personId(person), keyId: keyId(person), mode: 'live' } as const
      const own = { applicationId: seededApplication, bundleId: seededBundle }
      return world.request(caller, { input: 10, output: 10 }, own)
    })
    const ended = this.#open.map((request) => {
      const record = { ...world.record(request, 'settled'), trace: this.#trace }
      return this.#ledger.settle(world.settlement(request, { input: 10, output: 5 }, { record }))
    })
    const results = await Promise.all(reserved.map((request) => this.#ledger.reserve(request)))
    for (const { kind } of results) assert.equal(kind, 'reserved')
    await Promise.all(ended)
    this.#open = reserved
  }
}
