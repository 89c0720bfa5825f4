import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { propertyRuns } from '../support/number-of-property-runs.ts'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

/** An input token costs one micro, an output token two, and a container 30,000. */
const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000', cacheWriteLong: '1000000' }
const sessionMicros = 30_000
const price = { ...rates, codeSession: String(sessionMicros) }
const code = { type: 'code_interpreter', container: { type: 'auto' } }
const container = 'cntr_68cdba56addc8191'

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'openai' }
  await connectAccount(app, 'gpt', { ...account, model: 'gpt-5', price })
  await connectAccount(app, 'other', { ...account, model: 'gpt-5', price })
  await connectAccount(app, 'unpriced', { ...account, model: 'gpt-5', price: rates })
})
beforeEach(() => app.provider.script({}))
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const newUser = (balanceMicros = 10_000_000n): Promise<User> => app.newUser({ balanceMicros })

async function respond(key: string, body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/gpt',
      input: 'Hello',
      max_output_tokens: 100,
      tools: [code],
      ...body,
    }),
  })
  return answerOf(response)
}

async function about(key: string, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${app.gateway}/v1/containers/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
  })
}

const callOf = (container_id: string) => ({
  id: 'ci_1',
  type: 'code_interpreter_call',
  status: 'completed',
  code: 'print(1)',
  container_id,
  outputs: null,
})

const citation = {
  type: 'container_file_citation',
  container_id: container,
  file_id: 'cfile_1',
  filename: 'chart.png',
  start_index: 0,
  end_index: 2,
}
const part = { type: 'output_text', text: 'Hi', annotations: [citation], logprobs: [] }
const said = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] }

const responseOf = (output: readonly object[], input: number, fields: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5',
  store: true,
  output,
  tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
  usage: { input_tokens: input, output_tokens: 5, total_tokens: input + 5 },
  ...fields,
})

function answers(output: readonly object[], input: number, fields: object = {}): void {
  const body = JSON.stringify(responseOf(output, input, fields))
  app.provider.script({ status: 200, headers: { 'content-type': 'application/json' }, body })
}

function streams(uses: number, input: number): void {
  const calls = Array.from({ length: uses }, () => callOf(container))
  const output = [...calls, said]
  const frames = [
    { type: 'response.created', response: responseOf([], 0, { status: 'in_progress', usage: null }) },
    ...calls.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      { type: 'response.code_interpreter_call.in_progress', output_index, item_id: item.id },
      {
        type: 'response.code_interpreter_call_code.delta',
        output_index,
        item_id: item.id,
        delta: 'print(1)',
      },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.output_text.delta', output_index: uses, item_id: 'msg_1', delta: 'Hi' },
    { type: 'response.output_text.annotation.added', output_index: uses, annotation: citation },
    { type: 'response.content_part.done', output_index: uses, part },
    { type: 'response.output_item.done', output_index: uses, item: said },
    { type: 'response.completed', response: responseOf(output, input) },
  ]
  app.provider.script({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: frames
      .map((frame, sequence_number) => `data: ${JSON.stringify({ ...frame, sequence_number })}\n\n`)
      .join(''),
    splitBytes: 300,
  })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const sent = (): any => app.provider.calls.at(-1)?.body
const lostOf = (answer: Answer): string | null => answer.headers.get('x-svc-conversion-lost')

/** Returns the end user's ID of the container. */
async function ownContainer(user: User): Promise<string> {
  answers([callOf(container), said], 100)
  const { body } = await respond(user.key, {})
  return body.output[0].container_id
}

describe('code that OpenAI runs', () => {
  test('code is sent, held for two uses and one container, and charged as reported', async () => {
    const user = await newUser()
    answers([callOf(container), said], 1_493)
    const answer = await respond(user.key, {})
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent()).toMatchObject({ tools: [code], max_tool_calls: 5 })
    const { quote, reserve, settle, usage } = await explained(answer)
    expect(quote).toMatchObject({
      tools: { kinds: ['codeExecution'], uses: 2, usesMax: 5 },
      uses: { codeSessions: 1 },
    })
    expect(quote.tools.tokensPerUse).toBe(10_000 + quote.textTokensMax)
    expect(Number(reserve.firstWorstMicros)).toBe(
      quote.textTokensMax + 2 * quote.tools.tokensPerUse + sessionMicros + 200,
    )
    expect(usage.codeSessions).toBe(1)
    expect(settle).toMatchObject({ chargeMicros: String(1_493 + 10 + sessionMicros), overHoldMicros: '0' })
  })

  test('a response that runs no code is not charged for a container', async () => {
    const user = await newUser()
    answers([said], 800)
    const { settle, usage } = await explained(await respond(user.key, {}))
    expect([settle.chargeMicros, usage.codeSessions ?? 0]).toEqual(['810', 0])
  })

  test('a container with more memory costs one session for each GB', async () => {
    const user = await newUser()
    answers([callOf(container), said], 100)
    const tools = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }]
    const { quote, settle } = await explained(await respond(user.key, { tools }))
    expect(quote.uses).toEqual({ codeSessions: 4 })
    expect(settle).toMatchObject({ chargeMicros: String(110 + 4 * sessionMicros), overHoldMicros: '0' })
    const unknown = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '2g' } }]
    const refused = await respond(user.key, { tools: unknown })
    expect([refused.status, refused.body.error.param]).toEqual([400, 'tools.container.memory_limit'])
  })

  test('a stream first holds one use, extends its hold with each use, and is charged exactly', async () => {
    const user = await newUser()
    streams(3, 45_000)
    const answer = await respond(user.key, { stream: true })
    expect(answer.status).toBe(200)
    const { quote, reserve, settle } = await explained(answer)
    expect(quote.tools).toMatchObject({ uses: 1, usesMax: 5 })
    // The reported input corresponds to four uses, although only three appear in the stream. The first use was held
    // from the start of the stream.
    expect(Number(reserve.extendedMicros)).toBeGreaterThanOrEqual(2 * quote.tools.tokensPerUse)
    expect(settle).toMatchObject({ chargeMicros: String(45_000 + 10 + sessionMicros), overHoldMicros: '0' })
  })

  test('without a price for containers, code is removed, and the error for a forced code tool names the missing price', async () => {
    const user = await newUser()
    answers([said], 100)
    const answer = await respond(user.key, { model: 'acme/unpriced' })
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.code_interpreter'])
    expect(sent()).not.toHaveProperty('tools')
    const tool_choice = { type: 'code_interpreter' }
    const refused = await respond(user.key, { model: 'acme/unpriced', tool_choice })
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining('codeSession'),
    ])
    expect((await respond(user.key, { tool_choice })).status).toBe(200)
    expect(sent().tool_choice).toEqual(tool_choice)
  })

  test('if a request adds an end user’s file to a new container, the provider receives the provider’s ID of the file', async () => {
    const user = await newUser()
    const form = new FormData()
    form.set('purpose', 'user_data')
    form.set('model', 'acme/gpt')
    form.set('file', new File(['item,value\napple,30\n'], 'data.csv'))
    app.provider.script({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"id":"file-raw1"}',
    })
    const headers = { authorization: `Bearer ${user.key}` }
    const uploaded = await fetch(`${app.gateway}/v1/files`, { method: 'POST', headers, body: form })
    const { id } = (await answerOf(uploaded)).body
    answers([callOf(container), said], 1_348)
    const containerWith = (file: string) => [
      { type: 'code_interpreter', container: { type: 'auto', file_ids: [file] } },
    ]
    expect((await respond(user.key, { tools: containerWith(id) })).status).toBe(200)
    expect(sent().tools).toEqual(containerWith('file-raw1'))
    const raw = await respond(user.key, { tools: containerWith('file-raw1') })
    expect([raw.status, raw.body.error.code]).toEqual([404, 'file_not_found'])
  })

  test('a background response holds all uses of code, and is charged for its container', async () => {
    const user = await newUser()
    answers([], 0, { status: 'queued', background: true, usage: null })
    const answer = await respond(user.key, { background: true })
    expect(answer.status, answer.text).toBe(200)
    answers([callOf(container), said], 1_493, { background: true })
    const { settle, usage } = await eventually(async () => {
      const found = await explained(answer)
      expect(found.settle).not.toBeNull()
      return found
    })
    expect([usage.codeSessions, settle.chargeMicros]).toEqual([1, String(1_503 + sessionMicros)])
  })
})

describe('the containers of end users', () => {
  test('every container ID in a response is the end user’s ID of the container', async () => {
    const user = await newUser()
    const id = await ownContainer(user)
    expect(id).toMatch(/^cntr_[\w-]{40,}$/)
    expect(id).not.toContain(container)
    streams(1, 100)
    const { text } = await respond(user.key, { stream: true })
    expect(text).not.toContain(container)
    const frames = text.split('\n').filter((line) => line.startsWith('data: '))
    const named = frames.join('').match(/"container_id":"[^"]*"/g) ?? []
    // The container's ID is in three events of the call and in four events of the citation.
    expect(named).toEqual(Array.from({ length: 7 }, () => `"container_id":"${id}"`))
  })

  test('continuing a container by its ID is not charged as another session, and works only at the container’s account', async () => {
    const user = await newUser()
    const id = await ownContainer(user)
    answers([callOf(container), said], 100, { tools: [{ type: 'code_interpreter', container }] })
    const tools = [{ type: 'code_interpreter', container: id }]
    const answer = await respond(user.key, { tools })
    expect([sent().tools[0].container, answer.body.tools[0].container]).toEqual([container, id])
    const { quote, settle } = await explained(answer)
    expect([quote.uses, settle.chargeMicros]).toEqual([undefined, '110'])
    const calls = app.provider.calls.length
    const elsewhere = await respond(user.key, { model: 'acme/other', tools })
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([400, 'unsupported_for_route'])
    expect(app.provider.calls).toHaveLength(calls)
  })

  test('a conversation that contains the ID of its container works at every account, and only a new container is charged', async () => {
    const user = await newUser()
    const id = await ownContainer(user)
    const input = [{ role: 'user', content: 'Hello' }, callOf(id), { role: 'user', content: 'Again' }]
    answers([callOf(container), said], 100)
    const again = await respond(user.key, { input })
    expect(sent().input[1].container_id).toBe(container)
    expect((await explained(again)).settle.chargeMicros).toBe('110')
    answers([callOf('cntr_new'), said], 100)
    expect((await explained(await respond(user.key, { input }))).settle.chargeMicros).toBe(
      String(110 + sessionMicros),
    )
    answers([said], 100)
    expect((await respond(user.key, { input, model: 'acme/other', tools: [] })).status).toBe(200)
  })

  test('the files of a container are listed and returned, with the end user’s ID of the container', async () => {
    const user = await newUser()
    const id = await ownContainer(user)
    const file = {
      id: 'cfile_1',
      object: 'container.file',
      container_id: container,
      path: '/mnt/data/chart.png',
    }
    const script = (body: string) =>
      app.provider.script({ status: 200, headers: { 'content-type': 'application/json' }, body })
    script(JSON.stringify({ object: 'list', data: [file], has_more: false }))
    expect(await (await about(user.key, `${id}/files?limit=5`)).json()).toMatchObject({
      data: [{ ...file, container_id: id }],
    })
    expect(app.provider.calls.at(-1)).toMatchObject({
      method: 'GET',
      path: `/v1/containers/${container}/files?limit=5`,
    })
    script('<script>chart</script>')
    const content = await about(user.key, `${id}/files/cfile_1/content`)
    expect([content.status, content.headers.get('content-type'), await content.text()]).toEqual([
      200,
      'application/octet-stream',
      '<script>chart</script>',
    ])
    script(JSON.stringify({ id: container, object: 'container', status: 'running' }))
    expect(await (await about(user.key, id)).json()).toMatchObject({ id, status: 'running' })
    expect((await about(user.key, `${id}/files`, 'POST')).status).toBe(405)
  })

  test('only the owner of a container can use it: other end users get the same response as for an unknown ID', async () => {
    const owner = await newUser()
    const other = await newUser()
    const id = await ownContainer(owner)
    const calls = app.provider.calls.length
    const toldOf = (text: string, status: number, body: { error: { code: string; message: string } }) => [
      status,
      body.error.code,
      body.error.message.replace(text.slice(0, 64), 'ID'),
    ]
    const responseTo = async (text: string): Promise<unknown> => {
      const asTool = await respond(other.key, { tools: [{ type: 'code_interpreter', container: text }] })
      const asCall = await respond(other.key, { input: [callOf(text)] })
      return [asTool, asCall].map(({ body, status }) => toldOf(text, status, body))
    }
    const unknown = await responseTo('cntr_unknown')
    expect(unknown).toEqual(Array.from({ length: 2 }, () => [404, 'not_found', 'There is no container ID.']))
    const flipped = fc
      .nat(id.length - 1)
      .map((at) => id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1))
    const texts = fc.oneof(fc.constantFrom(id, container, id.slice(0, -1), `${id}A`), flipped)
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await responseTo(text)).toEqual(unknown)
        const { body, status } = await answerOf(await about(other.key, `${text}/files/cfile_1/content`))
        expect(status).toBe(404)
        // Texts other than container IDs are not paths.
        if (/^cntr_[\w-]+$/.test(text))
          expect(toldOf(text, status, body)).toEqual([404, 'not_found', 'There is no container ID.'])
      }),
      propertyRuns(60),
    )
    expect(app.provider.calls).toHaveLength(calls)
  })
})
