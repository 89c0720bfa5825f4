import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  makeApplication,
  startServer,
  upstreamKey,
  upstreamModel,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server, { rates: { input: 2_000_000n, output: 5_000_000n } })
})
beforeEach(() => app.provider.script({}))
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const probe = (body: object = {}, label = app.slug) => app.api('POST', `/v1/providers/${label}/probe`, body)

describe('a probe', () => {
  test('a probe requests one token from the cheapest priced model, and records its cost', async () => {
    await app.api('POST', `/v1/providers/${app.slug}/price`, {
      model: 'dear',
      price: { input: '9000000', output: '9000000' },
    })
    const usage = { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 }
    app.provider.script({ usage })
    const calls = app.provider.calls.length
    const answer = await probe()
    expect(answer).toMatchObject({
      provider: app.slug,
      model: upstreamModel,
      ok: true,
      status: 200,
      inputTokens: 8,
      outputTokens: 1,
      costMicros: '21',
      error: null,
    })
    const [sent, ...more] = app.provider.calls.slice(calls)
    expect(more).toEqual([])
    expect(sent?.body).toMatchObject({ model: upstreamModel, max_tokens: 1 })
    expect(sent?.headers.authorization).toBe(`Bearer ${upstreamKey}`)
    const { probeCostMicros, totals } = await app.api('GET', '/v1/margin')
    expect([probeCostMicros, totals.costMicros]).toEqual(['21', '0'])
  })

  test('a probe reports a rejection in the provider’s words, without the account’s key', async () => {
    const words = {
      error: { message: `Incorrect API key provided: ${upstreamKey}.`, code: 'invalid_api_key' },
    }
    app.provider.script({ status: 401, body: words })
    const answer = await probe({ model: upstreamModel })
    expect(answer).toMatchObject({
      ok: false,
      status: 401,
      costMicros: null,
      error: { code: 'upstream_unauthorized' },
    })
    expect(answer.error.message).toMatch(
      /^The provider of \S+ rejected the API key of the account\. Replace the key\.$/,
    )
    expect(answer.error.said).toContain('Incorrect API key provided')
    expect(JSON.stringify(answer)).not.toContain(upstreamKey.slice(-16))
  })

  test('a probe reports an invalid response, and a missing response', async () => {
    app.provider.script({ body: '<html>not here</html>', contentType: 'text/html' })
    expect(await probe()).toMatchObject({
      ok: false,
      status: 200,
      error: { code: 'upstream_error', said: '<html>not here</html>' },
    })
    app.provider.script({ body: { error: { message: 'slow down', type: 'rate_limit_error' } } })
    expect((await probe()).error).toMatchObject({
      code: 'upstream_rate_limited',
      message: expect.stringMatching(/^The provider of \S+ failed the probe: it returned 429\.$/),
    })
    app.provider.script({ isReset: true })
    const reset = await probe()
    expect([reset.status, reset.error.code, reset.error.said]).toEqual([null, 'upstream_error', null])
    app.provider.script({ status: 500, body: 'x'.repeat(100_000) })
    const large = await probe()
    expect(large.error.code).toBe('upstream_error')
    expect(JSON.stringify(large).length).toBeLessThan(4_000)
  })

  test('a probe recognizes a rejected key that Google reports as a 400', async () => {
    const error = {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    }
    const vendor = createServer((request, response) => {
      request.resume()
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error }))
    })
    const baseUrl = `http://127.0.0.1:${await portOf(vendor)}`
    await app.api('PUT', '/v1/providers/google', { kind: 'google', baseUrl, apiKey: upstreamKey })
    const answer = await probe({ model: 'm-1' }, 'google')
    expect(answer.error).toMatchObject({
      code: 'upstream_unauthorized',
      message: expect.stringContaining('rejected the API key'),
    })
    vendor.close()
  })

  test('a probe uses the API of the account’s kind', async () => {
    const vendor = createServer((request, response) => {
      request.resume()
      seen.push(`${request.method} ${request.url}`)
      response.writeHead(429, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"slow","type":"rate_limit_error"}}')
    })
    const seen: string[] = []
    const baseUrl = `http://127.0.0.1:${await portOf(vendor)}`
    for (const kind of ['openai', 'anthropic', 'google']) {
      await app.api('PUT', `/v1/providers/${kind}`, { kind, baseUrl, apiKey: upstreamKey })
      expect((await probe({ model: 'm-1' }, kind)).error.code).toBe('upstream_rate_limited')
    }
    expect(seen).toEqual([
      'POST /chat/completions',
      'POST /v1/messages',
      'POST /v1beta/models/m-1:generateContent',
    ])
    vendor.close()
  })
})

async function portOf(vendor: Server): Promise<number> {
  vendor.listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  return (vendor.address() as AddressInfo).port
}
