/**
 * Source: docs/reference/threats.md "Concurrent requests on one balance". Every served call is paid exactly, and no
 * rejected call reaches the provider.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WriterChoice } from '#store/sqlite/choose-writer-thread.ts'
import { boundTokens, costMicros, worstMicros } from '../support/expected-costs.ts'
import {
  makeApplication,
  settledBalance,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { sizeOf } from '../support/start-several-processes.ts'

const crowd = 100
const afforded = 10
/** tests/long/concurrent-calls-on-one-balance.test.ts runs more rounds. */
const rounds = sizeOf('RACE_ROUNDS', 2)
const outputTokens = 50
/** Both bodies have the same length, so that each request holds the same amount. */
const kinds = [
  { max_tokens: outputTokens, stream: true, user: 'ab' },
  { max_tokens: outputTokens, stream: false, user: 'a' },
]

function callAtOnce(app: Application, user: User, count: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => app.call(user, kinds[i % kinds.length])))
}

/**
 * A rejection is final, or temporary while served calls hold the money. The kind of rejection depends on timing,
 * except in `everyoneAgain`. Throws an error if a call has any other result.
 */
function countOf(answers: readonly Answer[]): { served: number; refused: number } {
  const isServed = ({ status }: Answer): boolean => status === 200
  const others = answers.filter((answer) => !isServed(answer) && !isRefused(answer))
  assert.deepEqual(
    others.map(({ status, text }) => [status, text]),
    [],
  )
  return { served: answers.filter(isServed).length, refused: answers.filter(isRefused).length }
}

function isRefused({ body, headers, status }: Answer): boolean {
  // A busy machine may reject a few concurrent requests before they reach the ledger.
  if (status === 503 && body.error.code === 'overloaded') return true
  const isForGood = status === 402 && body.error.code === 'insufficient_credit'
  const isHeld = status === 429 && body.error.code === 'balance_held'
  return (isForGood || isHeld) && headers.get('x-should-retry') === String(isHeld)
}

/** Repeats every call that was rejected temporarily. When no money is held, each remaining rejection is final. */
async function everyoneAgain(app: Application, user: User, answers: readonly Answer[]): Promise<void> {
  const held = answers.filter(({ status }) => status === 429)
  const again = await callAtOnce(app, user, held.length)
  expect(again.map(({ body, status }) => [status, body.error?.code])).toEqual(
    held.map(() => [402, 'insufficient_credit']),
  )
}

const alwaysTheOther: WriterChoice = {
  committed: (_durationMs, _atMs, place) => (place === 'inline' ? 'thread' : 'inline'),
}

// The thread of the ledger's writer changes how calls form batches, but not which calls succeed.
describe.each([
  { name: 'inline', environment: { TOLLGATE_WRITER: 'inline' } },
  { name: 'on a thread', environment: { TOLLGATE_WRITER: 'thread' } },
  { name: 'that moves after every commit', environment: { TOLLGATE_WRITER: 'auto' }, choice: alwaysTheOther },
])('ledger $name', ({ name, ...options }) => {
  let server: LocalServer
  let app: Application
  /** The reported usage of each response costs the whole hold. */
  let held: bigint

  beforeAll(async () => {
    server = await startServer(options)
    app = await makeApplication(server)
    const [body = '', other] = kinds.map((kind) => app.bodyOf(kind))
    assert.equal(other?.length, body.length)
    held = worstMicros(app.rates, body, outputTokens)
    const input = boundTokens(body)
    assert.equal(costMicros(app.rates, { input, output: outputTokens }), held)
    app.provider.script({
      usage: { prompt_tokens: input, completion_tokens: outputTokens, total_tokens: input + outputTokens },
    })
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
  })

  test(`${crowd} concurrent calls on a balance for ${afforded}: exactly the affordable calls reach the provider, ${rounds} times`, async () => {
    const user = await app.newUser()
    for (let round = 0; round < rounds; round++) {
      const reachedBefore = app.provider.calls.length
      /* oxlint-disable no-await-in-loop -- each round starts where the last one ended */
      await user.grant(BigInt(afforded) * held)
      const answers = await callAtOnce(app, user, crowd)
      expect(countOf(answers), `round ${round}`).toEqual({ served: afforded, refused: crowd - afforded })
      expect(app.provider.calls.length - reachedBefore, `round ${round}`).toBe(afforded)
      expect(await settledBalance(user), `round ${round}`).toBe(0n)
      await everyoneAgain(app, user, answers)
      /* oxlint-enable no-await-in-loop */
    }
  })

  test('if an end user was created at the same instant, exactly the affordable calls reach the provider', async () => {
    for (let round = 0; round < rounds; round++) {
      const reachedBefore = app.provider.calls.length
      /* oxlint-disable no-await-in-loop -- one person after the other */
      const user = await app.newUser({ balanceMicros: BigInt(afforded) * held })
      const answers = await callAtOnce(app, user, crowd)
      expect(countOf(answers), `round ${round}`).toEqual({ served: afforded, refused: crowd - afforded })
      expect(app.provider.calls.length - reachedBefore, `round ${round}`).toBe(afforded)
      expect(await settledBalance(user), `round ${round}`).toBe(0n)
      /* oxlint-enable no-await-in-loop */
    }
  })

  test('exactly the affordable calls reach the provider while money is being credited', async () => {
    for (let round = 0; round < rounds; round++) {
      const reachedBefore = app.provider.calls.length
      /* oxlint-disable no-await-in-loop -- one person after the other */
      const user = await app.newUser()
      const [early] = await Promise.all([callAtOnce(app, user, crowd), user.grant(BigInt(afforded) * held)])
      const late = await callAtOnce(app, user, crowd)
      // Calls that arrived before the grant were rejected. All other calls together have spent the granted money once.
      expect(countOf([...early, ...late]), `round ${round}`).toEqual({
        served: afforded,
        refused: 2 * crowd - afforded,
      })
      expect(app.provider.calls.length - reachedBefore, `round ${round}`).toBe(afforded)
      expect(await settledBalance(user), `round ${round}`).toBe(0n)
      /* oxlint-enable no-await-in-loop */
    }
  })

  test('if a call costs less than its hold, the next call can use exactly the difference', async () => {
    const output = 5
    const cheap = costMicros(app.rates, { input: 10, output })
    app.provider.script({
      usage: { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output },
    })
    const user = await app.newUser({ balanceMicros: BigInt(afforded) * held })
    const reachedBefore = app.provider.calls.length
    const { refused, served } = countOf(await callAtOnce(app, user, 4 * crowd))
    expect(served + refused).toBe(4 * crowd)
    expect(app.provider.calls.length - reachedBefore).toBe(served)
    expect(served).toBeGreaterThanOrEqual(afforded)
    expect(await settledBalance(user)).toBe(BigInt(afforded) * held - BigInt(served) * cheap)
  })

  test('the log reports each time the ledger’s writer moves to another thread, and the writer moves only if the setting is auto', () => {
    const moves = server.log.filter(({ message }) => message.includes('the ledger is now written on'))
    if (name === 'that moves after every commit') expect(moves.length).toBeGreaterThan(1)
    else expect(moves).toEqual([])
  })
})
