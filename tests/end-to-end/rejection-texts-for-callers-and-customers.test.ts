/** The caller sees the problems that the caller can fix. requests.explain shows all other problems to the customer. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import type { TestDatabase } from '../support/start-postgres.ts'
import { databaseOf } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

let server: LocalServer
let app: Application
let user: User
const credit = 1_000_000_000n
const apiKey = '7d3f0a9be1c24586a0b7e9d1f3c5a842'

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})
beforeEach(async () => {
  user = await app.newUser({ balanceMicros: credit })
})

describe('the reason why no provider answered', () => {
  const faults: readonly (readonly [string, string, object])[] = [
    [
      'a name that does not exist',
      'https://nobody.invalid/v1',
      { host: 'nobody.invalid', cause: 'name not found' },
    ],
    [
      'a closed port',
      'http://127.0.0.1:9/v1',
      { host: '127.0.0.1:9', cause: 'connection refused', systemCode: 'ECONNREFUSED' },
    ],
    ['a server without TLS', 'tls', { cause: 'TLS failed' }],
  ]
  test.each(faults)(
    '%s: the customer sees the reason, and the caller does not',
    async (name, baseUrl, fault) => {
      const label = `gone-${name.replaceAll(' ', '-').toLowerCase()}`
      const address = baseUrl === 'tls' ? `https://127.0.0.1:${app.provider.port}/v1` : baseUrl
      await connectAccount(app, label, {
        kind: 'openai_compatible',
        baseUrl: address,
        apiKey,
        model: 'm-1',
        price: { input: '1', output: '1' },
      })
      const told = await app.call(user, { model: `acme/${label}` })
      expect([told.status, told.body.error.code]).toEqual([502, 'upstream_error'])
      expect(told.text).not.toMatch(/invalid\/|nobody|127\.0|ECONN|ENOTFOUND|TLS|name not/)
      const [request] = await user.requests()
      const { attempts } = await app.api('GET', `/v1/requests/${request.id}`)
      expect(attempts).toMatchObject([{ failure: 'connect', fault }])
    },
  )
})

test('the error for a model name without a price names the accounts only to the customer', async () => {
  await app.api('PUT', `/v1/models/${encodeURIComponent('acme/unpriced')}`, {
    sources: [{ provider: app.slug, model: 'nobody-knows-it' }],
  })
  const { body, status, text } = await app.call(user, { model: 'acme/unpriced' })
  expect([status, body.error.code]).toEqual([409, 'model_unpriced'])
  expect(text).not.toMatch(/account|providers|nobody-knows-it|dimension/)
  await eventually(async () => expect(await user.requests()).toHaveLength(1))
  const [request] = await user.requests()
  const { refusal } = await app.api('GET', `/v1/requests/${request.id}`)
  expect(refusal).toMatchObject({ code: 'model_unpriced', account: app.slug, dimensions: 'input, output' })
})

describe.each(testedEngines)(
  'a request with a key that may not call returns the error about the key, on %s',
  (engine) => {
    let database: TestDatabase | null = null
    let own: LocalServer
    let acme: Application
    beforeAll(async () => {
      database = await databaseOf(engine)
      own = await startServer(database === null ? {} : { databaseUrl: database.url })
      acme = await makeApplication(own, { provider: app.provider })
      await acme.api('PUT', '/v1/bundles/none', { displayName: 'None' })
    })
    afterAll(async () => {
      await own.close()
      await database?.drop()
    })

    /** Creating the key takes less than the key's lifetime, even on a busy machine. */
    const lifeMs = 2_000
    const states: readonly (readonly [string, (person: User) => Promise<unknown>, number, string])[] = [
      ['revoked', (person) => acme.api('DELETE', `/v1/keys/${person.keyId}`), 401, 'key_revoked'],
      [
        'frozen',
        (person) => acme.api('POST', `/v1/end-users/${person.externalId}/freeze`),
        403,
        'end_user_frozen',
      ],
      ['expired', () => delay(lifeMs), 401, 'key_expired'],
    ]
    test.each(states)('a key that may not call (state: %s)', async (name, change, status, code) => {
      const expiresAt = name === 'expired' ? new Date(Date.now() + lifeMs).toISOString() : undefined
      const person = await acme.newUser({
        balanceMicros: credit,
        ...(expiresAt !== undefined && { expiresAt }),
      })
      // If the key expires during the call, the error comes from its current state instead of its cached state.
      const first = await acme.call(person, { model: 'acme/nothing' })
      expect(['model_not_found', ...(name === 'expired' ? [code] : [])]).toContain(first.body.error.code)
      await change(person)
      for (const body of [
        { model: 'acme/nothing' },
        { model: acme.model },
        { svc: { outcome: 'none', outcome_id: 'x' } },
      ]) {
        // oxlint-disable-next-line no-await-in-loop -- one call after the other
        const told = await acme.call(person, body)
        expect([told.status, told.body.error.code]).toEqual([status, code])
        expect(told.text).not.toMatch(/bundle|acme\//)
      }
      if (name === 'expired') return
      const outsider = await acme.newUser({ balanceMicros: credit, bundle: 'none' })
      expect((await acme.call(outsider)).body.error.code).toBe('model_not_allowed')
      await change(outsider)
      expect((await acme.call(outsider)).body.error.code).toBe(code)
    })
  },
)
