import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dayMs } from '#money/periods-and-windows.ts'
import type { PortalSession } from '#domain/portal-settings-and-sessions.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { isOfPortal } from '#http/is-served-by-portal.ts'
import { operations } from '#operations/index.ts'
import {
  openControl,
  password,
  ready as readyApplication,
  sessionOf,
  type Control,
  type Session,
} from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'
import {
  filled,
  handOff,
  NotReserved,
  portalKeysAllowed,
  reserveCall,
  sampleOf,
  send,
  settleCall,
  signIn,
  urlOf,
} from '../support/valid-request-of-every-operation.ts'

let control: Control
beforeEach(async () => {
  control = await openControl({ pages: { html: () => document, asset: () => null } })
})
afterEach(() => control.close())

const gift = { endUsers: ['user-1'], amountUnits: '1000000', reason: 'gift' }

async function ready(one: Control, slug = 'acme'): Promise<void> {
  await readyApplication(one, slug)
  const { status } = await one.call('PATCH', '/v1/portal-settings', { app: slug, body: portalKeysAllowed })
  expect(status).toBe(200)
}

const document =
  '<!doctype html><head><title>Portal</title><link rel="icon" href="/favicon.ico" /><script src="/assets/portal.js"></script></head>'
const host = 'acme.portal.localhost:8080'
const ownPage = { host, origin: `http://${host}` }

interface Signed {
  readonly csrfToken: string
  readonly cookie: string
}

const redeemAt = (token: string, slug = 'acme', headers: Record<string, string> = ownPage) =>
  control.portal(slug).call('POST', '/v1/portal-sessions/redeem', { body: { token }, headers })

async function browser(endUserId = 'user-1', slug = 'acme'): Promise<Signed> {
  const answer = await redeemAt(await handOff(control, endUserId, { app: slug }), slug)
  expect(answer.status, answer.text).toBe(200)
  const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  return { csrfToken: answer.body.csrfToken, cookie: pair }
}

const at = (
  signed: Signed,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) =>
  control.portal('acme').call(method, path, {
    ...(body !== undefined && { body }),
    headers: {
      ...ownPage,
      cookie: signed.cookie,
      ...(method !== 'GET' && { 'x-csrf-token': signed.csrfToken }),
      ...headers,
    },
  })

const codeOf = ({ body, status }: Answer): unknown => [status, body.error?.code]
const refusedSession = [401, 'portal_session_required']

describe('a sign-in link', () => {
  beforeEach(() => ready(control))

  it('a sign-in link opens the portal of its application, with the token in the fragment', async () => {
    const body = { endUserId: 'user-1', returnPath: '/usage' }
    const { body: link } = await control.call('POST', '/v1/portal-sessions', { body })
    const url = new URL(link.url)
    expect([url.origin, url.pathname, url.search]).toEqual([`http://${host}`, '/', ''])
    expect(url.hash).toMatch(/^#handoff=ph_[\w-]{43}$/)
    expect(link.localUrl).toBe(`http://127.0.0.1:8102/${url.hash}`)
    expect(link.expiresAt).toBe(new Date(control.clock.nowMs + 60_000).toISOString())
    expect(await control.dump()).not.toContain(url.hash.replace('#handoff=', ''))
  })

  it('a sign-in link works once, opens the page that it names, and signs in its end user in its mode', async () => {
    const body = { endUserId: 'user-1', returnPath: '/usage?range=30d' }
    const link = await control.call('POST', '/v1/portal-sessions', { body, mode: 'test' })
    const answer = await redeemAt(new URL(link.body.url).hash.replace('#handoff=', ''))
    expect(answer.body).toEqual({
      endUserId: 'user-1',
      application: 'acme',
      livemode: false,
      returnPath: '/usage?range=30d',
      expiresAt: new Date(control.clock.nowMs + dayMs).toISOString(),
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
    })
    const [cookie = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ')
    expect(cookie).toMatch(/^__Host-tollgate_portal=ps_[\w-]{43}$/)
    expect(attributes).toEqual(['Path=/', 'Max-Age=86400', 'Secure', 'HttpOnly', 'SameSite=Lax'])
    expect(await control.dump()).not.toContain(cookie.split('=')[1])
    const signed = { cookie, csrfToken: answer.body.csrfToken }
    expect((await at(signed, 'GET', '/v1/portal/account')).body).toMatchObject({
      endUserId: 'user-1',
      livemode: false,
      session: { csrfToken: signed.csrfToken },
    })
  })

  it('threat 104: a sign-in redirects to a path of the portal and to no other address', async () => {
    for (const returnPath of [
      '//evil.example',
      '/\\evil.example',
      'https:evil.example',
      '/%2f%2fevil.example',
    ]) {
      const body = { endUserId: 'user-1', returnPath }
      const answer = await control.call('POST', '/v1/portal-sessions', { body })
      expect(codeOf(answer)).toEqual([400, 'invalid_request'])
      expect(answer.body.error.param).toBe('returnPath')
    }
    expect((await redeemAt(await handOff(control, 'user-1'))).body.returnPath).toBe('/')
  })

  it('threat 105: a sign-in link that is used, expired, unknown, malformed or for another portal returns the same error', async () => {
    await control.call('PUT', '/v1/apps/beta', { body: { name: 'Beta' } })
    const link = () => handOff(control, 'user-1', { app: 'acme' })
    const used = await link()
    await redeemAt(used)
    const late = await link()
    control.clock.nowMs += 60_000
    const refusals = [
      await redeemAt(used),
      await redeemAt(late),
      await redeemAt(await link(), 'beta'),
      await redeemAt(`ph_${'x'.repeat(43)}`),
      await redeemAt('nonsense'),
      await redeemAt((await browser()).cookie.split('=')[1] ?? ''),
    ]
    const [first] = refusals
    expect(codeOf(first as Answer)).toEqual([401, 'invalid_handoff'])
    for (const refusal of refusals) {
      const { requestId: _, ...error } = refusal.body.error
      expect(error).toEqual({ ...first?.body.error, requestId: undefined })
      expect(refusal.headers.has('set-cookie')).toBe(false)
    }
    const own = await link()
    await redeemAt(own, 'beta')
    expect((await redeemAt(own)).status).toBe(200)
  })

  it('threat 105: no sign-in link is created for deleted end users or archived applications', async () => {
    const token = await handOff(control, 'user-1')
    await control.database.transaction((tx) =>
      tx.updateTable('end_users').set({ removed_at_ms: 1 }).execute(),
    )
    expect(codeOf(await redeemAt(token))).toEqual([401, 'invalid_handoff'])
    await control.database.transaction((tx) =>
      tx.updateTable('end_users').set({ removed_at_ms: null }).execute(),
    )
    await control.database.transaction((tx) =>
      tx.updateTable('applications').set({ archived_at_ms: 1 }).execute(),
    )
    expect(codeOf(await redeemAt(token))).toEqual([410, 'application_archived'])
    const body = { token }
    const headless = await control.call('POST', '/v1/portal-sessions/redeem', { token: null, body })
    expect(codeOf(headless)).toEqual([401, 'invalid_handoff'])
  })

  it('when a member is removed or gets a lower role, the portal links and sessions that the member opened end', async () => {
    await ready(control)
    const open = async (given: object): Promise<string> => {
      const answer = await control.call('POST', '/v1/portal-sessions', {
        ...given,
        body: { endUserId: 'user-1', access: 'write' },
      })
      expect(answer.status, answer.text).toBe(200)
      return new URL(answer.body.url).hash.replace('#handoff=', '')
    }
    const redeem = (token: string) =>
      control.call('POST', '/v1/portal-sessions/redeem', { token: null, body: { token } })
    const account = async (token: string) =>
      (await control.call('GET', '/v1/portal/account', { token })).status
    const byProgram = (await redeem(await open({}))).body.sessionToken
    const endings: [string, string, object?][] = [
      ['DELETE', '/v1/team/ada@example.com'],
      ['PATCH', '/v1/team/bob@example.com', { role: 'viewer' }],
    ]
    for (const [method, path, body] of endings) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const session = await control.join(path.slice('/v1/team/'.length), 'developer')
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [used, unused] = [await open({ session }), await open({ session })]
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { sessionToken } = (await redeem(used)).body
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await account(sessionToken)).toBe(200)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await control.call(method, path, { ...(body && { body }) })).status).toBe(200)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([path, await account(sessionToken)]).toEqual([path, 401])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(codeOf(await redeem(unused))).toEqual([401, 'invalid_handoff'])
    }
    expect(await account(byProgram)).toBe(200)
  })

  it('when a session of a member is ended, the portal links and sessions that the member opened end', async () => {
    await ready(control)
    const email = 'ada@example.com'
    const other = await control.join('bob@example.com', 'developer')
    const first = await control.join(email, 'developer')
    const again = async (): Promise<Session> => {
      const body = { email, password }
      return sessionOf(await control.call('POST', '/v1/sessions', { token: null, body }))
    }
    const open = async (session: Session): Promise<string> => {
      const body = { endUserId: 'user-1', access: 'write' }
      const answer = await control.call('POST', '/v1/portal-sessions', { session, body })
      expect(answer.status, answer.text).toBe(200)
      return new URL(answer.body.url).hash.replace('#handoff=', '')
    }
    const redeem = (token: string) =>
      control.call('POST', '/v1/portal-sessions/redeem', { token: null, body: { token } })
    const account = async (token: string) =>
      (await control.call('GET', '/v1/portal/account', { token })).status
    const kept = (await redeem(await open(other))).body.sessionToken
    const newPassword = 'another long one'
    const endings: [name: string, end: (intruder: Session) => Promise<Answer>][] = [
      [
        'sessions.end',
        ({ id }) => control.call('POST', `/v1/sessions/${id}/end`, { session: first, body: { password } }),
      ],
      ['sessions.endCurrent', (session) => control.call('DELETE', '/v1/sessions/current', { session })],
      [
        'sessions.password',
        () =>
          control.call('POST', '/v1/sessions/password', {
            session: first,
            body: { currentPassword: password, newPassword },
          }),
      ],
    ]
    for (const [name, end] of endings) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const intruder = await again()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [used, unused] = [await open(intruder), await open(intruder)]
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { sessionToken } = (await redeem(used)).body
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([name, await account(sessionToken)]).toEqual([name, 200])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([name, (await end(intruder)).status]).toEqual([name, 200])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([name, await account(sessionToken)]).toEqual([name, 401])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect([name, codeOf(await redeem(unused))]).toEqual([name, [401, 'invalid_handoff']])
    }
    expect(await account(kept)).toBe(200)
  })

  /** Signs a device in, opens a portal session with the device's token, and creates a link that is not used yet. */
  async function visitOfDevice(session: Session) {
    const started = await control.call('POST', '/v1/device-auth', { token: null, body: {} })
    const { deviceCode, userCode } = started.body
    const body = { userCode, approve: true }
    expect((await control.call('POST', '/v1/device-auth/approve', { session, body })).status).toBe(200)
    const polled = await control.call('POST', '/v1/device-auth/token', { token: null, body: { deviceCode } })
    expect(polled.status, polled.text).toBe(200)
    const deviceToken: string = polled.body.token
    const open = async (): Promise<string> => {
      const link = await control.call('POST', '/v1/portal-sessions', {
        token: deviceToken,
        body: { endUserId: 'user-1' },
        app: 'acme',
      })
      expect(link.status, link.text).toBe(200)
      return new URL(link.body.url).hash.replace('#handoff=', '')
    }
    const redeem = (token: string) =>
      control.call('POST', '/v1/portal-sessions/redeem', { token: null, body: { token } })
    const [redeemed, unused] = [await redeem(await open()), await open()]
    return {
      deviceToken,
      account: () => control.call('GET', '/v1/portal/account', { token: redeemed.body.sessionToken }),
      redeemUnused: () => redeem(unused),
    }
  }

  it('when a device token is revoked, the portal sessions and links of the member’s device tokens end', async () => {
    await ready(control)
    const session = await control.join('ada@example.com', 'developer')
    const other = await visitOfDevice(await control.join('bob@example.com', 'developer'))
    const { body: backend } = await control.call('POST', '/v1/portal-sessions/redeem', {
      token: null,
      body: { token: await handOff(control, 'user-1') },
    })
    const visit = await visitOfDevice(session)
    const { data } = (await control.call('GET', '/v1/application-keys', { token: visit.deviceToken })).body
    const lastFour = visit.deviceToken.slice(-4)
    const id = data.find((token: Answer['body']) => token.lastFour === lastFour && token.memberId !== null).id
    const revoke = () => control.call('DELETE', `/v1/application-keys/${id}`)
    expect((await revoke()).status).toBe(200)
    expect(codeOf(await visit.account())).toEqual(refusedSession)
    expect(codeOf(await visit.redeemUnused())).toEqual([401, 'invalid_handoff'])
    // Sessions of other members, and sessions that a program opened with a token of the organization, continue.
    expect((await other.account()).status).toBe(200)
    const ofBackend = await control.call('GET', '/v1/portal/account', { token: backend.sessionToken })
    expect(ofBackend.status).toBe(200)
    // A repeated revocation changes nothing, also not the visits of another token of the member.
    const next = await visitOfDevice(session)
    expect((await revoke()).status).toBe(200)
    expect((await next.account()).status).toBe(200)
  })

  it('when a member is removed, portal sessions that a device token of the member opened end', async () => {
    await ready(control)
    const session = await control.join('ada@example.com', 'developer')
    const { account } = await visitOfDevice(session)
    expect((await account()).body).toMatchObject({ readOnly: false, openedBy: null })
    // Signing out ends no token, and therefore no portal session that a token opened.
    expect((await control.call('DELETE', '/v1/sessions/current', { session })).status).toBe(200)
    expect((await account()).status).toBe(200)
    expect((await control.call('DELETE', '/v1/team/ada@example.com')).status).toBe(200)
    expect(codeOf(await account())).toEqual(refusedSession)
  })

  it('threat 100: a page of another site cannot redeem a sign-in link', async () => {
    const token = await handOff(control, 'user-1')
    for (const headers of [
      { host, origin: 'https://evil.example' },
      { host, origin: 'null' },
      { host, 'sec-fetch-site': 'cross-site' },
      { host, 'sec-fetch-site': 'same-site', origin: 'http://beta.portal.localhost:8080' },
    ]) {
      expect(codeOf(await redeemAt(token, 'acme', headers as Record<string, string>))).toEqual([
        403,
        'cross_site_request',
      ])
    }
    // A program that is not a browser sends no `Origin` header.
    expect((await redeemAt(token, 'acme', { host })).status).toBe(200)
  })
})

describe.each(testedEngines)('threat 105 on %s', (engine) => {
  it('only one of twenty concurrent redemptions of a sign-in link succeeds', async () => {
    const other = await openControl({ engine })
    await ready(other)
    const token = await handOff(other, 'user-1')
    const one = other.sibling()
    const redeem = (to: Pick<Control, 'call'>) =>
      to.call('POST', '/v1/portal-sessions/redeem', { token: null, body: { token } })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) => redeem(place % 2 === 0 ? other : one)),
    )
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array<number>(19).fill(401)])
    const sessions = await other.database.read.selectFrom('portal_sessions').selectAll().execute()
    expect(sessions).toHaveLength(1)
    await other.close()
  })
})

describe('a session', () => {
  beforeEach(() => ready(control))

  it('the portal accepts a session only from a cookie, and the control plane only from a secret', async () => {
    const secret = await signIn(control, 'user-1')
    const { cookie } = await browser()
    const headless = await control.call('GET', '/v1/portal/account', { token: secret })
    expect(headless.body.session.csrfToken).toBeNull()
    const path = '/v1/portal/account'
    // The portal rejects the secret, and the control plane rejects the cookie.
    expect(codeOf(await control.call('GET', path, { token: null, headers: { cookie } }))).toEqual(
      refusedSession,
    )
    const bearer = { headers: { authorization: `Bearer ${secret}` } }
    expect(codeOf(await control.portal('acme').call('GET', path, bearer))).toEqual(refusedSession)
    // A secret at the control plane needs no `Origin` header, because no browser sends the secret automatically.
    expect((await control.call('POST', '/v1/portal/sign-out', { token: secret })).status).toBe(200)
  })

  it('a session ends after an hour without use, after a day, or at a sign-out', async () => {
    const token = await signIn(control, 'user-1')
    const account = () => control.call('GET', '/v1/portal/account', { token })
    control.clock.nowMs += 3_599_999
    expect((await account()).status).toBe(200)
    control.clock.nowMs += 3_599_999
    expect((await account()).status).toBe(200)
    control.clock.nowMs += 3_600_000
    expect(codeOf(await account())).toEqual(refusedSession)

    const used = await signIn(control, 'user-1')
    for (let hours = 0; hours < 47; hours++) {
      control.clock.nowMs += 1_800_000
      expect((await control.call('GET', '/v1/portal/account', { token: used })).status).toBe(200)
    }
    control.clock.nowMs += 1_800_000
    expect(codeOf(await control.call('GET', '/v1/portal/account', { token: used }))).toEqual(refusedSession)

    const signed = await browser()
    const out = await at(signed, 'POST', '/v1/portal/sign-out', {})
    expect(out.headers.get('set-cookie')).toContain('__Host-tollgate_portal=; Path=/; Max-Age=0')
    expect(codeOf(await at(signed, 'GET', '/v1/portal/account'))).toEqual(refusedSession)
  })

  it('threat 107: a session ends when its end user is deleted, and does not belong to a later end user with the same ID', async () => {
    const signed = await browser()
    const token = await signIn(control, 'user-1')
    const link = await handOff(control, 'user-1')
    expect((await control.call('DELETE', '/v1/end-users/user-1')).status).toBe(200)
    await control.call('PUT', '/v1/end-users/user-1', { body: {} })
    expect(codeOf(await at(signed, 'GET', '/v1/portal/account'))).toEqual(refusedSession)
    expect(codeOf(await control.call('GET', '/v1/portal/account', { token }))).toEqual(refusedSession)
    expect(codeOf(await control.call('POST', '/v1/portal/keys', { token, body: {} }))).toEqual(refusedSession)
    expect(codeOf(await redeemAt(link))).toEqual([401, 'invalid_handoff'])
    for (const table of ['portal_links', 'portal_sessions'] as const) {
      expect(await control.database.read.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })

  it('if a session ends before its change is written, the request changes nothing', async () => {
    for (const [method, path] of [
      ['POST', '/v1/portal/sign-out'],
      ['DELETE', '/v1/end-users/user-1'],
    ] as const) {
      // The values are those of the moment when the request was admitted.
      let session: PortalSession | null = null
      let person: EndUser | null = null
      const late = await openControl({
        seenStore: (store) => ({
          ...store,
          read: {
            ...store.read,
            portals: {
              ...store.read.portals,
              session: async (hash) => (session ??= await store.read.portals.session(hash)),
            },
            endUsers: {
              ...store.read.endUsers,
              byId: async (...of) => (person ??= await store.read.endUsers.byId(...of)),
            },
          },
        }),
      })
      await ready(late)
      const token = await signIn(late, 'user-1')
      expect((await late.call('POST', '/v1/portal/keys', { token, body: {} })).status).toBe(200)
      const ended = await late.call(method, path, path.startsWith('/v1/portal') ? { token } : {})
      expect(ended.status, ended.text).toBe(200)
      expect(codeOf(await late.call('POST', '/v1/portal/keys', { token, body: {} }))).toEqual(refusedSession)
      await late.close()
    }
  })

  it('sessions are not accepted as tokens or keys, and tokens and keys are not accepted as sessions', async () => {
    const token = await signIn(control, 'user-1')
    const { body: key } = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    expect(codeOf(await control.call('GET', '/v1/whoami', { token }))).toEqual([401, 'wrong_credential_kind'])
    for (const wrong of [control.token, key.key]) {
      const answer = await control.call('GET', '/v1/portal/account', { token: wrong })
      expect(codeOf(answer)).toEqual([401, 'wrong_credential_kind'])
    }
    for (const wrong of [null, `ps_${'x'.repeat(43)}`, 'ps_', `${token}x`]) {
      expect(codeOf(await control.call('GET', '/v1/portal/account', { token: wrong }))).toEqual(
        refusedSession,
      )
    }
  })

  it('threat 100: a session changes nothing without its own origin and its own CSRF token', async () => {
    const signed = await browser()
    const other = await browser()
    const before = await control.dump()
    for (const [said, csrfToken] of [
      [{ origin: 'https://evil.example' }, signed.csrfToken],
      [{ origin: 'http://beta.portal.localhost:8080' }, signed.csrfToken],
      [{ origin: 'null' }, signed.csrfToken],
      [{ 'sec-fetch-site': 'same-site' }, signed.csrfToken],
      [{}, other.csrfToken],
      [{}, ''],
    ] as const) {
      const headers = { ...said, 'x-csrf-token': csrfToken }
      const answer = await at(signed, 'POST', '/v1/portal/keys', {}, headers)
      expect(codeOf(answer), JSON.stringify(headers)).toEqual([403, 'cross_site_request'])
    }
    const {
      host: _,
      origin: __,
      ...unsaid
    } = { ...ownPage, cookie: signed.cookie, 'x-csrf-token': signed.csrfToken }
    const silent = await control
      .portal('acme')
      .call('POST', '/v1/portal/keys', { body: {}, headers: { host, ...unsaid } })
    expect(codeOf(silent)).toEqual([403, 'cross_site_request'])
    expect(await control.dump()).toBe(before)
    expect((await at(signed, 'POST', '/v1/portal/keys', {})).status).toBe(200)
    // A read needs neither the `Origin` header nor the token, because a page of another site cannot see the response.
    expect(
      (await at(signed, 'GET', '/v1/portal/keys', undefined, { origin: 'https://evil.example' })).status,
    ).toBe(200)
  })

  it('threat 103: a session belongs to one application', async () => {
    await ready(control, 'beta')
    const signed = await browser('user-1', 'acme')
    const answer = await control.portal('beta').call('GET', '/v1/portal/account', {
      headers: { host: 'beta.portal.localhost:8080', cookie: signed.cookie },
    })
    expect(codeOf(answer)).toEqual(refusedSession)
    const twice = { headers: { ...ownPage, cookie: `${signed.cookie}; ${signed.cookie}x` } }
    expect(codeOf(await control.portal('acme').call('GET', '/v1/portal/account', twice))).toEqual(
      refusedSession,
    )
  })

  it('changes by a session are recorded in the audit log of the customer', async () => {
    await at(await browser(), 'POST', '/v1/portal/on-demand', { enabled: true, limitMicros: '5' })
    const [entry] = (await control.call('GET', '/v1/audit?operation=portal.onDemand')).body.data
    const { id } = (await control.call('GET', '/v1/end-users/user-1')).body
    expect(entry.actor).toMatchObject({ kind: 'end_user', id, label: id })
    expect(entry.resource).toBe('POST /v1/portal/on-demand')
  })

  it('a portal session that a team member opened is read-only, and shows the member’s name', async () => {
    const email = 'grace@acme.example'
    const member = await control.join(email, 'developer')
    const opened = async (access?: 'read' | 'write') => {
      const body = { endUserId: 'user-1', ...(access && { access }) }
      const link = await control.call('POST', '/v1/portal-sessions', { session: member, token: null, body })
      expect(link.status, link.text).toBe(200)
      expect(link.body.access).toBe(access ?? 'read')
      const token = new URL(link.body.url).hash.replace('#handoff=', '')
      const answer = await redeemAt(token)
      const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
      return { signed: { csrfToken: answer.body.csrfToken, cookie }, linkId: link.body.id }
    }
    const { body: person } = await control.call('GET', '/v1/end-users/user-1')
    const reading = await opened()
    expect((await at(reading.signed, 'GET', '/v1/portal/account')).body).toMatchObject({
      readOnly: true,
      openedBy: email,
    })
    const before = await control.dump()
    for (const operation of operations) {
      if (operation.scope !== 'end_user' || operation.method === 'GET') continue
      if (operation.id === 'portal.signOut') continue
      const path = operation.path.replace(/\{\w+\}/, 'key_1')
      const answer = await at(
        reading.signed,
        operation.method,
        path,
        operation.method === 'DELETE' ? undefined : {},
      )
      expect(codeOf(answer), operation.id).toEqual([403, 'portal_read_only'])
    }
    expect(await control.dump()).toBe(before)
    expect((await at(reading.signed, 'POST', '/v1/portal/sign-out', {})).status).toBe(200)

    // With write access, the audit log names the member, and the key shows the member as its creator.
    const writing = await opened('write')
    expect((await at(writing.signed, 'GET', '/v1/portal/account')).body).toMatchObject({
      readOnly: false,
      openedBy: email,
    })
    const minted = await at(writing.signed, 'POST', '/v1/portal/keys', {})
    expect(minted.status, minted.text).toBe(200)
    const [made] = (await control.call('GET', '/v1/audit?operation=portal.mintKey')).body.data
    expect(made.actor).toMatchObject({
      kind: 'member',
      label: `member ${email} in the portal of ${person.id}`,
    })
    const { data: keys } = (await control.call('GET', '/v1/keys')).body
    expect(keys.find(({ id }: { id: string }) => id === minted.body.id)).toMatchObject({
      actorType: 'end_user',
      actorLabel: email,
    })
    const links = (await control.call('GET', '/v1/audit?operation=portal.link')).body.data
    expect(links[0]).toMatchObject({
      actor: { kind: 'member', label: email },
      after: { id: writing.linkId, endUserId: 'user-1', access: 'write' },
    })

    // The application may request a read-only session.
    expect((await at(await browser(), 'GET', '/v1/portal/account')).body).toMatchObject({
      readOnly: false,
      openedBy: null,
    })
  })

  it('an Idempotency-Key in a session is valid only for its end user', async () => {
    await control.call('PUT', '/v1/end-users/user-2', { body: {} })
    const headers = { 'idempotency-key': 'same' }
    const body = { enabled: true, limitMicros: '5' }
    const set = (token: string) => control.call('POST', '/v1/portal/on-demand', { token, headers, body })
    const one = await signIn(control, 'user-1')
    expect((await set(one)).headers.has('idempotent-replayed')).toBe(false)
    expect((await set(await signIn(control, 'user-2'))).headers.has('idempotent-replayed')).toBe(false)
    expect((await set(one)).headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('the host of a portal', () => {
  it('threat 103: the host of a portal serves only its own operations of the control plane', async () => {
    const ids = await filled(control)
    const session = await browser()
    for (const operation of operations) {
      const answer = await control
        .portal('acme')
        .call(operation.method, urlOf(operation, sampleOf(operation, ids)), {
          headers: { ...ownPage, cookie: session.cookie, authorization: `Bearer ${control.token}` },
        })
      if (isOfPortal(operation)) expect(answer.body.error?.code, operation.id).not.toBe('no_such_path')
      else {
        // 405 means that the portal has an operation with this path and another method.
        expect([404, 405], operation.id).toContain(answer.status)
        if (answer.status === 404)
          expect(answer.body.error.message).toContain('This host is the portal of an application')
      }
    }
    for (const path of ['/v1/openapi.json', '/reference', '/readyz', '/v1/tenant', '/health', '/nothing']) {
      expect((await control.portal('acme').call('GET', path, { headers: { host } })).status, path).toBe(404)
    }
    const probe = await control.portal('acme').call('GET', '/healthz', { headers: { host } })
    expect(probe.body).toEqual({ status: 'ok' })
    const wrong = await control.portal('acme').call('POST', '/', { headers: { host } })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('the host of a portal selects its own application, and no other application', async () => {
    const { keyCode } = await filled(control)
    await control.call('PUT', '/v1/apps/beta', { body: { name: 'Beta' } })
    const path = `/v1/portal-applications/${keyCode}`
    const own = await control.portal('acme').call('GET', path)
    expect(Object.keys(own.body).toSorted()).toEqual(['brand', 'localPortal', 'name', 'portal'])
    expect(own.body).toMatchObject({ name: 'acme', portal: `http://${host}`, brand: { productName: 'acme' } })
    expect((await control.call('GET', path, { token: null })).body).toEqual(own.body)
    expect((await control.portal('beta').call('GET', path)).status).toBe(404)
    await control.database.transaction((tx) =>
      tx.updateTable('applications').set({ archived_at_ms: 1 }).execute(),
    )
    expect((await control.portal('acme').call('GET', path)).status).toBe(410)
    expect((await control.call('GET', path, { token: null })).status).toBe(404)
    expect((await control.portal('acme').call('GET', '/')).status).toBe(410)
  })

  it('threat 101: the application’s name is shown as text, on a page that has no inline code and cannot be framed', async () => {
    await ready(control)
    const names = [
      '<img src=x onerror=alert(1)>',
      '</style><script>alert(1)</script>',
      '"&\'',
      '\u202egnp.exe',
    ]
    for (const productName of names) {
      await control.call('PATCH', '/v1/brand', { body: { productName, primaryColor: '#2563EB' } })
      const { headers, text } = await control.portal('acme').call('GET', '/', { headers: { host } })
      const escape = (one: string): string =>
        one.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      expect(text).toContain(`<title>${escape(productName)}</title>`)
      expect(text.match(/<(?:script|img|style)[^>]*>/gi)).toEqual(['<script src="/assets/portal.js">'])
      const [, brand = ''] = /<meta name="brand" content="([^"]*)" \/>/.exec(text) ?? []
      const told = JSON.parse(brand.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))))
      expect(told).toMatchObject({ productName, primaryColor: '#2563eb', textColor: '#ffffff', logo: null })
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('cache-control')).toBe('no-cache')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      const [path = ''] = /\/brand\.css\?v=[0-9a-f]{16}/.exec(text) ?? []
      const style = await control.portal('acme').call('GET', path, { headers: { host } })
      expect(style.text).toContain('--brand:light-dark(#2563eb,')
      expect(style.headers.get('content-type')).toBe('text/css')
    }
  })

  it('threat 101: a support address that is not an http address, such as a script, is rejected', async () => {
    await ready(control)
    for (const supportUrl of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://a.example',
      '//evil',
      'https://',
    ]) {
      const answer = await control.call('PATCH', '/v1/brand', { body: { supportUrl } })
      expect(codeOf(answer), supportUrl).toEqual([400, 'invalid_request'])
    }
    expect(
      (await control.call('PATCH', '/v1/brand', { body: { supportUrl: 'https://help.acme.example/x' } }))
        .status,
    ).toBe(200)
  })
})

describe('the data that an end user sees', () => {
  /** The response must contain none of these texts, because the portal hides this data from the end user. */
  const canaries = [
    'canary-account',
    'canary-upstream',
    'canary.example',
    'canary-label',
    'canary-person',
    '777000777',
  ]

  async function world(): Promise<{ token: string; callId: string; openCallId: string; foreign: string[] }> {
    const steps: readonly (readonly [string, string, unknown?])[] = [
      ['PUT', '/v1/apps/acme', { name: 'acme' }],
      ['PATCH', '/v1/portal-settings', portalKeysAllowed],
      [
        'PUT',
        '/v1/providers/canary-account',
        { kind: 'openai_compatible', baseUrl: 'https://canary.example/v1', apiKey: 'sk-upstream-0001' },
      ],
      [
        'POST',
        '/v1/providers/canary-account/price',
        { model: 'canary-upstream', price: { input: '777000777', output: '777000777' } },
      ],
      [
        'PUT',
        '/v1/models/acme/smart',
        { sources: [{ provider: 'canary-account', model: 'canary-upstream' }] },
      ],
      [
        'PUT',
        '/v1/bundles/free',
        { displayName: 'Free', debitBasis: 'sell_price', spendLimitMicros: '5000000' },
      ],
      ['POST', '/v1/bundles/free/allow', { models: ['acme/*'] }],
      [
        'POST',
        '/v1/bundles/free/price',
        { model: 'acme/smart', price: { input: '1000000', output: '4000000' } },
      ],
      ['PUT', '/v1/outcomes/report', { displayName: 'Report', ceilingMicros: '5000000' }],
      ['PUT', '/v1/end-users/user-1', { email: 'one@example.com' }],
      ['PUT', '/v1/teams/own', { displayName: 'Own', payer: 'user-1' }],
      ['PUT', '/v1/end-users/canary-person', { email: 'canary-person@example.com' }],
      ['POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' }],
      [
        'POST',
        '/v1/grants',
        { endUsers: ['canary-person'], amountUnits: '1000000', reason: 'for canary-person' },
      ],
    ]
    for (const [method, path, body] of steps) {
      const answer = await control.call(method, path, { body })
      expect(answer.status, answer.text).toBe(200)
    }
    const minter = await control.call('POST', '/v1/application-keys', { body: { label: 'canary-label' } })
    const mint = (endUserId: string) =>
      control.call('POST', '/v1/keys', { token: minter.body.token, body: { endUserId } })
    const key = await mint('user-1')
    const other = await mint('canary-person')
    const target = { accountId: 'pa_canary-account', provider: 'canary-account', model: 'canary-upstream' }
    const cost = { input: 777_000_777n, output: 777_000_777n }
    const terms = { target, cost, basis: 'sell_price' as const }
    const callId = await reserveCall(control, 'acme', key.body.id, undefined, terms)
    await settleCall(control, 'acme', callId, {
      auth: { label: 'canary-label' },
      route: { account: 'canary-account', model: 'canary-upstream' },
      attempts: [{ status: 200, account: 'canary-account' }],
      refusal: { provider: 'canary-account' },
    })
    const openCallId = await reserveCall(control, 'acme', key.body.id, undefined, terms)
    const theirs = await reserveCall(control, 'acme', other.body.id, null, terms)
    await settleCall(control, 'acme', theirs)
    const person = await control.call('GET', '/v1/end-users/canary-person')
    const application = await control.store.read.applications.bySlug('acme')
    return {
      token: await signIn(control, 'user-1'),
      callId,
      openCallId,
      foreign: [other.body.id, person.body.id, theirs, minter.body.id, application?.organizationId ?? ''],
    }
  }

  const reads = (callId: string) => [
    ...operations
      .filter(({ method, path, scope }) => scope === 'end_user' && method === 'GET' && !path.includes('{'))
      .map(({ path }) => path),
    '/v1/portal/ledger?source=all',
    `/v1/portal/requests/req_${callId}`,
  ]

  it('an end user sees only their own data: no cost, no margin, no provider, no other end user', async () => {
    const { callId, foreign, openCallId, token } = await world()
    // The texts are in the customer's explanation, so the search would find them in the portal, too.
    const explained = await control.call('GET', `/v1/requests/req_${callId}`)
    for (const canary of ['canary-account', 'canary-upstream', '777000777'])
      expect(explained.text).toContain(canary)
    const changes = [
      ['POST', '/v1/portal/keys', { name: 'mine' }],
      ['POST', '/v1/portal/on-demand', { enabled: true, limitMicros: '5' }],
    ] as const
    const texts = []
    for (const path of [...reads(callId), `/v1/portal/requests/req_${openCallId}`]) {
      const answer = await control.call('GET', path, { token })
      expect([path, answer.status], answer.text).toEqual([path, 200])
      texts.push(answer.text)
    }
    for (const [method, path, body] of changes)
      texts.push((await control.call(method, path, { token, body })).text)
    const text = texts.join('\n')
    for (const canary of [...canaries, ...foreign]) expect(text, canary).not.toContain(canary)
    // The charge is 150 tokens at the price of the marked model.
    const { settlement } =
      (await control.store.read.requests.story(await applicationId(), 'live', callId)) ?? {}
    expect(settlement?.costMicros).toBeGreaterThan(100_000n)
    expect(text).not.toContain(String(settlement?.costMicros))
    expect(text).not.toContain(String((settlement?.costMicros ?? 0n) - (settlement?.billedMicros ?? 0n)))
    // The response may state who counted the tokens, but not the provider's name.
    const words = text.replaceAll('provider_reported', '').replaceAll('The provider counted', '')
    expect(words).not.toMatch(/cost|margin|provider|overHold|upstream/i)
  })

  const applicationId = async () => (await control.store.read.applications.bySlug('acme'))?.id ?? ''

  it('an end user sees the model names of the plan, at the charged price, and the gateway’s address', async () => {
    const { token } = await world()
    const models = async () => (await control.call('GET', '/v1/portal/models', { token })).body
    const price = { input: '1000000', output: '4000000' }
    expect(await models()).toEqual({
      gateway: 'http://acme.gateway.localhost:8080',
      localGateway: 'http://127.0.0.1:8101',
      models: [{ requestedModel: 'acme/smart', price }],
    })
    const set = async (method: string, path: string, body?: unknown) => {
      const answer = await control.call(method, path, { body })
      expect(answer.status, answer.text).toBe(200)
    }
    // A router's name has no price until the bundle sets one, because its targets have different costs.
    const targets = [{ alias: 'acme/smart' }]
    await set('PUT', '/v1/routers/acme/routed', { policy: 'priority', targets })
    const routed = { requestedModel: 'acme/routed', price: null }
    expect((await models()).models).toEqual([routed, { requestedModel: 'acme/smart', price }])
    await set('POST', '/v1/bundles/free/price', { model: 'acme/routed', price })
    expect((await models()).models[0]).toEqual({ ...routed, price })
    // The portal hides a model name that is not allowed, not served by the gateway, or disabled.
    await set('POST', '/v1/bundles/free/deny', { models: ['acme/routed'] })
    expect((await models()).models).toHaveLength(1)
    await set('PATCH', '/v1/gateway', { models: ['acme/routed'] })
    expect((await models()).models).toEqual([])
    await set('PATCH', '/v1/gateway', { models: null })
    await set('POST', '/v1/models/acme%2Fsmart/disable')
    expect((await models()).models).toEqual([])
    await set('POST', '/v1/models/acme%2Fsmart/enable')
    await set('POST', '/v1/end-users/user-1/subscription/cancel', { atPeriodEnd: false })
    expect((await models()).models).toEqual([])
  })

  it('the account, the ledger, the usage, the receipts and the held amounts add up', async () => {
    const { callId, openCallId, token } = await world()
    const get = async (path: string) => (await control.call('GET', path, { token })).body
    // The charge is 50 input tokens at 1 micro and 100 output tokens at 4 micros. The call in flight has at most 100
    // input and 200 output tokens.
    const account = await get('/v1/portal/account')
    expect(account.balance).toEqual({
      balanceMicros: '999550',
      expiringCredit: [],
      heldMicros: '900',
      availableMicros: '998650',
      callsInFlight: 1,
    })
    expect(account).toMatchObject({
      plan: { slug: 'free', name: 'Free' },
      spendLimit: {
        limitMicros: '5000000',
        spentMicros: '450',
        period: 'month',
        resetsAt: '2026-12-01T00:00:00.000Z',
      },
      frozen: false,
      keys: { mayMint: true, capMicros: null },
    })
    const { data: entries } = await get('/v1/portal/ledger')
    const sum = entries.reduce(
      (total: bigint, { amountUnits }: { amountUnits: string }) => total + BigInt(amountUnits),
      0n,
    )
    expect([String(sum), entries[0].balanceAfterUnits]).toEqual(['999550', '999550'])
    const usage = await get('/v1/portal/usage')
    const used = {
      calls: 1,
      inputTokens: 50,
      outputTokens: 100,
      billedMicros: '450',
    }
    expect(usage).toEqual({
      from: '2026-10-22',
      to: '2026-11-21',
      rows: [{ requestedModel: 'acme/smart', ...used }],
      days: [{ date: '2026-11-20', requestedModel: 'acme/smart', ...used }],
      totals: used,
    })
    const receipt = await get(`/v1/portal/requests/req_${callId}`)
    expect(receipt).toMatchObject({
      status: 'settled',
      chargeMicros: '450',
      priceLines: [{ price: 'charge', amount: '450' }],
      settle: { chargeMicros: '450', legs: [{ sourceId: 'wallet', micros: '450' }] },
      ledger: [{ kind: 'usage_debit', amountUnits: '-450' }],
    })
    const running = await get(`/v1/portal/requests/req_${openCallId}`)
    expect(running).toMatchObject({ status: 'in_flight', settle: null, reserve: { worstMicros: '900' } })
    const listed = await get('/v1/portal/requests')
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([`req_${openCallId}`, `req_${callId}`])
  })

  it('the portal’s data is available without any credit, and when spending is stopped', async () => {
    await ready(control)
    await control.call('PUT', '/v1/end-users/poor', { body: {} })
    await control.call('PUT', '/v1/teams/own', { body: { displayName: 'Own', payer: 'poor' } })
    await control.call('POST', '/v1/end-users/poor/freeze')
    const token = await signIn(control, 'poor')
    for (const path of reads('x').filter((one) => !one.includes('req_'))) {
      const answer = await control.call('GET', path, { token })
      expect([path, answer.status], answer.text).toEqual([path, 200])
    }
    const account = await control.call('GET', '/v1/portal/account', { token })
    expect(account.body).toMatchObject({ frozen: true, balance: { availableMicros: '0' } })
  })

  it('keys, requests and receipts of another end user are not shown', async () => {
    const { token } = await world()
    const theirs = (await control.call('GET', '/v1/keys?endUserId=canary-person')).body.data[0].id
    const calls = (await control.call('GET', '/v1/requests?endUserId=canary-person')).body.data
    const before = await control.dump()
    expect(codeOf(await control.call('DELETE', `/v1/portal/keys/${theirs}`, { token }))).toEqual([
      404,
      'not_found',
    ])
    expect(codeOf(await control.call('GET', `/v1/portal/requests/${calls[0].id}`, { token }))).toEqual([
      404,
      'not_found',
    ])
    expect((await control.call('GET', `/v1/portal/requests?keyId=${theirs}`, { token })).body.data).toEqual(
      [],
    )
    expect(await control.dump()).toBe(before)
  })

  it('the portal returns data of the session’s mode, and headers cannot select another mode', async () => {
    const { token } = await world()
    const test = await signIn(control, 'user-1', { mode: 'test' })
    const balance = async (session: string, mode: 'live' | 'test') =>
      (await control.call('GET', '/v1/portal/account', { token: session, mode })).body.balance.balanceMicros
    expect([await balance(token, 'test'), await balance(test, 'live')]).toEqual(['999550', '0'])
    const key = await control.call('POST', '/v1/portal/keys', { token: test, body: {} })
    expect([key.body.livemode, key.body.key.includes('_test_')]).toEqual([false, true])
    expect(codeOf(await control.call('DELETE', `/v1/portal/keys/${key.body.id}`, { token }))).toEqual([
      404,
      'not_found',
    ])
  })
})

describe('the actions of an end user', () => {
  let token: string
  beforeEach(async () => {
    await ready(control)
    token = await signIn(control, 'user-1')
  })
  const mint = (body: object) => control.call('POST', '/v1/portal/keys', { token, body })
  const configure = (body: object) => control.call('PATCH', '/v1/portal-settings', { body })

  it('an end user can create keys with at most the rights that the application allows', async () => {
    const free = await mint({})
    expect(free.body).toMatchObject({ name: 'portal', capMicros: null, capPeriod: 'month' })
    await configure({ keyCapMicros: '100', keyCapPeriod: 'day' })
    expect((await mint({})).body).toMatchObject({ capMicros: '100', capPeriod: 'day' })
    expect((await mint({ capMicros: '99', capPeriod: 'day' })).body).toMatchObject({ capMicros: '99' })
    for (const [body, param] of [
      [{ capMicros: '101' }, 'capMicros'],
      [{ capMicros: null }, 'capMicros'],
      [{ capMicros: '1', capPeriod: 'total' }, 'capPeriod'],
    ] as const) {
      const refusal = await mint(body)
      expect([...(codeOf(refusal) as unknown[]), refusal.body.error.param]).toEqual([
        400,
        'invalid_request',
        param,
      ])
    }
    expect(codeOf(await mint({ expiresAt: '2026-11-20T12:00:00Z' }))).toEqual([400, 'invalid_request'])
    await configure({ endUsersMayMintKeys: false })
    expect(codeOf(await mint({ capMicros: '1' }))).toEqual([403, 'portal_keys_refused'])
  })

  it('an end user can create no keys until the application has set their total limit', async () => {
    await control.call('PUT', '/v1/apps/beta', { body: { name: 'Beta' } })
    const configureBeta = (body: object) =>
      control.call('PATCH', '/v1/portal-settings', { app: 'beta', body })
    expect((await control.call('GET', '/v1/portal-settings', { app: 'beta' })).body).toEqual({
      endUsersMayMintKeys: false,
      keyCapMicros: null,
      keyCapPeriod: 'month',
      keyCapsTotalMicros: null,
    })
    const undecided = await configureBeta({ endUsersMayMintKeys: true })
    expect([...(codeOf(undecided) as unknown[]), undecided.body.error.param]).toEqual([
      400,
      'invalid_request',
      'keyCapsTotalMicros',
    ])
    expect((await configureBeta({ keyCapsTotalMicros: '500' })).body).toMatchObject({
      endUsersMayMintKeys: false,
      keyCapsTotalMicros: '500',
    })
    expect((await configureBeta({ endUsersMayMintKeys: true })).status).toBe(200)
    expect((await configureBeta({ keyCapsTotalMicros: null })).body.endUsersMayMintKeys).toBe(true)
    expect((await configureBeta({ endUsersMayMintKeys: true, keyCapMicros: '5' })).status).toBe(200)
  })

  it('the caps of an end user’s keys add up to at most the total, and a revoked or expired key counts only with its spent amount', async () => {
    await control.call('POST', '/v1/grants', { body: gift })
    await configure({ keyCapsTotalMicros: '1000', keyCapPeriod: 'day' })
    const left = async () => {
      const { keys } = (await control.call('GET', '/v1/portal/account', { token })).body
      return [keys.totalMicros, keys.spentMicros, keys.leftForCapsMicros]
    }
    expect(await left()).toEqual(['1000', '0', '1000'])
    const one = await mint({ capMicros: '600' })
    expect(one.body).toMatchObject({ capMicros: '600', capPeriod: 'day' })
    expect((await mint({ capMicros: '401' })).body.error.message).toContain('capMicros must be at most 400')
    expect(codeOf(await mint({ capMicros: null }))).toEqual([400, 'invalid_request'])
    expect(codeOf(await mint({ capMicros: '1', capPeriod: 'month' }))).toEqual([400, 'invalid_request'])
    // If the cap is omitted, the key gets the maximum allowed cap.
    const rest = await mint({})
    expect(rest.body).toMatchObject({ capMicros: '400', capPeriod: 'day' })
    expect((await mint({})).body.error.message).toContain('No cap is left')
    await settleCall(control, 'acme', await reserveCall(control, 'acme', one.body.id, null))
    // When a key is revoked, the unspent part of its cap becomes available to other keys.
    await control.call('DELETE', `/v1/portal/keys/${one.body.id}`, { token })
    expect(await left()).toEqual(['1000', '450', '150'])
    expect((await mint({ capMicros: '151' })).body.error.message).toContain('at most 150')
    // A rotated key counts only once, even during its grace period.
    const rotated = await control.call('POST', `/v1/portal/keys/${rest.body.id}/rotate`, {
      token,
      body: { graceSeconds: 60 },
    })
    expect(rotated.status, rotated.text).toBe(200)
    expect(await left()).toEqual(['1000', '450', '150'])
    control.clock.nowMs += dayMs
    token = await signIn(control, 'user-1')
    expect(await left()).toEqual(['1000', '0', '600'])
  })

  it('all keys that an end user created spend at most the total together', async () => {
    await control.call('POST', '/v1/grants', { body: gift })
    await configure({ keyCapsTotalMicros: null })
    const one = await mint({})
    await configure({ keyCapsTotalMicros: '1000' })
    expect(codeOf(await mint({ capMicros: '1' }))).toEqual([400, 'invalid_request'])
    await settleCall(control, 'acme', await reserveCall(control, 'acme', one.body.id, null))
    await control.call('DELETE', `/v1/portal/keys/${one.body.id}`, { token })
    const two = await mint({})
    expect(two.body.capMicros).toBe('550')
    await settleCall(control, 'acme', await reserveCall(control, 'acme', two.body.id, null))
    await control.call('POST', `/v1/keys/${two.body.id}/cap`, { body: { capMicros: null } })
    const refused = await reserveCall(control, 'acme', two.body.id, null).catch((error: unknown) => error)
    assert(refused instanceof NotReserved)
    expect(refused.result).toMatchObject({
      code: 'spend_limit_exceeded',
      limitSource: 'portal_total',
      limit: 1000n,
      used: 900n,
    })
    const { limits } = (await control.call('GET', '/v1/end-users/user-1/limits')).body
    expect(limits.find(({ kind }: { kind: string }) => kind === 'portal_total')).toMatchObject({
      limitUnits: '1000',
      usedUnits: '900',
      period: 'month',
    })
  })

  it('an end user sees and can revoke their keys, but does not see which team member created a key', async () => {
    await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', name: 'by the team' } })
    const own = await mint({ name: 'mine' })
    const { body, text } = await control.call('GET', '/v1/portal/keys', { token })
    const facts = body.data.map(({ mintedHere, name }: { mintedHere: boolean; name: string }) => [
      name,
      mintedHere,
    ])
    expect(facts).toEqual([
      ['mine', true],
      ['by the team', false],
    ])
    expect(text).not.toContain(own.body.key)
    expect(text).not.toContain('first')
    await configure({ endUsersMayMintKeys: false })
    const [mine, teams] = body.data
    expect(codeOf(await control.call('DELETE', `/v1/portal/keys/${teams.id}`, { token }))).toEqual([
      403,
      'portal_keys_refused',
    ])
    const revoked = await control.call('DELETE', `/v1/portal/keys/${mine.id}`, { token })
    expect(revoked.body.revokedAt).toBe(new Date(control.clock.nowMs).toISOString())
    const key = await control.store.read.keys.byId(
      (await control.store.read.applications.bySlug('acme'))?.id ?? '',
      mine.id,
    )
    expect(key?.revokedAtMs).toBe(control.clock.nowMs)
  })

  it('an end user can turn on on-demand, with a ceiling of at most the application’s limit', async () => {
    const set = (body: object) => control.call('POST', '/v1/portal/on-demand', { token, body })
    expect((await set({ enabled: true })).body).toMatchObject({
      onDemandEnabled: true,
      onDemandLimitMicros: null,
    })
    expect((await set({ enabled: true, limitMicros: '90' })).body.onDemandLimitMicros).toBe('90')
    await control.call('POST', '/v1/subscription/on-demand', {
      body: { endUserId: 'user-1', enabled: true, limitMicros: '50' },
    })
    for (const limitMicros of ['51', null]) {
      expect(codeOf(await set({ enabled: true, limitMicros }))).toEqual([400, 'invalid_request'])
    }
    expect((await set({ enabled: false, limitMicros: '20' })).body.onDemandLimitMicros).toBe('20')
    expect((await set({ enabled: true })).body).toMatchObject({
      onDemandEnabled: true,
      onDemandLimitMicros: '20',
    })
    expect((await set({ enabled: true, limitMicros: '50' })).body.onDemandLimitMicros).toBe('50')
    const { body } = await control.call('GET', '/v1/portal/account', { token })
    expect(body.onDemand).toEqual({
      enabled: true,
      limitMicros: '50',
      ceilingMicros: '50',
      spentMicros: '0',
      owedMicros: '0',
    })
    await control.call('POST', '/v1/subscription/on-demand', {
      body: { endUserId: 'user-1', enabled: true, limitMicros: null },
    })
    expect((await set({ enabled: true, limitMicros: '1000' })).status).toBe(200)
  })

  it('a range of days that does not exist is rejected', async () => {
    for (const query of [
      'from=2026-11-02&to=2026-11-02',
      'from=2024-01-01&to=2026-01-01',
      'from=2027-01-01',
    ]) {
      expect(codeOf(await control.call('GET', `/v1/portal/usage?${query}`, { token }))).toEqual([
        400,
        'invalid_request',
      ])
    }
  })
})

describe('a sample of an end-user operation', () => {
  it('a token of the team is rejected by every end-user operation', async () => {
    const ids = await filled(control)
    const before = await control.dump()
    for (const operation of operations.filter(({ scope }) => scope === 'end_user')) {
      const sample = sampleOf(operation, ids)
      const answer = await send(control, operation, sample, { token: control.token })
      expect([operation.id, ...(codeOf(answer) as unknown[])]).toEqual([
        operation.id,
        401,
        'wrong_credential_kind',
      ])
      expect(codeOf(await send(control, operation, sample, { token: null }))).toEqual(refusedSession)
    }
    expect(await control.dump()).toBe(before)
  })
})
