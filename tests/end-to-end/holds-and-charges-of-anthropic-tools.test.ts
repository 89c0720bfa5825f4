import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { propertyRuns } from '../support/number-of-property-runs.ts'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  testKeyOf,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

/** An input token costs one micro, an output token two, and a container 4,000. */
const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000', cacheWriteLong: '1000000' }
const sessionMicros = 4_000
const price = { ...rates, webSearch: '10000', codeSession: String(sessionMicros) }
const code = { type: 'code_execution_20260120', name: 'code_execution' }
const mcpServers = [{ type: 'url', name: 'wiki', url: 'https://wiki.example/mcp' }]
const container = { id: 'container_011', expires_at: '2026-12-01T00:00:00Z' }

beforeAll(async () => {
  const background = { ...gatewayLimits.background, firstMs: 20, maxMs: 50 }
  server = await startServer({ limits: { filesEveryMs: 50, background } })
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'anthropic' }
  await connectAccount(app, 'claude', { ...account, model: 'm-1', price })
  await connectAccount(app, 'other', { ...account, model: 'm-2', price })
  await connectAccount(app, 'unpriced', { ...account, model: 'm-3', price: { ...rates, webSearch: '10000' } })
})
beforeEach(() => app.provider.script({}))
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const newUser = (balanceMicros = 10_000_000n): Promise<User> => app.newUser({ balanceMicros })

async function message(key: string, body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/claude',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
  })
  return answerOf(response)
}

const use = (type: string, name: string) => ({ type, id: 'srvtoolu_1', name, input: {} })
const usageOf = (input: number) => ({ input_tokens: input, output_tokens: 5 })

function answers(input: number, fields: object = {}): void {
  const body = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: usageOf(input),
    ...fields,
  }
  app.provider.script({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function streams(uses: readonly object[], input: number, ended: object = {}): void {
  const frames: object[] = [
    { type: 'message_start', message: { id: 'msg_1', model: 'm-1', content: [], usage: usageOf(9) } },
    ...uses.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn', ...ended }, usage: usageOf(input) },
    { type: 'message_stop' },
  ]
  app.provider.script({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''),
    splitBytes: 300,
  })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const sent = (): any => app.provider.calls.at(-1)?.body
const lostOf = (answer: Answer): string | null => answer.headers.get('x-svc-conversion-lost')

describe('code that the provider runs', () => {
  test('a code tool is sent, held for five uses and one container, and charged as reported', async () => {
    const user = await newUser()
    answers(9_000, { container })
    const answer = await message(user.key, { tools: [code] })
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent().tools).toEqual([code])
    const { quote, reserve, settle, usage } = await explained(answer)
    expect(quote).toMatchObject({
      tools: { kinds: ['codeExecution'], uses: 5, usesMax: 5 },
      uses: { codeSessions: 1 },
    })
    expect(quote.tools.tokensPerUse).toBe(10_000 + quote.textTokensMax)
    expect(Number(reserve.firstWorstMicros)).toBe(
      quote.textTokensMax + 5 * quote.tools.tokensPerUse + sessionMicros + 200,
    )
    expect(usage.codeSessions).toBe(1)
    expect(settle).toMatchObject({ chargeMicros: String(9_000 + 10 + sessionMicros), overHoldMicros: '0' })
  })

  test('a response without a container is not charged for a container', async () => {
    const user = await newUser()
    answers(3_000, { container: null })
    const { settle, usage } = await explained(await message(user.key, { tools: [code] }))
    expect([settle.chargeMicros, usage.codeSessions ?? 0]).toEqual(['3010', 0])
  })

  test('the first hold of a stream covers one tool use, is extended with each further use, and the charge is exact', async () => {
    const user = await newUser()
    const blocks = ['bash_code_execution', 'text_editor_code_execution', 'bash_code_execution'].map((name) =>
      use('server_tool_use', name),
    )
    // The reported input corresponds to three uses. The gateway may read this number before it has seen all uses.
    streams(blocks, 45_000, { container })
    const answer = await message(user.key, { tools: [code], stream: true })
    expect(answer.status).toBe(200)
    const { quote, reserve, settle } = await explained(answer)
    expect(quote.tools).toMatchObject({ uses: 1, usesMax: 10 })
    expect(Number(reserve.extendedMicros)).toBe(2 * quote.tools.tokensPerUse)
    expect(settle).toMatchObject({ chargeMicros: String(45_000 + 10 + sessionMicros), overHoldMicros: '0' })
  })

  test('a stream that breaks off after code has started is charged for its container', async () => {
    const user = await newUser()
    const frames: object[] = [
      { type: 'message_start', message: { id: 'msg_1', model: 'm-1', content: [], usage: usageOf(9) } },
      { type: 'content_block_start', index: 0, content_block: use('server_tool_use', 'bash_code_execution') },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
    ]
    app.provider.script({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''),
    })
    const answer = await message(user.key, { tools: [code], stream: true })
    const { settle, usage } = await explained(answer)
    expect(usage.codeSessions).toBe(1)
    expect(settle).toMatchObject({ overHoldMicros: '0' })
  })

  test('without a price for containers, only the code tool is removed, and the error for a forced code tool names the missing price', async () => {
    const user = await newUser()
    answers(100)
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const answer = await message(user.key, { model: 'acme/unpriced', tools: [search, code] })
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.code_execution_20260120'])
    expect(sent().tools).toEqual([{ ...search, max_uses: 5 }])
    const forced = { model: 'acme/unpriced', tools: [code], tool_choice: { type: 'any' } }
    const refused = await message(user.key, forced)
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining('codeSession'),
    ])
  })
})

describe('MCP servers', () => {
  test('MCP servers are sent, held and charged, and the rule `mcp` of the application can remove them', async () => {
    const user = await newUser()
    answers(2_674)
    const whole = await message(user.key, { mcp_servers: mcpServers })
    expect([whole.status, lostOf(whole), sent().mcp_servers]).toEqual([200, null, mcpServers])
    const { quote, settle } = await explained(whole)
    expect(quote.tools).toMatchObject({ kinds: ['mcp'], uses: 5, usesMax: 5 })
    expect(settle).toMatchObject({ chargeMicros: '2684', overHoldMicros: '0' })
    streams([use('mcp_tool_use', 'ask'), use('mcp_tool_use', 'ask')], 15_000)
    const streamed = await explained(await message(user.key, { mcp_servers: mcpServers, stream: true }))
    expect(Number(streamed.reserve.extendedMicros)).toBe(streamed.quote.tools.tokensPerUse)
    expect(streamed.settle).toMatchObject({ chargeMicros: '15010', overHoldMicros: '0' })
    // The client's MCP server can return more than all held uses cover, and the application pays the rest.
    streams([use('mcp_tool_use', 'ask')], 900_000)
    const long = await explained(await message(user.key, { mcp_servers: mcpServers, stream: true }))
    const { firstWorstMicros, extendedMicros } = long.reserve
    const held = Number(firstWorstMicros) + Number(extendedMicros)
    expect(Number(extendedMicros)).toBe(9 * long.quote.tools.tokensPerUse)
    expect(long.settle).toMatchObject({
      chargeMicros: String(held),
      isOverHold: true,
      overHoldMicros: String(900_010 - held),
    })
    answers(100)
    await app.api('PATCH', '/v1/gateway', { providerTools: { mcp: 'drop' } })
    const dropped = await message(user.key, { mcp_servers: mcpServers })
    expect([dropped.status, lostOf(dropped)]).toEqual([200, 'tools.mcp_servers'])
    expect(sent()).not.toHaveProperty('mcp_servers')
    await app.api('PATCH', '/v1/gateway', { providerTools: 'bounded' })
  })
})

test('a request with a tool that calls a second model is rejected, and the error states the reason', async () => {
  const user = await newUser()
  const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' }
  const calls = app.provider.calls.length
  const answer = await message(user.key, { tools: [advisor] })
  expect([answer.status, answer.body.error.details]).toEqual([
    400,
    expect.objectContaining({ error_code: 'unsupported_for_route', param: 'tools.0' }),
  ])
  expect(answer.body.error.message).toMatch(/second model/)
  expect(app.provider.calls).toHaveLength(calls)
})

describe('the container of an earlier response', () => {
  async function ownContainer(user: User): Promise<string> {
    answers(100, { container })
    const { body } = await message(user.key, { tools: [code] })
    return body.container.id
  }

  test('the end user gets a new ID for a container, and the provider receives the provider’s ID', async () => {
    const user = await newUser()
    const id = await ownContainer(user)
    expect(id).toMatch(/^container_[\w-]{40,}$/)
    expect(id).not.toContain(container.id)
    const again = await message(user.key, { tools: [code], container: id })
    expect([again.status, sent().container, again.body.container.id]).toEqual([200, container.id, id])
    streams([use('server_tool_use', 'bash_code_execution')], 100, { container })
    const streamed = await message(user.key, { tools: [code], stream: true, container: { id, skills: [] } })
    expect(sent().container).toEqual({ id: container.id, skills: [] })
    expect(streamed.text).toContain(id)
    expect(streamed.text).not.toContain(container.id)
  })

  test('the result of a batch has the end user’s ID of the container, and a later request can use this ID', async () => {
    const key = await testKeyOf(app)
    const asked = { model: 'acme/claude', max_tokens: 100, tools: [code] }
    const params = { ...asked, messages: [{ role: 'user', content: '[[run=1 text=Done.]]' }] }
    const batches = async (method: string, path: string, body?: object): Promise<Response> =>
      fetch(`${app.gateway}/v1/messages/batches${path}`, {
        method,
        headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    const { body: created } = await answerOf(
      await batches('POST', '', { requests: [{ custom_id: 'one', params }] }),
    )
    const results = await eventually(async () => {
      const response = await batches('GET', `/${created.id}/results`)
      const text = await response.text()
      expect(response.status, text).toBe(200)
      return text
    })
    const { id } = JSON.parse(results).result.message.container
    expect(id).toMatch(/^container_[\w-]{40,}$/)
    const next = await message(key, { ...asked, container: id })
    expect([next.status, next.body.container.id]).toEqual([200, id])
  })

  test('a container can be used only at its account, and not through another wire', async () => {
    const user = await newUser()
    const id = await ownContainer(user)
    const calls = app.provider.calls.length
    for (const model of ['acme/other', app.model]) {
      const { body, status } = await message(user.key, { model, tools: [code], container: id })
      expect([status, body.error.details]).toEqual([
        400,
        expect.objectContaining({ error_code: 'unsupported_for_route' }),
      ])
    }
    expect(app.provider.calls).toHaveLength(calls)
  })

  test('only the owner of a container can use it: other end users get the same response as for an unknown ID', async () => {
    const owner = await newUser()
    const other = await newUser()
    const id = await ownContainer(owner)
    const calls = app.provider.calls.length
    const responseTo = async (text: string): Promise<unknown> => {
      const { body, status } = await message(other.key, { tools: [code], container: text })
      const { message: told, ...error } = body.error
      return [status, error.type, error.details?.error_code, told.replace(text.slice(0, 64), 'ID')]
    }
    const unknown = await responseTo('container_unknown')
    expect(unknown).toEqual([404, 'not_found_error', 'not_found', 'There is no container ID.'])
    const flipped = fc
      .nat(id.length - 1)
      .map((at) => id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1))
    const texts = fc.oneof(
      fc.constantFrom(id, container.id, id.slice(0, -1), `${id}A`, id.replace('container_', '')),
      flipped,
    )
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await responseTo(text)).toEqual(unknown)
      }),
      propertyRuns(60),
    )
    expect(app.provider.calls).toHaveLength(calls)
  })
})

describe('a file that code has created', () => {
  const output = (file_id: string) => ({ type: 'bash_code_execution_output', file_id })
  const blockWith = (id: string) => ({
    type: 'bash_code_execution_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'bash_code_execution_result', stdout: '', content: [output(id)] },
  })

  async function createdFile(user: User, name = 'file_created'): Promise<string> {
    answers(100, { container, content: [blockWith(name)] })
    const { body } = await message(user.key, { tools: [code] })
    return body.content[0].content.content[0].file_id
  }

  const about = (key: string, method: string, path: string): Promise<Response> =>
    fetch(`${app.gateway}/v1/files/${path}`, {
      method,
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    })

  test('the end user gets a new ID for a created file, and can describe, download and delete the file', async () => {
    const user = await newUser()
    const id = await createdFile(user)
    expect(id).toMatch(/^file_[\w-]{40,}$/)
    const described = {
      id: 'file_created',
      type: 'file',
      filename: 'a.csv',
      size_bytes: 4,
      downloadable: true,
    }
    app.provider.script({ status: 200, body: JSON.stringify(described) })
    const shown = await about(user.key, 'GET', id)
    expect([shown.status, await shown.json()]).toEqual([200, { ...described, id }])
    expect(app.provider.calls.at(-1)?.path).toBe('/v1/files/file_created')
    app.provider.enqueue(
      { status: 200, body: JSON.stringify(described) },
      { status: 200, body: 'a,b\n', contentType: 'text/csv' },
    )
    const content = await about(user.key, 'GET', `${id}/content`)
    expect([content.status, await content.text()]).toEqual([200, 'a,b\n'])
    expect(content.headers.get('content-type')).toBe('application/octet-stream')
    expect(app.provider.calls.at(-1)?.path).toBe('/v1/files/file_created/content')
    app.provider.script({ status: 200, body: '{"id":"file_created","type":"file_deleted"}' })
    const deleted = await about(user.key, 'DELETE', id)
    expect([deleted.status, await deleted.json()]).toEqual([200, { id, type: 'file_deleted' }])
    app.provider.script({
      status: 404,
      body: '{"type":"error","error":{"type":"not_found_error","message":"no"}}',
    })
    expect((await about(user.key, 'GET', id)).status).toBe(404)
  })

  test('the created files of a deleted end user are deleted at the provider, including files of streams and batches', async () => {
    const user = await newUser()
    const id = await createdFile(user)
    const kept = await createdFile(user, 'file_kept')
    const blocks = ['file_streamed', 'file_streamed', 'file_streamed2'].map(blockWith)
    streams(blocks, 100, { container })
    expect((await message(user.key, { tools: [code], stream: true })).text).not.toContain('file_streamed')
    const asked = { model: 'acme/claude', max_tokens: 100, tools: [code] }
    const requests = ['one', 'two'].map((custom_id) => ({
      custom_id,
      params: { ...asked, messages: [{ role: 'user', content: 'Hello' }] },
    }))
    const lines = requests.map(({ custom_id }) =>
      JSON.stringify({
        custom_id,
        result: {
          type: 'succeeded',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'm-1',
            content: [blockWith(`file_${custom_id}`)],
            stop_reason: 'end_turn',
            usage: usageOf(9),
          },
        },
      }),
    )
    const batch = { id: 'msgbatch_1', type: 'message_batch', processing_status: 'ended', results_url: 'x' }
    app.provider.script(({ path }) =>
      path.endsWith('/results')
        ? { status: 200, body: lines.join('\n'), contentType: 'application/binary' }
        : { status: 200, body: batch },
    )
    const created = await fetch(`${app.gateway}/v1/messages/batches`, {
      method: 'POST',
      headers: {
        'x-api-key': user.key,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ requests }),
    })
    expect(created.status).toBe(200)
    await eventually(async () => expect((await user.balance()).reservedMicros).toBe(0n))
    expect((await about(user.key, 'DELETE', id)).status).toBe(200)
    const list = (await (
      await fetch(`${app.gateway}/v1/files`, {
        headers: { 'x-api-key': user.key, 'anthropic-version': '2023-06-01' },
      })
    ).json()) as { data: unknown[] }
    expect(list.data).toEqual([])

    const calls = app.provider.calls.length
    const deletions = (): string[] =>
      app.provider.calls
        .slice(calls)
        .filter(({ method, path }) => method === 'DELETE' && path.startsWith('/v1/files/'))
        .map(({ path }) => path.replace('/v1/files/', ''))
    app.provider.script({ status: 500, body: '{}' })
    await app.api('DELETE', `/v1/end-users/${encodeURIComponent(user.externalId)}`)
    await expect.poll(() => deletions().length).toBeGreaterThan(0)
    const failed = deletions().length
    app.provider.script({ status: 200, body: '{"type":"file_deleted"}' })
    const names = ['file_kept', 'file_one', 'file_streamed', 'file_streamed2', 'file_two']
    await expect.poll(() => [...new Set(deletions().slice(failed))].toSorted()).toEqual(names)
    expect(kept).toMatch(/^file_/)
    expect(deletions()).not.toContain('file_created')
  })

  test('if the history of a request contains a created file, the provider receives the provider’s ID of the file', async () => {
    const user = await newUser()
    const id = await createdFile(user)
    const history = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: [blockWith(id)] },
      { role: 'user', content: 'More' },
    ]
    answers(100, {})
    expect((await message(user.key, { tools: [code], messages: history })).status).toBe(200)
    expect(sent().messages[1].content[0]).toEqual(blockWith('file_created'))
    // In the history of another end user, the container's ID is only text.
    const other = await newUser()
    expect((await message(other.key, { tools: [code], messages: history })).status).toBe(200)
    expect(sent().messages[1].content[0]).toEqual(blockWith(id))
  })

  test('only the owner of a created file can use it: other end users get the same response as for an unknown ID', async () => {
    const owner = await newUser()
    const other = await newUser()
    const id = await createdFile(owner)
    const calls = app.provider.calls.length
    const responseTo = async (text: string): Promise<unknown> => {
      const told = await Promise.all(
        ['GET', 'DELETE'].map(async (method) => answerOf(await about(other.key, method, text))),
      )
      const content = await answerOf(await about(other.key, 'GET', `${text}/content`))
      const asInput = await message(other.key, {
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: text } }] },
        ],
      })
      return [...told, content, asInput].map(({ body, status }) => [status, { ...body, request_id: '' }])
    }
    const unknown = await responseTo('file_unknown')
    expect(unknown).toMatchObject(
      Array.from({ length: 4 }, () => [404, { error: { details: { error_code: 'file_not_found' } } }]),
    )
    const flipped = fc
      .integer({ min: 5, max: id.length - 1 })
      .map((at) => id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1))
    const texts = fc.oneof(fc.constantFrom(id, 'file_created', id.slice(0, -1), `${id}A`), flipped)
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await responseTo(text)).toEqual(unknown)
      }),
      propertyRuns(20),
    )
    expect(app.provider.calls).toHaveLength(calls)
  })
})

describe('a conversation that the provider compacts', () => {
  const edit = (value: number) => ({ type: 'compact_20260112', trigger: { type: 'input_tokens', value } })
  const long = [{ role: 'user', content: 'The quick brown fox jumps. '.repeat(8_000) }]
  const usage = {
    input_tokens: 220,
    output_tokens: 8,
    iterations: [
      { type: 'compaction', input_tokens: 55_000, output_tokens: 125 },
      { type: 'message', input_tokens: 220, output_tokens: 8 },
    ],
  }

  test('the hold of a compaction covers its input and its summary, and the charge is exact', async () => {
    const user = await newUser()
    answers(0, { usage })
    const context_management = { edits: [edit(50_000)] }
    const answer = await message(user.key, { messages: long, context_management })
    expect([answer.status, sent().context_management]).toEqual([200, context_management])
    const { quote, reserve, settle } = await explained(answer)
    expect(quote.uses).toEqual({ output: 16_384 })
    expect(Number(reserve.firstWorstMicros)).toBe(quote.textTokensMax + 2 * (16_384 + 100))
    expect(settle).toMatchObject({ chargeMicros: String(55_220 + 2 * 133), overHoldMicros: '0' })
  })

  test('a stream whose summary exceeds the maximum of the request is not cut, and is charged exactly', async () => {
    const user = await newUser()
    const frames: object[] = [
      { type: 'message_start', message: { id: 'msg_1', model: 'm-1', content: [], usage: usageOf(55_000) } },
      { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'compaction_delta', content: 'a summary of many words '.repeat(100) },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
      { type: 'message_stop' },
    ]
    app.provider.script({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''),
      splitBytes: 300,
    })
    const body = { messages: long, stream: true, context_management: { edits: [edit(50_000)] } }
    const answer = await message(user.key, body)
    expect(answer.text).toContain('message_stop')
    const { settle } = await explained(answer)
    expect(settle).toMatchObject({ chargeMicros: String(55_220 + 2 * 133), overHoldMicros: '0' })
  })

  test('the hold of a conversation that is too short for a compaction includes no compaction', async () => {
    const user = await newUser()
    answers(10)
    const { quote } = await explained(
      await message(user.key, { context_management: { edits: [edit(50_000)] } }),
    )
    expect(quote.uses).toBeUndefined()
    expect(quote.textTokensMax).toBeLessThan(1_000)
  })
})

test('the hold for a document at an address covers the context window, and the reported usage is charged', async () => {
  const user = await newUser()
  answers(2_682)
  const source = { type: 'url', url: 'https://x.example/sample.pdf' }
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }]
  const answer = await message(user.key, { messages })
  expect([answer.status, sent().messages]).toEqual([200, messages])
  const { reserve, settle } = await explained(answer)
  expect(Number(reserve.firstWorstMicros)).toBe(2_000_000 + 200)
  expect(settle).toMatchObject({ chargeMicros: '2692', overHoldMicros: '0' })
  const elsewhere = await message(user.key, { model: app.model, messages })
  expect([elsewhere.status, elsewhere.body.error.details.error_code]).toEqual([400, 'unsupported_for_route'])
})
