/**
 * Mutates bodies, hosts and keys (docs/reference/threats.md "Fuzzing"). The parsers read a hundred thousand of each,
 * and the parsed bodies are compared with JSON.parse. A server gets three thousand whole requests over a socket.
 * Nothing throws, no response is 5xx, and no hold remains.
 */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { hostTable } from '#domain/network/surface-selected-by-host.ts'
import { makeSecret, parseSecret } from '#domain/secrets/key-and-token-format.ts'
import { parseChatRequest } from '#wire/chat/parse-request.ts'
import { upstreamBody, type WireRequest } from '#wire/wire-request.ts'
import { readChatResponse } from '#wire/chat/non-streaming-response.ts'
import { eventually, makeApplication, settledBalance, startServer } from '../support/start-product.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'

const parsed = 100_000
const sent = 3_000
/** A twelfth of the requests have a body that is shorter than declared, and wait for a second. */
const atATime = 32
const seed = seedOfRun()

const model = 'acme/smart'
const corpus: readonly string[] = [
  { model, messages: [{ role: 'user', content: 'Hello' }] },
  { model, messages: [{ role: 'user', content: 'Grüße, 世界 😀 \u0007' }], stream: true, max_tokens: 10 },
  {
    model,
    stream: true,
    stream_options: { include_usage: true, x: [] },
    max_completion_tokens: 7,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
        ],
      },
    ],
  },
  {
    model,
    n: 2,
    seed: 9_007_199_254_740_991,
    temperature: 0.1,
    service_tier: 'auto',
    svc: { outcome: 'report', outcome_id: 'run-1' },
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"}"}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '[[1,2],{"model":"x"}]' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
  },
  {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'file', file: { file_data: 'JVBERi0=' } },
        ],
      },
    ],
    model,
    stop: ['\n\n', '\\"'],
    logit_bias: { 1: -100 },
  },
].map((body) => JSON.stringify(body))

const fragments = [
  '"model":"acme/smart"',
  '"model":',
  '"mod\\u0065l":"x"',
  '"max_tokens":',
  '"n":',
  '"stream":true',
  '"stream_options":{}',
  '"stream_options":null',
  '"svc":{"outcome":"a","outcome_id":"b"}',
  '"svc":null',
  '"__proto__":{"n":9}',
  '"messages":[]',
  '-1',
  '-0',
  '0.5',
  '1e400',
  '1e-400',
  '01',
  '9007199254740993',
  '18446744073709551616',
  'NaN',
  'Infinity',
  'true',
  'null',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '\u0000',
  '\u2028',
  '\ufeff',
  '\\',
  '\\"',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ' ',
  '\n',
  '/*x*/',
  '[[[[[[[[',
  ']]]]]]]]',
  '{"a":{"a":{"a":',
  '['.repeat(70),
  '['.repeat(70) + ']'.repeat(70),
  '😀',
  'ﷺ',
  'é',
]

function mutated(text: string, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(text)
  for (let i = random.whole(0, 4); i > 0; i--) bytes = mutatedOnce(bytes, random)
  return bytes
}

function mutatedOnce(bytes: Buffer, random: Random): Buffer {
  const at = random.whole(0, bytes.length)
  const to = Math.min(bytes.length, at + random.whole(0, 20))
  const splice = (middle: string | Uint8Array): Buffer =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(to)])
  switch (random.whole(0, 7)) {
    case 0:
      return splice('')
    case 1:
      return splice(Uint8Array.of(random.whole(0, 255)))
    case 2:
      return bytes.subarray(0, at)
    case 3:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)])
    case 4:
      return splice(random.pick(corpus).slice(random.whole(0, 40), random.whole(40, 90)))
    case 5: {
      const replaced = bytes.toString('latin1').replace(/(?<=:)[\d.]+/, random.pick(fragments))
      return Buffer.from(replaced, 'latin1')
    }
    case 6: {
      const place = bytes.indexOf(random.pick(['{', ',']), at) + 1
      return Buffer.concat([
        bytes.subarray(0, place),
        Buffer.from(`${random.pick(fragments)}${random.pick(['', ','])}`),
        bytes.subarray(place),
      ])
    }
    default:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(fragments)), bytes.subarray(at)])
  }
}

const faultCodes = new Set(['invalid_json', 'invalid_request', 'unsupported_for_route'])

function judgeBody(bytes: Buffer): string {
  if (!isUtf8(bytes)) return 'not UTF-8'
  const request = parseChatRequest(bytes.toString('latin1'))
  const value = valueOf(bytes.toString('utf8'))
  if ('kind' in request) {
    assert(faultCodes.has(request.code), request.code)
    assert(request.reason.length > 0 && request.reason.length < 400)
    if (request.code === 'invalid_json' && value !== undefined)
      assert.match(request.reason, /deep|values|byte order mark|large/i)
    return request.code
  }
  assert(value !== undefined, 'the gateway read a body that JSON.parse refuses')
  judgeRequest(request, value)
  return 'accepted'
}

function valueOf(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toolFields = ['tools', 'tool_choice', 'parallel_tool_calls']

/** The outgoing body may differ only in the fields that the gateway changes. */
function judgeRequest(request: WireRequest, value: Record<string, unknown>): void {
  assert.equal(request.model, value['model'])
  assert.equal(request.isStream, value['stream'] === true)
  for (const count of [
    request.textTokensMax,
    request.audioTokensMax,
    request.inputEstimate,
    ...Object.values(request.images ?? {}),
  ])
    assert(Number.isSafeInteger(count) && count >= 0)
  assert(request.choices >= 1 && request.choices <= 128)
  const maxima = [value['max_tokens'], value['max_completion_tokens']].filter(
    (max) => typeof max === 'number',
  )
  assert.equal(request.outputTokensMax, maxima.length === 0 ? null : Math.max(...maxima))
  const messages: readonly unknown[] = Array.isArray(value['messages']) ? value['messages'] : []
  let textBytes = 0
  for (const message of messages) {
    const isObject = typeof message === 'object' && message !== null
    if (isObject && 'content' in message && typeof message.content === 'string')
      textBytes += Buffer.byteLength(message.content)
  }
  assert(request.textTokensMax * 3 >= textBytes * 2, 'fewer than two tokens are held for three bytes of text')
  for (const clamp of [null, 3]) {
    const out = valueOf(Buffer.from(upstreamBody(request, 'upstream-1', clamp), 'latin1').toString('utf8'))
    assert(out !== undefined, 'the outgoing body is not JSON')
    const expected: Record<string, unknown> = { ...value, model: 'upstream-1' }
    delete expected['svc']
    if (clamp !== null) {
      const named = ['max_tokens', 'max_completion_tokens'].filter((name) => name in value)
      for (const name of named.length === 0 ? ['max_tokens'] : named) expected[name] = clamp
    }
    if (request.isStream)
      expected['stream_options'] = { ...Object(value['stream_options']), include_usage: true }
    // The gateway treats a tool of an unknown type as a tool that the provider runs. It removes such a tool, and the
    // fields that require it.
    if (request.lost) for (const name of toolFields) for (const body of [out, expected]) delete body[name]
    assert.deepEqual(out, expected)
  }
}

test(`${parsed} mutated bodies, hosts and keys throw nothing, and every accepted value is one that the input contains (SEED=${seed})`, () => {
  console.log(`fuzz: SEED=${seed}`)
  const random = randomFrom(seed)
  const key = makeSecret({ kind: 'ak', code: 'abc123', isTest: false }, () => random.whole(0, 255)).secret
  const host = 'acme.gateway.localhost'
  const table = hostTable(new Map([[host, { kind: 'gateway', applicationId: 'app' }]]))
  const ends = new Map<string, number>()
  const durations: number[] = []
  for (let i = 0; i < parsed; i++) {
    const bytes = mutated(random.pick(corpus), random)
    const before = process.threadCpuUsage()
    let end
    try {
      end = judgeBody(bytes)
      judgeHeaders(mutated(host, random), mutated(key, random))
      readChatResponse(bytes.toString('latin1'), model)
    } catch (cause) {
      throw new Error(`SEED=${seed}, body ${i}: ${bytes.toString('latin1')}`, { cause })
    }
    const { system, user } = process.threadCpuUsage(before)
    durations.push((system + user) / 1000)
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  const p99Ms = percentile(durations, 0.99)
  console.log(`fuzz: ${JSON.stringify(Object.fromEntries(ends))}, p99 ${p99Ms.toFixed(2)} ms of CPU`)
  expect(p99Ms).toBeLessThan(50)
  // An outcome that hardly occurs would be untested.
  for (const kind of ['accepted', 'invalid_json', 'invalid_request', 'not UTF-8'])
    expect(ends.get(kind) ?? 0, kind).toBeGreaterThan(parsed / 200)

  function judgeHeaders(hostBytes: Buffer, keyBytes: Buffer): void {
    const sentHost = hostBytes.toString('latin1')
    const surface = table.find(sentHost)
    if (typeof surface !== 'string') assert.match(sentHost, /^acme\.gateway\.localhost(:\d{1,5})?$/i)
    const sentKey = keyBytes.toString('latin1')
    if (parseSecret(sentKey) !== null) assert.equal(sentKey, key)
  }
})

test(`${sent} mutated requests over a socket cause no 5xx and no remaining hold, and everything adds up (SEED=${seed})`, async () => {
  const server = await startServer()
  const app = await makeApplication(server, { outputTokens: 50 })
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  await app.api('PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '1000000000' })
  const statuses = new Map<string, number>()
  const latencies: number[] = []
  const workers = Array.from({ length: atATime }, async (_, worker) => {
    const random = randomFrom(seed + worker)
    for (let i = worker; i < sent; i += atATime) {
      const request = wholeRequest(random, app.gatewayHost, user.key)
      // oxlint-disable-next-line no-await-in-loop -- one after the other, in each of the workers
      const { status, durationMs } = await exchange(app.gatewayPort, request, random)
      assert(!status.startsWith('5'), `SEED=${seed}: ${status} for ${request.bytes.toString('latin1')}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status !== 'no answer') latencies.push(durationMs)
    }
  })
  await Promise.all(workers)
  const p99Ms = percentile(latencies, 0.99)
  console.log(`fuzz: ${JSON.stringify(Object.fromEntries(statuses))}, p99 ${p99Ms.toFixed(1)} ms`)
  expect(statuses.get('200') ?? 0).toBeGreaterThan(sent / 50)
  expect(statuses.get('400') ?? 0).toBeGreaterThan(sent / 10)
  // The gateway reads the provider's stream to its end after the client has disconnected, and then holds nothing.
  await eventually(async () => void (await settledBalance(user)), 60_000)
  expect((await app.call(user)).status).toBe(200)
  await app.provider.close()
  await server.close()
})

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0
}

interface Sent {
  readonly bytes: Buffer
  /** The server must respond to a valid and complete head. */
  readonly isWhole: boolean
}

function wholeRequest(random: Random, host: string, key: string): Sent {
  const body = random.chance(0.8) ? mutated(random.pick(corpus), random) : Buffer.from(random.pick(corpus))
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ].join('\r\n')
  const isWhole = !random.chance(0.3)
  const headBytes = isWhole ? Buffer.from(head) : mutatedOnce(Buffer.from(head), random)
  return { bytes: Buffer.concat([headBytes, Buffer.from('\r\n\r\n'), body]), isWhole }
}

/** Some clients disconnect early. */
function exchange(
  port: number,
  { bytes: request, isWhole }: Sent,
  random: Random,
): Promise<{ status: string; durationMs: number }> {
  const leavesEarly = random.chance(0.1)
  return new Promise((resolve) => {
    const startedMs = performance.now()
    const socket = connect(port, '127.0.0.1')
    let received = ''
    const end = (): void => {
      clearTimeout(timer)
      socket.destroy()
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 'no answer'
      resolve({ status, durationMs: performance.now() - startedMs })
    }
    // If a request is shorter than declared, the server waits for the missing bytes. The response to a complete request
    // may take long on a busy machine.
    const patienceMs = isWhole ? 60_000 : 1_000
    const timer = setTimeout(end, leavesEarly ? random.whole(1, 20) : patienceMs)
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      if (received.includes('\r\n\r\n')) end()
    })
    socket.on('error', () => {})
    socket.on('close', end)
    socket.write(request)
  })
}
