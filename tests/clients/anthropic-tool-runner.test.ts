/**
 * Anthropic's tool runner first requests a thread from the API, which the gateway rejects. After the rejection, the
 * tool runner works without a thread.
 */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

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

describe.each([false, true])('streamed: %s', (isStream) => {
  test('the tool runner of the official client calls the tool and returns the model’s last answer', async () => {
    const sent: unknown[] = []
    const ran: unknown[] = []
    const add = betaTool({
      name: 'add',
      description: 'Adds two numbers',
      inputSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      run: (input) => {
        ran.push(input)
        return '3'
      },
    })
    const client = new Anthropic({
      apiKey: key,
      baseURL: app.gateway,
      maxRetries: 0,
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        sent.push([
          JSON.parse(typeof init?.body === 'string' ? init.body : '{}').thread?.type ?? null,
          answer.status,
        ])
        return answer
      },
    })
    const runner = client.beta.messages.toolRunner({
      model: app.model,
      max_tokens: 400,
      messages: [{ role: 'user', content: '[[tool=add {"a":1}]]' }],
      tools: [add],
      ...(isStream ? { stream: true as const } : {}),
    })
    const last = await runner.runUntilDone()
    expect(ran).toEqual([{ a: 1 }])
    expect(last.content).toEqual([expect.objectContaining({ type: 'text' })])
    // Only the first request has the field `thread`, so the gateway rejects only this request.
    expect(sent).toEqual([
      ['create', 400],
      [null, 200],
      [null, 200],
    ])
  })
})
