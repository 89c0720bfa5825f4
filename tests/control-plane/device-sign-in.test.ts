/** Source: RFC 8628 and docs/reference/threats.md "Codes for device sign-ins". */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '#domain/people/team-roles.ts'
import { rateLimits } from '#http/control-plane-rate-limiter.ts'
import { openControl, type Control, type Session } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

function stepsOf(control: Pick<Control, 'call'>) {
  return {
    start: (body: object = {}, headers: Record<string, string> = {}) =>
      control.call('POST', '/v1/device-auth', { token: null, body, headers }),
    poll: (deviceCode: string) =>
      control.call('POST', '/v1/device-auth/token', { token: null, body: { deviceCode } }),
    show: (userCode: string, session: Session) =>
      control.call('GET', `/v1/device-auth?${new URLSearchParams({ userCode }).toString()}`, { session }),
    decide: (userCode: string, session: Session, approve = true) =>
      control.call('POST', '/v1/device-auth/approve', { session, body: { userCode, approve } }),
  }
}

describe.each(testedEngines)('%s', (engine) => {
  let control: Control
  let ada: Session
  let steps: ReturnType<typeof stepsOf>
  beforeEach(async () => {
    control = await openControl({ engine })
    steps = stepsOf(control)
    ada = await control.join('ada@example.com', 'owner')
  })
  afterEach(() => control.close())

  it('a sign-in starts with a code on one device, is approved on a page, and ends with a token', async () => {
    const started = await steps.start(
      { clientName: 'tollgate on laptop', role: 'developer' },
      { 'user-agent': 'cli/1' },
    )
    const { deviceCode, userCode } = started.body
    expect(started.body).toEqual({
      deviceCode: expect.stringMatching(/^[\w-]{43}$/),
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verificationUri: 'http://localhost:8080/device',
      verificationUriComplete: `http://localhost:8080/device?code=${userCode}`,
      expiresIn: 600,
      interval: 5,
    })
    const pending = await steps.poll(deviceCode)
    expect(codeOf(pending)).toEqual([400, 'authorization_pending'])
    expect(pending.headers.get('retry-after')).toBe('5')

    const shown = await steps.show(userCode.toLowerCase().replace('-', ' '), ada)
    expect(shown.body).toMatchObject({
      clientName: 'tollgate on laptop',
      userAgent: 'cli/1',
      askedRole: 'developer',
      role: 'developer',
      expiresAt: '2026-11-20T12:10:00.000Z',
    })
    expect((await steps.decide(userCode, ada)).body).toMatchObject({
      decision: 'approved',
      role: 'developer',
    })
    control.clock.nowMs += 5_000
    const redeemed = await steps.poll(deviceCode)
    expect(redeemed.body).toMatchObject({
      label: 'tollgate on laptop',
      role: 'developer',
      applicationId: null,
      organization: { id: control.organizationId },
    })
    const { token } = redeemed.body
    expect((await control.call('GET', '/v1/whoami', { token })).body.token.id).toBe(redeemed.body.id)
    const listed = await control.call('GET', '/v1/application-keys')
    expect(listed.body.data[0]).toMatchObject({ id: redeemed.body.id, label: 'tollgate on laptop' })
    await control.call('DELETE', `/v1/application-keys/${redeemed.body.id}`)
    expect((await control.call('GET', '/v1/whoami', { token })).status).toBe(401)
    // The store keeps no data of the sign-in, and only ever stored hashes.
    expect(await control.database.read.selectFrom('device_sign_ins').selectAll().execute()).toEqual([])
  })

  it('threat 106: only one of twenty concurrent polls gets the token', async () => {
    const { body } = await steps.start()
    await steps.decide(body.userCode, ada)
    // Each poll runs in a separate process, so that the limit on the frequency of polls does not apply.
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => stepsOf(control.sibling()).poll(body.deviceCode)),
    )
    const redeemed = answers.filter(({ status }) => status === 200)
    expect(redeemed).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(codeOf(answer)).toEqual([400, 'expired_token'])
    }
    const listed = await control.call('GET', '/v1/application-keys')
    expect(
      listed.body.data.filter(({ memberId }: { memberId: string | null }) => memberId !== null),
    ).toHaveLength(1)
  })

  it('threat 106: only one of twenty concurrent decisions takes effect, and later decisions are rejected', async () => {
    const { body } = await steps.start()
    const bob = await control.join('bob@example.com', 'viewer')
    const processes = [steps, stepsOf(control.sibling())] as const
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        processes[i % 3 === 0 ? 0 : 1].decide(body.userCode, i % 2 === 0 ? ada : bob, i % 4 < 2),
      ),
    )
    const decided = answers.filter(({ status }) => status === 200)
    expect(decided).toHaveLength(1)
    const isApproved = decided[0]?.body.decision === 'approved'
    const polled = await steps.poll(body.deviceCode)
    if (isApproved) expect(polled.body.role).toBe(decided[0]?.body.role)
    else expect(codeOf(polled)).toEqual([400, 'access_denied'])
    expect(codeOf(await steps.decide(body.userCode, ada))).toEqual([404, 'not_found'])
    expect(codeOf(await steps.show(body.userCode, ada))).toEqual([404, 'not_found'])
  })

  it('for any order of events, a token is created at most once, after an approval, in time, and with at most the approver’s rights', async () => {
    const people: Record<string, { session: Session; role: Role }> = {}
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      people[role] = { role, session: await control.join(`${role}@example.com`, role) }
    }
    const step = fc.oneof(
      fc.record({ kind: fc.constant('poll' as const) }),
      fc.record({
        kind: fc.constant('decide' as const),
        by: fc.constantFrom('owner', 'admin', 'developer', 'viewer'),
        approve: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 5_000, 60_000, 599_999) }),
    )
    const roles = ['viewer', 'developer', 'admin', 'owner']
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.constantFrom(...(roles as Role[])), { nil: undefined }),
        fc.array(step, { maxLength: 12 }),
        async (asked, sequence) => {
          const { body } = await steps.start(asked === undefined ? {} : { role: asked })
          const startedMs = control.clock.nowMs
          let approver: string | null = null
          let isDecided = false
          let isRedeemed = false
          for (const one of sequence) {
            const isLive = control.clock.nowMs < startedMs + 600_000
            if (one.kind === 'wait') control.clock.nowMs += one.ms
            else if (one.kind === 'decide') {
              const answer = await steps.decide(body.userCode, people[one.by]?.session ?? ada, one.approve)
              expect(answer.status === 200).toBe(isLive && !isDecided)
              if (answer.status === 200) {
                isDecided = true
                if (one.approve) approver = one.by
              }
            } else {
              const answer = await steps.poll(body.deviceCode)
              if (answer.status === 200) {
                expect([isLive, isRedeemed, approver !== null]).toEqual([true, false, true])
                const widest = Math.min(roles.indexOf(asked ?? 'admin'), roles.indexOf(approver ?? 'viewer'))
                expect(answer.body.role).toBe(roles[widest])
                isRedeemed = true
              } else if (answer.body.error.code !== 'slow_down') {
                const expected =
                  !isLive || isRedeemed
                    ? 'expired_token'
                    : isDecided
                      ? 'access_denied'
                      : 'authorization_pending'
                expect(answer.body.error.code).toBe(expected)
              }
            }
          }
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('a device', () => {
  let control: Control
  let ada: Session
  let steps: ReturnType<typeof stepsOf>
  beforeEach(async () => {
    control = await openControl()
    steps = stepsOf(control)
    ada = await control.join('ada@example.com', 'admin')
  })
  afterEach(() => control.close())

  it('a device that polls too soon must wait 5 s longer before each further poll', async () => {
    const { deviceCode } = (await steps.start()).body
    await steps.poll(deviceCode)
    const early = await steps.poll(deviceCode)
    expect(codeOf(early)).toEqual([400, 'slow_down'])
    expect(early.headers.get('retry-after')).toBe('10')
    control.clock.nowMs += 5_000
    expect((await steps.poll(deviceCode)).headers.get('retry-after')).toBe('15')
    control.clock.nowMs += 15_000
    const later = await steps.poll(deviceCode)
    expect([codeOf(later)[1], later.headers.get('retry-after')]).toEqual(['authorization_pending', '15'])
  })

  it('a device code expires exactly ten minutes after its creation, to the millisecond', async () => {
    const { deviceCode, userCode } = (await steps.start()).body
    const other = (await steps.start()).body
    control.clock.nowMs += 599_999
    expect((await steps.show(userCode, ada)).status).toBe(200)
    expect((await steps.decide(userCode, ada)).status).toBe(200)
    control.clock.nowMs += 1
    expect(codeOf(await steps.poll(deviceCode))).toEqual([400, 'expired_token'])
    expect(codeOf(await steps.show(other.userCode, ada))).toEqual([404, 'not_found'])
    expect(codeOf(await steps.decide(other.userCode, ada))).toEqual([404, 'not_found'])
  })

  it('a device gets no token from a member who left the team, and at most the current role of a member with a lowered role', async () => {
    const bob = await control.join('bob@example.com', 'admin')
    const eve = await control.join('eve@example.com', 'admin')
    const [first, second] = [(await steps.start()).body, (await steps.start()).body]
    expect((await steps.decide(first.userCode, bob)).body.role).toBe('admin')
    await steps.decide(second.userCode, eve)
    await control.call('DELETE', '/v1/team/bob@example.com')
    await control.call('PATCH', '/v1/team/eve@example.com', { body: { role: 'viewer' } })
    expect(codeOf(await steps.poll(first.deviceCode))).toEqual([400, 'access_denied'])
    expect((await steps.poll(second.deviceCode)).body.role).toBe('viewer')
  })

  it('a member who approves a device sees the role that the device will actually get', async () => {
    const { userCode } = (await steps.start({ role: 'owner' })).body
    expect((await steps.show(userCode, ada)).body).toMatchObject({ askedRole: 'owner', role: 'admin' })
    const unnamed = (await steps.start()).body
    expect((await steps.show(unnamed.userCode, ada)).body).toMatchObject({
      clientName: null,
      askedRole: null,
    })
  })

  it('a device can be approved for only one organization', async () => {
    const token = await control.found('Other')
    const stranger = await control.join('stranger@example.com', 'owner', token)
    const { deviceCode, userCode } = (await steps.start()).body
    await steps.decide(userCode, stranger)
    const { body } = await steps.poll(deviceCode)
    expect(body.organization.name).toBe('Other')
    const who = await control.call('GET', '/v1/whoami', { token: body.token })
    expect(who.body.organization.name).toBe('Other')
  })
})

describe('threat 106: guessing codes', () => {
  it('code attempts are limited to five a minute per address, counting look-ups and approvals together', async () => {
    const control = await openControl({
      rateLimits: { ...rateLimits, credential: null, address: null, public: null },
    })
    const { decide, show } = stepsOf(control)
    const ada = await control.join('ada@example.com', 'admin')
    const statuses = []
    for (let guess = 0; guess < 8; guess++) {
      const by = guess % 2 === 0 ? show : decide
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      statuses.push((await by('BBBB-BBBB', ada)).status)
    }
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429, 429])
    await control.close()
  })

  it('all addresses share a limit, so that ten minutes of guessing are unlikely to find a code even if every code is in use', () => {
    const { all } = rateLimits.guesses.userCode
    const tries = (all?.burst ?? Infinity) + 600 * (all?.perSecond ?? Infinity)
    const liveMax = 1_000
    expect((tries * liveMax) / 20 ** 8).toBeLessThan(0.001)
  })

  it('at most a thousand codes can wait for approval, which also limits guessing', async () => {
    const control = await openControl()
    await control.call('GET', '/v1/whoami', { address: '198.51.100.7' })
    const start = () =>
      control.call('POST', '/v1/device-auth', { token: null, body: {}, address: '198.51.100.7' })
    const row = {
      client_name: null,
      asked_role: null,
      address: '',
      user_agent: '',
      created_at_ms: 0,
      expires_at_ms: control.clock.nowMs + 1,
      decision: null,
      organization_id: null,
      member_id: null,
      role: null,
    }
    const rows = Array.from({ length: 999 }, (_, i) => ({
      ...row,
      id: `d${i}`,
      device_hash: `d${i}`,
      user_hash: `u${i}`,
    }))
    await control.database.transaction((tx) => tx.insertInto('device_sign_ins').values(rows).execute())
    expect((await start()).status).toBe(200)
    const full = await start()
    expect(codeOf(full)).toEqual([429, 'rate_limited'])
    expect(full.headers.get('retry-after')).toBe('60')
    // Expired codes no longer count toward the limit.
    control.clock.nowMs += 1
    expect((await start()).status).toBe(200)
    await control.close()
  })
})
