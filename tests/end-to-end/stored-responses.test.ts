/**
 * Clients that continue a response by its ID. The test sends the requests of the default client of Microsoft's Agent
 * Framework for Python (`OpenAIChatClient` of `agent_framework_openai`, according to its source). The client neither
 * sends `store` nor reads it in the response. Its second turn has only `previous_response_id` and the results of tools.
 * With `store: false` in its options, it sends the whole conversation.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendor, type Vendor } from '../support/vendor.ts'
import {
  answerOf,
  connectAccount,
  makeApplication,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/harness.ts'

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  await connectAccount(app, 'openai', {
    kind: 'openai',
    baseUrl: vendor.baseUrls.openai,
    apiKey: vendor.apiKey,
    model: 'gpt-5.4',
    price: { input: '1000000', cacheWrite: '1000000', output: '1000000' },
  })
  user = await app.newUser({ balanceMicros: 100_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

async function respond(body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/openai', ...body }),
  })
  return answerOf(response)
}

const tools = [
  {
    name: 'get_weather',
    parameters: {
      properties: { location: { title: 'Location', type: 'string' } },
      required: ['location'],
      type: 'object',
    },
    strict: false,
    type: 'function',
    description: 'Get the weather for a given location.',
  },
]
const question = {
  role: 'user',
  content: [{ type: 'input_text', text: '[[tool=get_weather {"location":"Rome"}]]' }],
}

test('the error of its second turn asks the default client to send store: false, and it then works', async () => {
  const first = await respond({ tools, input: [question] })
  expect(first.status).toBe(200)
  expect(first.body.store).toBe(false)
  // The provider's default applies to the request, because OpenAI finds reasoning of the history by its ID.
  expect(vendor.calls.at(-1)?.body).not.toHaveProperty('store')
  const call = first.body.output.find(({ type }: { type: string }) => type === 'function_call')
  expect(call.name).toBe('get_weather')

  const result = { call_id: call.call_id, type: 'function_call_output', output: 'Sunny.' }
  const asked = vendor.calls.length
  const second = await respond({ previous_response_id: first.body.id, tools, input: [result] })
  expect(second.status).toBe(400)
  expect(second.body.error).toMatchObject({ code: 'unsupported_for_route', param: 'previous_response_id' })
  expect(second.body.error.message).toContain('Set store: false in the client')
  expect(vendor.calls).toHaveLength(asked)

  const rest = { store: false, tools, include: ['reasoning.encrypted_content'] }
  const again = await respond({ ...rest, input: [question] })
  const output = again.body.output
  const next = output.find(({ type }: { type: string }) => type === 'function_call')
  const whole = await respond({ ...rest, input: [question, ...output, { ...result, call_id: next.call_id }] })
  expect(whole.status).toBe(200)
  expect(vendor.calls.at(-1)?.body).toMatchObject({ store: false })
})

test.each([undefined, true, false])(
  'each response of a stream reports that it is not stored (asked: %s)',
  async (store) => {
    const answer = await respond({ input: 'Hello', stream: true, ...(store !== undefined && { store }) })
    const stored = answer.text.match(/"store":\w+/g) ?? []
    // The first and the last event of a response have one each.
    expect(stored.length).toBeGreaterThanOrEqual(2)
    expect(new Set(stored)).toEqual(new Set(['"store":false']))
  },
)
