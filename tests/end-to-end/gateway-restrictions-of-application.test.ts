import { request } from 'node:http'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { worstMicros } from '../support/expected-costs.ts'
import {
  arrival,
  makeApplication,
  sendRaw,
  settledBalance,
  startServer,
  testKeyOf,
  upstreamModel,
  answerOf,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let user: User

const credit = 10_000_000n
const unset = {
  wires: null,
  models: null,
  origins: [],
  addresses: null,
  hours: null,
  defaultMaxTokens: null,
  holdWaitMs: null,
  filesMax: null,
  fileBytesMax: null,
  storagePrefixes: [],
  providerTools: 'bounded',
  conversion: 'lenient',
  limits: [],
  passTraceparent: false,
}

beforeAll(async () => {
  server = await startServer({ environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.2/32' } })
  app = await makeApplication(server)
})
beforeEach(async () => {
  app.provider.script({})
  await app.api('PATCH', '/v1/gateway', unset)
  user = await app.newUser({ balanceMicros: credit })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const set = (changes: object): Promise<unknown> => app.api('PATCH', '/v1/gateway', changes)
const messages = [{ role: 'user' as const, content: 'Hello' }]

const openaiOf = (key: string) => new OpenAI({ apiKey: key, baseURL: `${app.gateway}/v1` })

async function message(key: string, body: object = {}, path = '/v1/messages'): Promise<Answer> {
  const response = await fetch(`${app.gateway}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ model: app.model, max_tokens: 10, messages, ...body }),
  })
  return answerOf(response)
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  )
}

async function explained(): Promise<{ status: string; errorCode: string; refusal: object }> {
  const [newest] = await user.requests()
  return app.api('GET', `/v1/requests/${newest.id}`)
}

test('an application without gateway settings shows null settings and the address of its gateway', async () => {
  const fresh = await makeApplication(server, { provider: app.provider })
  const shown = await fresh.api('GET', '/v1/gateway')
  expect(shown).toEqual({
    application: fresh.slug,
    gateway: `http://${fresh.gatewayHost}:${server.port}`,
    localGateway: fresh.gateway,
    hosts: [`${fresh.gatewayHost}:${server.port}`, `127.0.0.1:${fresh.gatewayPort}`],
    limitUses: [],
    ...unset,
  })
})

describe('a disabled wire', () => {
  test('a request on a disabled wire raises the typed error of the official client, and the gateway records the rejection', async () => {
    await set({ wires: ['responses'] })
    const calls = app.provider.calls.length
    const openai = await errorOf(openaiOf(user.key).chat.completions.create({ model: app.model, messages }))
    expect(openai).toBeInstanceOf(OpenAI.NotFoundError)
    expect(openai).toMatchObject({ status: 404, code: 'wire_not_served', error: { served: 'responses' } })
    expect(await explained()).toMatchObject({ status: 'refused', refusal: { code: 'wire_not_served' } })
    const counting = await message(user.key, {}, '/v1/messages/count_tokens')
    expect([counting.status, counting.body.error.details.error_code]).toEqual([404, 'wire_not_served'])
    expect(app.provider.calls).toHaveLength(calls)
    expect(await settledBalance(user)).toBe(credit)
  })

  test('a disabled wire does not affect the list of models or other wires', async () => {
    await set({ wires: ['chat'] })
    const headers = { 'x-api-key': user.key, 'anthropic-version': '2023-06-01' }
    const listed = await answerOf(await fetch(`${app.gateway}/v1/models`, { headers }))
    expect(listed.body.data).toMatchObject([{ type: 'model', id: app.model }])
    expect((await app.call(user)).status).toBe(200)
  })
})

test('a disabled model name counts as unknown, and is not listed', async () => {
  await app.api('PUT', '/v1/models/acme%2Fother', { sources: [{ provider: app.slug, model: upstreamModel }] })
  await set({ models: ['acme/oth*'] })
  const error = await errorOf(openaiOf(user.key).chat.completions.create({ model: app.model, messages }))
  expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
  const listed = []
  for await (const model of openaiOf(user.key).models.list()) listed.push(model.id)
  expect(listed).toEqual(['acme/other'])
  expect((await app.call(user, { model: 'acme/other' })).status).toBe(200)
  await app.api('DELETE', '/v1/models/acme%2Fother')
})

describe('threat 7: addresses', () => {
  test('a call from an address that is not allowed raises the typed error in both modes, and the gateway records the rejection', async () => {
    await set({ addresses: ['192.0.2.0/24', '2001:db8::/32'] })
    const error = await errorOf(openaiOf(user.key).chat.completions.create({ model: app.model, messages }))
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(error).toMatchObject({ code: 'address_not_allowed', error: { address: '127.0.0.1' } })
    expect(error).toHaveProperty('headers')
    expect(await explained()).toMatchObject({
      refusal: { code: 'address_not_allowed', address: '127.0.0.1' },
    })
    const inTestMode = await message(await testKeyOf(app))
    expect([inTestMode.status, inTestMode.body.error.type]).toEqual([403, 'permission_error'])
    const answer = await app.call(user)
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(answer.headers.get('retry-after')).toBeNull()
  })

  test('X-Forwarded-For has no effect on a connection that is not from a trusted proxy', async () => {
    await set({ addresses: ['192.0.2.0/24'] })
    const answer = await app.call(user, {}, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(answer.body.error.code).toBe('address_not_allowed')
  })

  test('behind a trusted proxy, the gateway checks the address of the client instead of the address of the proxy', async () => {
    await set({ addresses: ['192.0.2.0/24'] })
    const through = (forwarded: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { key } = user
        const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': forwarded }
        // The test sends from the trusted proxy's address, which is on this machine.
        request(`${app.gateway}/v1/models`, { headers, localAddress: '127.0.0.2' })
          .on('response', (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    expect(await through('192.0.2.1')).toBe(200)
    expect(await through('192.0.2.1, 198.51.100.1')).toBe(403)
    expect(await through('nonsense')).toBe(403)
  })

  test('a request from an allowed address is served, and the error for a wrong key reveals nothing about addresses', async () => {
    await set({ addresses: ['127.0.0.0/8'] })
    expect((await app.call(user)).status).toBe(200)
    await set({ addresses: ['192.0.2.1'] })
    expect((await app.call({ key: 'ak_nope' })).body.error.code).toBe('invalid_key')
  })
})

test('outside the opening hours of an application, the error states when it opens', async () => {
  const now = new Date()
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
  // The opening hours begin the day after tomorrow, so that the test also works if it runs past midnight.
  const opens = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 2, 9, 30))
  await set({ hours: [{ days: [days[opens.getUTCDay()]], from: '09:30', until: '10:00' }] })
  const error = await errorOf(openaiOf(user.key).chat.completions.create({ model: app.model, messages }))
  expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
  expect(error).toMatchObject({ code: 'outside_hours', error: { opensAt: opens.toISOString() } })
  const listing = await fetch(`${app.gateway}/v1/models`, {
    headers: { authorization: `Bearer ${user.key}` },
  })
  expect(listing.status).toBe(403)
  await set({ hours: [{ days: [...days], from: '00:00', until: '24:00' }] })
  expect((await app.call(user)).status).toBe(200)
})

describe('a default maximum', () => {
  test('if the request states no maximum, the default maximum is held in full and sent to the provider', async () => {
    await set({ defaultMaxTokens: 77 })
    for (const body of [{}, { stream: true }, { n: 2 }]) {
      // oxlint-disable-next-line no-await-in-loop -- each looks at its own record
      expect((await app.call(user, body)).status).toBe(200)
      expect(app.provider.calls.at(-1)?.body).toMatchObject({ max_tokens: 77 })
      // oxlint-disable-next-line no-await-in-loop -- as above
      const [newest] = await user.requests()
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { reserve } = await app.api('GET', `/v1/requests/${newest.id}`)
      const output = 77 * ('n' in body ? 2 : 1)
      expect(reserve.worstMicros).toBe(String(worstMicros(app.rates, app.bodyOf(body), output)))
      expect(reserve.isClamped).toBe(false)
    }
  })

  test('a maximum in the request, or a lower ceiling of the model, replaces the default maximum', async () => {
    await set({ defaultMaxTokens: 77 })
    await app.call(user, { max_tokens: 200 })
    expect(app.provider.calls.at(-1)?.body).toMatchObject({ max_tokens: 200 })
    const own = await makeApplication(server, { provider: app.provider, outputTokens: 50 })
    await own.api('PATCH', '/v1/gateway', { defaultMaxTokens: 77 })
    const other = await own.newUser({ balanceMicros: credit })
    await own.call(other)
    expect(app.provider.calls.at(-1)?.body).toMatchObject({ max_tokens: 50 })
  })

  test('a default maximum is sent to OpenAI in the field that OpenAI accepts for every model', async () => {
    await app.api('PUT', '/v1/providers/vendor', {
      kind: 'openai',
      baseUrl: app.provider.baseUrl,
      apiKey: 'sk-upstream-vendor-0001',
    })
    await app.api('POST', '/v1/providers/vendor/price', {
      model: 'gpt-x',
      price: { input: '1000000', output: '1000000', cacheWrite: '1250000' },
    })
    await app.api('PUT', '/v1/models/acme%2Fvendor', { sources: [{ provider: 'vendor', model: 'gpt-x' }] })
    await set({ defaultMaxTokens: 77 })
    expect((await app.call(user, { model: 'acme/vendor' })).status).toBe(200)
    const sent = app.provider.calls.at(-1)?.body
    expect(sent).toMatchObject({ max_completion_tokens: 77 })
    expect(sent).not.toHaveProperty('max_tokens')
    await app.api('DELETE', '/v1/models/acme%2Fvendor')
  })
})

describe('content that a conversion may drop', () => {
  const offered = { tools: [{ type: 'web_search' }] }

  test('if the application does not allow dropping content, a request with a tool that the provider would run is rejected', async () => {
    const dropped = await app.call(user, offered)
    expect([dropped.status, dropped.headers.get('x-svc-conversion-lost')]).toEqual([200, 'tools.web_search'])
    await set({ providerTools: 'refuse' })
    const refused = await app.call(user, offered)
    expect(refused.body.error).toMatchObject({ code: 'unsupported_for_route', param: 'tools.web_search' })
    expect((await app.call(user)).status).toBe(200)
  })

  test('if the application converts strictly, a request with a field that a conversion would lose is rejected, and the error names the field', async () => {
    const lenient = await message(user.key, { top_k: 5 })
    expect([lenient.status, lenient.headers.get('x-svc-conversion-lost')]).toEqual([200, 'top_k'])
    await set({ conversion: 'strict' })
    const strict = await message(user.key, { top_k: 5 })
    expect([strict.status, strict.body.error.details]).toMatchObject([
      400,
      { error_code: 'unsupported_for_route', param: 'top_k' },
    ])
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x_${i}`, 1]))
    expect((await message(user.key, many)).body.error.message).toMatch(
      /Omit x_0, x_1, .* x_19, and 80 more\.?$/,
    )
    expect((await message(user.key)).body.content).toMatchObject([{ type: 'text' }])
    expect(await settledBalance(user)).toBeLessThan(credit)
  })
})

test('an application may disable waiting for held money', async () => {
  await set({ holdWaitMs: 0 })
  const single = worstMicros(app.rates, app.bodyOf({ max_tokens: 100 }), 100)
  const poor = await app.newUser({ balanceMicros: single })
  app.provider.enqueue({ hang: 'headers' })
  const arrived = arrival(app.provider)
  const first = app.call(poor, { max_tokens: 100 })
  await arrived
  const second = await app.call(poor, { max_tokens: 100 })
  expect(second.body.error.code).toBe('balance_held')
  const [newest] = await poor.requests()
  expect((await app.api('GET', `/v1/requests/${newest.id}`)).refusal.waitedMs).toBeNull()
  app.provider.release()
  expect((await first).status).toBe(200)
})

describe('threat 38: pages of other origins', () => {
  const page = 'https://app.example.com'
  const exposed =
    'x-request-id, request-id, retry-after, retry-after-ms, x-should-retry, x-goog-upload-status, x-goog-upload-url, x-svc-abort-reason, x-svc-conversion-lost, x-svc-token-count, x-svc-charge-micros, x-svc-remaining-micros'

  const preflight = (origin: string, path = '/v1/chat/completions'): Promise<Response> =>
    fetch(`${app.gateway}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    })
  const corsOf = ({ headers }: { headers: Headers }): Record<string, string> =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))

  test('if no origins are set, CORS headers are absent and the method OPTIONS is not allowed', async () => {
    const answer = await app.call(user, {}, { headers: { origin: page } })
    expect([answer.status, corsOf(answer)]).toEqual([200, {}])
    const asked = await preflight(page)
    expect([asked.status, corsOf(asked)]).toEqual([405, {}])
  })

  test('the server’s console may call every path that the application allows, without credentials of the browser', async () => {
    const own = [`http://localhost:${server.port}`, `http://127.0.0.1:${server.port}`]
    for (const origin of [
      `http://localhost:${server.port + 1}`,
      `https://localhost:${server.port}`,
      `http://evil.localhost:${server.port}`,
      `http://${app.slug}.portal.localhost:${server.port}`,
    ]) {
      expect(corsOf(await app.call(user, {}, { headers: { origin } })), origin).toEqual({})
    }
    for (const origins of [[], [page], ['*']]) {
      await set({ origins })
      for (const origin of own) {
        const asked = await preflight(origin)
        expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin])
        expect(asked.headers.has('access-control-allow-credentials')).toBe(false)
        const answer = await app.call(user, {}, { headers: { origin } })
        expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin])
        expect(answer.headers.get('vary')).toBe('origin')
      }
    }
  })

  test('a preflight of an allowed origin needs no key', async () => {
    await set({ origins: [page] })
    const asked = await preflight(page)
    expect([asked.status, await asked.text(), corsOf(asked)]).toEqual([
      204,
      '',
      {
        'access-control-allow-origin': page,
        'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
        'access-control-max-age': '600',
        vary: 'origin, access-control-request-method, access-control-request-headers',
      },
    ])
  })

  test('for an origin that is not allowed, the preflight is rejected, and no response has a CORS permission', async () => {
    await set({ origins: [page] })
    for (const origin of ['https://app.example.com.evil', 'http://app.example.com', 'null', `${page}:444`]) {
      // oxlint-disable-next-line no-await-in-loop -- a few requests
      const asked = await answerOf(await preflight(origin))
      expect(asked.status, origin).toBe(403)
      expect(Object.keys(corsOf(asked)), origin).toEqual(['vary'])
      expect(asked.body.error.code).toBe('origin_not_allowed')
      // oxlint-disable-next-line no-await-in-loop -- as above
      const answer = await app.call(user, {}, { headers: { origin } })
      expect([answer.status, corsOf(answer)], origin).toEqual([200, { vary: 'origin' }])
    }
  })

  test('a page of an allowed origin can read responses, streams and errors, including errors of unknown paths', async () => {
    await set({ origins: [page, 'app://obsidian.md'] })
    const headers = { origin: page }
    const readable = {
      'access-control-allow-origin': page,
      'access-control-expose-headers': exposed,
      vary: 'origin',
    }
    const whole = await app.call(user, {}, { headers })
    expect([whole.status, corsOf(whole)]).toEqual([200, readable])
    const stream = await app.call(user, { stream: true }, { headers })
    expect([stream.status, corsOf(stream)]).toEqual([200, readable])
    expect(stream.text).toContain('data: [DONE]')
    const refused = await app.call({ key: 'ak_nope' }, {}, { headers })
    expect([refused.status, corsOf(refused)]).toEqual([401, readable])
    const lost = await fetch(`${app.gateway}/v1/nothing`, { headers })
    expect([lost.status, corsOf(lost)]).toEqual([404, readable])
    const program = await app.call(user, {}, { headers: { origin: 'app://obsidian.md' } })
    expect(program.headers.get('access-control-allow-origin')).toBe('app://obsidian.md')
  })

  test('a page of an allowed origin can read the headers that state the end user’s rate limits', async () => {
    await set({ origins: [page] })
    const limited = await app.newUser({ balanceMicros: 1_000_000n })
    await app.api('PUT', `/v1/end-users/${limited.externalId}/limit`, {
      limits: [{ measure: 'requests', window: 'day', most: '1' }],
    })
    const names = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}-requests`).join(', ')
    for (const status of [200, 429]) {
      // oxlint-disable-next-line no-await-in-loop -- the second request is beyond the limit
      const answer = await app.call(limited, {}, { headers: { origin: page } })
      expect([answer.status, answer.headers.get('access-control-expose-headers')]).toEqual([
        status,
        `${exposed}, ${names}`,
      ])
      expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    }
  })

  test('if all origins are allowed, any page may call, and no page may send credentials', async () => {
    await set({ origins: ['*'] })
    const asked = await preflight('null')
    expect(asked.headers.get('access-control-allow-origin')).toBe('*')
    const answer = await app.call(user, {}, { headers: { origin: page } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    for (const each of [asked, answer])
      expect(each.headers.has('access-control-allow-credentials')).toBe(false)
  })

  test('the official client in a browser receives its answer', async () => {
    await set({ origins: [page] })
    const inPage = new OpenAI({
      apiKey: user.key,
      baseURL: `${app.gateway}/v1`,
      dangerouslyAllowBrowser: true,
      // Acts like a browser: sends a preflight, and then the call with the page's origin.
      fetch: async (input, init) => {
        const names = [...new Headers(init?.headers).keys()].join(',')
        const asked = await fetch(input, {
          method: 'OPTIONS',
          headers: {
            origin: page,
            'access-control-request-method': 'POST',
            'access-control-request-headers': names,
          },
        })
        expect(asked.headers.get('access-control-allow-headers')).toBe(names)
        const headers = new Headers(init?.headers)
        headers.set('origin', page)
        return fetch(input, { ...init, headers })
      },
    })
    const { data } = await inPage.chat.completions.create({ model: app.model, messages }).withResponse()
    expect(data.choices[0]?.message.content).toBe(' word0 word1 word2')
  })

  test('two origins in one request are rejected', async () => {
    await set({ origins: [page] })
    const answer = await sendRaw(
      app.gatewayPort,
      `GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1:${app.gatewayPort}\r\nauthorization: Bearer ${user.key}\r\norigin: ${page}\r\norigin: https://evil.example\r\n\r\n`,
    )
    expect(answer.status).toBe(200)
    expect(answer.headers.has('access-control-allow-origin')).toBe(false)
  })
})

test('on any wire, a provider receives the trace context of a client only if the application allows it', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const sent = { traceparent, tracestate: 'vendor=a,other=b' }
  const gets = async (headers: Record<string, string>): Promise<unknown[]> => {
    const chat = arrival(app.provider)
    await app.call(user, {}, { headers })
    const { headers: got } = await chat
    return [got['traceparent'], got['tracestate']]
  }
  expect(await gets(sent)).toEqual([undefined, undefined])
  await set({ passTraceparent: true })
  expect(await gets(sent)).toEqual([traceparent, 'vendor=a,other=b'])
  expect(await gets({})).toEqual([undefined, undefined])
  expect(await gets({ traceparent: 'ff-nothing', tracestate: 'a=b' })).toEqual([undefined, undefined])
  const converted = arrival(app.provider)
  await fetch(`${app.gateway}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': user.key, 'content-type': 'application/json', 'anthropic-beta': 'none', ...sent },
    body: JSON.stringify({ model: app.model, max_tokens: 10, messages }),
  })
  const { headers } = await converted
  expect([headers['traceparent'], headers['anthropic-beta']]).toEqual([traceparent, undefined])
})
