/** What the gateway notes of a call as it goes, as requests.explain tells it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  eventually,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
} from '../support/harness.ts'

let server: LocalServer
let app: Application
beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server, { bundle: { spendLimitMicros: '9000000' } })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const explain = (id: string | null) => eventually(() => app.api('GET', `/v1/requests/${id}`))

test('a stream has its limits, its attempt and its pace, and they agree with each other', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n, capMicros: 500_000n })
  const chunks = ['one ', 'two ', 'three']
  const usage = { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 }
  app.provider.script({ chunks, chunkDelayMs: 20, usage })
  const answer = await app.call(user, { stream: true, max_tokens: 50 })
  const body = await explain(answer.headers.get('x-request-id'))
  expect(body.policy.limits).toMatchObject([
    {
      name: 'key_cap',
      scope: user.keyId,
      limitMicros: '500000',
      usedMicros: '0',
      heldMicros: '0',
      verdict: 'pass',
    },
    { name: 'bundle_limit', limitMicros: '9000000', availableMicros: '9000000', verdict: 'pass' },
  ])
  expect(body.quote.worstCase.micros).toBe(body.reserve.firstWorstMicros)
  const [attempt] = body.attempts
  expect(body.attempts).toHaveLength(1)
  expect(attempt).toMatchObject({ n: 1, status: 200, failure: null, target: `${app.slug}/upstream-model-1` })
  expect(attempt.connectMs).toBeGreaterThanOrEqual(0)
  expect(attempt.firstByteMs).toBeGreaterThanOrEqual(attempt.connectMs)
  const { firstTokenMs, lastTokenMs, longestGapMs, bytes, clientLeftAtMs } = body.stream
  expect(firstTokenMs).toBeGreaterThanOrEqual(attempt.atMs)
  expect(lastTokenMs).toBeGreaterThanOrEqual(firstTokenMs)
  expect(longestGapMs).toBeLessThanOrEqual(attempt.durationMs + 1)
  expect(bytes).toBeGreaterThan(chunks.join('').length)
  expect(clientLeftAtMs).toBeNull()
  const [row] = await user.requests()
  expect(row).toMatchObject({
    provider: app.slug,
    providerModel: 'upstream-model-1',
    inputTokens: 11,
    outputTokens: 6,
  })
  expect(
    (await app.api('GET', `/v1/requests?provider=${app.slug}&endUserId=${user.externalId}`)).data,
  ).toEqual([row])
})

test('a call beyond its cap is refused with every limit that it met', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n, capMicros: 1n })
  const answer = await app.call(user, { max_tokens: 50 })
  expect(answer.status).toBe(402)
  const body = await explain(answer.headers.get('x-request-id'))
  expect(body.policy.limits).toMatchObject([
    { name: 'key_cap', limitMicros: '1', verdict: 'refused' },
    { name: 'bundle_limit', verdict: 'pass' },
  ])
  expect(body.refusal).toMatchObject({
    limitSource: 'key_cap',
    limit: '1',
    used: '0',
    held: '0',
    available: '1',
  })
  expect(body.summary).toContain('Raise the cap of the key')
  const refused = await app.api(
    'GET',
    `/v1/requests?provider=${app.slug}&statusClass=4xx&errorCode=spend_limit_exceeded`,
  )
  expect(refused.data).toMatchObject([{ id: body.id, provider: app.slug }])
})

test('a client that leaves a stream is told with its moment', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  app.provider.script({ chunks: ['one ', 'two '], chunkDelayMs: 10, hang: 'mid' })
  const controller = new AbortController()
  const call = app
    .call(user, { stream: true, max_tokens: 50 }, { signal: controller.signal })
    .catch(() => null)
  const row = await eventually(async () => {
    const [open] = await user.requests()
    expect(open.status).toBe('in_flight')
    return open
  })
  controller.abort()
  await call
  const body = await eventually(async () => {
    // It may come to hang only now.
    app.provider.release()
    const told = await app.api('GET', `/v1/requests/${row.id}`)
    expect(told.status).not.toBe('in_flight')
    return told
  })
  expect(body.stream.clientLeftAtMs).toBeGreaterThanOrEqual(0)
  expect(body.summary).toContain(`the client left after ${body.stream.clientLeftAtMs} ms`)
})
