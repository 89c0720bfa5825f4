/**
 * The first test sends the requests of Microsoft's Agent Framework for Python with its default client
 * (`OpenAIChatClient`). The framework sends no `store`, and its second turn has only `previous_response_id` and the
 * results of tools.
 */
import OpenAI from 'openai'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../support/number-of-property-runs.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  answerOf,
  connectAccount,
  makeApplication,
  startServer,
  testKeyOf,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User

const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'openai', { ...account, model: 'gpt-5.4' })
  await connectAccount(app, 'second', { ...account, model: 'gpt-5.4' })
  user = await app.newUser({ balanceMicros: 100_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

async function respond(
  body: object,
  key = user.key,
  { gateway = app.gateway, path = '/v1/responses' } = {},
): Promise<Answer> {
  const response = await fetch(`${gateway}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/openai', ...body }),
  })
  return answerOf(response)
}

async function ask(method: string, path: string, key = user.key, gateway = app.gateway): Promise<Answer> {
  return answerOf(await fetch(`${gateway}${path}`, { method, headers: { authorization: `Bearer ${key}` } }))
}

function usageOf({ usage }: OpenAI.Responses.Response): OpenAI.Responses.ResponseUsage {
  if (usage === undefined) throw new Error('the response has no usage')
  return usage
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

test('a client continues a response by its ID, and is charged exactly for the whole conversation', async () => {
  const first = await respond({ tools, input: [question] })
  expect(first.status, first.text).toBe(200)
  expect(first.body.store).toBe(true)
  const call = first.body.output.find(({ type }: { type: string }) => type === 'function_call')
  const result = { call_id: call.call_id, type: 'function_call_output', output: 'Sunny.' }
  const before = (await user.balance()).balanceMicros
  const second = await respond({ previous_response_id: first.body.id, tools, input: [result] })
  expect(second.status, second.text).toBe(200)
  expect(second.body.previous_response_id).toBe(first.body.id)
  expect(second.body.id).not.toBe(first.body.id)
  const sent = vendor.calls.at(-1)
  expect(sent?.body['previous_response_id']).toMatch(/^resp_vendor\d+$/)
  expect(second.text).not.toContain('resp_vendor')
  const { input_tokens: input, output_tokens: output } = second.body.usage
  expect(input).toBeGreaterThan(first.body.usage.input_tokens)
  const after = (await user.balance()).balanceMicros
  expect(before - after).toBe(BigInt(input + output))
})

test('the official client continues a streamed response, and the gateway reads the length of the response from the provider', async () => {
  const client = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  const first = await client.responses
    .stream({ model: 'acme/openai', input: `${'word '.repeat(200)}[[tokens=40]]` })
    .finalResponse()
  const asked = vendor.calls.length
  const second = await client.responses
    .stream({ model: 'acme/openai', input: 'And now?', previous_response_id: first.id })
    .finalResponse()
  expect(second.previous_response_id).toBe(first.id)
  expect(vendor.calls.slice(asked).map(({ path }) => path.replace(/r\d+$/, 'r'))).toEqual([
    '/v1/responses/resp_vendor',
    '/v1/responses',
  ])
  const [record] = await user.requests()
  const { quote } = await app.api('GET', `/v1/requests/${record.id}`)
  const used = usageOf(first).input_tokens + usageOf(first).output_tokens
  expect(quote.textTokensMax).toBeGreaterThanOrEqual(usageOf(second).input_tokens)
  expect(quote.textTokensMax).toBeLessThan(used + 300)
  // The length of each later response includes all earlier responses.
  const third = await client.responses.create({
    model: 'acme/openai',
    input: 'Once more',
    previous_response_id: second.id,
  })
  expect(usageOf(third).input_tokens).toBeGreaterThan(usageOf(second).input_tokens)

  const read = await client.responses.retrieve(first.id)
  expect(read).toMatchObject({ id: first.id, model: 'acme/openai', output_text: first.output_text })
  const items = await client.responses.inputItems.list(first.id, { limit: 10 })
  expect(items.data).toHaveLength(1)
  await expect(client.responses.cancel(first.id)).rejects.toMatchObject({ status: 400 })
  await client.responses.delete(first.id)
  await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ code: 'response_not_found' })
  await expect(
    client.responses.create({ model: 'acme/openai', input: 'Hi', previous_response_id: first.id }),
  ).rejects.toMatchObject({ code: 'response_not_found', param: 'previous_response_id' })
})

test('before the gateway reads the length of a streamed response, it reads the stored settings and the stored key', async () => {
  const own = await app.newUser({ balanceMicros: 100_000_000n })
  const client = new OpenAI({ apiKey: own.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  const { id } = await client.responses.stream({ model: 'acme/openai', input: 'Hello' }).finalResponse()
  const next = { previous_response_id: id, input: 'Go on' }
  const path = `/v1/models/${encodeURIComponent('acme/openai')}`
  await app.api('POST', `${path}/disable`)
  expect((await respond(next, own.key)).body.error.code).toBe('model_disabled')
  await app.api('POST', `${path}/enable`)
  expect((await respond(next, own.key)).status).toBe(200)
  await app.api('DELETE', `/v1/keys/${own.keyId}`)
  const asked = vendor.calls.length
  expect((await respond(next, own.key)).body.error.code).toBe('key_revoked')
  expect(vendor.calls).toHaveLength(asked)
})

test('only the owner of a response can use its ID, and every other caller gets the error of an unknown ID', async () => {
  const other = await app.newUser({ balanceMicros: 100_000_000n })
  const foreign = await makeApplication(server)
  const outsider = await foreign.newUser({ balanceMicros: 1_000_000n })
  const testKey = await testKeyOf(app)
  const plain = (await respond({ input: 'Hello' })).body.id
  const running = (await respond({ input: '[[hang]]', background: true, max_output_tokens: 100 })).body.id
  const unknown = await ask('GET', '/v1/responses/resp_unknown')
  const unknownBefore = await respond({ input: 'Hi', previous_response_id: 'resp_unknown' })
  expect([unknown.status, unknownBefore.status]).toEqual([404, 404])
  const asked = vendor.calls.length
  const without = ({ body: { error } }: Answer): object => ({ ...error, request_id: null, requestId: null })
  const attempt = fc.record({
    at: fc.nat(),
    as: fc.constantFrom('owner', 'other', 'foreign', 'test'),
    isBackground: fc.boolean(),
    how: fc.constantFrom(
      'GET ',
      'GET ?stream=true',
      'GET ?stream=true&starting_after=1',
      'DELETE ',
      'GET /input_items',
      'POST /cancel',
      'continue',
      'continue in the background',
      'compact',
    ),
    character: fc.constantFrom('A', 'b', '0', '-', '_', ''),
  })
  await fc.assert(
    fc.asyncProperty(attempt, async ({ as, at, character, how, isBackground }) => {
      const id = isBackground ? running : plain
      const place = 5 + (at % (id.length - 5))
      const changed = id.slice(0, place) + character + id.slice(place + 1)
      const used = as === 'owner' ? (changed === id ? 'resp_x' : changed) : id
      const key = { owner: user.key, other: other.key, foreign: outsider.key, test: testKey }[as]
      const gateway = as === 'foreign' ? foreign.gateway : app.gateway
      if (how.startsWith('continue') || how === 'compact') {
        const path = how === 'compact' ? '/v1/responses/compact' : '/v1/responses'
        const body = { input: 'Hi', previous_response_id: used, ...(how.length > 8 && { background: true }) }
        const answer = await respond(body, key, { gateway, path })
        expect(answer.status).toBe(404)
        expect(without(answer)).toEqual(without(unknownBefore))
        return
      }
      const [method = '', part = ''] = how.split(' ')
      const answer = await ask(method, `/v1/responses/${used}${part}`, key, gateway)
      expect(answer.status).toBe(404)
      expect(without(answer)).toEqual(without(unknown))
    }),
    sampledRuns(1_000),
  )
  // No attempt has reached the provider. Only the gateway itself has read the running response.
  const others = vendor.calls
    .slice(asked)
    .filter(({ path }) => !/^\/v1\/responses\/resp_vendor\d+$/.test(path))
  expect(others).toEqual([])
  expect((await ask('GET', `/v1/responses/${plain}`)).status).toBe(200)
  expect((await ask('GET', `/v1/responses/${running}`)).body.status).toBe('in_progress')
  expect((await ask('POST', `/v1/responses/${running}/cancel`)).body.status).toBe('cancelled')
}, 120_000)

test('a response cannot be continued with another model or at another account', async () => {
  const { id } = (await respond({ input: 'Hello' })).body
  const asked = vendor.calls.length
  const answer = await respond({ model: 'acme/second', input: 'Hi', previous_response_id: id })
  expect(answer.body.error).toMatchObject({ code: 'unsupported_for_route', param: 'previous_response_id' })
  expect(answer.body.error.message).toContain('Continue it with the model acme/openai')
  expect(vendor.calls).toHaveLength(asked)
})

test('a router sends the request to the target that stores the response, and the explanation states the reason', async () => {
  const router = `/v1/routers/${encodeURIComponent('acme/any')}`
  const targets = ['second', 'openai'].map((name) => ({ alias: `acme/${name}` }))
  await app.api('PUT', router, { policy: 'priority', targets: [targets[1], targets[0]] })
  const { id } = (await respond({ model: 'acme/any', input: 'Hello' })).body
  await app.api('PUT', router, { policy: 'priority', targets })
  const second = await respond({ model: 'acme/any', input: '[[fail=503]]', previous_response_id: id })
  expect(second.status).toBe(503)
  const [record] = await user.requests()
  const { attempts, route } = await app.api('GET', `/v1/requests/${record.id}`)
  expect(new Set(attempts.map((one: { account: string }) => one.account)).size).toBe(1)
  const skipped = route.candidates.find((one: { skipCode: string | null }) => one.skipCode !== null)
  expect(skipped.skipCode).toBe('unsupported')
  expect(JSON.stringify(skipped)).toContain('the response is stored at another account')
})

test('a response with store: false keeps its ID, and cannot be continued', async () => {
  const first = await respond({ store: false, input: 'Hello' })
  expect(first.body).toMatchObject({ store: false })
  expect(first.body.id).toMatch(/^resp_vendor\d+$/)
  const second = await respond({ input: 'Hi', previous_response_id: first.body.id })
  expect(second.body.error).toMatchObject({ code: 'response_not_found', param: 'previous_response_id' })
})

test('the simulator also stores responses in test mode', async () => {
  const secret = await testKeyOf(app)
  const first = await respond({ input: 'Hello' }, secret)
  expect(first.status, first.text).toBe(200)
  const second = await respond({ input: 'Hi', previous_response_id: first.body.id }, secret)
  expect(second.status, second.text).toBe(200)
  expect((await ask('GET', `/v1/responses/${first.body.id}`, secret)).body.id).toBe(first.body.id)
  // The live key belongs to the other mode, so the response is unknown.
  expect((await ask('GET', `/v1/responses/${first.body.id}`)).status).toBe(404)
})
