/**
 * The store fails at each step of a call whose first target fails (docs/reference/threats.md "A store that fails"). The
 * router calls another target only after the store has recorded that target. If the store cannot record the target, the
 * call ends with the failure of the first target. Each call is repeated with the fault at step 1, then at step 2, and
 * so on, until a call meets no fault.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type StartOptions,
} from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { addRouter, callRows, recordedTargets, routedModel } from '../support/random-routed-calls.ts'

type Faults = NonNullable<StartOptions['faults']>
/** Null means no fault. */
type Plan = (point: Parameters<Faults>[0], step: number) => ReturnType<Faults>

const healthy: Plan = () => null
const credit = 1_000_000n
const attemptsUntilHealed = 3
/** An application's retry budget lets ten of its calls use another target. */
const callsOfOne = 10
const usage = { prompt_tokens: 30, completion_tokens: 60, total_tokens: 90 }
/** The charge of a call that the second target answers, after the first target has failed. */
const charge = costMicros({ input: 6_000_001n, output: 30_000_000n }, { input: 30, output: 60 })

interface Ends {
  served: number
  refused: number
  failed: number
}

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('on %s', (engine) => {
  let plan: Plan = healthy
  let step = 0
  let server: LocalServer
  let provider: FakeProvider
  let app: Application
  let calls = 0
  let database: Awaited<ReturnType<typeof migratedDatabase>> | null = null

  beforeAll(async () => {
    database = engine === 'PostgreSQL' ? await migratedDatabase() : null
    const faults: Faults = (point) => plan(point, ++step)
    server = await startServer({
      mayLogFaults: true,
      ...(database === null
        ? { faults, environment: { TOLLGATE_WRITER: 'inline' } }
        : { postgres: { faults }, databaseUrl: database.url }),
      queue: {
        backoffMs: (attempts) => {
          if (attempts >= attemptsUntilHealed) plan = healthy
          return 0
        },
      },
    })
    provider = await startFakeProvider(({ body }) =>
      body?.model === 'up-plain' ? { status: 418 } : { chunks: ['one', ' two'], usage },
    )
  })
  afterAll(async () => {
    plan = healthy
    await provider.close()
    await server.close()
    await database?.drop()
  })

  /** Sends calls with `faultAt(n)` for n = 1, 2, ... until no step is left, and checks each result. */
  async function atEveryStep(isStream: boolean, faultAt: (n: number) => Plan): Promise<Ends> {
    const ends: Ends = { served: 0, refused: 0, failed: 0 }
    for (let n = 1; ; n++) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      const { end, isMet } = await callWith(isStream, faultAt(n))
      if (!isMet) return ends
      ends[end]++
    }
  }

  async function callWith(isStream: boolean, planned: Plan): Promise<{ end: keyof Ends; isMet: boolean }> {
    if (calls++ % callsOfOne === 0) {
      app = await makeApplication(server, { provider })
      await addRouter(app)
    }
    const user = await app.newUser({ balanceMicros: credit })
    const reachedBefore = provider.calls.length
    let isMet = false
    step = 0
    plan = (point, at) => {
      const fault = planned(point, at)
      if (fault !== null) isMet = true
      return fault
    }
    const answer = await app.call(user, { model: routedModel, max_tokens: 80, stream: isStream })
    plan = healthy
    // The grant is written in the next batch, after every earlier operation.
    await user.grant(1n)
    const paid = credit + 1n - (await settledBalance(user))
    const reached = provider.calls.slice(reachedBefore).map(({ body }) => String(body?.model))
    if (answer.body?.error?.code === 'store_unavailable') {
      expect([answer.status, reached, paid]).toEqual([503, [], 0n])
      return { end: 'refused', isMet }
    }
    const id = answer.headers.get('x-request-id')
    const row = (await callRows(server)).find(({ callId }) => `req_${callId}` === id)
    expect(row && recordedTargets(row), 'what was called is recorded').toEqual(reached)
    if (answer.status === 200) {
      expect([reached, paid]).toEqual([['up-plain', 'up-dear'], charge])
      return { end: 'served', isMet }
    }
    expect([answer.status, reached, paid, row?.isCharged]).toEqual([418, ['up-plain'], 0n, false])
    return { end: 'failed', isMet }
  }

  describe.each([false, true])('stream: %s', (isStream) => {
    test('a single failure of the store at any step has no visible effect', async () => {
      const ends = await atEveryStep(isStream, (n) => (_, at) => (at === n ? 'io' : null))
      expect(ends).toMatchObject({ refused: 0, failed: 0 })
      expect(ends.served).toBeGreaterThan(15)
    })

    test('if the store becomes unavailable at any step, the router calls no target that the store has not recorded', async () => {
      const ends = await atEveryStep(isStream, (n) => (_, at) => (at >= n ? 'full' : null))
      expect(ends.refused).toBeGreaterThan(3)
      expect(ends.failed).toBeGreaterThan(1)
      expect(ends.served).toBeGreaterThan(3)
    })

    test('if the response to a commit is lost, the process finds the commit in the store or repeats the commit, and charges the call once', async () => {
      const nth =
        (point: string) =>
        (n: number): Plan => {
          let commits = 0
          return (at) => (at === point && ++commits === n ? 'io' : null)
        }
      expect(await atEveryStep(isStream, nth('committed'))).toEqual({ served: 3, refused: 0, failed: 0 })
      expect(await atEveryStep(isStream, nth('commit'))).toEqual({ served: 3, refused: 0, failed: 0 })
    })
  })
})
