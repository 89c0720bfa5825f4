/**
 * A change on one process applies on all processes when its response is sent (docs/reference/rules.md "Configuration is
 * never stale"). After the response, no reserve admits a call that the new configuration forbids. During each change,
 * calls of other end users keep the caches of every process filled. CHANGE_TRIALS sets the total number of changes of
 * all kinds.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import {
  settledBalance,
  upstreamModel,
  type Answer,
  type Application,
  type User,
} from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { sizeOf, startProcesses, type Processes } from '../support/start-several-processes.ts'
import { randomFrom, seedOfRun } from '../support/seeded-random.ts'

const count = 4
const trials = sizeOf('CHANGE_TRIALS', 120)
const credit = 1_000_000_000_000n
const body = { max_tokens: 20 }
const seed = seedOfRun()

const outcomeOf = (answer: Answer): string =>
  answer.status === 200 ? 'served' : String(answer.body.error.code)

describe.runIf(hasPostgres)(`${trials} changes over ${count} processes (SEED=${seed})`, () => {
  const random = randomFrom(seed)
  let processes: Processes
  let apps: Application[]
  let stopLoad: () => Promise<void>

  beforeAll(async () => {
    console.log(`changes: SEED=${seed}`)
    processes = await startProcesses({ count })
    apps = await Promise.all(Array.from({ length: count }, (_, place) => processes.at(place)))
    const bystander = await processes.app.newUser({ balanceMicros: credit })
    const stop = new AbortController()
    const running = Array.from({ length: count }, async (_, place) => {
      while (!stop.signal.aborted) {
        const { status } = await processes.call(place, bystander, { ...body, stream: true })
        assert.equal(status, 200)
      }
    })
    stopLoad = async () => {
      stop.abort()
      await Promise.all(running)
    }
  })
  afterAll(async () => {
    await stopLoad()
    await processes.verify()
    await processes.close()
  })

  async function changed(user: User, change: (by: Application) => Promise<unknown>): Promise<Set<string>> {
    // These calls fill the caches of all processes, so that the cached data of the end user is outdated after the
    // change.
    const meanwhile = [0, 1, 2, 3].map((place) => processes.call(place, user, body))
    await change(random.pick(apps))
    const late = await Promise.all([0, 1, 2, 3].map((place) => processes.call(place, user, body)))
    await Promise.all(meanwhile)
    return new Set(late.map(outcomeOf))
  }

  test('a revoked key is rejected by every process', async () => {
    for (let i = 0; i < trials / 4; i++) {
      const user = await processes.app.newUser({ balanceMicros: credit })
      const outcomes = await changed(user, (by) => by.api('DELETE', `/v1/keys/${user.keyId}`))
      expect(outcomes, `trial ${i}`).toEqual(new Set(['key_revoked']))
      await settledBalance(user)
    }
  })

  test('every process rejects a frozen end user, and serves the end user again after the freeze ends', async () => {
    const user = await processes.app.newUser({ balanceMicros: credit })
    const path = `/v1/end-users/${user.externalId}`
    for (let i = 0; i < trials / 4; i++) {
      const frozen = await changed(user, (by) => by.api('POST', `${path}/freeze`))
      expect(frozen, `trial ${i}`).toEqual(new Set(['end_user_frozen']))
      const thawed = await changed(user, (by) => by.api('POST', `${path}/unfreeze`))
      expect(thawed, `trial ${i}`).toEqual(new Set(['served']))
    }
    await settledBalance(user)
  })

  test('a new price is charged by every process', async () => {
    const user = await processes.app.newUser({ balanceMicros: credit })
    for (let i = 0; i < trials / 4; i++) {
      const rates = { input: BigInt(1_000_000 + i), output: BigInt(9_000_000 - 3 * i) }
      await random.pick(apps).api('POST', `/v1/providers/${processes.app.slug}/price`, {
        model: upstreamModel,
        price: { input: String(rates.input), output: String(rates.output) },
      })
      const before = await settledBalance(user)
      const answers = await Promise.all([0, 1, 2, 3].map((place) => processes.call(place, user, body)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const charge = before - (await settledBalance(user))
      expect(charge, `trial ${i}`).toBe(4n * costMicros(rates, { input: 10, output: 3 }))
    }
  })
})
