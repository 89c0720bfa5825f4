import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../support/number-of-property-runs.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  answerOf,
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

/**
 * An input token costs four micros, a cached token one, and an output token two. Storing a token for an hour costs one
 * micro.
 */
const rates = { input: '4000000', cacheRead: '1000000', output: '2000000' }
const price = { ...rates, cacheStorage: '1000000' }
const words = 'The handbook describes every step of a release in detail. '.repeat(100)

beforeAll(async () => {
  server = await startServer({ limits: { filesEveryMs: 50 } })
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { kind: 'google', baseUrl: vendor.baseUrls.google, apiKey: vendor.apiKey } as const
  await connectAccount(app, 'gemini', { ...account, model: 'gemini-3-pro', price })
  await connectAccount(app, 'flash', { ...account, model: 'gemini-3-flash', price })
  await connectAccount(app, 'unpriced', { ...account, model: 'gemini-x', price: rates })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const newUser = (balanceMicros = 1_000_000_000n): Promise<User> => app.newUser({ balanceMicros })
const path = '/v1beta/cachedContents'

async function send(key: string, method: string, url: string, body?: object): Promise<Answer> {
  const headers = { 'x-goog-api-key': key, 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return answerOf(await fetch(app.gateway + url, init))
}

const contents = [{ role: 'user', parts: [{ text: words }] }]
const content = (fields: object = {}): object => ({
  model: 'models/acme/gemini',
  contents,
  ttl: '7200s',
  ...fields,
})

async function created(key: string, fields: object = {}): Promise<{ name: string; tokens: number }> {
  const answer = await send(key, 'POST', path, content(fields))
  expect(answer.status, answer.text).toBe(200)
  return { name: answer.body.name, tokens: answer.body.usageMetadata.totalTokenCount }
}

function ask(
  key: string,
  cachedContent: string,
  model = 'acme/gemini',
  method = 'generateContent',
): Promise<Answer> {
  const question = [{ role: 'user', parts: [{ text: 'Who approves? [[tokens=10]]' }] }]
  const body = { cachedContent, contents: question, generationConfig: { maxOutputTokens: 100 } }
  return send(key, 'POST', `/v1beta/models/${model}:${method}`, body)
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)

test('creating content is charged as input and for its storage, and requests that use the content are charged for cached input', async () => {
  const user = await newUser()
  const made = await send(user.key, 'POST', path, content({ displayName: 'handbook' }))
  const { name, usageMetadata } = made.body
  const tokens = usageMetadata.totalTokenCount
  expect(made.body).toMatchObject({ model: 'models/acme/gemini', displayName: 'handbook' })
  expect(name).toMatch(/^cachedContents\/[\w-]+$/)
  expect(vendor.calls.at(-1)).toMatchObject({ path, body: { model: 'models/gemini-3-pro', ttl: '7200s' } })
  const { quote, reserve, settle, usage } = await explained(made)
  expect(usage).toMatchObject({ input: tokens, cacheTokenHours: 2 * tokens, output: 0 })
  expect(settle).toMatchObject({ chargeMicros: String(4 * tokens + 2 * tokens), overHoldMicros: '0' })
  expect(quote.uses.cacheTokenHours).toBeGreaterThanOrEqual(2 * tokens)
  expect(BigInt(reserve.firstWorstMicros)).toBeGreaterThanOrEqual(BigInt(settle.chargeMicros))

  const before = await settledBalance(user)
  const answer = await ask(user.key, name)
  expect(answer.status, answer.text).toBe(200)
  const sent = vendor.calls.at(-1)?.body as { cachedContent: string }
  expect(sent.cachedContent).toMatch(/^cachedContents\/vendor\d+$/)
  const used = await explained(answer)
  expect(used.usage).toMatchObject({ cacheRead: tokens, output: 10 })
  expect(used.quote.textTokensMax).toBeGreaterThanOrEqual(tokens + used.usage.input)
  expect(used.quote.textTokensMax).toBeLessThan(tokens + 300)
  expect(used.settle.overHoldMicros).toBe('0')
  expect(before - (await settledBalance(user))).toBe(BigInt(tokens + 4 * used.usage.input + 20))

  const counted = await send(user.key, 'POST', '/v1beta/models/acme/gemini:countTokens', {
    generateContentRequest: { model: 'models/acme/gemini', cachedContent: name, contents },
  })
  expect(counted.body.totalTokens).toBeGreaterThan(tokens)
})

test('extending the expiry is charged only for the added time, and shortening the expiry returns no money', async () => {
  const user = await newUser()
  const { name, tokens } = await created(user.key, { ttl: '3600s' })
  const extended = await send(user.key, 'PATCH', `/v1beta/${name}`, { ttl: '10800s' })
  expect([extended.status, extended.body.name, extended.body.model]).toEqual([
    200,
    name,
    'models/acme/gemini',
  ])
  expect(vendor.calls.at(-1)?.body).toEqual({ ttl: '10800s' })
  const { settle, usage } = await explained(extended)
  expect(usage).toMatchObject({ input: 0, output: 0 })
  // A part of a second passes between the two requests, so the test allows a small difference.
  expect(usage.cacheTokenHours).toBeGreaterThanOrEqual(2 * tokens)
  expect(usage.cacheTokenHours).toBeLessThan(2.1 * tokens)
  expect(settle.chargeMicros).toBe(String(usage.cacheTokenHours))
  const shortened = await send(user.key, 'PATCH', `/v1beta/${name}`, { ttl: '60s' })
  expect((await explained(shortened)).settle.chargeMicros).toBe('0')
  const shown = await send(user.key, 'GET', `/v1beta/${name}`)
  expect(Date.parse(shown.body.expireTime) - Date.now()).toBeLessThanOrEqual(60_000)
  const again = await send(user.key, 'PATCH', `/v1beta/${name}`, { ttl: '3600s' })
  expect((await explained(again)).usage.cacheTokenHours).toBeGreaterThan(0.9 * tokens)
})

test('content is listed in pages, described and deleted', async () => {
  const user = await newUser()
  const names: string[] = []
  for (const displayName of ['a', 'b', 'c'])
    // oxlint-disable-next-line no-await-in-loop -- one after another, so that the order is known
    names.unshift((await created(user.key, { displayName })).name)
  const first = await send(user.key, 'GET', `${path}?pageSize=2`)
  const namesIn = (answer: Answer): string[] =>
    answer.body.cachedContents.map((one: { name: string }) => one.name)
  const rest = await send(user.key, 'GET', `${path}?pageSize=2&pageToken=${first.body.nextPageToken}`)
  expect([...namesIn(first), ...namesIn(rest)].toSorted()).toEqual(names.toSorted())
  expect(rest.body.nextPageToken).toBeUndefined()
  const [name = ''] = names
  const calls = vendor.calls.length
  const shown = await send(user.key, 'GET', `/v1beta/${name}`)
  expect(shown.body).toMatchObject({ name, displayName: 'c', model: 'models/acme/gemini' })
  expect((await send(user.key, 'GET', '/v1beta/files')).body).toEqual({})

  expect((await send(user.key, 'DELETE', `/v1beta/${name}`)).body).toEqual({})
  // The server itself may delete the content first. In this case, the deletion of the test finds no content.
  const deletions = vendor.calls
    .slice(calls)
    .filter(({ path: called, text }) => called.includes(path) && text === '')
  expect(deletions.map(({ status }) => status)).toContain(200)
  for (const method of ['GET', 'DELETE'])
    // oxlint-disable-next-line no-await-in-loop -- two requests
    expect((await send(user.key, method, `/v1beta/${name}`)).status).toBe(404)
  expect((await send(user.key, 'PATCH', `/v1beta/${name}`, { ttl: '60s' })).status).toBe(404)
  const late = await ask(user.key, name)
  expect([late.status, late.body.error.message]).toEqual([400, expect.stringMatching(/cached content/)])
})

test('every request treats content of another end user, application or mode as unknown', async () => {
  const [owner, other] = [await newUser(), await newUser()]
  const { name } = await created(owner.key)
  const testKey = await testKeyOf(app)
  const calls = vendor.calls.length
  const unknown = await ask(other.key, 'cachedContents/unknown')
  expect(unknown.status).toBe(404)
  const shapeOf = ({ body, status }: Answer): unknown => [status, body.error.code ?? body.error.status]
  for (const key of [other.key, testKey]) {
    for (const id of [name, name.slice('cachedContents/'.length)])
      // oxlint-disable-next-line no-await-in-loop -- a few requests
      expect(shapeOf(await ask(key, id))).toEqual(shapeOf(unknown))
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { ttl: '60s' }]] as const)
      // oxlint-disable-next-line no-await-in-loop -- a few requests
      expect((await send(key, method, `/v1beta/${name}`, body)).status).toBe(404)
    // oxlint-disable-next-line no-await-in-loop -- a few requests
    expect((await send(key, 'GET', path)).body).toEqual({})
  }
  const edits = fc.record({
    at: fc.nat(name.length - 16),
    letter: fc.constantFrom(...'abcXYZ019-_'.split('')),
  })
  await fc.assert(
    fc.asyncProperty(edits, async ({ at, letter }) => {
      const from = 'cachedContents/'.length + at
      const forged = name.slice(0, from) + letter + name.slice(from + 1)
      fc.pre(forged !== name)
      expect(shapeOf(await ask(owner.key, forged))).toEqual(shapeOf(unknown))
    }),
    sampledRuns(30),
  )
  expect(vendor.calls).toHaveLength(calls)
})

test('content is used only with the account and the model that store it', async () => {
  const user = await newUser()
  const { name } = await created(user.key)
  const answer = await ask(user.key, name, 'acme/flash')
  expect([answer.status, answer.body.error.message]).toEqual([
    400,
    expect.stringMatching(/another account or model/),
  ])
  const converted = await ask(user.key, name, app.model)
  expect([converted.status, converted.body.error.message]).toEqual([
    400,
    expect.stringMatching(/stores no cached content/),
  ])
})

test.each<[object, RegExp]>([
  [{ model: 'models/acme/unpriced' }, /cacheStorage/],
  [{ ttl: '86401s' }, /within 24 hours/],
  [{ ttl: '0s' }, /within 24 hours/],
  [{ ttl: 'soon' }, /ttl/],
  [{ ttl: undefined, expireTime: '2020-01-01T00:00:00Z' }, /within 24 hours/],
  [{ expireTime: '2020-01-01T00:00:00Z' }, /cannot both/],
  [{ name: 'cachedContents/mine' }, /chooses the name/],
  [{ encryptionSpec: {} }, /account/],
  [{ tools: [{ googleSearch: {} }] }, /provider runs/],
  [{ contents: [] }, /contents/],
  [{ model: undefined }, /model/],
])('content with %j is rejected', async (fields, message) => {
  const user = await newUser()
  const calls = vendor.calls.length
  const answer = await send(user.key, 'POST', path, content(fields))
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(message)])
  expect(vendor.calls).toHaveLength(calls)
  expect(await settledBalance(user)).toBe(1_000_000_000n)
})

test('without enough money, a client can neither create content nor extend its expiry', async () => {
  const user = await newUser(1_000n)
  expect((await send(user.key, 'POST', path, content())).status).toBe(402)
  const rich = await newUser(20_000n)
  const { name } = await created(rich.key, { ttl: '60s' })
  expect((await send(rich.key, 'PATCH', `/v1beta/${name}`, { ttl: '86400s' })).status).toBe(402)
})

test('the content of a deleted end user is deleted at the provider', async () => {
  const user = await newUser()
  await created(user.key)
  const calls = vendor.calls.length
  await app.api('DELETE', `/v1/end-users/${user.externalId}`)
  await expect
    .poll(() => vendor.calls.slice(calls).map(({ path: called, status }) => [called.includes(path), status]))
    .toContainEqual([true, 200])
})

test('in test mode, the simulator stores content', async () => {
  const key = await testKeyOf(app)
  const { name, tokens } = await created(key)
  const answer = await ask(key, name)
  expect(answer.body.usageMetadata.cachedContentTokenCount).toBe(tokens)
  expect((await send(key, 'DELETE', `/v1beta/${name}`)).status).toBe(200)
  expect((await ask(key, name)).status).toBe(400)
})
