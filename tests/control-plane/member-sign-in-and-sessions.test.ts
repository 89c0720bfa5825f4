import { createHook } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionCookieName } from '#http/authenticate-caller.ts'
import { rateLimits } from '#http/control-plane-rate-limiter.ts'
import { operations } from '#operations/index.ts'
import {
  openControl,
  password,
  ready,
  sessionOf,
  type Control,
  type Session,
} from '../support/control-plane-without-socket.ts'
import type { Answer } from '../support/start-product.ts'
import { filled, sampleOf, urlOf } from '../support/valid-request-of-every-operation.ts'

let control: Control
let ada: Session
const email = 'ada@example.com'
beforeEach(async () => {
  control = await openControl()
  ada = await control.join(email, 'owner')
})
afterEach(() => control.close())

const signIn = (body: object = {}, headers: Record<string, string> = {}) =>
  control.call('POST', '/v1/sessions', { token: null, headers, body: { email, password, ...body } })
const whoami = (session: Session) => control.call('GET', '/v1/whoami', { session })
const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

describe('a sign-in', () => {
  it('a sign-in sets a cookie that scripts cannot read, and returns no secret in its body', async () => {
    const answer = await signIn({}, { 'user-agent': 'Browser 1' })
    expect(answer.status, answer.text).toBe(200)
    const cookies = answer.headers.getSetCookie()
    const cookie = cookies.find((one) => one.startsWith(sessionCookieName)) ?? ''
    expect(cookies.filter((one) => one !== cookie)).toEqual([
      expect.stringMatching(
        /^__Host-tollgate_device=mem_\w+\.\w+\.[\w-]{43}\.[\w-]{43}; Path=\/; Max-Age=15552000; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect(cookie).toMatch(
      /^__Host-tollgate_session=[\w-]{43}; Path=\/; Max-Age=2592000; Secure; HttpOnly; SameSite=Lax$/,
    )
    const secret = /=([\w-]{43});/.exec(cookie)?.[1] ?? ''
    expect(answer.text).not.toContain(secret)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toMatchObject({
      member: { email, role: 'owner' },
      organization: { id: control.organizationId, name: 'First' },
      expiresAt: '2026-11-27T12:00:00.000Z',
    })
    const rows = JSON.stringify(
      await control.database.read.selectFrom('member_sessions').selectAll().execute(),
    )
    expect(rows).not.toContain(secret)
    const listed = await control.call('GET', '/v1/sessions', { session: sessionOf(answer) })
    expect(listed.body.data).toMatchObject([
      { id: answer.body.id, isCurrent: true, userAgent: 'Browser 1' },
      { id: ada.id, isCurrent: false },
    ])
  })

  it('the available ways to sign in are public, before and after the first owner has joined', async () => {
    const options = async (where: Control) =>
      (await where.call('GET', '/v1/sessions/options', { token: null })).body
    expect(await options(control)).toEqual({ isSetUp: true, password: true, oidc: null })
    const never = () => Promise.reject(new Error('nobody signs in by it here'))
    const other = await openControl({
      identityProvider: {
        issuer: 'https://id.example.com:8443/realms/team?secret=1',
        allowedDomains: null,
        begin: never,
        finish: never,
      },
    })
    expect(await options(other)).toEqual({
      isSetUp: false,
      password: true,
      oidc: { label: 'id.example.com:8443', path: '/v1/sessions/oidc' },
    })
    await other.call('PUT', '/v1/team/invited@example.com', { body: { role: 'owner' } })
    expect((await options(other)).isSetUp).toBe(false)
    await other.close()
  })

  it('the email address is accepted in upper and lower case', async () => {
    expect((await signIn({ email: 'Ada@EXAMPLE.com' })).status).toBe(200)
  })

  it('an unknown address, a wrong password, an invited person and a removed member get the same error', async () => {
    await control.call('PUT', '/v1/team/invited@example.com', { body: { role: 'viewer' } })
    await control.join('gone@example.com', 'viewer')
    await control.call('DELETE', '/v1/team/gone@example.com')
    const answers = [
      await signIn({ password: 'not the right one' }),
      await signIn({ email: 'nobody@example.com' }),
      await signIn({ email: 'invited@example.com' }),
      await signIn({ email: 'gone@example.com' }),
    ]
    for (const answer of answers) {
      expect(codeOf(answer)).toEqual([401, 'sign_in_failed'])
      expect({ ...answer.body.error, requestId: '' }).toEqual({ ...answers[0]?.body.error, requestId: '' })
      expect([...answer.headers.keys()]).toEqual([...(answers[0]?.headers.keys() ?? [])])
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })

  it('a sign-in with any address costs exactly one scrypt hash', async () => {
    let hashes = 0
    const hook = createHook({
      init(_, type) {
        if (type === 'SCRYPTREQUEST') hashes += 1
      },
    })
    // All later sign-ins with an unknown address are compared with the hash that the first of them creates.
    await signIn({ email: 'nobody@example.com' })
    hook.enable()
    const counts = []
    for (const body of [
      {},
      { password: 'wrong' },
      { email: 'nobody@example.com' },
      { email: 'x@example.com' },
    ]) {
      hashes = 0
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await signIn(body)
      counts.push(hashes)
    }
    hook.disable()
    expect(counts).toEqual([1, 1, 1, 1])
  })

  it('the wait before a sign-in increases after each failed sign-in, and the owner can still sign in', async () => {
    for (let guess = 0; guess < 8; guess++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await signIn({ password: `guess ${guess}` })
    }
    expect(control.pauses).toEqual([250, 500, 1000])
    expect((await signIn()).status).toBe(200)
    expect(control.pauses).toEqual([250, 500, 1000, 2000])
    await signIn({ password: 'guess' })
    expect(control.pauses).toHaveLength(4)
  })

  it('sign-ins from one network address share its rate limit, for any accounts', async () => {
    const limited = await openControl({
      rateLimits: { ...rateLimits, credential: null, address: null, public: null },
    })
    const statuses = []
    for (let guess = 0; guess < 14; guess++) {
      const body = { email: `user-${guess}@example.com`, password: 'guess' }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      statuses.push((await limited.call('POST', '/v1/sessions', { token: null, body })).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.at(-1)).toBe(429)
    await limited.close()
  })

  it('threat 100: a sign-in by a form is rejected, because of its origin or its media type', async () => {
    const form = `{"email":"${email}","password":"${password}","x":"="}`
    for (const [origin, refusal] of [
      [{ origin: 'https://evil.example' }, [403, 'cross_site_request']],
      [{}, [415, 'unsupported_media_type']],
    ] as const) {
      const headers = { 'content-type': 'text/plain', ...origin }
      const answer = await control.call('POST', '/v1/sessions', { token: null, body: form, headers })
      expect(codeOf(answer)).toEqual(refusal)
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })

  it('a sign-in writes a row to the audit log without a secret', async () => {
    const answer = await signIn()
    const { body } = await control.call('GET', '/v1/audit?operation=sessions.create')
    expect(body.data).toMatchObject([
      { actor: { kind: 'member', label: email }, after: { id: answer.body.id }, before: null },
    ])
    expect(Object.keys(body.data[0].after)).toEqual(['id'])
  })
})

describe('a session', () => {
  it('a session has the role of its member, and is accepted in the same places as a token', async () => {
    await ready(control)
    const viewer = await control.join('eve@example.com', 'viewer')
    const put = (session: Session) =>
      control.call('PUT', '/v1/bundles/team', { session, body: { displayName: 'Team' } })
    expect(codeOf(await put(viewer))).toEqual([403, 'role_required'])
    expect((await put(ada)).status).toBe(200)
    expect((await control.call('GET', '/v1/bundles', { session: viewer })).status).toBe(200)
    const { body } = await control.call('GET', '/v1/audit?operation=bundles.create&limit=1')
    expect(body.data[0].actor).toMatchObject({ kind: 'member', label: email })
    const who = await whoami(viewer)
    expect(who.body).toMatchObject({ token: null, member: { email: 'eve@example.com', role: 'viewer' } })
    expect(codeOf(await control.call('GET', '/v1/auth/token', { session: viewer }))).toEqual([
      404,
      'no_token_in_use',
    ])
  })

  it('a session keeps the application that it activated, and other sessions keep theirs', async () => {
    await ready(control, 'acme')
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    const second = sessionOf(await signIn())
    await control.call('POST', '/v1/apps/acme/use', { session: ada })
    expect((await control.call('GET', '/v1/apps/current', { session: ada })).body.slug).toBe('acme')
    const activeOf = async (session: Session) =>
      (await control.call('GET', '/v1/sessions/current', { session })).body.activeApplication
    expect(await Promise.all([ada, second].map(activeOf))).toEqual(['acme', null])
    expect(codeOf(await control.call('GET', '/v1/apps/current', { session: second }))).toEqual([
      400,
      'application_required',
    ])
    const headers = { 'idempotency-key': 'use' }
    await control.call('POST', '/v1/apps/other/use', { session: ada, headers })
    const other = await control.call('POST', '/v1/apps/other/use', { session: second, headers })
    expect(codeOf(other)).toEqual([422, 'idempotency_mismatch'])
  })

  it('a session cookie is ignored if a token is sent, because the browser sent the cookie automatically', async () => {
    const eve = await control.join('eve@example.com', 'viewer')
    const both = await control.call('PUT', '/v1/apps/acme', {
      body: { name: 'Acme' },
      headers: { cookie: eve.cookie },
    })
    expect(both.status).toBe(200)
    const wrong = await control.call('GET', '/v1/whoami', {
      token: 'sk_nothing',
      headers: { cookie: ada.cookie },
    })
    expect(codeOf(wrong)).toEqual([401, 'invalid_token'])
  })

  it('a session expires after 30 days, and after 7 without use, to the millisecond', async () => {
    const day = 86_400_000
    control.clock.nowMs += 7 * day - 1
    expect((await whoami(ada)).status).toBe(200)
    control.clock.nowMs += 7 * day
    expect(codeOf(await whoami(ada))).toEqual([401, 'session_ended'])
    const second = sessionOf(await signIn())
    const start = control.clock.nowMs
    for (let at = 6; at < 30; at += 6) {
      control.clock.nowMs = start + at * day
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await whoami(second)).status).toBe(200)
    }
    control.clock.nowMs = start + 30 * day - 1
    expect((await whoami(second)).status).toBe(200)
    control.clock.nowMs += 1
    expect(codeOf(await whoami(second))).toEqual([401, 'session_ended'])
    // The next request with any session deletes expired sessions.
    await control.call('GET', '/v1/whoami')
    expect(await control.database.read.selectFrom('member_sessions').selectAll().execute()).toEqual([])
  })

  it('the time of a session’s last use is recorded at most once in ten minutes', async () => {
    const used = async () =>
      (await control.call('GET', '/v1/sessions', { session: ada })).body.data[0].lastUsedAt
    control.clock.nowMs += 599_999
    expect(await used()).toBe('2026-11-20T12:00:00.000Z')
    control.clock.nowMs += 1
    await used()
    expect(await used()).toBe('2026-11-20T12:10:00.000Z')
  })

  it('a session that is malformed, unknown, duplicated or truncated is rejected', async () => {
    const secret = ada.cookie.slice(sessionCookieName.length + 1)
    for (const value of ['', 'x', secret.slice(1), `${secret}x`, 'x'.repeat(43), "' OR 1=1 --"]) {
      const answer = await control.call('GET', '/v1/whoami', {
        token: null,
        headers: { cookie: `${sessionCookieName}=${value}` },
      })
      expect([value, answer.status]).toEqual([value, 401])
    }
    const twice = `${ada.cookie}; ${sessionCookieName}=${'x'.repeat(43)}`
    const answer = await control.call('GET', '/v1/whoami', { token: null, headers: { cookie: twice } })
    expect(codeOf(answer)).toEqual([401, 'missing_credential'])
  })
})

describe('threat 107: sign-out', () => {
  it('signing out ends the session on the server, and removes the cookie', async () => {
    const answer = await control.call('DELETE', '/v1/sessions/current', { session: ada })
    expect(answer.headers.getSetCookie()).toEqual([
      `${sessionCookieName}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`,
    ])
    expect(codeOf(await whoami(ada))).toEqual([401, 'session_ended'])
  })

  it('a member can end any of their own sessions, and an admin can end sessions of other members', async () => {
    const second = sessionOf(await signIn())
    const bob = await control.join('bob@example.com', 'developer')
    const end = (id: string, session: Session) =>
      control.call('POST', `/v1/sessions/${id}/end`, { session, body: { password } })
    expect(codeOf(await end(second.id, bob))).toEqual([404, 'not_found'])
    expect((await end(second.id, ada)).body).toMatchObject({ id: second.id, isCurrent: false })
    expect(codeOf(await whoami(second))).toEqual([401, 'session_ended'])
    expect((await end(bob.id, ada)).status).toBe(200)
    expect(codeOf(await whoami(bob))).toEqual([401, 'session_ended'])
  })

  it('ending the session of another browser requires the password, and ending the current session does not', async () => {
    const second = sessionOf(await signIn())
    const end = (id: string, body: object, session = ada) =>
      control.call('POST', `/v1/sessions/${id}/end`, { session, body })
    expect(codeOf(await end(second.id, {}))).toEqual([403, 'wrong_password'])
    expect(codeOf(await end(second.id, { password: 'not the right one' }))).toEqual([403, 'wrong_password'])
    expect((await whoami(second)).status).toBe(200)
    expect((await end(second.id, {}, second)).status).toBe(200)
    expect(codeOf(await whoami(second))).toEqual([401, 'session_ended'])
    // A request with a token needs no password, so that scripts can end sessions.
    const byToken = await control.call('POST', `/v1/sessions/${ada.id}/end`, { body: {} })
    expect(byToken.status, byToken.text).toBe(200)
  })

  it('signing out clears the data that the page has stored in the browser, and keeps the cookies of sibling hosts', async () => {
    const answer = await control.call('DELETE', '/v1/sessions/current', { session: ada })
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"')
  })

  it('a new sign-in ends the previous session of the browser', async () => {
    const second = sessionOf(await signIn({}, { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' }))
    expect(codeOf(await whoami(ada))).toEqual([401, 'session_ended'])
    expect((await whoami(second)).status).toBe(200)
    await signIn({ password: 'not the right one' }, { cookie: second.cookie })
    expect((await whoami(second)).status).toBe(200)
  })

  it('a member lists their own sessions, while an admin and a token see all sessions', async () => {
    const bob = await control.join('bob@example.com', 'developer')
    const ids = async (query: string, options: object) =>
      (await control.call('GET', `/v1/sessions${query}`, options)).body.data?.map(({ id }: Session) => id)
    expect(await ids('', { session: bob })).toEqual([bob.id])
    expect(await ids('?email=bob@example.com', { session: bob })).toEqual([bob.id])
    expect(await ids('', { session: ada })).toEqual([ada.id])
    expect(await ids('?email=bob@example.com', { session: ada })).toEqual([bob.id])
    expect(await ids('', {})).toEqual([bob.id, ada.id])
    const others = await control.call('GET', `/v1/sessions?email=${email}`, { session: bob })
    expect(codeOf(others)).toEqual([403, 'role_required'])
    const stranger = await control.found('Other')
    expect(await ids('', { token: stranger })).toEqual([])
    expect(
      codeOf(await control.call('POST', `/v1/sessions/${ada.id}/end`, { token: stranger, body: {} })),
    ).toEqual([404, 'not_found'])
  })

  it('a new password ends all other sessions, and the old password is no longer valid', async () => {
    const second = sessionOf(await signIn())
    const newPassword = 'another long one'
    const change = (currentPassword: string) =>
      control.call('POST', '/v1/sessions/password', { session: ada, body: { currentPassword, newPassword } })
    expect(codeOf(await change('not the right one'))).toEqual([403, 'wrong_password'])
    expect((await change(password)).status).toBe(200)
    expect((await whoami(ada)).status).toBe(200)
    expect(codeOf(await whoami(second))).toEqual([401, 'session_ended'])
    expect(codeOf(await signIn())).toEqual([401, 'sign_in_failed'])
    expect((await signIn({ password: newPassword })).status).toBe(200)
  })

  it('a password that is easy to guess is rejected with the reason', async () => {
    const change = (newPassword: string) =>
      control.call('POST', '/v1/sessions/password', {
        session: ada,
        body: { currentPassword: password, newPassword },
      })
    for (const [weak, reason] of [
      ['            ', 'newPassword must not consist of spaces.'],
      ['tollgatetollgate', 'newPassword must not be the same text repeated.'],
      [email, 'newPassword must not be your email address.'],
      ['123456789012', 'newPassword must not be a sequence of characters or adjacent keys.'],
      ['qwertyuiop12', 'newPassword must not be a sequence of characters or adjacent keys.'],
    ] as const) {
      const answer = await change(weak)
      expect(codeOf(answer)).toEqual([400, 'invalid_request'])
      expect(answer.body.error.param).toBe('newPassword')
      expect(answer.body.error.message).toContain(reason)
    }
    expect((await signIn()).status).toBe(200)
  })

  it('only one of two concurrent password changes succeeds', async () => {
    const second = sessionOf(await signIn())
    const change = (session: Session, newPassword: string) =>
      control.call('POST', '/v1/sessions/password', {
        session,
        body: { currentPassword: password, newPassword },
      })
    const answers = await Promise.all([
      change(ada, 'the first long one'),
      change(second, 'the second long one'),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('threat 100: a change made with a session', () => {
  const csrf = (session: Session) => ({ 'x-csrf-token': session.csrfToken })
  const host = 'localhost:8080'
  const origin = `http://${host}`
  const asBrowser = (method: string, path: string, headers: Record<string, string>) =>
    control.call(method, path, { token: null, headers: { cookie: ada.cookie, host, ...headers } })

  it('a change requires a page of this host and the session’s own token', async () => {
    const other = sessionOf(await signIn())
    const sample: readonly (readonly [Record<string, string>, number])[] = [
      [{}, 403],
      [csrf(ada), 403],
      [{ origin }, 403],
      [{ 'sec-fetch-site': 'same-origin' }, 403],
      [{ origin: 'https://evil.example', ...csrf(ada) }, 403],
      [{ origin: 'null', ...csrf(ada) }, 403],
      [{ origin: 'http://localhost:9090', ...csrf(ada) }, 403],
      [{ origin, ...csrf(other) }, 403],
      [{ origin, 'x-csrf-token': '' }, 403],
      [{ origin, 'x-csrf-token': `${ada.csrfToken}x` }, 403],
      [{ 'sec-fetch-site': 'cross-site', origin, ...csrf(ada) }, 403],
      [{ 'sec-fetch-site': 'same-site', ...csrf(ada) }, 403],
      [{ 'sec-fetch-site': 'none', ...csrf(ada) }, 403],
      [{ origin, ...csrf(ada) }, 200],
      [{ 'sec-fetch-site': 'same-origin', ...csrf(ada) }, 200],
    ]
    for (const [headers, status] of sample) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await asBrowser('PUT', '/v1/apps/acme', {
        ...headers,
        'content-type': 'application/json',
      })
      // A request that passes the cross-site check fails later with another error, because the test sends no body.
      const isPast = answer.body.error?.code !== 'cross_site_request'
      expect([headers, isPast]).toEqual([headers, status === 200])
    }
  })

  it('every operation that is not a GET requires the token, and nothing changes without it', async () => {
    const full = await openControl()
    const ids = await filled(full)
    const before = await full.dump()
    for (const operation of operations) {
      // The rules for an end user's session at a portal are different (portal-sessions-data-and-actions.test.ts).
      if (operation.method === 'GET' || operation.scope === 'public' || operation.scope === 'end_user')
        continue
      const sample = sampleOf(operation, ids)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await full.call(operation.method, urlOf(operation, sample), {
        token: null,
        headers: { cookie: ids.owner.cookie },
        ...(sample.body && operation.input.body && { body: sample.body }),
      })
      expect([operation.id, ...codeOf(answer)]).toEqual([operation.id, 403, 'cross_site_request'])
    }
    expect(await full.dump()).toBe(before)
    await full.close()
  })

  it('reads do not require the token, and the page receives its token from a read', async () => {
    const answer = await asBrowser('GET', '/v1/sessions/current', {})
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-csrf-token')).toBe(ada.csrfToken)
    expect(answer.body.csrfToken).toBe(ada.csrfToken)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('operations that only a signed-in member may call', () => {
  for (const operation of operations.filter(({ isForPeople }) => isForPeople)) {
    it(`${operation.id} rejects a token`, async () => {
      const ids = await filled(control)
      const sample = sampleOf(operation, ids)
      const before = await control.dump()
      const answer = await control.call(operation.method, urlOf(operation, sample), {
        token: control.token,
        ...(sample.body && { body: sample.body }),
      })
      expect(codeOf(answer)).toEqual([403, 'session_required'])
      expect(await control.dump()).toBe(before)
    })
  }
})
