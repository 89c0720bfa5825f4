import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  control,
  eventually,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

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

test('the explanation of a stream shows its limits, its attempts and its speed', async () => {
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

test('a call beyond its cap is rejected, and the explanation shows every limit that the call exceeded', async () => {
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

test('the explanation of a stream whose client disconnected shows when the client disconnected', async () => {
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
  // If the provider ended before the gateway detected the disconnect, the client would count as connected.
  await eventually(async () => {
    const { text } = await control(server, 'GET', '/metrics')
    expect(text).toMatch(/^tollgate_drains 1$/m)
  })
  const body = await eventually(async () => {
    // From here on, the provider may end its response.
    app.provider.release()
    const told = await app.api('GET', `/v1/requests/${row.id}`)
    expect(told.status).not.toBe('in_flight')
    return told
  })
  expect(body.stream.clientLeftAtMs).toBeGreaterThanOrEqual(0)
  expect(body.summary).toContain(`The client disconnected after ${body.stream.clientLeftAtMs} ms`)
})

test('the explanation of a charge above the hold names the overdraft that allowed the charge, and the ID of the usage record', async () => {
  const bundle = { terminationPolicy: 'grace', maxOverdraftMicros: '3000' }
  const grace = await makeApplication(server, { bundle, provider: app.provider, outputTokens: 100 })
  const user = await grace.newUser({ balanceMicros: 1_000_000n })
  const use = (output: number) =>
    app.provider.script({
      usage: { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output },
    })
  use(200)
  const answer = await grace.call(user, { max_tokens: 100 })
  const id = answer.headers.get('x-request-id')
  const body = await eventually(() => grace.api('GET', `/v1/requests/${id}`))
  const above = BigInt(body.settle.chargeMicros) - BigInt(body.reserve.worstMicros)
  expect(above).toBeGreaterThan(0n)
  expect(above).toBeLessThanOrEqual(3_000n)
  expect(body.policy).toMatchObject({ terminationPolicy: 'grace', maxOverdraftMicros: '3000' })
  expect(body.settle).toMatchObject({
    aboveHoldMicros: String(above),
    usageRecordId: String(id).replace('req_', 'ur_'),
  })
  const byRecord = await grace.api('GET', `/v1/requests/${body.settle.usageRecordId}`)
  expect(byRecord.id).toBe(id)

  use(20)
  const within = await grace.call(user, { max_tokens: 100 })
  const other = await eventually(() => grace.api('GET', `/v1/requests/${within.headers.get('x-request-id')}`))
  expect(other.settle.aboveHoldMicros).toBe('0')
  const hard = await app.newUser({ balanceMicros: 1_000_000n })
  const plain = await app.call(hard, { max_tokens: 100 })
  const { policy } = await explain(plain.headers.get('x-request-id'))
  expect(policy.maxOverdraftMicros).toBeNull()
})

test('the explanation of a routed call has the price and the worst case of each candidate, and the hold equals one of the worst cases', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  app.provider.script({ usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })
  const price = { input: '90000000', output: '95000000' }
  await app.api('POST', `/v1/providers/${app.slug}/price`, { model: 'dear', price })
  await app.api('PUT', '/v1/routers/acme%2Fboth', {
    policy: 'priority',
    targets: [
      { alias: app.model },
      { provider: app.slug, model: 'dear' },
      { provider: app.slug, model: 'unpriced' },
    ],
  })
  const answer = await app.call(user, { model: 'acme/both', max_tokens: 100 })
  expect(answer.status, answer.text).toBe(200)
  const { quote, reserve, route } = await explain(answer.headers.get('x-request-id'))
  const [cheap, dear, unpriced] = route.candidates
  expect(cheap.price).toEqual({ input: String(app.rates.input), output: String(app.rates.output) })
  expect(dear.price).toEqual(price)
  expect([unpriced.price, unpriced.worstCase, unpriced.skipCode]).toEqual([null, null, 'unpriced'])
  const { inputTokensMax, outputTokensMax } = dear.worstCase
  expect(outputTokensMax).toBe(100)
  const worst = BigInt(inputTokensMax) * 90_000_000n + 100n * 95_000_000n
  expect(dear.worstCase.micros).toBe(String((worst + 999_999n) / 1_000_000n))
  expect(BigInt(cheap.worstCase.micros)).toBeLessThan(BigInt(dear.worstCase.micros))
  expect(reserve.firstWorstMicros).toBe(dear.worstCase.micros)
  expect(quote.worstCase).toMatchObject({ micros: reserve.firstWorstMicros, target: `${app.slug}/dear` })
  expect(quote.worstCase.formula).toContain(`= ${reserve.worstMicros}`)

  const poor = await app.newUser({ balanceMicros: BigInt(cheap.worstCase.micros) })
  const less = await app.call(poor, { model: 'acme/both', max_tokens: 100 })
  const shown = await explain(less.headers.get('x-request-id'))
  expect(shown.route.candidates[1]).toMatchObject({ skipCode: 'too_dear', worstCase: dear.worstCase })
  expect(shown.quote.worstCase).toMatchObject({
    micros: shown.reserve.firstWorstMicros,
    target: `${app.slug}/upstream-model-1`,
  })

  const broke = await app.newUser({ balanceMicros: 1n })
  const refused = await app.call(broke, { model: 'acme/both', max_tokens: 100 })
  expect(refused.status).toBe(402)
  const told = await explain(refused.headers.get('x-request-id'))
  expect(told.route.candidates[1].worstCase.micros).toBe(dear.worstCase.micros)
})
