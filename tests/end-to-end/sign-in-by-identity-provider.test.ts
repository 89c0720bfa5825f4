import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { control, startServer, type Answer, type LocalServer } from '../support/start-product.ts'
import {
  startIdentityProvider,
  TestBrowser,
  type TestProvider,
} from '../support/openid-provider-and-browser.ts'

const password = 'correct horse battery'
let provider: TestProvider
let server: LocalServer
let home: string
let browser: TestBrowser

beforeAll(async () => {
  provider = await startIdentityProvider()
  server = await startServer({
    mayLogFaults: false,
    environment: {
      TOLLGATE_OIDC_ISSUER: provider.issuer,
      TOLLGATE_OIDC_CLIENT_ID: provider.clientId,
      TOLLGATE_OIDC_CLIENT_SECRET: provider.clientSecret,
      TOLLGATE_OIDC_ALLOWED_DOMAINS: 'example.com, example.org',
    },
  })
  home = `http://localhost:${server.port}`
})
afterAll(async () => {
  await server.close()
  await provider.close()
})
beforeEach(() => {
  browser = new TestBrowser()
  provider.isUp = true
})

const start = (query = '') => `${home}/v1/sessions/oidc${query}`
const isCallback = (address: string) => address.startsWith(`${home}/v1/sessions/oidc/callback`)
const invite = (email: string, role = 'developer') => control(server, 'PUT', `/v1/team/${email}`, { role })

/** Follows redirects until the callback of the sign-in responds. */
async function signIn(account: TestProvider['account'], query = ''): Promise<Response> {
  provider.account = account
  return browser.get(await browser.follow(start(query), isCallback))
}

async function who(): Promise<Answer['body']> {
  const response = await fetch(`${home}/v1/whoami`, { headers: { cookie: browser.cookiesFor(home) } })
  return response.json()
}

async function errorOf(response: Response): Promise<[number, string]> {
  const { error } = (await response.json()) as Answer['body']
  return [response.status, error.code]
}

test('until the provider has responded once, a sign-in shows an error, and passwords still work', async () => {
  const answer = await fetch(start(), { redirect: 'manual' })
  expect(answer.status).toBe(502)
  const { error } = (await answer.json()) as Answer['body']
  expect(error.code).toBe('identity_provider_failed')
  expect(error.message).toContain('does not respond')
  expect(error.message).toContain('password')
  // A browser is redirected to a page with the error.
  const asked = await fetch(start(), { redirect: 'manual', headers: { accept: 'text/html' } })
  const requestId = asked.headers.get('x-request-id') ?? ''
  expect([asked.status, asked.headers.get('location')]).toEqual([
    303,
    `/sign-in?error=identity_provider_failed&requestId=${requestId}`,
  ])
  expect(requestId).toMatch(/^req_/)
  const { body } = await invite('owner@example.com', 'owner')
  const token = new URL(body.inviteUrl).hash.slice(1)
  const joined = await control(server, 'POST', '/v1/invitations/accept', { token, name: 'Owner', password })
  expect(joined.status).toBe(200)
  // The server does not cache a failed request to the provider, so the next sign-in succeeds.
  provider.register(`${home}/v1/sessions/oidc/callback`)
})

describe('a person who signs in', () => {
  test('an invited person joins with the address that the provider verifies, and arrives at the requested page', async () => {
    await invite('Ada@example.com')
    const response = await signIn(
      { sub: 'ada-1', email: 'ADA@example.com', email_verified: true, name: 'Ada Lovelace' },
      '?returnPath=%2Frequests%3Frange%3D1h',
    )
    expect([response.status, response.headers.get('location')]).toEqual([303, '/requests?range=1h'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    // The server has deleted the cookie of the sign-in flow.
    expect(browser.cookiesFor(home)).toMatch(/^__Host-tollgate_session=[\w-]{43}$/)
    expect((await who()).member).toMatchObject({
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      role: 'developer',
      hasPassword: false,
    })
    const audit = await control(server, 'GET', '/v1/audit?operation=sessions.oidc')
    expect(audit.body.data).toMatchObject([{ actor: { kind: 'member', label: 'ada@example.com' } }])
  })

  test('after the first sign-in, a person is identified by the provider’s subject, even if the email address changes', async () => {
    await signIn({ sub: 'ada-1', email: 'countess@example.org', email_verified: true })
    expect((await who()).member.email).toBe('ada@example.com')
  })

  test('a member with a password is identified by their email address, and can then sign in both ways', async () => {
    await signIn({ sub: 'owner-1', email: 'owner@example.com', email_verified: true })
    expect((await who()).member).toMatchObject({ email: 'owner@example.com', hasPassword: true })
    const body = { email: 'owner@example.com', password }
    expect((await control(server, 'POST', '/v1/sessions', body)).status).toBe(200)
  })

  test('a different person with the same email address is not signed in as the member', async () => {
    const response = await signIn({ sub: 'somebody-else', email: 'owner@example.com', email_verified: true })
    expect(await errorOf(response)).toEqual([403, 'not_on_team'])
  })

  test('a person is rejected if they are not on the team, or if their address is unverified, missing, or of another domain', async () => {
    await invite('eve@example.com')
    await invite('eve@elsewhere.example')
    for (const account of [
      { sub: 's1', email: 'nobody@example.com', email_verified: true },
      { sub: 's2', email: 'eve@example.com', email_verified: false },
      { sub: 's3', email: 'eve@example.com' },
      { sub: 's4' },
      { sub: 's5', email: 'eve@elsewhere.example', email_verified: true },
    ]) {
      browser = new TestBrowser()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([account.sub, ...(await errorOf(await signIn(account)))]).toEqual([
        account.sub,
        403,
        'not_on_team',
      ])
      expect(browser.cookiesFor(home)).not.toContain('tollgate_session')
    }
  })

  test('a removed member is rejected, and can join again after a new invitation', async () => {
    await control(server, 'DELETE', '/v1/team/ada@example.com')
    const account = { sub: 'ada-1', email: 'ada@example.com', email_verified: true }
    expect(await errorOf(await signIn(account))).toEqual([403, 'not_on_team'])
    await invite('ada@example.com', 'viewer')
    browser = new TestBrowser()
    await signIn(account)
    expect((await who()).member).toMatchObject({ email: 'ada@example.com', role: 'viewer' })
  })
})

describe('a response of the provider', () => {
  test('a response of the provider is accepted only once, and only from the browser that requested it', async () => {
    provider.account = { sub: 'owner-1', email: 'owner@example.com', email_verified: true }
    const callback = await browser.follow(start(), isCallback)
    // The response is sent in the browser of another person, who may have begun another sign-in (login CSRF).
    const other = new TestBrowser()
    expect(await errorOf(await other.get(callback))).toEqual([502, 'identity_provider_failed'])
    await other.get(start())
    expect(await errorOf(await other.get(callback))).toEqual([502, 'identity_provider_failed'])
    expect(other.cookiesFor(home)).not.toContain('tollgate_session')
    expect((await browser.get(callback)).status).toBe(303)
    expect(await errorOf(await browser.get(callback))).toEqual([502, 'identity_provider_failed'])
  })

  test('a response of the provider is rejected if it was changed in transit', async () => {
    provider.account = { sub: 'owner-1', email: 'owner@example.com', email_verified: true }
    for (const [name, value] of [
      ['state', 'another'],
      ['code', 'another'],
      ['iss', 'https://evil.example'],
    ] as const) {
      browser = new TestBrowser()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const callback = new URL(await browser.follow(start(), isCallback))
      callback.searchParams.set(name, value)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await errorOf(await browser.get(callback.href))).toEqual([502, 'identity_provider_failed'])
    }
  })

  test('a provider’s denial of a sign-in is reported by its code', async () => {
    const response = await signIn(null)
    const { error } = (await response.json()) as Answer['body']
    expect([response.status, error.code]).toEqual([502, 'identity_provider_failed'])
    expect(error.message).toContain('access_denied')
  })

  test('threat 104: a response of the provider never redirects to another host', async () => {
    provider.account = { sub: 'owner-1', email: 'owner@example.com', email_verified: true }
    for (const path of ['//evil.example', '/\\evil.example', 'https:evil.example', '/%2f%2fevil.example']) {
      browser = new TestBrowser()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const response = await signIn(provider.account, `?returnPath=${encodeURIComponent(path)}`)
      expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    }
  })

  test('threat 107: a response of the provider is sent to the configured address, whatever host the request names', async () => {
    const response = await fetch(start(), {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    })
    const to = new URL(response.headers.get('location') ?? '')
    expect(to.searchParams.get('redirect_uri')).toBe(`${home}/v1/sessions/oidc/callback`)
    expect(to.searchParams.get('code_challenge_method')).toBe('S256')
  })

  test('an error page is shown if the provider does not respond', async () => {
    provider.account = { sub: 'owner-1', email: 'owner@example.com', email_verified: true }
    const callback = await browser.follow(start(), isCallback)
    provider.isUp = false
    expect(await errorOf(await browser.get(callback))).toEqual([502, 'identity_provider_failed'])
  })
})

test('threat 108: neither the secret nor a code nor a cookie is in the log or the audit log', async () => {
  const audit = await control(server, 'GET', '/v1/audit?limit=200')
  const text = JSON.stringify(server.log) + audit.text
  expect(text).not.toContain(provider.clientSecret)
  expect(text).not.toContain('tollgate_session')
  expect(text).not.toMatch(/[?&]code=/)
  expect(JSON.stringify(server.log)).toContain('sign-in with the identity provider failed')
})
