import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import {
  arrival,
  control,
  makeApplication,
  settledBalance,
  startServer,
  type Server,
} from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

interface Asked {
  readonly status: number
  readonly text: string
}

function ask(
  port: number,
  host: string,
  path: string,
  { body, key }: { readonly body?: object; readonly key?: string } = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          host,
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const messages = [{ role: 'user', content: 'Hello' }]
const model = 'acme/smart'
const chat = { model, messages, max_tokens: 20 }

/** The regular expression matches an error with the code in the field of the path's wire. */
const calls: readonly (readonly [string, object | undefined, RegExp])[] = [
  ['/v1/chat/completions', chat, /"type":"not_found_error".*"code":"application_archived"/],
  ['/v1/responses', { model, input: 'Hello' }, /"type":"not_found_error".*"code":"application_archived"/],
  ['/v1/messages', chat, /"type":"not_found_error".*"error_code":"application_archived"/],
  ['/v1/messages/count_tokens', { model, messages }, /"error_code":"application_archived"/],
  [
    '/v1beta/models/acme%2Fsmart:generateContent',
    { contents: [{ parts: [{ text: 'Hello' }] }] },
    /"code":410.*"status":"NOT_FOUND".*"reason":"application_archived"/,
  ],
  ['/v1/models', undefined, /application_archived/],
  ['/v1/models/acme%2Fsmart', undefined, /application_archived/],
  ['/', undefined, /application_archived/],
  ['/v1/embeddings', { model }, /application_archived/],
]

const portOf = (url: string): number => Number(new URL(url).port)

describe('an archived application', () => {
  test('an archived application returns 410 at its hosts and ports in the format of each wire, even after a restart', async () => {
    const folder = newDataFolder('removal')
    const first = await startServer({ folder })
    const app = await makeApplication(first)
    const other = await makeApplication(first, { provider: app.provider })
    const [user, neighbour] = [await app.newUser(), await other.newUser({ balanceMicros: 1_000_000n })]
    const shown = await app.api('GET', `/v1/apps/${app.slug}`)

    const expectGone = async (server: Server): Promise<void> => {
      const portalHost = new URL(shown.portal).hostname
      for (const [path, body, error] of calls) {
        const asked = { ...(body !== undefined && { body }), key: user.key }
        for (const [port, host] of [
          [server.port, `${app.gatewayHost}:${server.port}`],
          [app.gatewayPort, `127.0.0.1:${app.gatewayPort}`],
        ] as const) {
          // oxlint-disable-next-line no-await-in-loop -- one request after the other
          const { status, text } = await ask(port, host, path, asked)
          expect([status, path], text).toEqual([410, path])
          expect(text).toMatch(error)
        }
      }
      const portalPort = portOf(shown.localPortal)
      for (const [port, host] of [
        [server.port, `${portalHost}:${server.port}`],
        [portalPort, `127.0.0.1:${portalPort}`],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one request after the other
        const { status, text } = await ask(port, host, '/')
        expect([status, JSON.parse(text).error.code]).toEqual([410, 'application_archived'])
      }
    }

    // Fills the caches, so that the cached data is stale after the application is archived.
    expect((await app.call(user, { max_tokens: 20 })).body.error.code).toBe('insufficient_credit')
    expect((await ask(portOf(shown.localPortal), `127.0.0.1:${portOf(shown.localPortal)}`, '/')).status).toBe(
      200,
    )
    await app.api('DELETE', `/v1/apps/${app.slug}`)
    await expectGone(first)
    expect((await other.call(neighbour, { max_tokens: 20 })).status).toBe(200)
    await first.close()

    const second = await startServer({ folder, token: first.token })
    await expectGone(second)
    const there = await other.again(second)
    expect((await there.call(neighbour, { max_tokens: 20 })).status).toBe(200)
    await second.close()
    await app.provider.close()
    rmSync(folder, { recursive: true })
  })

  test('requests that the settings or the balance rejected before return 410 after the archiving', async () => {
    const server = await startServer()
    const app = await makeApplication(server)
    const other = await makeApplication(server, { provider: app.provider })
    const [user, poor] = [await app.newUser({ balanceMicros: 1_000_000n }), await other.newUser()]
    await app.api('PATCH', '/v1/gateway', { addresses: ['203.0.113.0/24'] })
    const large = { messages: [{ role: 'user', content: 'x'.repeat(100_000) }] }
    const codes = async (): Promise<unknown[]> => [
      (await app.call(user, { max_tokens: 20 })).body.error.code,
      (await other.call(poor, large)).body.error.code,
    ]
    expect(await codes()).toEqual(['address_not_allowed', 'insufficient_credit'])
    for (const one of [app, other])
      // oxlint-disable-next-line no-await-in-loop -- two
      await one.api('DELETE', `/v1/apps/${one.slug}`)
    expect(await codes()).toEqual(['application_archived', 'application_archived'])
    await server.close()
    await app.provider.close()
  })

  test('a call in flight of an archived application ends and is charged, and the explanation shows the charge', async () => {
    const server = await startServer()
    const app = await makeApplication(server)
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    app.provider.enqueue({ hang: 'mid' })
    const arrived = arrival(app.provider)
    const running = app.call(user, { max_tokens: 20, stream: true })
    await arrived
    await app.api('DELETE', `/v1/apps/${app.slug}`)
    const refused = await app.call(user, { max_tokens: 20 })
    expect([refused.status, refused.body.error.code]).toEqual([410, 'application_archived'])
    app.provider.release()
    const answer = await running
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('[DONE]')
    expect(await settledBalance(user)).toBeLessThan(1_000_000n)
    const headers = { 'x-svc-app': app.slug }
    const id = refused.headers.get('x-request-id') ?? ''
    const explained = await control(server, 'GET', `/v1/requests/${id}`, undefined, headers)
    expect(explained.body).toMatchObject({ status: 'refused', errorCode: 'application_archived' })
    await server.close()
    await app.provider.close()
  })

  test.runIf(hasPostgres)(
    'threat 10: every process rejects calls to an archived application or a deleted end user starting with the next call',
    async () => {
      const database = await migratedDatabase()
      const folder = newDataFolder('two')
      const one = await startServer({ databaseUrl: database.url, folder })
      const app = await makeApplication(one)
      const other = await startServer({
        databaseUrl: database.url,
        folder,
        token: one.token,
        mayLogFaults: true,
      })
      const [ada, bob] = [
        await app.newUser({ balanceMicros: 1_000_000n }),
        await app.newUser({ balanceMicros: 1_000_000n }),
      ]
      const at = (server: Server, user: { readonly key: string }): Promise<Asked> =>
        ask(server.port, `${app.gatewayHost}:${server.port}`, '/v1/chat/completions', {
          body: chat,
          key: user.key,
        })
      // Both processes have cached the application, its keys and its end users.
      for (const server of [one, other]) {
        for (const user of [ada, bob]) {
          // oxlint-disable-next-line no-await-in-loop -- one call after the other
          expect((await at(server, user)).status).toBe(200)
        }
      }
      await app.api('DELETE', `/v1/end-users/${ada.externalId}`)
      expect(await at(other, ada)).toMatchObject({
        status: 401,
        text: expect.stringContaining('key_revoked'),
      })
      expect((await at(other, bob)).status).toBe(200)
      await app.api('DELETE', `/v1/apps/${app.slug}`)
      for (const server of [other, one]) {
        // oxlint-disable-next-line no-await-in-loop -- one call after the other
        const { status, text } = await at(server, bob)
        expect([status, text]).toEqual([410, expect.stringContaining('application_archived')])
        const { portal } = await app.api('GET', `/v1/apps/${app.slug}`)
        const host = `${new URL(portal).hostname}:${server.port}`
        // oxlint-disable-next-line no-await-in-loop -- as above
        expect((await ask(server.port, host, '/')).status).toBe(410)
      }
      await other.close()
      await one.close()
      await app.provider.close()
      rmSync(folder, { recursive: true })
      await database.drop()
    },
  )
})
