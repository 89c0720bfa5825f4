import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answerOf,
  control,
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

describe.each(testedEngines)('model names of simulators in live mode on %s', (store) => {
  let server: LocalServer
  let app: Application
  let drop = async () => {}
  const text = 'Say ok.'
  const messages = [{ role: 'user', content: text }]
  const simulated = { provider: 'double', model: 'sim-1' }

  beforeAll(async () => {
    const database = store === 'PostgreSQL' ? await migratedDatabase() : null
    drop = async () => database?.drop()
    server = await startServer(database === null ? {} : { databaseUrl: database.url })
    app = await makeApplication(server)
    await app.api('PUT', '/v1/providers/double', { kind: 'simulator' })
    await app.api('PUT', '/v1/models/acme/sim', { sources: [simulated] })
    await app.api('PUT', '/v1/models/acme/both', {
      sources: [simulated, { provider: app.slug, model: 'upstream-model-1' }],
    })
    const sims = [{ alias: 'acme/sim' }, simulated]
    await app.api('PUT', '/v1/routers/acme/sims', { policy: 'priority', targets: sims })
    await app.api('PUT', '/v1/routers/acme/mixed', {
      policy: 'priority',
      targets: [...sims, { alias: app.model }],
    })
  })
  afterAll(async () => {
    await app.provider.close()
    await server.close()
    await drop()
  })

  const asked = (model: string): readonly (readonly [path: string, body: object])[] => {
    const generate = `/v1beta/models/${encodeURIComponent(model)}`
    const contents = { contents: [{ role: 'user', parts: [{ text }] }] }
    return [
      ...[false, true].flatMap((stream) => [
        ['/v1/chat/completions', { model, stream, messages }] as const,
        ['/v1/messages', { model, stream, messages, max_tokens: 50 }] as const,
        ['/v1/responses', { model, stream, input: text }] as const,
      ]),
      [`${generate}:generateContent`, contents],
      [`${generate}:streamGenerateContent?alt=sse`, contents],
      ['/v1/messages/count_tokens', { model, messages }],
    ]
  }
  const send = (key: string, path: string, body: object) =>
    fetch(app.gateway + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('model names of simulators are rejected in live mode with 503 no_live_source on every wire, and nothing is held or charged', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const before = await user.ledger()
    for (const model of ['acme/sim', 'acme/sims']) {
      for (const [path, body] of asked(model)) {
        // oxlint-disable-next-line no-await-in-loop -- one request after the other
        const answer = await send(user.key, path, body)
        // oxlint-disable-next-line no-await-in-loop
        const said = await answer.text()
        expect([path, answer.status, said]).toEqual([path, 503, expect.stringContaining('in live mode')])
        expect(said).not.toMatch(/This is the Tollgate simulator/)
        expect(answer.headers.get('x-should-retry')).toBe('false')
      }
    }
    expect(await user.balance()).toEqual({ balanceMicros: 1_000_000n, reservedMicros: 0n })
    expect(await user.ledger()).toEqual(before)
    const recorded = await user.requests()
    expect(recorded).toHaveLength(2 * (asked('').length - 1))
    for (const one of recorded)
      expect(one).toMatchObject({ status: 'refused', httpStatus: 503, errorCode: 'no_live_source' })
    const explained = await app.api('GET', `/v1/requests/${recorded[0].id}`)
    expect(explained).toMatchObject({ reserve: null, settle: null, refusal: { code: 'no_live_source' } })
    expect(explained.summary).toContain('cannot be used in live mode')
  })

  test('model names of simulators are served to test keys', async () => {
    const key = await testKeyOf(app)
    for (const [path, body] of asked('acme/sim')) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      const answer = await send(key, path, body)
      // oxlint-disable-next-line no-await-in-loop
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.anything()])
    }
  })

  test('simulators are skipped in live mode if a model name or router also has a provider', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    for (const model of ['acme/both', 'acme/mixed']) {
      const calls = app.provider.calls.length
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      const answer = await app.call(user, { model, max_tokens: 20 })
      expect(answer.status).toBe(200)
      expect(app.provider.calls).toHaveLength(calls + 1)
      const [{ id }] = await user.requests()
      const { route } = await app.api('GET', `/v1/requests/${id}`)
      expect(JSON.stringify(route)).toContain('"test_only"')
    }
  })

  test('model names of simulators have a separate status in each mode, and live keys do not list them', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const listed = async (key: string) => {
      const answer = await fetch(`${app.gateway}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
      return (await answerOf(answer)).body.data.map(({ id }: { id: string }) => id)
    }
    expect(await listed(user.key)).toEqual(['acme/both', 'acme/mixed', app.model])
    expect(await listed(await testKeyOf(app))).toEqual(
      ['acme/both', 'acme/mixed', 'acme/sim', 'acme/sims', app.model].toSorted(),
    )
    const shown = async (mode: string, path: string) => {
      const headers = { 'x-svc-app': app.slug, 'x-svc-mode': mode }
      return (await control(server, 'GET', path, undefined, headers)).body
    }
    expect(await shown('live', '/v1/models/acme/sim')).toMatchObject({
      status: 'test_only',
      enabled: false,
      problems: ['double is a simulator and does not serve live requests'],
    })
    expect(await shown('test', '/v1/models/acme/sim')).toMatchObject({ status: 'serving', enabled: true })
    expect(await shown('live', '/v1/models/acme/both')).toMatchObject({ status: 'serving' })
    const sims = await shown('live', '/v1/routers/acme/sims')
    expect(sims).toMatchObject({ serving: false })
    expect(sims.targets.map((one: { problem: { code: string } }) => one.problem.code)).toEqual([
      'test_only',
      'test_only',
    ])
    expect(await shown('test', '/v1/routers/acme/sims')).toMatchObject({ serving: true })
  })
})
