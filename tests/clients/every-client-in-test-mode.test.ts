/** With a test key, no request leaves the process. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { emptyBecause } from './cases-without-clients.ts'
import type { Client, Heard, Order } from './client-interface.ts'
import { clients } from './list-of-clients.ts'

let server: LocalServer
let app: Application
let key: string

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  key = await testKeyOf(app)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

describe.each(clients.map((client) => [client.name, client] as const))('%s', (_, client) => {
  test.each([false, true])('the client reads a text (streamed: %s)', async (isStream) => {
    const { texts } = await converse(client, { turns: ['[[text=Hello, newcomer]]'], isStream })
    expect(texts).toEqual(['Hello, newcomer'])
  })

  test.for([false, true])('the client calls a tool (streamed: %s)', async (isStream, { skip }) => {
    const reason = emptyBecause(client, client.wire, 'one tool', isStream)
    if (reason !== null) return skip(reason)
    const ran: unknown[] = []
    const add = {
      name: 'add',
      description: 'Adds two numbers',
      parameters: {
        type: 'object' as const,
        properties: { a: { type: 'integer' as const }, b: { type: 'integer' as const } },
        required: ['a', 'b'],
        additionalProperties: false as const,
      },
      run: (args: unknown) => (ran.push(args), '3'),
    }
    const { texts } = await converse(client, {
      turns: ['[[tool=add {"a":1,"b":2}]]'],
      tools: [add],
      isStream,
    })
    expect(ran).toEqual([{ a: 1, b: 2 }])
    expect(texts[0]).toMatch(/^This is the Tollgate simulator/)
  })

  test.skipIf(emptyBecause(client, client.wire, 'thoughts', true) !== null)(
    'the client reads the model’s thoughts',
    async () => {
      const order = { turns: ['[[reasoning=7 text=So]]', '[[text=On]]'], thinks: true, isStream: true }
      const { texts, thoughts } = await converse(client, order)
      expect(texts).toEqual(['So', 'On'])
      expect(thoughts.split(' ')).toHaveLength(7)
    },
  )
})

async function converse(client: Client, order: Order): Promise<Heard> {
  const at = { gateway: app.gateway, key, model: app.model, retriesMax: 0 }
  const heard = await client.converse(at, order)
  expect(app.provider.calls).toEqual([])
  return heard
}
