/** Checks that marked words are not stored (docs/reference/threats.md "Secrets in logs and records"). */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import type { Behaviour } from '../support/fake-provider.ts'
import {
  arrival,
  control,
  eventually,
  makeApplication,
  settledBalance,
  spawnServer,
  testKeyOf,
  upstreamKey,
  upstreamModel,
  verifies,
  type Answer,
  type Application,
  type SpawnedServer,
  type User,
} from '../support/start-product.ts'
import { startOtlpReceiver, type OtlpReceiver } from '../support/receiver-of-trace-spans.ts'

const canary = (name: string): string => `canary${name}${randomBytes(12).toString('hex')}`

/** The content of a call must not be stored or logged. Only the answer of the call returns it. */
const content = {
  prompt: canary('Prompt'),
  system: canary('System'),
  toolDescription: canary('Tool'),
  toolResult: canary('Result'),
  requestField: canary('Field'),
  completion: canary('Completion'),
  reasoning: canary('Reasoning'),
  toolArguments: canary('Arguments'),
  providerError: canary('ProviderError'),
  broken: canary('Broken'),
  mistyped: canary('Mistyped'),
}

let folder: string
let collector: OtlpReceiver
let server: SpawnedServer
let app: Application
let user: User
let poor: User
/** These secrets must not appear anywhere, because the server stores them only as hashes or encrypted. */
let secrets: Readonly<Record<string, string>>
const email = `${canary('Mail').toLowerCase()}@example.com`
const refusals: Answer[] = []
let watched = ''
const requestIds = new Set<string>()

beforeAll(async () => {
  folder = newDataFolder('e2e')
  collector = await startOtlpReceiver()
  server = await spawnServer(folder, {
    environment: {
      TOLLGATE_LOG_LEVEL: 'debug',
      TOLLGATE_LOG_CALLS: 'all',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
  })
  app = await makeApplication(server)
  user = await app.newUser({ balanceMicros: 100_000_000n })
  poor = await app.newUser({ balanceMicros: 1n })
  await app.api('PUT', `/v1/end-users/${user.externalId}`, { email })
  const second = await app.api('POST', '/v1/application-keys', { label: 'second' })
  const rotatedKey = canary('Rotated')
  for (const apiKey of [rotatedKey, upstreamKey]) {
    // oxlint-disable-next-line no-await-in-loop -- to another key and back
    await app.api('POST', `/v1/providers/${app.slug}/rotate`, { apiKey })
  }
  const events = await fetch(`${server.baseUrl}/v1/requests/tail`, {
    headers: { authorization: `Bearer ${server.token}`, 'x-svc-app': app.slug },
  })
  void (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of events.body ?? []) watched += decoder.decode(bytes, { stream: true })
  })().catch(() => {})
  secrets = {
    providerKey: upstreamKey,
    rotatedProviderKey: rotatedKey,
    endUserKey: user.key,
    otherEndUserKey: poor.key,
    token: server.token,
    otherToken: second.token,
    masterKey: masterKeyOf(folder),
  }
})
afterAll(async () => {
  await app.provider.close()
  server.child.kill('SIGKILL')
  await collector.close()
  rmSync(folder, { recursive: true })
})

function masterKeyOf(dataFolder: string): string {
  return readFileSync(join(dataFolder, 'master-key'), 'utf8').trim()
}

const request = {
  messages: [
    { role: 'system', content: content.system },
    { role: 'user', content: content.prompt },
    { role: 'tool', tool_call_id: 'call_0', content: content.toolResult },
  ],
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: content.toolDescription, parameters: { type: 'object' } },
    },
  ],
  user: content.requestField,
  metadata: { note: content.requestField },
}

async function call(body: object, behaviour: Behaviour, person: User = user): Promise<Answer> {
  app.provider.enqueue(behaviour)
  const answer = await app.call(person, { ...request, ...body })
  note(answer)
  return answer
}

function note(answer: Answer): void {
  if (answer.status !== 200) refusals.push(answer)
  const id = answer.headers.get('x-request-id')
  if (id) requestIds.add(id)
}

const chunks = [content.completion, ` and ${content.completion}`, '.', '.']
const echo = { error: { message: `cannot read ${content.providerError} at ${content.prompt}`, code: null } }

function sse(...frames: object[]): Behaviour {
  const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
  return { status: 200, contentType: 'text/event-stream', body: `${text}data: [DONE]\n\n` }
}

const delta = (fields: object, finish: string | null = null): object => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: upstreamModel,
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
})

describe('setup: clients, providers and members send marked words and secrets to the server', () => {
  test('successful and failed calls contain marked words, streamed and non-streaming', async () => {
    for (const stream of [false, true]) {
      const kind = { stream }
      const behaviours: Behaviour[] = [
        { chunks },
        { chunks, usage: null },
        { chunks, usage: { prompt_tokens: -1, completion_tokens: content.completion } },
        { chunks, cutAfterChunks: 2 },
        { chunks, brokenFrame: `{"choices":[{"delta":{"content":"${content.broken}` },
        { chunks, brokenFrame: JSON.stringify(echo) },
        { status: 200, body: echo },
        { status: 200, body: `<p>${content.broken}</p>`, contentType: 'text/html' },
        { headers: { 'content-encoding': 'gzip', 'x-note': content.providerError } },
        { redirect: `http://127.0.0.1:1/${content.providerError}` },
        { isReset: true },
        ...[400, 401, 403, 404, 422, 429, 500, 503].map((status) => ({ status, body: echo })),
        // Providers whose errors repeat the data that they received.
        { status: 400, body: { error: { message: `Incorrect API key provided: ${upstreamKey}` } } },
        { status: 401, body: { error: { message: `Incorrect API key provided: ${upstreamKey}` } } },
        { status: 500, body: { error: { message: `Bearer ${upstreamKey}` } } },
      ]
      for (const behaviour of behaviours) {
        // oxlint-disable-next-line no-await-in-loop -- each call uses the fault that was set for it
        await call(kind, behaviour)
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await call(kind, {}, poor)
    }
    await call(
      { stream: true },
      sse(
        delta({ role: 'assistant', reasoning_content: content.reasoning }),
        delta({ tool_calls: [{ index: 0, function: { arguments: `"${content.toolArguments}"` } }] }),
        delta({}, 'tool_calls'),
      ),
    )
    const toolCall = { function: { name: 'weather', arguments: `{"city":"${content.toolArguments}"}` } }
    const message = { role: 'assistant', content: null, reasoning: content.reasoning, tool_calls: [toolCall] }
    await call({}, { status: 200, body: { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] } })
    expect(requestIds.size).toBeGreaterThan(40)
  })

  test('a client that disconnects, and a client whose stream the spend limit ends, send marked words', async () => {
    const arrived = arrival(app.provider)
    const abort = new AbortController()
    app.provider.enqueue({ chunks, hang: 'mid' })
    const leaving = app.call(user, { ...request, stream: true }, { signal: abort.signal })
    await arrived
    abort.abort()
    await expect(leaving).rejects.toThrow('abort')
    app.provider.release()
    const modest = await app.newUser({ balanceMicros: 20_000n })
    await call({ stream: true }, { isEndless: true, chunks }, modest)
    await settledBalance(modest)
  })

  test('invalid requests that contain marked words are rejected', async () => {
    const bodies: readonly string[] = [
      `{"model":"acme/smart","messages":[{"role":"user","content":"${content.mistyped}`,
      `{"model":"acme/smart","messages":[{"role":"user","content":"${content.mistyped}"}]} ${content.mistyped}`,
      `{"model":"acme/smart","messages":"${content.mistyped}"}`,
      `{"model":"acme/smart","messages":["${content.mistyped}"]}`,
      `{"model":"acme/smart","stream":"${content.mistyped}","messages":[{"role":"user","content":"x"}]}`,
      `{"model":"acme/smart","n":"${content.mistyped}","messages":[{"role":"user","content":"x"}]}`,
      `{"model":"acme/smart","messages":[{"role":"user","content":[{"type":"image_url","image_url":"${content.mistyped}"}]}],"tools":"${content.mistyped}"}`,
      content.mistyped,
    ]
    const heads = [
      { authorization: `Bearer ${user.key}` },
      { 'api-key': user.key },
      { authorization: `Bearer ak_${content.mistyped}` },
    ]
    for (const head of heads) {
      for (const body of bodies) {
        /* oxlint-disable no-await-in-loop -- few enough */
        const response = await fetch(`${app.gateway}/v1/chat/completions`, {
          method: 'POST',
          headers: { ...head, 'content-type': 'application/json' },
          body,
        })
        const text = await response.text()
        /* oxlint-enable no-await-in-loop */
        expect(response.status, text).toBeGreaterThanOrEqual(400)
        note({ status: response.status, headers: response.headers, text, body: null })
      }
    }
  })

  test('requests to the control plane contain marked words, and use data of other organizations', async () => {
    const headers = { 'x-svc-app': app.slug }
    const answers = [
      await control({ ...server, token: user.key }, 'GET', '/v1/end-users', undefined, headers),
      await control(
        { ...server, token: `sk_${content.mistyped}` },
        'GET',
        '/v1/end-users',
        undefined,
        headers,
      ),
      await control(server, 'PUT', '/v1/providers/bad', { kind: 'none', apiKey: upstreamKey }, headers),
      await control(server, 'PUT', '/v1/providers/bad', { kind: 'simulator', apiKey: upstreamKey }, headers),
      await control(
        server,
        'PUT',
        '/v1/providers/bad',
        { apiKey: upstreamKey, [content.mistyped]: 1 },
        headers,
      ),
      await control(server, 'POST', '/v1/keys', { endUserId: user.externalId, key: user.key }, headers),
    ]
    for (const answer of answers) {
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
      if (!answer.text.includes(content.mistyped)) refusals.push(answer)
    }
  })
})

/** Also finds words that are encoded in base64 or hex. */
function hits(text: string, words: Readonly<Record<string, string>>): string[] {
  return Object.entries(words)
    .filter(([, word]) =>
      [word, base64Core(word), Buffer.from(word).toString('hex')].some((form) => text.includes(form)),
    )
    .map(([name]) => name)
}

/** This part of the base64 text does not depend on the bytes around the word. */
function base64Core(word: string): string {
  return Buffer.from(word.slice(0, Math.floor(word.length / 3) * 3)).toString('base64')
}

describe('threat 108: the marked words appear nowhere else', () => {
  test('the error bodies of the gateway and the control plane contain no marked words', async () => {
    expect(refusals.length).toBeGreaterThan(40)
    for (const { text } of refusals) {
      // The gateway returns the provider's complaint about a request only to its caller.
      const isRejected = text.includes('"upstream_rejected"')
      const { providerError: _, prompt: __, ...others } = content
      expect(hits(text, isRejected ? others : content), text).toEqual([])
      expect(hits(text, { ...secrets, email, upstreamModel }), text).toEqual([])
    }
  })

  test('the responses of requests.list and requests.explain contain no marked words', async () => {
    const lists = await Promise.all([user, poor].map((person) => person.requests()))
    const ids = lists.flat().map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(40)
    expect(hits(JSON.stringify(lists), { ...content, ...secrets, email })).toEqual([])
    for (const id of ids) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const explained = JSON.stringify(await app.api('GET', `/v1/requests/${id}`))
      expect(hits(explained, { ...content, ...secrets, email }), explained).toEqual([])
    }
  })

  test('the metrics contain no marked words', async () => {
    const { text } = await control(server, 'GET', '/metrics')
    expect(text).toContain(`tollgate_calls_total{application="${app.slug}"`)
    // Proves that the search works: the text contains the application and its model.
    expect(hits(text, { slug: app.slug, model: app.model })).toEqual(['slug', 'model'])
    const ofPeople = { key: user.keyId, person: user.endUserId, externalId: user.externalId }
    expect(hits(text, { ...content, ...secrets, ...ofPeople, email })).toEqual([])
  })

  test('the trace spans at a collector contain no marked words', async () => {
    const told = (): unknown[] => collector.spans.map(({ attributes }) => attributes['tollgate.request.id'])
    const [id = ''] = [...requestIds]
    await eventually(async () => expect(told()).toContain(id))
    expect(collector.spans.length).toBeGreaterThan(40)
    const ofPeople = { key: user.keyId, person: user.endUserId, externalId: user.externalId }
    expect(hits(collector.text(), { ...content, ...secrets, ...ofPeople, email })).toEqual([])
  })

  test('the events of requests.tail contain no marked words', async () => {
    const last = (await user.requests())[0].id
    await eventually(async () => expect(watched).toContain(last))
    expect(watched.split('event: call').length).toBeGreaterThan(40)
    expect(hits(watched, { ...content, ...secrets, email })).toEqual([])
  })

  test('the rows of usage.export contain no marked words', async () => {
    // An export contains only calls that settled at least two minutes earlier. The test therefore advances the test
    // clock.
    const headers = { 'x-svc-app': app.slug, 'x-svc-mode': 'test' }
    const testKey = await testKeyOf(app)
    for (const stream of [false, true]) {
      // oxlint-disable-next-line no-await-in-loop -- two
      const response = await fetch(`${app.gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: app.model, messages: request.messages.slice(0, 2), stream }),
      })
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(response.status, await response.text()).toBe(200)
    }
    const to = new Date(Date.now() + 86_400_000).toISOString()
    await control(server, 'POST', '/v1/test-clock/advance', { to }, headers)
    for (const query of ['', '?format=csv', '?columns=focus', '?columns=focus&format=csv']) {
      // oxlint-disable-next-line no-await-in-loop -- few
      const { status, text } = await control(server, 'GET', `/v1/usage/export${query}`, undefined, headers)
      expect(status).toBe(200)
      expect(text.trim().split('\n').length, text).toBeGreaterThanOrEqual(2)
      expect(hits(text, { ...content, ...secrets, testKey, email }), text).toEqual([])
    }
  })

  test('the log contains no marked words, even at its most verbose level', () => {
    const lines = server.stderr().split('\n')
    expect(lines.length).toBeGreaterThan(10)
    const calls = lines.filter((line) => line.includes('"msg":"call"')).map((line) => JSON.parse(line))
    expect(calls.filter(({ outcome }) => outcome === 'settled').length).toBeGreaterThan(10)
    expect(calls.filter(({ outcome }) => outcome === 'refused').length).toBeGreaterThan(1)
    for (const line of lines) expect(hits(line, { ...content, ...secrets, email }), line).toEqual([])
  })

  test('the files of the store contain no marked words, while the store is open and after it is closed', async () => {
    await eventually(async () => expect((await user.balance()).reservedMicros).toBe(0n))
    expect(readdirSync(folder)).toContain('tollgate.db-wal')
    expectFilesClean()
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    await verifies(folder)
    expectFilesClean()
  })
})

function expectFilesClean(): void {
  const files = readdirSync(folder).filter(
    (name) => name !== 'master-key' && statSync(join(folder, name)).isFile(),
  )
  expect(files).toContain('tollgate.db')
  // Latin-1 keeps every byte unchanged.
  const texts = files.map((name): [string, string] => [name, readFileSync(join(folder, name), 'latin1')])
  for (const [name, text] of texts) expect(hits(text, { ...content, ...secrets }), name).toEqual([])
  // Proves that the search works: the email address is stored.
  expect(texts.some(([, text]) => hits(text, { email }).length > 0)).toBe(true)
}
