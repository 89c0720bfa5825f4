import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyWebhook } from '#sdk/webhook.ts'
import { callAtPort } from '../support/send-call-to-process-port.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  control,
  eventually,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import {
  eventsIn,
  receiverConnector,
  startUsageReceiver,
  type UsageReceiver,
} from '../support/receiver-of-usage-events.ts'

describe.each(testedEngines)('on %s', (engine) => {
  let receiver: UsageReceiver
  let database: TestDatabase | null = null
  let server: LocalServer
  let app: Application
  let user: User

  beforeAll(async () => {
    receiver = await startUsageReceiver()
    if (engine === 'PostgreSQL') database = await migratedDatabase()
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
    expect(added.signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/)
    receiver.secrets.set(path, added.signingSecret)
    return added
  }

  const at = (path: string) => receiver.received.filter((one) => one.path === path)

  test('every settled call arrives once, signed, and with the recorded values', async () => {
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
      paidFromPlanMicros: '0',
      paidFromGiftMicros: story.chargeMicros,
      paidFromWalletMicros: '0',
      onDemandMicros: '0',
      overdraftMicros: '0',
    })
    const explained = await app.api('GET', `/v1/requests/${call.id}`)
    expect(explained.emitters).toMatchObject([{ emitterId: emitter.id, kind: 'webhook' }])
    await remove(emitter)
  })

  const remove = ({ id }: { id: string }) => app.api('DELETE', `/v1/emitters/${id}`)
  const keysAt = (path: string) =>
    at(path)
      .flatMap(eventsIn)
      .map(({ idempotencyKey }) => idempotencyKey)
  /** Newest first. */
  const recorded = async () =>
    (await user.requests()).map(({ id }: { id: string }) => id.replace('req_', 'ur_'))
  const deliveriesOf = async ({ id }: { id: string }) =>
    (await app.api('GET', `/v1/emitters/${id}/deliveries`)).data

  test('an emitter receives the calls that settle while it is enabled, including calls in flight when it was added', async () => {
    app.provider.enqueue({ chunks: 4, hang: 'mid' })
    const inFlight = app.call(user, { stream: true })
    while ((await app.provider.nextCall()).body?.['stream'] !== true);
    const emitter = await addWebhook('/enabled')
    app.provider.release()
    await inFlight
    await receiver.until(() => keysAt('/enabled').length === 1)
    expect(keysAt('/enabled')).toEqual((await recorded()).slice(0, 1))

    await app.api('PATCH', `/v1/emitters/${emitter.id}`, { enabled: false })
    await app.call(user)
    const [missed] = await recorded()
    await app.api('PATCH', `/v1/emitters/${emitter.id}`, { enabled: true })
    await app.call(user)
    const [last] = await recorded()
    await receiver.until(() => keysAt('/enabled').includes(last ?? ''))
    expect(keysAt('/enabled')).not.toContain(missed)
    await remove(emitter)
    await app.call(user)
    const [after] = await recorded()
    const witness = await addWebhook('/witness')
    await app.call(user)
    await receiver.until(() => keysAt('/witness').length === 1)
    expect(keysAt('/enabled')).not.toContain(after)
    await remove(witness)
  })

  test('each emitter receives the calls of its own mode', async () => {
    const live = await addWebhook('/live')
    const testing = await addWebhook('/test-mode', { livemode: false })
    const minted = await app.api('POST', '/v1/keys', { endUserId: user.externalId, livemode: false })
    await control(
      server,
      'POST',
      '/v1/grants',
      { endUsers: [user.externalId], amountUnits: '1000000000', reason: 'test' },
      { 'x-svc-app': app.slug, 'x-svc-mode': 'test' },
    )
    expect((await app.call({ key: minted.key })).status).toBe(200)
    await app.call(user)
    await receiver.until(() => keysAt('/live').length > 0 && keysAt('/test-mode').length > 0)
    expect(keysAt('/live')).toEqual((await recorded()).slice(0, 1))
    expect(keysAt('/test-mode').length).toBe(1)
    expect(keysAt('/test-mode')).not.toEqual(keysAt('/live'))
    await remove(live)
    await remove(testing)
  })

  test('an emitter for on-demand usage receives only requests that are billed on demand', async () => {
    const emitter = await addWebhook('/on-demand', { amount: 'on_demand' })
    const witness = await addWebhook('/all')
    const person = await app.newUser({ balanceMicros: 1n })
    await app.call(user)
    await app.api('POST', '/v1/subscription/on-demand', { endUserId: person.externalId, enabled: true })
    expect((await app.call(person)).status).toBe(200)
    await receiver.until(() => keysAt('/all').length >= 2 && keysAt('/on-demand').length > 0)
    const [call] = await person.requests()
    expect(at('/on-demand').flatMap(eventsIn)).toMatchObject([
      { requestId: call.id, onDemandMicros: call.onDemandMicros, paidFromGiftMicros: '1' },
    ])
    expect(BigInt(call.onDemandMicros)).toBeGreaterThan(0n)
    // The request of the first end user is not billed on demand, so it is neither delivered nor counted as missed.
    // The process writes the emitter's counts once a second.
    await eventually(async () => {
      const shown = await app.api('GET', `/v1/emitters/${emitter.id}`)
      expect(shown).toMatchObject({ amount: 'on_demand', delivered: 1, notDelivered: 0, missed: null })
    })
    const [other] = await user.requests()
    const story = await app.api('GET', `/v1/requests/${other.id}`)
    expect(story.emitters.map(({ emitterId }: { emitterId: string }) => emitterId)).toEqual([witness.id])
    expect(await app.api('PATCH', `/v1/emitters/${emitter.id}`, { amount: 'all' })).toMatchObject({
      amount: 'all',
    })
    await remove(emitter)
    await remove(witness)
  })

  test('an event that the receiver did not accept is reported, and a replay sends the event with the same keys', async () => {
    const emitter = await addWebhook('/replayed')
    receiver.answer = (_, response) => void response.writeHead(400).end()
    await app.call(user)
    await app.call(user)
    const [second, first] = await recorded()
    await receiver.until(() => keysAt('/replayed').length === 2)
    let shown = await app.api('GET', `/v1/emitters/${emitter.id}`)
    while (shown.notDelivered < 2) {
      // oxlint-disable no-await-in-loop -- it is written once a second
      await delay(50)
      shown = await app.api('GET', `/v1/emitters/${emitter.id}`)
      // oxlint-enable no-await-in-loop
    }
    expect(shown).toMatchObject({ delivered: 0, lastFailure: 'it returned 400' })
    expect((await deliveriesOf(emitter))[0]).toMatchObject({
      cause: 'settled',
      delivered: false,
      attempts: 1,
      status: 400,
      reason: 'it returned 400',
    })
    const story = await app.api('GET', `/v1/requests/${second?.replace('ur_', 'req_')}`)
    expect(story.emitters).toMatchObject([{ emitterId: emitter.id, state: 'not_delivered', status: 400 }])

    // A replay stops at the first batch that the receiver does not accept, and continues with that batch later.
    const replay = () => app.api('POST', `/v1/emitters/${emitter.id}/replay`, shown.missed)
    const ended = async () => {
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- until it has ended
        const { replay: state } = await app.api('GET', `/v1/emitters/${emitter.id}`)
        if (state.state !== 'running') return state
        // oxlint-disable-next-line no-await-in-loop -- the same
        await delay(20)
      }
    }
    await replay()
    expect(await ended()).toMatchObject({ state: 'stopped', events: 0, reason: 'it returned 400' })
    receiver.answer = (_, response) => void response.writeHead(200).end()
    await replay()
    expect(await ended()).toMatchObject({ state: 'done', events: 2, reason: null })
    expect(keysAt('/replayed').slice(-2)).toEqual([first, second])
    expect(await app.api('GET', `/v1/emitters/${emitter.id}`)).toMatchObject({ missed: null })
    await remove(emitter)
  })

  test('while a batch is retried, later events wait, so events arrive in the order in which their requests settled', async () => {
    const emitter = await addWebhook('/ordered')
    const accepted: string[] = []
    let attempts = 0
    let answerFirst = (): void => {}
    receiver.answer = (one, response) => {
      attempts += 1
      const isAccepted = attempts > 2
      if (isAccepted) accepted.push(...eventsIn(one).map(({ idempotencyKey }) => idempotencyKey))
      const answer = (): void => void response.writeHead(isAccepted ? 200 : 503).end()
      if (attempts === 1) answerFirst = answer
      else answer()
    }
    await app.call(user)
    await receiver.until(() => at('/ordered').length === 1)
    for (let i = 0; i < 3; i++) {
      // oxlint-disable-next-line no-await-in-loop -- the requests settle in this order
      await app.call(user)
    }
    const settled = (await recorded()).slice(0, 4).toReversed()
    answerFirst()
    await receiver.until(() => keysAt('/ordered').length === 6)
    expect(accepted).toEqual(settled)
    // The first event arrived three times, and no other event arrived before its batch was accepted.
    expect(keysAt('/ordered')).toEqual([settled[0], settled[0], ...settled])
    receiver.answer = (_, response) => void response.writeHead(200).end()
    await remove(emitter)
  })

  test('a new secret signs deliveries alongside the previous secret until the grace period ends', async () => {
    const path = '/rotated'
    const emitter = await addWebhook(path)
    const rotate = async (graceSeconds: number): Promise<string> =>
      (await app.api('POST', `/v1/emitters/${emitter.id}/rotate-secret`, { graceSeconds })).signingSecret
    const signedWith = async (...secrets: readonly string[]): Promise<readonly boolean[]> => {
      const before = at(path).length
      await app.call(user)
      await receiver.until(() => at(path).length > before)
      const { body, headers } = at(path).at(-1) ?? expect.fail()
      const signature = String(headers['svc-signature'])
      return Promise.all(
        secrets.map((secret) =>
          verifyWebhook(body, signature, secret).then(
            () => true,
            () => false,
          ),
        ),
      )
    }
    const first = receiver.secrets.get(path) ?? ''
    expect(await signedWith(first)).toEqual([true])
    const second = await rotate(3_600)
    expect(await signedWith(first, second)).toEqual([true, true])
    const third = await rotate(0)
    expect(await signedWith(first, second, third)).toEqual([false, false, true])
    await remove(emitter)
  })

  test('a sample event has the format that the contract describes', async () => {
    const emitter = await addWebhook('/sample', { enabled: false })
    const result = await app.api('POST', `/v1/emitters/${emitter.id}/test`)
    expect(result).toMatchObject({
      emitterId: emitter.id,
      kind: 'webhook',
      destination: 'https://hooks.receiver.test/sample',
      event: 'usage.recorded',
      delivered: true,
      reason: null,
      sample: { customerId: server.organizationId, usageRecordId: result.idempotencyKey },
    })
    expect(keysAt('/sample')).toEqual([result.idempotencyKey])
    expect(at('/sample')[0]?.isSigned).toBe(true)
    await remove(emitter)
  })

  test('the credential for a vendor can be replaced, and is never shown', async () => {
    const added = await app.api('POST', '/v1/emitters', {
      kind: 'vendor_a',
      apiToken: 'metronome-canary-0001',
      eventType: 'llm',
    })
    expect(added).toMatchObject({ lastFour: '0001', signingSecret: null, eventType: 'llm', eventName: null })
    await app.call(user)
    await receiver.until(() => at('/v1/ingest').length === 1)
    await app.api('PATCH', `/v1/emitters/${added.id}`, { apiToken: 'metronome-canary-0002' })
    await app.call(user)
    await receiver.until(() => at('/v1/ingest').length === 2)
    expect(at('/v1/ingest').map(({ headers }) => headers.authorization)).toEqual([
      'Bearer metronome-canary-0001',
      'Bearer metronome-canary-0002',
    ])
    const texts = [
      await app.api('GET', '/v1/emitters'),
      await app.api('GET', `/v1/emitters/${added.id}`),
      await app.api('GET', '/v1/audit'),
      server.log,
    ]
    expect(JSON.stringify(texts)).not.toContain('canary')
    await app.api('DELETE', `/v1/emitters/${added.id}`)
  })
})

test.runIf(hasPostgres)('a process that does not know a new emitter yet still delivers to it', async () => {
  const receiver = await startUsageReceiver()
  const database = await migratedDatabase()
  const options = { databaseUrl: database.url, outbound: { connector: receiverConnector(receiver.port) } }
  const one = await startServer(options)
  const other = await startServer({ ...options, folder: one.folder, token: one.token })
  const app = await makeApplication(one)
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  const callThere = () => callAtPort(other.port, { app, user })
  expect(await callThere()).toBe(200)
  const [before] = await user.requests()
  await app.api('POST', '/v1/emitters', { kind: 'webhook', url: 'https://hooks.receiver.test/hook' })
  // The delivery takes less than the second after which the other process checks for new emitters.
  for (let i = 0; i < 5; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await callThere()).toBe(200)
  }
  const settled = (await user.requests()).map(({ id }: { id: string }) => id).filter((id) => id !== before.id)
  const keys = () =>
    receiver.received.flatMap(eventsIn).map(({ idempotencyKey }) => idempotencyKey.replace('ur_', 'req_'))
  await receiver.until(() => keys().length >= 5)
  expect(keys().toSorted()).toEqual(settled.toSorted())
  await other.close()
  await one.close()
  await app.provider.close()
  await receiver.close()
  await database.drop()
})

test('a destination that never responds does not delay the stop of a server, and the calls are sent after the next start', async () => {
  const receiver = await startUsageReceiver()
  const folder = newDataFolder('emitters')
  const options = { folder, outbound: { connector: receiverConnector(receiver.port) } }
  const before = await startServer(options)
  const app = await makeApplication(before)
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  receiver.answer = () => {}
  await app.api('POST', '/v1/emitters', { kind: 'webhook', url: 'https://hooks.receiver.test/hook' })
  await app.call(user)
  await receiver.until((received) => received.length === 1)
  await app.call(user)
  const settled = (await user.requests()).map(({ id }: { id: string }) => id.replace('req_', 'ur_'))
  const stoppedAtMs = performance.now()
  await before.close()
  // The delivery attempts for this destination alone would take thirty seconds.
  expect(performance.now() - stoppedAtMs).toBeLessThan(25_000)

  receiver.answer = (_, response) => void response.writeHead(200).end()
  const from = receiver.received.length
  const after = await startServer({ ...options, token: before.token })
  const keys = () =>
    receiver.received
      .slice(from)
      .flatMap(eventsIn)
      .map(({ idempotencyKey }) => idempotencyKey)
  await receiver.until(() => keys().length >= 2)
  expect(keys().toSorted()).toEqual(settled.toSorted())
  await after.close()
  await app.provider.close()
  await receiver.close()
  rmSync(folder, { recursive: true })
})
