/**
 * Compares the trace spans of the whole program, at a collector that decodes the protobuf, with the published
 * conventions.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigFaults, readConfig } from '#app/server-configuration.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  eventually,
  makeApplication,
  spawnServer,
  upstreamModel,
  type Application,
  type SpawnedServer,
  type User,
} from '../support/start-product.ts'
import {
  startOtlpReceiver,
  type OtlpReceiver,
  type ReceivedSpan,
} from '../support/receiver-of-trace-spans.ts'

let folder: string
let receiver: OtlpReceiver
let server: SpawnedServer
let app: Application
let user: User

beforeAll(async () => {
  folder = newDataFolder('traces')
  receiver = await startOtlpReceiver()
  server = await spawnServer(folder, {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme',
      OTEL_SERVICE_NAME: 'my-gateway',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      // The server sends spans immediately instead of every five seconds.
      OTEL_BSP_SCHEDULE_DELAY: '10',
    },
  })
  app = await makeApplication(server)
  user = await app.newUser({ balanceMicros: 1_000_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  server.child.kill('SIGTERM')
  await server.ended
  await receiver.close()
  rmSync(folder, { recursive: true })
})

interface CallSpans {
  readonly call: ReceivedSpan
  readonly children: readonly ReceivedSpan[]
}

function spansOf(requestId: string, count: number): Promise<CallSpans> {
  return eventually(async () => {
    const call = receiver.spans.find(({ attributes }) => attributes['tollgate.request.id'] === requestId)
    const children = receiver.spans.filter(({ parentSpanId }) => parentSpanId === call?.spanId)
    if (call === undefined || children.length !== count - 1)
      throw new Error(`${children.length} spans below ${call?.name} of ${requestId}`)
    return { call, children }
  })
}

const requestIdOf = (headers: Headers): string => headers.get('x-request-id') ?? ''

/** The published attributes come from the package that OpenTelemetry generates from its conventions. */
const published = ['experimental', 'stable']
  .map((part) =>
    readFileSync(
      new URL(
        `../../node_modules/@opentelemetry/semantic-conventions/dist/${part}_attributes.mjs`,
        import.meta.url,
      ),
      'utf8',
    ),
  )
  .join('\n')

function expectPublished({ attributes, name }: ReceivedSpan): void {
  for (const attribute of Object.keys(attributes)) {
    if (attribute.startsWith('tollgate.')) continue
    expect([
      name,
      attribute,
      published.includes(`'${attribute}'`) || published.includes(`"${attribute}"`),
    ]).toEqual([name, attribute, true])
  }
}

/** Source: docs/reference/telemetry.md "Spans of model calls". */
function expectInference(span: ReceivedSpan): void {
  const { attributes } = span
  expect(span.kind).toBe('CLIENT')
  expect(['chat', 'generate_content']).toContain(attributes['gen_ai.operation.name'])
  expect(span.name).toBe(
    [attributes['gen_ai.operation.name'], attributes['gen_ai.request.model']].filter(Boolean).join(' '),
  )
  expect(typeof attributes['gen_ai.provider.name']).toBe('string')
  expect(attributes['error.type'] !== undefined).toBe(span.isError)
  expectPublished(span)
}

/** Source: docs/reference/telemetry.md "Spans of HTTP servers". */
function expectServer(span: ReceivedSpan): void {
  const { attributes } = span
  expect(span.kind).toBe('SERVER')
  expect(span.name).toBe(`${String(attributes['http.request.method'])} ${String(attributes['http.route'])}`)
  expect(attributes).toMatchObject({ 'url.scheme': 'http', 'url.path': expect.stringMatching(/^\//) })
  expect(attributes['server.address']).toBe(app.gatewayHost)
  expect(typeof attributes['server.port']).toBe('number')
  const status = Number(attributes['http.response.status_code'])
  expect(span.isError).toBe(status >= 500)
  if (status >= 400) expect(typeof attributes['error.type']).toBe('string')
  expectPublished(span)
}

test('the trace of a settled call has a span for the client’s call, the hold, the provider’s call and the settlement', async () => {
  const answer = await app.call(user, { stream: true })
  const { call, children } = await spansOf(requestIdOf(answer.headers), 4)
  expectServer(call)
  expect(call.name).toBe('POST /v1/chat/completions')
  expect(call.parentSpanId).toBe('')
  expect(call.attributes).toMatchObject({
    'http.response.status_code': 200,
    'tollgate.application': app.slug,
    'tollgate.model': app.model,
    'tollgate.outcome': 'settled',
  })
  expect(children.map(({ name }) => name).toSorted()).toEqual([`chat ${upstreamModel}`, 'reserve', 'settle'])
  const inference = children.find(({ kind }) => kind === 'CLIENT')
  if (inference === undefined) throw new Error('no span of the provider')
  expectInference(inference)
  expect(inference.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': upstreamModel,
    'gen_ai.response.model': upstreamModel,
    'gen_ai.provider.name': 'openai_compatible',
    'http.response.status_code': 200,
  })
  expect(inference.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0)
  expect(inference.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0)
  for (const { endNanos, startNanos, traceId } of children) {
    expect(traceId).toBe(call.traceId)
    expect(endNanos >= startNanos && startNanos >= call.startNanos).toBe(true)
    // The times of a stored record are whole milliseconds.
    expect(endNanos <= call.endNanos + 1_000_000n).toBe(true)
  }
  const { ledger } = { ledger: await user.ledger() }
  const charge = ledger.find(({ requestId }) => requestId === requestIdOf(answer.headers))
  const settle = children.find(({ name }) => name === 'settle')
  expect(settle?.attributes['tollgate.charged_micros']).toBe(-Number(charge?.amountUnits))
  expect(call.resource).toMatchObject({
    'service.name': 'my-gateway',
    'deployment.environment.name': 'test',
    'telemetry.sdk.name': 'opentelemetry',
  })
  expect(receiver.headers[0]?.['x-tenant']).toBe('acme')
})

test('the span of a failing provider has its status and error', async () => {
  app.provider.enqueue({ status: 503, body: { error: { message: 'down' } } })
  const answer = await app.call(user)
  const { call, children } = await spansOf(requestIdOf(answer.headers), 3)
  expectServer(call)
  expect(call.attributes).toMatchObject({
    'tollgate.outcome': 'released',
    'error.type': answer.body.error.code,
  })
  const inference = children.find(({ kind }) => kind === 'CLIENT')
  if (inference === undefined) throw new Error('no span of the provider')
  expectInference(inference)
  expect(inference.attributes).toMatchObject({ 'error.type': '503', 'http.response.status_code': 503 })
})

test('the trace of a call that a second target answers has a span for each target, and reports its tokens once', async () => {
  const second = 'upstream-model-2'
  await app.api('POST', `/v1/providers/${app.slug}/price`, {
    model: second,
    price: { input: '1000000', output: '2000000' },
  })
  await app.api('PUT', `/v1/models/${encodeURIComponent('acme/two')}`, {
    sources: [
      { provider: app.slug, model: upstreamModel },
      { provider: app.slug, model: second },
    ],
  })
  // The router calls the first target a second time.
  for (let n = 0; n < 2; n++) app.provider.enqueue({ status: 503, body: { error: { message: 'down' } } })
  const answer = await app.call(user, { model: 'acme/two' })
  expect(answer.status).toBe(200)
  const { children } = await spansOf(requestIdOf(answer.headers), 6)
  const attempts = children.filter(({ kind }) => kind === 'CLIENT')
  for (const attempt of attempts) expectInference(attempt)
  expect(attempts.map(({ attributes, name }) => [name, attributes['error.type']])).toEqual([
    [`chat ${upstreamModel}`, '503'],
    [`chat ${upstreamModel}`, '503'],
    [`chat ${second}`, undefined],
  ])
  expect(attempts.map(({ attributes }) => typeof attributes['gen_ai.usage.output_tokens'])).toEqual([
    'undefined',
    'undefined',
    'number',
  ])
})

test('the trace of a rejected call has no provider span, and does not contain an unserved model name', async () => {
  const name = `made-up-${randomBytes(6).toString('hex')}`
  const answer = await app.call(user, { model: name })
  expect(answer.status).toBe(404)
  const { call, children } = await spansOf(requestIdOf(answer.headers), 2)
  expectServer(call)
  expect(call.attributes).toMatchObject({ 'error.type': 'model_not_found', 'tollgate.outcome': 'refused' })
  expect(children.map(({ name: child }) => child)).toEqual(['reserve'])
  expect(receiver.text()).not.toContain(name)
})

test('a call continues the trace of its client, and records no spans if the client does not record its trace', async () => {
  const traceId = randomBytes(16).toString('hex')
  const parent = randomBytes(8).toString('hex')
  const answer = await app.call(user, {}, { headers: { traceparent: `00-${traceId}-${parent}-01` } })
  const { call, children } = await spansOf(requestIdOf(answer.headers), 4)
  expect([call.traceId, call.parentSpanId]).toEqual([traceId, parent])
  expect(children.every((child) => child.traceId === traceId)).toBe(true)
  const unsampled = randomBytes(16).toString('hex')
  await app.call(user, {}, { headers: { traceparent: `00-${unsampled}-${parent}-00` } })
  const malformed = await app.call(user, {}, { headers: { traceparent: `00-${unsampled}-nothing-01` } })
  const { call: own } = await spansOf(requestIdOf(malformed.headers), 4)
  expect(own.parentSpanId).toBe('')
  expect(receiver.spans.filter((span) => span.traceId === unsampled)).toEqual([])
})

test('tracing is off until a variable enables it, and unsupported settings are reported', () => {
  const isTracing = (environment: Record<string, string>): boolean => readConfig(environment).isTracing
  expect(isTracing({ OTEL_SERVICE_NAME: 'gateway' })).toBe(false)
  expect(isTracing({ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).toBe(
    false,
  )
  expect(isTracing({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).toBe(false)
  expect(isTracing({ OTEL_TRACES_EXPORTER: 'otlp' })).toBe(true)
  expect(isTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' })).toBe(true)
  expect(isTracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/v1/traces' })).toBe(true)
  expect(() => readConfig({ OTEL_TRACES_EXPORTER: 'zipkin' })).toThrow(ConfigFaults)
  const grpc = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  expect(() => readConfig(grpc)).toThrow(/must be http\/protobuf/)
  // While tracing is off, the server does not read the tracing settings.
  expect(isTracing({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBe(false)
})
