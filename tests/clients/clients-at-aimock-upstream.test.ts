/**
 * An upstream from outside this repository finds mistakes that tests/support/simulated-vendor.ts and the wires have
 * in common.
 */
import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { costMicros } from '../support/expected-costs.ts'
import { emptyBecause } from './cases-without-clients.ts'
import type { Heard, Order } from './client-interface.ts'
import { clients } from './list-of-clients.ts'
import { connect, models, price, upstreams, wireOf } from './start-application-with-upstreams.ts'
import { sampledCells } from './sampled-client-upstream-pairs.ts'

const credit = 100_000_000n

/** The usage of each answer, with the field names of all four wires. The mock upstream does not count tokens. */
const usage = {
  prompt_tokens: 101,
  completion_tokens: 23,
  input_tokens: 101,
  output_tokens: 23,
  promptTokenCount: 101,
  candidatesTokenCount: 23,
}
const chargeMicros = costMicros(
  { input: BigInt(price.input), output: BigInt(price.output) },
  { input: 101, output: 23 },
)

let server: LocalServer
let app: Application
const mock = new LLMock({ port: 0 })

beforeAll(async () => {
  mock.addFixtures([
    { match: { userMessage: 'Say something' }, response: { content: 'Something — 何か.', usage } },
    {
      match: { userMessage: 'Which weather', hasToolResult: false },
      response: {
        toolCalls: [
          { id: 'call_ulm', name: 'weather', arguments: '{"city":"Ulm"}' },
          { id: 'call_rom', name: 'weather', arguments: '{"city":"Rom"}' },
        ],
        usage,
      },
    },
    {
      match: { userMessage: 'Which weather', hasToolResult: true },
      response: { content: 'Fine in both.', usage },
    },
  ])
  await mock.start()
  server = await startServer()
  app = await makeApplication(server)
  const accounts = {
    chat: { kind: 'openai_compatible', baseUrl: `${mock.url}/v1` },
    openai: { kind: 'openai', baseUrl: `${mock.url}/v1` },
    messages: { kind: 'anthropic', baseUrl: mock.url },
    generate: { kind: 'google', baseUrl: mock.url },
  }
  for (const name of upstreams) {
    // oxlint-disable-next-line no-await-in-loop -- each call needs the one before
    await connect(app, name, { ...accounts[name], apiKey: 'mock' }, models[name])
  }
})
afterAll(async () => {
  await app.provider.close()
  await mock.stop()
  await server.close()
})

describe.each(sampledCells(clients))('$client.name at $upstream', ({ client, upstream }) => {
  let user: User
  let leftMicros = credit
  beforeAll(async () => {
    user = await app.newUser({ balanceMicros: credit })
  })
  /** `calls` is the number of charged calls. */
  const converse = async (order: Order, calls: bigint): Promise<Heard> => {
    const at = { gateway: app.gateway, key: user.key, model: `acme/${upstream}`, retriesMax: 0 }
    const beforeMicros = leftMicros
    const heard = await client.converse(at, order).catch(async (error: unknown) => {
      // The next test starts with the remaining balance of this test.
      leftMicros = (await user.balance()).balanceMicros
      throw error
    })
    leftMicros = await settledBalance(user)
    expect(leftMicros).toBe(beforeMicros - calls * chargeMicros)
    return heard
  }

  test.each([false, true])('the client reads a text (streamed: %s)', async (isStream) => {
    const { texts } = await converse({ turns: ['Say something'], isStream }, 1n)
    expect(texts).toEqual(['Something — 何か.'])
  })

  const finish =
    client.name === '@ai-sdk/google' && upstream === 'generate'
      ? 'the mock says that a call finished with FUNCTION_CALL, which Google does not, and the client stops there'
      : null
  test.for([false, true])('the client calls two tools (streamed: %s)', async (isStream, { skip }) => {
    const reason = finish ?? emptyBecause(client, wireOf(upstream, client.wire), 'two tools', isStream)
    if (reason !== null) return skip(reason)
    const ran: unknown[] = []
    const weather = {
      name: 'weather',
      description: 'The weather in a city',
      parameters: {
        type: 'object' as const,
        properties: { city: { type: 'string' as const } },
        required: ['city'],
        additionalProperties: false as const,
      },
      run: (args: unknown) => (ran.push(args), 'fine'),
    }
    const order = { turns: ['Which weather?'], tools: [weather], isStream }
    const { texts } = await converse(order, 2n)
    expect(ran).toEqual([{ city: 'Ulm' }, { city: 'Rom' }])
    expect(texts).toEqual(['Fine in both.'])
  })
})
