import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let user: User
let openai: OpenAI
let anthropic: Anthropic
let google: GoogleGenAI

const name = 'acme/haiku'
const limits = { context: 200_000, output: 64_000 }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  await app.api('PUT', '/v1/providers/vendor', { kind: 'anthropic', apiKey: 'k' })
  const sources = [{ provider: 'vendor', model: 'claude-haiku-4-5' }]
  await app.api('PUT', `/v1/models/${encodeURIComponent(name)}`, { sources })
  await app.api('PUT', '/v1/models/other%2Fname', { sources })
  user = await app.newUser({ balanceMicros: 1_000_000n })
  const { key: apiKey } = user
  openai = new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey, baseURL: app.gateway, maxRetries: 0 })
  google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: app.gateway } })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

describe('a single model name', () => {
  test('each vendor’s client retrieves a model in its own format, with its limits and its creation date', async () => {
    const startedSeconds = Math.floor(Date.now() / 1000) - 3600
    const one = await openai.models.retrieve(name)
    expect(one).toMatchObject({
      id: name,
      object: 'model',
      owned_by: app.slug,
      context_window: limits.context,
      max_completion_tokens: limits.output,
    })
    expect(one.created).toBeGreaterThan(startedSeconds)

    const two = await anthropic.models.retrieve(name)
    expect(two).toMatchObject({
      type: 'model',
      id: name,
      display_name: name,
      max_input_tokens: limits.context,
      max_tokens: limits.output,
    })
    expect(Date.parse(two.created_at)).toBeGreaterThan(startedSeconds * 1000)

    expect(await google.models.get({ model: name })).toMatchObject({
      name: `models/${name}`,
      inputTokenLimit: limits.context,
      outputTokenLimit: limits.output,
    })
  })

  test('a request for a model that the bundle does not allow returns the same error as a request for an unknown model', async () => {
    for (const missing of ['other/name', 'no/such']) {
      /* oxlint-disable no-await-in-loop -- one after the other */
      await expect(openai.models.retrieve(missing)).rejects.toMatchObject({
        status: 404,
        code: 'model_not_found',
      })
      await expect(anthropic.models.retrieve(missing)).rejects.toMatchObject({ status: 404 })
      await expect(google.models.get({ model: missing })).rejects.toMatchObject({ status: 404 })
      /* oxlint-enable no-await-in-loop */
    }
  })

  test('a model is found even if the slash in its name is escaped', async () => {
    for (const path of ['/v1/models/acme/haiku', '/v1/models/acme%2Fhaiku', '/v1beta/models/acme%2fhaiku'])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await get(path)).status, path).toBe(200)
  })
})

describe('the list', () => {
  test('each format lists the same models, divided into pages like the vendor’s own list', async () => {
    const names = [name, app.model]
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(names)
    const paged: string[] = []
    for await (const { id, max_tokens: most } of anthropic.models.list({ limit: 1 }))
      paged.push(`${id} ${most}`)
    expect(paged).toEqual([`${name} ${limits.output}`, `${app.model} null`])
    const turned: unknown[] = []
    for await (const model of await google.models.list({ config: { pageSize: 1 } })) turned.push(model.name)
    expect(turned).toEqual(names.map((each) => `models/${each}`))
  })

  test('on Anthropic’s wire, the pages of the list can be read backwards, and a page size of 0 is rejected', async () => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const before = await get(`/v1/models?before_id=${encodeURIComponent(app.model)}&limit=1`, headers)
    expect(before.body).toMatchObject({ first_id: name, last_id: name, has_more: false })
    expect(await get('/v1/models?limit=0', headers)).toMatchObject({
      status: 400,
      body: { type: 'error', error: { type: 'invalid_request_error' } },
    })
  })
})

describe('a path that is not served', () => {
  test('a path that is not served returns an error in the client’s own format', async () => {
    await expect(
      openai.fineTuning.jobs.create({ model: name, training_file: 'file-1' }),
    ).rejects.toMatchObject({
      status: 404,
      code: 'no_such_path',
      message: expect.stringContaining('Tollgate does not serve fine-tuning.'),
    })
    await expect(anthropic.beta.skills.list()).rejects.toMatchObject({
      status: 404,
      error: {
        type: 'error',
        error: { message: expect.stringContaining('does not serve containers, skills or agents.') },
      },
    })
    const file = await get('/v1/files/a/b', { 'anthropic-version': '2023-06-01' })
    expect(file.body).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    await expect(google.fileSearchStores.list()).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('does not serve vector stores.'),
    })
  })

  test('the error for an unknown path names the path that was probably meant', async () => {
    const wrong = new Anthropic({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const message = { model: name, max_tokens: 1, messages: [{ role: 'user' as const, content: 'x' }] }
    await expect(wrong.messages.create(message)).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean /v1/messages?'),
    })
  })

  test('if a request for a gateway path is sent to the control plane, the error contains the address of the gateway', async () => {
    const call = await control(server, 'POST', '/v1/chat/completions', {})
    expect(call).toMatchObject({
      status: 404,
      body: {
        error: { code: 'no_such_path', message: expect.stringContaining('<application>.gateway.localhost') },
      },
    })
    const asUser = { baseUrl: server.baseUrl, token: user.key }
    expect(await control(asUser, 'GET', '/v1/nothing')).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('This is the control plane') } },
    })
    expect(await control(asUser, 'GET', '/v1/models')).toMatchObject({
      status: 401,
      body: {
        error: { code: 'wrong_credential_kind', message: expect.stringContaining('.gateway.localhost') },
      },
    })
  })
})

async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(app.gateway + path, {
    headers: { authorization: `Bearer ${user.key}`, ...headers },
  })
  return { status: response.status, body: await response.json() }
}
