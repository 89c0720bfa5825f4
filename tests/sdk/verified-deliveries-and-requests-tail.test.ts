import { afterAll, beforeAll, expect, it } from 'vitest'
import { PermissionError } from '#sdk/errors.ts'
import { Tollgate } from '#sdk/tollgate.ts'
import { verifyWebhook } from '#sdk/webhook.ts'
import { makeApplication, startServer, type Application, type LocalServer } from '../support/start-product.ts'
import {
  receiverConnector,
  startUsageReceiver,
  type UsageReceiver,
} from '../support/receiver-of-usage-events.ts'

let receiver: UsageReceiver
let server: LocalServer
let app: Application
let client: Tollgate

beforeAll(async () => {
  receiver = await startUsageReceiver()
  server = await startServer({ outbound: { connector: receiverConnector(receiver.port) } })
  app = await makeApplication(server)
  client = new Tollgate({ baseUrl: server.baseUrl, token: server.token, app: app.slug })
})
afterAll(async () => {
  await server.close()
  await app.provider.close()
  await receiver.close()
})

it('a delivery is verified with the secret of its emitter, and with no other secret', async () => {
  const url = 'https://hooks.receiver.test/usage'
  const { signingSecret } = await client.emitters.add({ kind: 'webhook', url })
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  await app.call(user)
  await receiver.until((received) => received.length > 0)
  const [delivery] = receiver.received
  const header = String(delivery?.headers['svc-signature'])
  const batch = await verifyWebhook(delivery?.body ?? '', header, signingSecret ?? '')
  const { data } = await client.requests.list({ endUserId: user.externalId })
  expect(batch.type).toBe('usage.recorded')
  expect(batch.events).toMatchObject([{ requestId: data[0]?.id, billedAmountMicros: data[0]?.billedMicros }])
  await expect(verifyWebhook(delivery?.body ?? '', header, `whsec_${'A'.repeat(32)}`)).rejects.toMatchObject({
    reason: 'wrong_signature',
  })
})

it('the tail returns each call as it ends, and resumes after its last call', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const tail = client.requests.tail({ endUserId: user.externalId })
  await tail.opened()
  await app.call(user)
  const seen: string[] = []
  for await (const { id } of tail) {
    seen.push(id)
    break
  }
  const { lastEventId } = tail
  expect(lastEventId).not.toBeNull()
  await app.call(user)
  const rest = client.requests.tail({ endUserId: user.externalId }, { lastEventId: lastEventId ?? '' })
  for await (const { id } of rest) {
    seen.push(id)
    break
  }
  const { data } = await client.requests.list({ endUserId: user.externalId })
  expect(seen).toEqual(data.map(({ id }) => id).toReversed())
})

it('a token without the permission to watch is rejected before the first row', async () => {
  const viewer = await client.tokens.create({ label: 'viewer', role: 'viewer' })
  const reading = new Tollgate({ baseUrl: server.baseUrl, token: viewer.token, app: app.slug })
  await expect(reading.usage.export().opened()).rejects.toThrow(PermissionError)
})
