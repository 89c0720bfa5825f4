/**
 * Calls go through a router with random failures (docs/reference/threats.md "Concurrent requests on one balance").
 * The balance is never overspent, called targets are recorded, and each call is charged at the price of the
 * responding target.
 */
import assert from 'node:assert/strict'
import { expect, onTestFinished, test } from 'vitest'
import { worstMicros } from '../support/expected-costs.ts'
import { makeApplication, settledBalance, startServer } from '../support/start-product.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { seedOfRun } from '../support/seeded-random.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import {
  addRouter,
  callRows,
  checkCall,
  mostExpensiveRates,
  numberOf,
  playOf,
  routedModel,
} from '../support/random-routed-calls.ts'

const crowd = 100
const afforded = 10
const rounds = 4
const outputTokens = 50
/**
 * The providers report at most five input tokens. Every hold covers at least five input tokens, so no answer costs
 * more than its hold.
 */
const sizes = { failures: 0.4, inputMax: 5, outputMax: outputTokens }

test.each(testedEngines)(
  `${crowd} concurrent calls through three targets never spend more than a balance for ${afforded}, ${rounds} times: %s`,
  async (engine) => {
    const seed = seedOfRun()
    console.log(`concurrent-routed-calls-on-one-balance on ${engine}: SEED=${seed}`)
    const database = engine === 'PostgreSQL' ? await migratedDatabase() : null
    const server = await startServer(database === null ? {} : { databaseUrl: database.url })
    onTestFinished(async () => database?.drop())
    const figures = { answered: 0, failed: 0, refused: 0, movedOn: 0, clamped: 0 }
    let calls = 0
    for (let round = 0; round < rounds; round++) {
      /* oxlint-disable no-await-in-loop -- each round has an application, and so a retry budget, of its own */
      const app = await makeApplication(server, { slug: `race-${round}` })
      await addRouter(app)
      app.provider.script((call) => playOf(seed, call, sizes).behaviour)
      const user = await app.newUser()
      const held = worstMicros(
        mostExpensiveRates,
        app.bodyOf({ model: routedModel, max_tokens: outputTokens, user: 'call-1000', stream: false }),
        outputTokens,
      )
      const credit = BigInt(afforded) * held
      await user.grant(credit)
      const answers = await Promise.all(
        Array.from({ length: crowd }, async (_, i) => {
          const n = ++calls
          const body = {
            model: routedModel,
            max_tokens: outputTokens,
            user: `call-${n}`,
            stream: i % 2 === 0,
          }
          return { n, ...(await app.call(user, body)) }
        }),
      )
      const wallet = await settledBalance(user)
      const seen = Map.groupBy(app.provider.calls, numberOf)
      const rows = new Map((await callRows(server)).map((row) => [`req_${row.callId}`, row]))
      let charged = 0n
      for (const { body, headers, n, status } of answers) {
        const row = rows.get(headers.get('x-request-id') ?? '')
        const reached = seen.get(n) ?? []
        if (row?.how === 'refused') {
          figures.refused++
          expect([402, 429, 503], body?.error.code).toContain(status)
          expect(reached).toHaveLength(0)
          continue
        }
        assert(row, `call ${n}, answered ${status}, is recorded`)
        checkCall(row, reached, (call) => playOf(seed, call, sizes))
        expect(row.isCharged).toBe(status === 200)
        expect(row.chargeMicros).toBeLessThanOrEqual(held)
        charged += row.chargeMicros
        if (row.isCharged) figures.answered++
        else figures.failed++
        if (reached.length > 1) figures.movedOn++
        if (reached.some((call) => (call.body?.max_tokens ?? outputTokens) < outputTokens)) figures.clamped++
      }
      expect(wallet).toBe(credit - charged)
      expect(wallet).toBeGreaterThanOrEqual(0n)
      await app.provider.close()
      /* oxlint-enable no-await-in-loop */
    }
    console.log(engine, figures)
    expect(figures.answered).toBeGreaterThanOrEqual(rounds * afforded * 0.4)
    expect(figures.movedOn).toBeGreaterThan(rounds)
    // Even if a busy machine serves the calls one after the other, the balance does not cover all of them.
    expect(figures.refused).toBeGreaterThan(0)
    await server.close()
  },
)
