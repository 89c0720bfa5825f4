/** Only the endpoint and the key of the client are changed. */
import { AzureOpenAI, NotFoundError, toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import { vendorWorld, type VendorWorld } from '../support/start-application-with-vendor.ts'
import {
  answerOf,
  settledBalance,
  testKeyOf,
  upstreamModel,
  type Application,
  type User,
} from '../support/start-product.ts'
import type { Vendor } from '../support/simulated-vendor.ts'

let world: VendorWorld
let app: Application
let vendor: Vendor
let user: User

const credit = 100_000_000n
const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }

beforeAll(async () => {
  world = await vendorWorld({
    gpt: { kind: 'openai', model: 'gpt-5.4', price },
    claude: { kind: 'anthropic', model: 'claude-opus-4-8', price: { ...price, cacheWriteLong: '2000000' } },
    vectors: { kind: 'openai', model: 'text-embedding-3-small', price: { input: '1000000' } },
    instruct: { kind: 'openai', model: 'gpt-3.5-turbo-instruct', price },
    pictures: { kind: 'openai', model: 'dall-e-3', price: { input: '0', image: '40000' } },
    edits: {
      kind: 'openai',
      model: 'gpt-image-2',
      price: { input: '1000000', imageInput: '1000000', imageOutput: '1000000' },
    },
    speech: { kind: 'openai', model: 'tts-1', price: { input: '0', character: '1000000' } },
    whisper: { kind: 'openai', model: 'whisper-1', price: { input: '0', audioSecond: '1000000' } },
  })
  ;({ app, vendor } = world)
  user = await app.newUser({ balanceMicros: credit })
})
afterAll(() => world.close())

/** If `deployment` (the model name in the paths) is absent, the client uses the model in the body. */
function clientOf({ key }: Pick<User, 'key'>, deployment?: string): AzureOpenAI {
  const options = { apiKey: key, endpoint: app.gateway, apiVersion: '2024-10-21', maxRetries: 0 }
  return new AzureOpenAI({ ...options, ...(deployment !== undefined && { deployment }) })
}

function post(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = { 'api-key': user.key },
) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
  return fetch(app.gateway + path, { ...init, body: JSON.stringify(body) }).then(answerOf)
}

const messages = [{ role: 'user' as const, content: 'Hello' }]

describe('chat completions', () => {
  test('the official client gets a non-streaming response, which is charged by its usage, and its key is not forwarded', async () => {
    const person = await app.newUser({ balanceMicros: credit })
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
    app.provider.enqueue({ chunks: ['Hel', 'lo'], usage })
    const answer = await clientOf(person).chat.completions.create({ model: app.model, messages })
    expect(answer).toMatchObject({ model: app.model, choices: [{ message: { content: 'Hello' } }], usage })
    const [sent] = app.provider.calls.slice(-1)
    expect(sent?.path).toBe('/v1/chat/completions')
    expect(sent?.body).toMatchObject({ model: upstreamModel, messages })
    expect(sent?.headers).not.toHaveProperty('api-key')
    expect(JSON.stringify(sent?.headers)).not.toContain(person.key)
    expect(await settledBalance(person)).toBe(credit - costMicros(app.rates, { input: 9, output: 2 }))
  })

  test('the official client gets a stream', async () => {
    app.provider.enqueue({ chunks: ['Hel', 'lo'] })
    const client = clientOf(user, app.model)
    const stream = await client.chat.completions.create({ model: app.model, messages, stream: true })
    let text = ''
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('Hello')
    expect(app.provider.calls.at(-1)?.body).toMatchObject({ model: upstreamModel, stream: true })
  })

  test.each(['acme/claude', 'gpt-5.4', 'acme/none', ''])(
    'the deployment in the path decides the model, and the model %j in the body is ignored',
    async (model) => {
      const { choices } = await clientOf(user, 'acme/gpt').chat.completions.create({ model, messages })
      expect(choices).toHaveLength(1)
      expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'gpt-5.4' })
      const [request] = await user.requests()
      expect(request).toMatchObject({ requestedModel: 'acme/gpt' })
    },
  )

  test('a body without a model is sent with the provider’s model', async () => {
    const path = '/openai/deployments/acme%2Fgpt/chat/completions?api-version=2024-10-21'
    const { body, status } = await post(path, { messages })
    expect({ status, model: body.model }).toEqual({ status: 200, model: 'acme/gpt' })
    const sent = vendor.calls.at(-1)
    expect(sent?.body).toMatchObject({ model: 'gpt-5.4', messages })
    expect(sent?.path).not.toContain('api-version')
  })

  test('a body without a model is converted to the format of the provider', async () => {
    const { body, status } = await post('/openai/deployments/acme/claude/chat/completions', { messages })
    expect({ status, model: body.model }).toEqual({ status: 200, model: 'acme/claude' })
    expect(vendor.calls.at(-1)).toMatchObject({ wire: 'messages', body: { model: 'claude-opus-4-8' } })
  })

  test('a large body, which is parsed in steps, is sent with the provider’s model', async () => {
    const content = 'A long text. '.repeat(40_000)
    const large = [{ role: 'user' as const, content }]
    const answer = await clientOf(user, 'acme/gpt').chat.completions.create({
      model: 'other',
      messages: large,
    })
    expect(answer.choices).toHaveLength(1)
    expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'gpt-5.4', messages: large })
    const { status } = await post('/openai/deployments/acme/claude/chat/completions', { messages: large })
    expect(status).toBe(200)
    expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'claude-opus-4-8' })
  })

  test('the simulator serves the official client in test mode', async () => {
    const { choices } = await clientOf({ key: await testKeyOf(app) }).chat.completions.create({
      model: app.model,
      messages: [{ role: 'user', content: 'Say it. [[tokens=3]]' }],
    })
    expect(choices[0]?.message.content).toBeTruthy()
  })
})

describe('other endpoints', () => {
  test('the official client gets embeddings', async () => {
    const { data, model } = await clientOf(user).embeddings.create({
      model: 'acme/vectors',
      input: ['a', 'b'],
    })
    expect({ model, count: data.length }).toEqual({ model: 'acme/vectors', count: 2 })
    expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'text-embedding-3-small', input: ['a', 'b'] })
  })

  test('the official client creates, continues, streams, reads and deletes responses', async () => {
    const { responses } = clientOf(user)
    const first = await responses.create({ model: 'acme/gpt', input: 'Hello' })
    expect(first.output_text).not.toBe('')
    const second = { model: 'acme/gpt', input: 'More', previous_response_id: first.id, stream: true } as const
    let last = ''
    for await (const event of await responses.create(second)) last = event.type
    expect(last).toBe('response.completed')
    expect((await responses.retrieve(first.id)).id).toBe(first.id)
    expect((await responses.inputItems.list(first.id)).data).toHaveLength(1)
    await responses.delete(first.id)
    await expect(responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
  })

  test('the official client gets text completions, images and speech', async () => {
    const completion = await clientOf(user).completions.create({ model: 'acme/instruct', prompt: 'Hello' })
    expect(completion.choices).toHaveLength(1)
    expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'gpt-3.5-turbo-instruct' })
    const image = await clientOf(user, 'acme/pictures').images.generate({ prompt: 'A fox' })
    expect(image.data).toHaveLength(1)
    expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'dall-e-3' })
    const spoken = { model: 'tts-1', voice: 'alloy', input: 'Hello' } as const
    const speech = await clientOf(user, 'acme/speech').audio.speech.create(spoken)
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(0)
    expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'tts-1' })
  })

  test.each([{}, { model: 'acme/none' }])(
    'a form with the fields %j gets the model of the path',
    async (fields) => {
      const head = '524946460000000057415645666d74201000000001000100401f0000803e0000020010006461746100000000'
      const wav = Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(16_000)])
      const sound = await toFile(wav, 'talk.wav')
      for (const part of ['transcriptions', 'translations'] as const) {
        /* oxlint-disable no-await-in-loop -- each request is compared with the last call */
        const { text } = await clientOf(user, 'acme/whisper').audio[part].create({
          prompt: 'né',
          file: sound,
          ...fields,
        } as never)
        expect(text).toBe('né')
        expect(vendor.calls.at(-1)).toMatchObject({ path: `/v1/audio/${part}` })
        expect(vendor.calls.at(-1)?.text).toMatch(/name="model"\r\n\r\nwhisper-1\r\n/)
        expect(vendor.calls.at(-1)?.text).not.toContain('acme/')
        /* oxlint-enable no-await-in-loop */
      }
      const image = await toFile(Buffer.from('89504e470d0a1a0a', 'hex'), 'fox.png', { type: 'image/png' })
      const edit = { prompt: 'Add a fox', image, ...fields }
      const { data } = await clientOf(user, 'acme/edits').images.edit(edit)
      expect(data).toHaveLength(1)
      expect(vendor.calls.at(-1)?.text).toMatch(/name="model"\r\n\r\ngpt-image-2\r\n/)
    },
  )

  test('the official client lists models, and uploads and lists files', async () => {
    const client = clientOf(user)
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toContain('acme/gpt')
    expect(await client.models.retrieve('acme/gpt')).toMatchObject({ id: 'acme/gpt', object: 'model' })
    const text = await toFile(Buffer.from('Hello'), 'a.txt')
    const upload = { file: text, purpose: 'user_data', model: 'acme/gpt' } as const
    const file = await client.files.create(upload)
    expect((await client.files.list()).data).toMatchObject([{ id: file.id }])
    await client.files.delete(file.id)
    expect(vendor.calls.slice(-3).every(({ path }) => !path.includes('api-version'))).toBe(true)
  })

  test('the paths of Azure’s v1 API are served like OpenAI’s paths', async () => {
    const { body, status } = await post('/openai/v1/responses?api-version=preview', {
      model: 'acme/gpt',
      input: 'Hello',
    })
    expect({ status, model: body.model }).toEqual({ status: 200, model: 'acme/gpt' })
    const read = await fetch(`${app.gateway}/openai/v1/responses/${body.id}?api-version=preview`, {
      headers: { 'api-key': user.key },
    })
    expect(read.status).toBe(200)
  })
})

describe('rejected requests', () => {
  test('an unknown deployment returns the same error as an unknown model name', async () => {
    const client = clientOf(user, 'acme/none')
    const failed = client.chat.completions.create({ model: 'acme/gpt', messages })
    await expect(failed).rejects.toThrow(NotFoundError)
    await expect(failed).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
    const azure = await post('/openai/deployments/acme/none/chat/completions', { messages })
    const plain = await post('/v1/chat/completions', { model: 'acme/none', messages })
    const shown = ({ body, status }: typeof azure) => ({ status, ...body.error, request_id: '' })
    expect(shown(azure)).toEqual(shown(plain))
  })

  test.each([
    ['a wrong method', 'GET', '/openai/deployments/acme/gpt/chat/completions', 405, 'method_not_allowed'],
    ['an unknown path', 'POST', '/openai/deployments/acme/gpt/realtime', 404, 'no_such_path'],
    ['an unknown path without a deployment', 'POST', '/openai/nothing', 404, 'no_such_path'],
  ])('%s returns an error in the chat format', async (_, method, path, status, code) => {
    const answer = await fetch(app.gateway + path, { method, headers: { 'api-key': user.key } }).then(
      answerOf,
    )
    expect(answer).toMatchObject({ status, body: { error: { code, type: expect.any(String) } } })
  })

  test('an unknown key and two different keys are rejected', async () => {
    const path = '/openai/deployments/acme/gpt/chat/completions'
    const unknown = await post(path, { messages }, { 'api-key': 'ak_none' })
    expect(unknown).toMatchObject({ status: 401, body: { error: { code: 'invalid_key' } } })
    const both = await post(path, { messages }, { 'api-key': user.key, authorization: 'Bearer ak_none' })
    expect(both).toMatchObject({ status: 400, body: { error: { code: 'conflicting_credentials' } } })
  })
})
