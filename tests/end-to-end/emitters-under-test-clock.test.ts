/** The real clock dates the creation of an emitter, but the test clock may be ahead. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { eventsIn, receiverConnector, startUsageReceiver } from '../support/receiver-of-usage-events.ts'
import { testedEngines } from '../support/reduced-suite.ts'

describe.each(testedEngines)('on %s', (engine) => {
  test('whatever time the test clock shows, an emitter receives the calls that settle after its creation, also after a restart', async () => {
    const receiver = await startUsageReceiver()
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-emitters-clock-'))
    const database = engine === 'PostgreSQL' ? await migratedDatabase() : null
    const options = {
      folder,
      outbound: { connector: receiverConnector(receiver.port) },
      ...(database && { databaseUrl: database.url }),
    }
    let server: LocalServer = await startServer(options)
    let app: Application = await makeApplication(server)
    const key = await testKeyOf(app)

    const advanceDays = async (days: number): Promise<void> => {
      const { now } = await app.api('GET', '/v1/test-clock')
      const to = new Date(Date.parse(now) + days * 86_400_000).toISOString()
      await app.api('POST', '/v1/test-clock/advance', { to })
    }
    const call = async (): Promise<string> => {
      const answer = await app.call({ key })
      expect(answer.status, answer.text).toBe(200)
      return answer.headers.get('x-request-id') ?? ''
    }
    /** The call remains in flight because its client does not read. */
    const begin = async (): Promise<{ id: string; leave: () => Promise<unknown> }> => {
      const ending = new AbortController()
      const response = await fetch(`${app.gateway}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: app.bodyOf({
          stream: true,
          messages: [{ role: 'user', content: '[[tokens=100000]]' }],
        }),
        signal: ending.signal,
      })
      expect(response.status).toBe(200)
      const reader = response.body?.getReader()
      await reader?.read()
      return {
        id: response.headers.get('x-request-id') ?? '',
        leave: async () => {
          ending.abort()
          await reader?.closed.catch(() => {})
        },
      }
    }
    const add = (path: string): Promise<unknown> =>
      app.api('POST', '/v1/emitters', {
        kind: 'webhook',
        url: `https://hooks.receiver.test${path}`,
        livemode: false,
      })
    const toldAt = (path: string): string[] =>
      receiver.received
        .filter((one) => one.path === path)
        .flatMap(eventsIn)
        .map(({ idempotencyKey }) => idempotencyKey.replace('ur_', 'req_'))
        .toSorted()
    const explained = async (id: string): Promise<number> => {
      const headers = { 'x-svc-app': app.slug, 'x-svc-mode': 'test' }
      return (await control(server, 'GET', `/v1/requests/${id}`, undefined, headers)).body.emitters.length
    }

    const before = [await call()]
    // The settlement uses the clock that applied when the call began.
    const first = await begin()
    await advanceDays(40)
    before.push(await call())
    const second = await begin()
    await add('/added')
    const after = [await call()]
    await advanceDays(40)
    after.push(await call(), first.id, second.id)
    await first.leave()
    await second.leave()
    await receiver.until(() => toldAt('/added').length >= after.length)
    expect(toldAt('/added')).toEqual(after.toSorted())
    expect(await explained(before[1] ?? '')).toBe(0)
    expect(await explained(first.id)).toBe(1)

    // The emitter's stored position is still a minute before its creation.
    receiver.answer = () => {}
    await add('/restarted')
    const left = await call()
    await server.close()
    receiver.answer = (_, response) => void response.writeHead(200).end()
    const from = receiver.received.length
    server = await startServer({ ...options, token: server.token })
    app = await app.again(server)
    const last = await call()
    const sinceRestart = (): string[] =>
      receiver.received
        .slice(from)
        .filter(({ path }) => path === '/restarted')
        .flatMap(eventsIn)
        .map(({ idempotencyKey }) => idempotencyKey.replace('ur_', 'req_'))
    await receiver.until(() => sinceRestart().includes(last) && sinceRestart().includes(left))
    expect(sinceRestart().toSorted()).toEqual([left, last].toSorted())

    await server.close()
    await app.provider.close()
    await receiver.close()
    await database?.drop()
    rmSync(folder, { recursive: true })
  })
})
