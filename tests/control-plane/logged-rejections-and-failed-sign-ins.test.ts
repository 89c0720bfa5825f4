import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rateLimits } from '#http/control-plane-rate-limiter.ts'
import { openControl, password, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'

const email = 'ada@example.com'
const address = '203.0.113.7'

describe('a rejection', () => {
  it('a rejection is recorded with its kind, operation, address and credential, and without any secret', async () => {
    const limit = { perSecond: 0.0001, burst: 3 }
    const control = await openControl({ rateLimits: { ...rateLimits, credential: limit, address: limit } })
    const viewer = await control.join(email, 'viewer')
    const wrong = `${control.token.slice(0, -1)}${control.token.endsWith('0') ? '1' : '0'}`
    const before = control.refusals.length
    await control.call('GET', '/v1/whoami', { token: wrong, address })
    await control.call('GET', '/metrics', { token: null, address })
    await control.call('PUT', '/v1/team/eve@example.com', {
      session: viewer,
      address,
      body: { role: 'owner' },
    })
    await control.call('PUT', '/v1/team/eve@example.com', {
      token: null,
      address,
      headers: { cookie: viewer.cookie, origin: 'https://evil.example' },
      body: { role: 'viewer' },
    })
    for (let call = 0; call < 3; call++) await control.call('GET', '/v1/whoami', { session: viewer, address })
    await control.call('GET', '/v1/nothing', { address })
    await control.call('GET', '/v1/whoami', { address, headers: { 'x-svc-app': 'nothing' } })
    const noted = control.refusals
      .slice(before)
      .map(({ code, credentialId, operation, status }) => [status, code, operation, credentialId])
    expect(noted).toEqual([
      [401, 'invalid_token', 'auth.whoami', null],
      [401, 'missing_credential', 'metrics', null],
      [403, 'role_required', 'team.invite', viewer.id],
      [403, 'cross_site_request', 'team.invite', null],
      [429, 'rate_limited', 'auth.whoami', viewer.id],
    ])
    for (const refusal of control.refusals.slice(before)) {
      expect(refusal).toMatchObject({ plane: 'control', address, requestId: expect.stringMatching(/^req_/) })
      expect(JSON.stringify(refusal)).not.toContain(wrong.slice(3))
    }
    await control.close()
  })

  it('a rejection at a portal is recorded as a portal rejection', async () => {
    const control = await openControl()
    await control.call('PUT', '/v1/apps/acme', { body: { name: 'Acme' } })
    await control.portal('acme').call('GET', '/v1/portal/account')
    expect(control.refusals).toMatchObject([
      {
        plane: 'portal',
        operation: 'portal.account',
        code: 'portal_session_required',
        address: '192.0.2.1',
        credentialId: null,
      },
    ])
    await control.close()
  })
})

describe.each(testedEngines)('failed sign-ins on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await control.join(email, 'owner')
  })
  afterEach(() => control.close())

  const fail = (from: string, of = email): Promise<Answer> =>
    control.call('POST', '/v1/sessions', {
      token: null,
      address: from,
      body: { email: of, password: 'not the right one' },
    })
  const entries = async () => {
    await control.failedSignIns.flush()
    return (await control.call('GET', '/v1/audit?operation=sessions.create')).body.data
  }
  const member = async (options: object = {}) =>
    (await control.call('GET', '/v1/team', options)).body.data.find(
      (one: { email: string }) => one.email === email,
    )

  it('failed sign-ins of an account from a network within an hour are one entry with a count in the team’s list', async () => {
    expect((await member()).failedSignIns).toBe(null)
    await fail(address)
    control.clock.nowMs += 60_000
    await fail('203.0.113.9')
    await entries()
    control.clock.nowMs += 60_000
    await fail('203.0.113.8')
    const [entry, ...others] = await entries()
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      at: '2026-11-20T12:00:00.000Z',
      operation: 'sessions.create',
      resource: 'failed sign-in',
      actor: { kind: 'stranger', id: (await member()).id, label: email, address: '203.0.113.8' },
      before: null,
      after: {
        failures: 3,
        site: '203.0.113.0/24',
        firstAt: '2026-11-20T12:00:00.000Z',
        lastAt: '2026-11-20T12:02:00.000Z',
      },
    })
    expect((await member()).failedSignIns).toEqual({
      count: 3,
      firstAt: '2026-11-20T12:00:00.000Z',
      lastAt: '2026-11-20T12:02:00.000Z',
      lastAddress: '203.0.113.8',
    })
    control.clock.nowMs += 3_600_000
    await fail(address)
    expect(await entries()).toHaveLength(2)
    expect((await member()).failedSignIns.count).toBe(4)
    // The list of failed sign-ins covers the last 30 days.
    control.clock.nowMs += 31 * 86_400_000
    expect((await member()).failedSignIns).toBe(null)
    await fail(address)
    await entries()
    expect(await control.database.read.selectFrom('failed_sign_ins').selectAll().execute()).toHaveLength(1)
  })

  it('failed sign-ins cannot fill the audit log: unknown accounts have no entry, and many networks share one entry', async () => {
    for (let n = 0; n < 40; n++) {
      await fail(`203.0.${n}.7`)
      await fail(`203.0.${n}.7`, `nobody-${n}@example.com`)
      if (n % 7 === 0) await control.failedSignIns.flush()
    }
    const found = await entries()
    expect(found).toHaveLength(6)
    const failures = found.map(({ after }: { after: { failures: number } }) => after.failures)
    expect(failures.reduce((sum: number, one: number) => sum + one, 0)).toBe(40)
    expect(found.map(({ after }: { after: { site: string } }) => after.site)).toContain('other networks')
    expect((await member()).failedSignIns.count).toBe(40)
  })

  it('failed sign-ins are shown to admins and to the member, and to no other member or organization', async () => {
    await fail(address)
    await control.failedSignIns.flush()
    const bob = await control.join('bob@example.com', 'developer')
    expect((await member({ session: bob })).failedSignIns).toBe(null)
    const stranger = await control.found('Other')
    expect((await control.call('GET', '/v1/audit', { token: stranger })).body.data).toEqual([])
    // A correct password does not clear the entry, because an attacker may have guessed the password.
    await control.call('POST', '/v1/sessions', { token: null, address, body: { email, password } })
    expect((await member()).failedSignIns.count).toBe(1)
  })
})
