/**
 * Tests concurrent calls on one balance from several processes (docs/reference/threats.md "Concurrent requests on one
 * balance"). On PostgreSQL and Citus, exactly the calls that the balance covers succeed, for any number of processes.
 * RACE_ROUNDS sets the number of rounds for each number of processes.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boundTokens, worstMicros } from '../support/expected-costs.ts'
import { settledBalance } from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import {
  processDatabases,
  sizeOf,
  startProcesses,
  type Processes,
} from '../support/start-several-processes.ts'

const crowd = 100
const afforded = 10
const rounds = sizeOf('RACE_ROUNDS', 10)
const outputTokens = 50
/** The bodies of both kinds have the same length, so that both hold the same amount. */
const kinds = [
  { max_tokens: outputTokens, stream: true, user: 'ab' },
  { max_tokens: outputTokens, stream: false, user: 'a' },
]

describe.runIf(hasPostgres).each(processDatabases)('a race on $name', ({ start }) => {
  let processes: Processes
  beforeAll(async () => {
    processes = await startProcesses({ start, count: 8 })
  })
  afterAll(() => processes.close())

  // Number of processes that receive calls. Eight processes run in each case.
  test.each([1, 2, 4, 8])(
    `with %i processes, ${crowd} concurrent calls spend exactly a balance for ${afforded} calls, ${rounds} times`,
    async (count) => {
      const { app, provider } = processes
      const [body = '', other] = kinds.map((kind) => app.bodyOf(kind))
      assert.equal(other?.length, body.length)
      const held = worstMicros(app.rates, body, outputTokens)
      const input = boundTokens(body)
      provider.script({
        usage: { prompt_tokens: input, completion_tokens: outputTokens, total_tokens: input + outputTokens },
      })
      const user = await app.newUser()
      for (let round = 0; round < rounds; round++) {
        const reachedBefore = provider.calls.length
        await user.grant(BigInt(afforded) * held)
        const answers = await Promise.all(
          Array.from({ length: crowd }, (_, i) =>
            processes.call(i % count, user, kinds[Math.floor(i / count) % kinds.length]),
          ),
        )
        const statuses = Map.groupBy(answers, ({ status }) => status)
        expect(statuses.get(200)?.length, `round ${round}`).toBe(afforded)
        // A 402 is final. A 429 is temporary, while served calls hold the money.
        const refused = (statuses.get(402)?.length ?? 0) + (statuses.get(429)?.length ?? 0)
        expect(refused, `round ${round}`).toBe(crowd - afforded)
        expect(provider.calls.length - reachedBefore, `round ${round}`).toBe(afforded)
        expect(await settledBalance(user), `round ${round}`).toBe(0n)
      }
      await processes.verify()
    },
  )
})
