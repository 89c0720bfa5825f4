import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
})
afterEach(() => control.close())

const whoami = (headers: Record<string, string>) =>
  control.call('GET', '/v1/whoami', { token: null, headers })

describe('valid callers', () => {
  it('a token of the organization is accepted', async () => {
    const answer = await control.call('GET', '/v1/whoami')
    expect(answer.body).toMatchObject({
      organization: { id: control.organizationId, name: 'First' },
      token: { label: 'first', revokedAt: null },
    })
    expect(answer.text).not.toContain(control.token)
  })

  it('a request without a credential is rejected, and the error names the header', async () => {
    const answer = await whoami({})
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.body.error.code).toBe('missing_credential')
    expect(answer.body.error.message).toContain('Send Authorization: Bearer <sk_...>.')
  })

  it('threat 17: unknown, mistyped, malformed and revoked tokens return the same response', async () => {
    const made = await control.call('POST', '/v1/application-keys', { body: { label: 'gone' } })
    await control.call('DELETE', `/v1/application-keys/${made.body.id}`)
    const foreign = control.token.slice(0, -6)
    const wrong = [
      made.body.token,
      `${foreign}000000`,
      control.token.slice(0, -1),
      `${control.token}x`,
      'sk_',
      'token',
      "sk_abcdef_' OR 1=1 --",
      'x'.repeat(8000),
    ]
    const answers = await Promise.all(wrong.map((token) => whoami({ authorization: `Bearer ${token}` })))
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect({ ...answer.body.error, requestId: '' }).toEqual({ ...answers[0]?.body.error, requestId: '' })
    }
    expect(answers[0]?.body.error.code).toBe('invalid_token')
  })

  it('threat 14: the scheme Bearer is accepted in upper and lower case, and other schemes are rejected', async () => {
    expect((await whoami({ authorization: `bearer ${control.token}` })).status).toBe(200)
    for (const authorization of [
      control.token,
      `Basic ${control.token}`,
      `Bearer ${control.token} x`,
      'Bearer ',
    ]) {
      expect((await whoami({ authorization })).body.error.code).toBe('invalid_token')
    }
  })

  it('threat 1: an end-user key, known or unknown, is rejected by its kind before any look-up', async () => {
    await ready(control)
    const { body } = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    const known = await whoami({ authorization: `Bearer ${body.key}` })
    const unknown = await whoami({ authorization: 'Bearer ak_nothing' })
    expect(known.body.error.code).toBe('wrong_credential_kind')
    expect({ ...known.body.error, requestId: '' }).toEqual({ ...unknown.body.error, requestId: '' })
  })

  it('threat 15: two different credentials are rejected, and the same credential twice is accepted', async () => {
    for (const name of ['x-api-key', 'api-key']) {
      const both = (key: string) => whoami({ authorization: `Bearer ${control.token}`, [name]: key })
      /* oxlint-disable no-await-in-loop -- few enough */
      expect((await both('sk_other')).body.error.code).toBe('conflicting_credentials')
      expect((await both(control.token)).status).toBe(200)
      /* oxlint-enable no-await-in-loop */
    }
    const twice = await whoami({ authorization: `Bearer ${control.token}, Bearer ${control.token}` })
    expect(twice.status).toBe(401)
  })

  it('a token is rejected after its revocation, and a token may revoke itself', async () => {
    const { body } = await control.call('POST', '/v1/application-keys', { body: { label: 'ci' } })
    const own = { token: body.token }
    expect((await control.call('GET', '/v1/whoami', own)).status).toBe(200)
    const revoked = await control.call('DELETE', `/v1/application-keys/${body.id}`, own)
    expect(revoked.body.revokedAt).toBe('2026-11-20T12:00:00.000Z')
    expect((await control.call('GET', '/v1/whoami', own)).body.error.code).toBe('invalid_token')

    control.clock.nowMs += 1000
    const again = await control.call('DELETE', `/v1/application-keys/${body.id}`)
    expect(again.body.revokedAt).toBe('2026-11-20T12:00:00.000Z')
    const list = await control.call('GET', '/v1/application-keys')
    expect(list.body.data.map((token: { label: string }) => token.label)).toEqual(['ci', 'first'])
    expect(list.text).not.toContain(body.token)
  })

  it('a token of one application can revoke itself, but finds no other token', async () => {
    await ready(control)
    const create = (body: object) => control.call('POST', '/v1/application-keys', { body })
    const one = await create({ label: 'one', role: 'admin', application: 'acme' })
    const same = await create({ label: 'same', application: 'acme' })
    const wide = await create({ label: 'wide' })
    const own = { token: one.body.token }
    for (const { body } of [same, wide]) {
      const answer = await control.call('DELETE', `/v1/application-keys/${body.id}`, own)
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'not_found'])
      expect((await control.call('GET', '/v1/whoami', { token: body.token })).status).toBe(200)
    }
    const revoked = await control.call('DELETE', `/v1/application-keys/${one.body.id}`, own)
    expect([revoked.status, revoked.body.revokedAt]).toEqual([200, '2026-11-20T12:00:00.000Z'])
    expect((await control.call('GET', '/v1/whoami', own)).body.error.code).toBe('invalid_token')
  })

  it('a token is rejected from the millisecond in which it expires, with an error that states the expiry', async () => {
    const expiresAt = '2026-11-20T13:00:00.000Z'
    const { body } = await control.call('POST', '/v1/application-keys', { body: { label: 'ci', expiresAt } })
    expect(body).toMatchObject({ expiresAt, revokedAt: null })
    const own = { token: body.token }
    control.clock.nowMs = Date.parse(expiresAt) - 1
    expect((await control.call('GET', '/v1/whoami', own)).status).toBe(200)
    control.clock.nowMs += 1
    const refused = await control.call('GET', '/v1/whoami', own)
    expect(refused.status).toBe(401)
    expect(refused.body.error).toMatchObject({
      code: 'token_expired',
      message: `This token expired at ${expiresAt}. Create a new token, or sign in again.`,
    })
    await control.call('DELETE', `/v1/application-keys/${body.id}`)
    expect((await control.call('GET', '/v1/whoami', own)).body.error.code).toBe('invalid_token')
  })

  it('a token that expires cannot create a token that lasts longer', async () => {
    const expiresAt = '2026-11-20T13:00:00.000Z'
    const create = (more: object, token?: string) =>
      control.call('POST', '/v1/application-keys', {
        ...(token !== undefined && { token }),
        body: { label: 'x', ...more },
      })
    const { token } = (await create({ expiresAt })).body
    expect((await create({}, token)).body.expiresAt).toBe(expiresAt)
    expect((await create({ expiresAt: '2026-11-20T12:30:00Z' }, token)).body.expiresAt).toBe(
      '2026-11-20T12:30:00.000Z',
    )
    for (const later of [null, '2026-11-20T13:00:00.001Z']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const refused = await create({ expiresAt: later }, token)
      expect([refused.status, refused.body.error?.param]).toEqual([400, 'expiresAt'])
      expect(refused.body.error.message).toContain(expiresAt)
    }
    const past = await create({ expiresAt: '2026-11-20T12:00:00Z' })
    expect([past.status, past.body.error?.param]).toEqual([400, 'expiresAt'])
    expect((await create({ expiresAt: null })).body.expiresAt).toBeNull()
  })

  it('the time of a token’s last use is stored with an accuracy of ten minutes', async () => {
    await control.call('GET', '/v1/whoami')
    control.clock.nowMs += 599_000
    const first = await control.call('GET', '/v1/auth/token')
    expect(first.body.lastUsedAt).toBe('2026-11-20T12:00:00.000Z')
    control.clock.nowMs += 1_000
    await control.call('GET', '/v1/whoami')
    const later = await control.call('GET', '/v1/auth/token')
    expect(later.body.lastUsedAt).toBe('2026-11-20T12:10:00.000Z')
  })
})

describe('the selection of the application', () => {
  it('if only one application exists, it is selected', async () => {
    const none = await control.call('GET', '/v1/models')
    expect(none.body.error.code).toBe('application_required')
    expect(none.body.error.message).toBe(
      'The operation requires an application. The organization has no application. Create an application with PUT /v1/apps/<slug> (in a terminal: tollgate init, or tollgate apps create <slug> --name <name>).',
    )
    expect(none.body.error.details).toMatchObject({ count: 0 })
    await ready(control)
    expect((await control.call('GET', '/v1/apps/current')).body.slug).toBe('acme')
  })

  it('the header selects the application, or else the token’s active application is used, or else the request is rejected', async () => {
    await ready(control, 'acme')
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    const required = await control.call('GET', '/v1/models')
    expect(required.status).toBe(400)
    expect(required.body.error.code).toBe('application_required')
    expect(required.body.error.message).toBe(
      'The operation requires an application. The organization has 2 applications: acme, other. Name an application in the header x-svc-app: <slug> (in a terminal: --app <slug>), or make an application active with POST /v1/apps/<slug>/use (tollgate use <slug>).',
    )
    expect(required.body.error.details).toMatchObject({ count: 2, applications: 'acme, other' })

    expect((await control.call('GET', '/v1/models', { app: 'other' })).body.data).toEqual([])
    await control.call('POST', '/v1/apps/acme/use')
    expect((await control.call('GET', '/v1/auth/token')).body.activeApplication).toBe('acme')
    expect((await control.call('GET', '/v1/models')).body.data).toHaveLength(1)
    expect((await control.call('GET', '/v1/models', { app: 'other' })).body.data).toEqual([])

    const { body } = await control.call('POST', '/v1/application-keys', { body: { label: 'second' } })
    const second = await control.call('GET', '/v1/models', { token: body.token })
    expect(second.body.error.code).toBe('application_required')
  })

  it('if many applications exist, the error for a missing header names the oldest five and the total number', async () => {
    for (let n = 1; n <= 7; n++) {
      control.clock.nowMs += 1
      await control.call('PUT', `/v1/apps/app-${n}`, { body: { name: 'One of many' } })
    }
    await control.call('DELETE', '/v1/apps/app-6')
    await control.found('Second')
    const { details } = (await control.call('GET', '/v1/models')).body.error
    expect(details).toMatchObject({ count: 6, applications: 'app-1, app-2, app-3, app-4, app-5, …' })
  })

  it('an application of another organization is never found, and a slug in use cannot be taken', async () => {
    await ready(control)
    const token = await control.found('Second')
    const read = await control.call('GET', '/v1/models', { token, app: 'acme' })
    expect(read.status).toBe(404)
    expect(read.body.error).toMatchObject({ code: 'not_found', param: 'x-svc-app' })
    const taken = await control.call('PUT', '/v1/apps/acme', { token, body: { name: 'Mine' } })
    expect(taken.body.error.code).toBe('already_exists')
    expect((await control.call('GET', '/v1/apps/acme')).body.name).toBe('acme')
  })

  it('an archived application can be read, and changes are rejected', async () => {
    await ready(control)
    await control.database.transaction((tx) =>
      tx.updateTable('applications').set({ archived_at_ms: control.clock.nowMs }).execute(),
    )
    expect((await control.call('GET', '/v1/models', { app: 'acme' })).body.data).toHaveLength(1)
    const change = await control.call('DELETE', '/v1/models/acme/smart', { app: 'acme' })
    expect(change.body.error.code).toBe('application_archived')
    expect((await control.call('GET', '/v1/models')).body.error.code).toBe('application_required')
  })

  it('an application keeps its two modes separate, and a third mode is rejected', async () => {
    await ready(control)
    const test = await control.call('POST', '/v1/keys', { mode: 'test', body: { endUserId: 'user-1' } })
    expect(test.body).toMatchObject({ livemode: false })
    expect(test.body.keyPrefix).toMatch(/^ak_[a-z0-9]{6}_test_[0-9A-Za-z]{6}$/)
    expect((await control.call('GET', '/v1/keys')).body.data).toEqual([])
    expect((await control.call('GET', '/v1/keys', { mode: 'test' })).body.data).toHaveLength(1)
    const odd = await control.call('GET', '/v1/keys', { headers: { 'x-svc-mode': 'Live' } })
    expect(odd.body.error).toMatchObject({ code: 'invalid_request', param: 'x-svc-mode' })
  })
})
