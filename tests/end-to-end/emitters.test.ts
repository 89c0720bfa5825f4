/** Settled usage on its way to a customer's endpoint: a real server, a real receiver, every delivery checked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/harness.ts'
import { hasPostgres, newDatabase, type TestDatabase } from '../support/postgres.ts'
import {
  eventsIn,
  receiverConnector,
  startUsageReceiver,
  type UsageReceiver,
} from '../support/usage-receiver.ts'

describe.each(hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite'])('on %s', (engine) => {
  let receiver: UsageReceiver
  let database: TestDatabase | null = null
  let server: LocalServer
  let app: Application
  let user: User

  beforeAll(async () => {
    receiver = await startUsageReceiver()
    if (engine === 'PostgreSQL') database = await newDatabase()
    server = await startServer({
      outbound: { connector: receiverConnector(receiver.port) },
      ...(database && { databaseUrl: database.url }),
    })
    app = await makeApplication(server)
    user = await app.newUser({ balanceMicros: 1_000_000_000n })
  })
  afterAll(async () => {
    await server.close()
    await app.provider.close()
    await receiver.close()
    await database?.drop()
  })

  async function addWebhook(path: string, fields: object = {}): Promise<{ id: string }> {
    const added = await app.api('POST', '/v1/emitters', {
      kind: 'webhook',
      url: `https://hooks.receiver.test${path}`,
      ...fields,
    })
    expect(added.signingSecret).toMatch(/^whsec_[\w-]{43}$/)
    receiver.secrets.set(path, added.signingSecret)
    return added
  }

  const at = (path: string) => receiver.received.filter((one) => one.path === path)

  test('every settled call arrives once, signed, as it was recorded', async () => {
    const emitter = await addWebhook('/settled')
    for (let i = 0; i < 20; i++) {
      // oxlint-disable-next-line no-await-in-loop -- several batches
      await app.call(user, { messages: [{ role: 'user', content: `secret-canary ${i}` }] })
    }
    await receiver.until(() => at('/settled').flatMap(eventsIn).length >= 20)
    const recorded = (await user.requests()).map(({ id }: { id: string }) => id.replace('req_', 'ur_'))
    const events = at('/settled').flatMap(eventsIn)
    expect(events.map(({ idempotencyKey }) => idempotencyKey).toSorted()).toEqual(recorded.toSorted())
    for (const one of at('/settled')) {
      const body = JSON.parse(one.body)
      expect(one.isSigned).toBe(true)
      expect(Object.keys(body)).toEqual(['id', 'type', 'events'])
      expect(body.id).toBe(one.headers['svc-idempotency-key'])
      expect(body.id).toMatch(/^usgb_/)
      expect(one.body).not.toContain('canary')
    }
    const [call] = await user.requests()
    const story = await app.api('GET', `/v1/requests/${call.id}`)
    expect(events.find(({ idempotencyKey }) => idempotencyKey === call.id.replace('req_', 'ur_'))).toEqual({
      idempotencyKey: call.id.replace('req_', 'ur_'),
      usageRecordId: call.id.replace('req_', 'ur_'),
      organizationId: server.organizationId,
      endUserId: user.endUserId,
      apiKeyId: user.keyId,
      requestId: call.id,
      provider: 'openai_compatible',
      model: 'upstream-model-1',
      streamed: false,
      tokens: {
        inputTokens: call.inputTokens,
        outputTokens: call.outputTokens,
        cachedInputTokens: 0,
        reasoningTokens: 0,
        tokenCountSource: 'provider_reported',
      },
      providerCostMicros: story.costMicros,
      billedAmountMicros: story.billedMicros,
    })
    await app.api('DELETE', `/v1/emitters/${emitter.id}`)
  })
})
