import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { startVendor } from '../support/simulated-vendor.ts'
import { tagOf } from '#wire/tagged-reasoning-signatures.ts'

let server: LocalServer
let app: Application
let user: User

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  user = await app.newUser({ balanceMicros: 100_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const f = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

async function explained(): Promise<{
  route: { lost: string[]; upstreamWire: string }
  reserve: { outputTokensPerChoice: number }
}> {
  const [newest] = await user.requests()
  return app.api('GET', `/v1/requests/${newest.id}`)
}

test('a tool that the provider would run never reaches the provider, and a response header and explain report the removal', async () => {
  const answer = await app.call(user, { tools: [{ type: 'web_search' }, f] })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.headers.get('x-svc-conversion-lost')).toBe('tools.web_search')
  expect(app.provider.calls.at(-1)?.body?.['tools']).toEqual([f])
  expect(await explained()).toMatchObject({ route: { upstreamWire: 'chat', lost: ['tools.web_search'] } })

  const plain = await app.call(user, { tools: [f] })
  expect(plain.headers.get('x-svc-conversion-lost')).toBeNull()
  expect((await explained()).route).not.toHaveProperty('lost')
})

test('a tool that the provider would run never reaches the provider, even if the client uses the responses wire', async () => {
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: app.model,
      input: 'Hello',
      tools: [
        { type: 'web_search' },
        { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } },
      ],
    }),
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-svc-conversion-lost')).toBe('tools.web_search')
  expect(app.provider.calls.at(-1)?.body?.['tools']).toEqual([f])
  expect(await explained()).toMatchObject({ route: { upstreamWire: 'chat', lost: ['tools.web_search'] } })
  await response.text()
})

test('a tool that the provider would run never reaches the provider, even in a large body with an image', async () => {
  const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(60_000)}`
  const picture = [
    { type: 'text', text: 'Hello' },
    { type: 'image_url', image_url: { url } },
  ]
  const answer = await app.call(user, {
    messages: [{ role: 'user', content: picture }],
    tools: [{ type: 'web_search' }, f],
  })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.headers.get('x-svc-conversion-lost')).toBe('tools.web_search')
  expect(app.provider.calls.at(-1)?.body).toMatchObject({ tools: [f], messages: [{ content: picture }] })

  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: app.model,
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
      tools: [
        { type: 'web_search' },
        { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } },
      ],
    }),
  })
  expect(response.status, await response.text()).toBe(200)
  expect(response.headers.get('x-svc-conversion-lost')).toBe('tools.web_search')
  const sent = app.provider.calls.at(-1)?.body
  expect(sent).toMatchObject({ tools: [f], messages: [{ content: [{ image_url: { url } }] }] })
})

test('a required tool that cannot be sent is rejected, with nothing sent and nothing held', async () => {
  const calls = app.provider.calls.length
  const answer = await app.call(user, { tools: [{ type: 'web_search' }], tool_choice: 'required' })
  expect(answer).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_for_route', param: 'tool_choice' } },
  })
  expect(app.provider.calls).toHaveLength(calls)
  expect((await user.balance()).reservedMicros).toBe(0n)
})

test('content of the history that one account has signed or encrypted is not sent to another account', async () => {
  const seal = tagOf({ wire: 'messages', origin: 'other', kind: 'signature', data: 's', id: null })
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const extra_content = { tollgate: { reasoning: [{ text: 'Secretly.', seal }] } }
  const said = { role: 'assistant', content: null, reasoning_content: 'Secretly.' }
  const result = { role: 'tool', tool_call_id: 'c', content: '1' }
  const messages = [
    { role: 'user', content: 'Hello' },
    { ...said, tool_calls: [{ ...call, extra_content }] },
    result,
  ]
  const answer = await app.call(user, { messages })
  expect(answer.status, answer.text).toBe(200)
  expect(app.provider.calls.at(-1)?.body?.messages).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, tool_calls: [call] },
    result,
  ])
})

test('if a model’s maximum is smaller than the default, the request and the hold use the model’s maximum', async () => {
  const vendor = await startVendor()
  const { apiKey, baseUrls } = vendor
  await app.api('PUT', '/v1/providers/old', { kind: 'anthropic', baseUrl: baseUrls.anthropic, apiKey })
  const price = { input: '1000000', output: '5000000', cacheWrite: '1250000', cacheWriteLong: '2000000' }
  const heldFor = async (model: string): Promise<unknown> => {
    await app.api('POST', '/v1/providers/old/price', { model, price })
    await app.api('PUT', '/v1/models/acme%2Fold', { sources: [{ provider: 'old', model }] })
    const answer = await app.call(user, { model: 'acme/old' })
    expect(answer.status, answer.text).toBe(200)
    const { reserve } = await explained()
    return [vendor.calls.at(-1)?.body['max_tokens'], reserve.outputTokensPerChoice]
  }
  expect(await heldFor('claude-3-haiku-20240307')).toEqual([4_096, 4_096])
  expect(await heldFor('claude-3-5-sonnet-20241022')).toEqual([8_192, 8_192])
  expect(await heldFor('claude-sonnet-4-5')).toEqual([8_192, 8_192])
  // The gateway does not change a maximum that the client states.
  await app.call(user, { model: 'acme/old', max_tokens: 9 })
  expect(vendor.calls.at(-1)?.body['max_tokens']).toBe(9)
  await vendor.close()
})

test('a request that the responses format cannot express is sent to OpenAI as chat completions', async () => {
  const vendor = await startVendor()
  const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey }
  const price = { input: '1000000', cacheWrite: '1000000', output: '2000000' }
  await connectAccount(app, 'both', { ...account, model: 'gpt-5.2', price })
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what is there
  const asked = async (generationConfig: object): Promise<{ status: number; body: any }> => {
    const response = await fetch(`${app.gateway}/v1beta/models/acme%2Fboth:generateContent`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], generationConfig }),
    })
    return { status: response.status, body: await response.json() }
  }
  expect(await asked({})).toMatchObject({ status: 200 })
  expect(vendor.calls.at(-1)).toMatchObject({ wire: 'responses' })
  expect((await explained()).route.upstreamWire).toBe('responses')

  const two = await asked({ candidateCount: 2 })
  expect(two.status, JSON.stringify(two.body)).toBe(200)
  expect(two.body.candidates).toHaveLength(2)
  expect(vendor.calls.at(-1)).toMatchObject({ wire: 'chat', body: { n: 2 } })
  expect((await explained()).route.upstreamWire).toBe('chat')

  // Neither the responses format nor chat completions can express this request for speech.
  const sent = vendor.calls.length
  const audio = { responseModalities: ['AUDIO'] }
  expect(await asked(audio)).toMatchObject({ status: 400 })
  expect(vendor.calls).toHaveLength(sent)
  await vendor.close()
})
