import OpenAI from 'openai'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { propertyRuns } from '../support/number-of-property-runs.ts'
import {
  answerOf,
  connectAccount,
  makeApplication,
  startServer,
  testKeyOf,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000' }
const raw = 'conv_68cdba56addc8191'
const described = { id: raw, object: 'conversation', created_at: 1, metadata: {} }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'openai', price: rates }
  await connectAccount(app, 'gpt', { ...account, model: 'gpt-5' })
  await connectAccount(app, 'other', { ...account, model: 'gpt-5' })
})
beforeEach(() => app.provider.script({}))
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const newUser = () => app.newUser({ balanceMicros: 10_000_000n })

function answers(body: object): void {
  app.provider.script({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function send(key: string, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-svc-model': 'acme/gpt',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return answerOf(response)
}

const respond = (key: string, conversation: unknown, more: object = {}): Promise<Answer> =>
  send(key, 'POST', '/responses', {
    model: 'acme/gpt',
    input: 'Hello',
    max_output_tokens: 100,
    conversation,
    ...more,
  })

/** Returns the end user's ID of the conversation. */
async function ownConversation(key: string): Promise<string> {
  answers(described)
  const { body, status, text } = await send(key, 'POST', '/conversations', { metadata: { topic: 'a' } })
  expect(status, text).toBe(200)
  return body.id
}

const answered = {
  id: 'resp_1',
  status: 'completed',
  model: 'gpt-5',
  store: true,
  conversation: { id: raw },
  output: [],
  usage: { input_tokens: 50, output_tokens: 5, total_tokens: 55 },
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
const last = () => app.provider.calls.at(-1)

describe('conversations', () => {
  test('the end user gets a new ID for a conversation, and the provider receives the provider’s ID', async () => {
    const { key } = await newUser()
    const id = await ownConversation(key)
    expect(id).toMatch(/^conv_[\w-]{40,}$/)
    expect(last()).toMatchObject({ path: '/v1/conversations', body: { metadata: { topic: 'a' } } })
    answers(answered)
    for (const given of [id, { id }]) {
      const answer = await respond(key, given)
      expect([answer.status, answer.body.conversation]).toEqual([200, { id }])
      expect(last()?.body).toMatchObject({ conversation: given === id ? raw : { id: raw } })
      const { reserve, settle } = await explained(answer)
      // The conversation is short, so the hold covers far less than the context window.
      expect(Number(reserve.firstWorstMicros)).toBeLessThan(500)
      expect(settle).toMatchObject({ chargeMicros: '60', overHoldMicros: '0' })
    }
    const frames = [
      { type: 'response.created', response: { ...answered, status: 'in_progress', usage: null } },
      { type: 'response.completed', response: answered },
    ]
    app.provider.script({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''),
    })
    const { text } = await respond(key, id, { stream: true })
    expect(text.split(`"conversation":{"id":"${id}"}`)).toHaveLength(3)
    expect(text).not.toContain(raw)
  })

  test('a conversation and its items can be read, changed and deleted', async () => {
    const { key } = await newUser()
    const id = await ownConversation(key)
    answers(described)
    expect((await send(key, 'GET', `/conversations/${id}`)).body.id).toBe(id)
    expect((await send(key, 'POST', `/conversations/${id}`, { metadata: { topic: 'b' } })).body.id).toBe(id)
    expect(last()).toMatchObject({ path: `/v1/conversations/${raw}`, body: { metadata: { topic: 'b' } } })
    const item = { type: 'message', role: 'user', content: 'Hi' }
    answers({ object: 'list', data: [{ ...item, id: 'msg_1' }], has_more: false })
    expect((await send(key, 'POST', `/conversations/${id}/items`, { items: [item] })).status).toBe(200)
    const listed = await send(key, 'GET', `/conversations/${id}/items?limit=5&order=asc`)
    expect(listed.body.data[0].id).toBe('msg_1')
    expect(last()).toMatchObject({
      method: 'GET',
      path: `/v1/conversations/${raw}/items?limit=5&order=asc`,
    })
    answers({ ...item, id: 'msg_1' })
    expect((await send(key, 'GET', `/conversations/${id}/items/msg_1`)).body.id).toBe('msg_1')
    answers(described)
    expect((await send(key, 'DELETE', `/conversations/${id}/items/msg_1`)).body.id).toBe(id)
    const deleted = await send(key, 'DELETE', `/conversations/${id}`)
    expect(deleted.body).toEqual({ id, object: 'conversation.deleted', deleted: true })
    expect(last()).toMatchObject({ method: 'DELETE', path: `/v1/conversations/${raw}` })
    expect((await send(key, 'GET', `/conversations/${id}`)).status).toBe(404)
    expect((await send(key, 'PUT', `/conversations/${id}`)).status).toBe(405)
  })

  test('conversation items cannot refer to objects that the provider stores', async () => {
    const { key } = await newUser()
    const id = await ownConversation(key)
    const calls = app.provider.calls.length
    const call = { type: 'code_interpreter_call', code: '1', container_id: 'cntr_1' }
    const file = { role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }
    for (const item of [call, file, { type: 'item_reference', id: 'msg_1' }])
      expect((await send(key, 'POST', `/conversations/${id}/items`, { items: [item] })).status).toBe(400)
    expect(app.provider.calls).toHaveLength(calls)
  })

  test.each([
    ['/conversations', '{"items":[],"items":[{"role":"user","content":"Hi"}]}', 'items'],
    [
      '/conversations/ID/items',
      '{"items":[],"items":[{"role":"user","content":[{"type":"input_file","file_id":"file-1"}]}]}',
      'items',
    ],
    ['/responses', '{"model":"acme/gpt","input":"Hi","conversation":{"id":"ID","id":"conv_1"}}', 'id'],
    [
      '/responses',
      '{"model":"acme/gpt","input":"Hi","conversation":"ID","truncation":"disabled","truncation":"auto"}',
      'truncation',
    ],
  ])(
    'a body with a duplicate key is rejected, because the provider may read the other value: %s %s',
    async (path, text, param) => {
      const { key } = await newUser()
      const id = await ownConversation(key)
      const calls = app.provider.calls.length
      const response = await fetch(`${app.gateway}/v1${path.replace('ID', id)}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-svc-model': 'acme/gpt',
        },
        body: text.replace('"ID"', `"${id}"`),
      })
      const answer = await answerOf(response)
      expect([answer.status, answer.body.error.param]).toEqual([400, param])
      expect(app.provider.calls).toHaveLength(calls)
    },
  )

  test('later requests with a conversation are sent to the account that stores it', async () => {
    const { key } = await newUser()
    const id = await ownConversation(key)
    for (const model of ['acme/other', app.model]) {
      const answer = await respond(key, id, { model })
      expect([answer.status, answer.body.error.param]).toEqual([400, 'conversation'])
    }
  })

  test('a request with a conversation cannot name a response of the provider', async () => {
    const { key } = await newUser()
    const id = await ownConversation(key)
    const calls = app.provider.calls.length
    const answer = await respond(key, id, { previous_response_id: 'resp_1' })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'response_not_found'])
    expect(app.provider.calls).toHaveLength(calls)
  })

  test('the conversations of a deleted end user are deleted at the provider', async () => {
    const user = await newUser()
    await ownConversation(user.key)
    await app.api('DELETE', `/v1/end-users/${encodeURIComponent(user.externalId)}`)
    await expect
      .poll(() => app.provider.calls.filter(({ method }) => method === 'DELETE').at(-1)?.path)
      .toBe(`/v1/conversations/${raw}`)
  })

  test('only the owner of a conversation can use it: other end users get the same response as for an unknown ID', async () => {
    const id = await ownConversation((await newUser()).key)
    const other = await newUser()
    const calls = app.provider.calls.length
    const toldOf = ({ body, status }: Answer, text: string): unknown => [
      status,
      body.error.code,
      body.error.message.replace(text.slice(0, 64), 'ID'),
    ]
    const unknown = [404, 'not_found', 'There is no conversation ID.']
    const flipped = fc
      .nat(id.length - 1)
      .map((at) => id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1))
    const texts = fc.oneof(fc.constantFrom('conv_unknown', id, raw, id.slice(0, -1), `${id}A`), flipped)
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(toldOf(await respond(other.key, text), text)).toEqual(unknown)
        // Texts other than conversation IDs cannot be part of a path.
        if (!/^conv_[\w-]+$/.test(text)) return
        expect(toldOf(await send(other.key, 'GET', `/conversations/${text}`), text)).toEqual(unknown)
        expect(toldOf(await send(other.key, 'DELETE', `/conversations/${text}`), text)).toEqual(unknown)
        expect(toldOf(await send(other.key, 'GET', `/conversations/${text}/items`), text)).toEqual(unknown)
      }),
      propertyRuns(60),
    )
    expect(app.provider.calls).toHaveLength(calls)
  })

  test('in test mode, the official client can create, continue and read a conversation', async () => {
    const openai = new OpenAI({ apiKey: await testKeyOf(app), baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const { id } = await openai.conversations.create(
      { items: [{ type: 'message', role: 'user', content: 'My name is Ada.' }] },
      { headers: { 'x-svc-model': 'acme/gpt' } },
    )
    const asked = { model: 'acme/gpt', conversation: id }
    const first = await openai.responses.create({ ...asked, input: '[[text=One.]]' })
    expect(first.conversation?.id).toBe(id)
    const second = await openai.responses.create({ ...asked, input: '[[text=Two.]]' })
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Infinity)
    const items = await openai.conversations.items.list(id, { order: 'asc' })
    expect(items.data).toHaveLength(5)
    await openai.conversations.delete(id)
    await expect(openai.responses.create({ ...asked, input: 'Again' })).rejects.toThrow(/404|400/)
  })
})
