import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type Application,
  type LocalServer,
  makeApplication,
  startServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let sibling: Application
let user: User
const portals = new Map<Application, URL>()

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  sibling = await makeApplication(server, { provider: app.provider })
  user = await app.newUser({ balanceMicros: 1_000_000n })
  for (const one of [app, sibling]) {
    const { localPortal } = await one.api('GET', `/v1/apps/${one.slug}`)
    portals.set(one, new URL(localPortal))
  }
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

interface Sent {
  readonly host?: string
  readonly port?: number
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** `fetch` cannot set the Host header. */
function send(method: string, path: string, { body, headers = {}, host, port }: Sent): Promise<Answer> {
  const content = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: port ?? server.port,
      method,
      path,
      headers: {
        ...(host !== undefined && { host }),
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString()
        const answerHeaders = new Headers()
        for (const [name, value] of Object.entries(response.headers)) {
          for (const one of [value].flat()) if (one !== undefined) answerHeaders.append(name, one)
        }
        const isJson = answerHeaders.get('content-type')?.startsWith('application/json') === true
        const status = response.statusCode ?? 0
        resolve({ status, headers: answerHeaders, text, body: isJson ? JSON.parse(text) : null })
      })
    })
    sent.end(content)
  })
}

const portOf = (one: Application): number => Number(portals.get(one)?.port)
const hostOf = (one: Application): string => `${one.slug}.portal.localhost:${server.port}`

describe('an end user', () => {
  test('an end user opens the portal by a link, creates a key there, sends a call with the key, and reads the receipt', async () => {
    const link = await app.api('POST', '/v1/portal-sessions', {
      endUserId: user.externalId,
      returnPath: '/usage',
    })
    expect(new URL(link.url).host).toBe(hostOf(app))
    const token = new URL(link.localUrl).hash.replace('#handoff=', '')
    const origin = new URL(link.localUrl).origin

    const page = await send('GET', '/', { port: portOf(app) })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    // `npm test` builds the portal before this test.
    expect(page.text).toContain(`<title>${app.slug}</title>`)

    const redeemed = await send('POST', '/v1/portal-sessions/redeem', {
      port: portOf(app),
      body: { token },
      // Sends a request like a client that waits for 100 Continue.
      headers: { origin, expect: '100-continue' },
    })
    expect(redeemed.body).toMatchObject({
      endUserId: user.externalId,
      application: app.slug,
      returnPath: '/usage',
    })
    const [cookie = ''] = (redeemed.headers.get('set-cookie') ?? '').split(';')
    const session = { cookie, origin, 'x-csrf-token': redeemed.body.csrfToken }

    await app.api('PATCH', '/v1/portal-settings', { endUsersMayMintKeys: true, keyCapsTotalMicros: null })
    const minted = await send('POST', '/v1/portal/keys', {
      port: portOf(app),
      body: { name: 'mine' },
      headers: session,
    })
    expect(minted.status, minted.text).toBe(200)
    const called = await app.call({ key: minted.body.key })
    expect(called.status, called.text).toBe(200)
    const id = called.headers.get('x-request-id') ?? ''
    const receipt = await send('GET', `/v1/portal/requests/${id}`, { port: portOf(app), headers: { cookie } })
    const account = await send('GET', '/v1/portal/account', { port: portOf(app), headers: { cookie } })
    const left = BigInt(account.body.balance.availableMicros)
    expect(left + BigInt(receipt.body.chargeMicros)).toBe(1_000_000n)
    expect(receipt.body.keyId).toBe(minted.body.id)
    expect(receipt.text).not.toContain('upstream-model-1')

    // The session is valid only at the portal's own host name.
    expect((await send('GET', '/v1/portal/account', { host: hostOf(app), headers: { cookie } })).status).toBe(
      200,
    )
    for (const place of [
      { host: hostOf(sibling) },
      { port: portOf(sibling) },
      { host: `localhost:${server.port}` },
    ]) {
      const answer = await send('GET', '/v1/portal/account', { ...place, headers: { cookie } })
      expect([answer.status, answer.body.error.code]).toEqual([401, 'portal_session_required'])
    }
  })

  test('the host of a portal serves nothing but the portal, with or without a token', async () => {
    const authorization = `Bearer ${server.token}`
    for (const path of [
      '/v1/whoami',
      '/v1/openapi.json',
      '/v1/keys',
      '/v1/chat/completions',
      '/readyz',
      '/metrics',
    ]) {
      const answer = await send('GET', path, { port: portOf(app), headers: { authorization } })
      expect([path, answer.status]).toEqual([path, 404])
    }
    const link = await app.api('POST', '/v1/portal-sessions', { endUserId: user.externalId })
    const body = { token: new URL(link.url).hash.replace('#handoff=', '') }
    const elsewhere = await send('POST', '/v1/portal-sessions/redeem', { port: portOf(sibling), body })
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([401, 'invalid_handoff'])
  })
})
