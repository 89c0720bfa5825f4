import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '#domain/people/team-roles.ts'
import {
  openControl,
  password,
  sessionOf,
  type Control,
  type Session,
} from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'

describe.each(testedEngines)('%s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
  })
  afterEach(() => control.close())

  const invite = (email: string, role: Role, options: object = {}) =>
    control.call('PUT', `/v1/team/${email}`, { body: { role }, ...options })
  const accept = (link: string, more: object = {}) =>
    control.call('POST', '/v1/invitations/accept', {
      token: null,
      body: { token: new URL(link).hash.slice(1), name: 'Somebody', password, ...more },
    })
  const whoami = (session: Session) => control.call('GET', '/v1/whoami', { session })
  const codeOf = ({ body, status }: Answer) => [status, body.error?.code]
  const member = async (email: string) => {
    const { body } = await control.call('GET', '/v1/team?limit=200')
    return body.data.find((one: { email: string }) => one.email === email)
  }

  describe('an invitation', () => {
    it('an invitation is a link that works once, for the invited address and role', async () => {
      const invited = await invite('Ada@Example.com', 'developer')
      expect(invited.body).toMatchObject({ email: 'ada@example.com', role: 'developer', joinedAt: null })
      expect(invited.body.inviteExpiresAt).toBe('2026-11-27T12:00:00.000Z')
      expect(invited.body.inviteUrl).toMatch(/^http:\/\/localhost:8080\/invite#[\w-]{43}$/)
      expect((await control.call('GET', '/v1/team')).text).not.toContain('#')

      const wrongAddress = await accept(invited.body.inviteUrl, { email: 'eve@example.com' })
      expect(wrongAddress.body.error).toMatchObject({ code: 'invalid_request', param: 'email' })
      const joined = await accept(invited.body.inviteUrl, { name: 'Ada Lovelace' })
      expect(joined.body.member).toMatchObject({
        email: 'ada@example.com',
        role: 'developer',
        name: 'Ada Lovelace',
      })
      expect((await whoami(sessionOf(joined))).body.member.email).toBe('ada@example.com')
      expect(codeOf(await accept(invited.body.inviteUrl))).toEqual([400, 'link_invalid'])
    })

    it('an invitation that If-Match or If-None-Match rejects sends no mail', async () => {
      const sent: string[] = []
      control.outgoing.mail = { send: async ({ text }) => void sent.push(text) }
      const mailed = (headers: Record<string, string>) =>
        control.call('PUT', '/v1/team/ada@example.com', { headers, body: { role: 'viewer' } })
      expect((await mailed({ 'if-none-match': '*' })).status).toBe(200)
      expect(sent).toHaveLength(1)
      for (const headers of [{ 'if-none-match': '*' }, { 'if-match': '"x"' }]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(codeOf(await mailed(headers))).toEqual([412, 'precondition_failed'])
      }
      expect(sent).toHaveLength(1)
    })

    it('with the link, the invitation can be viewed any number of times until it is used or expires', async () => {
      const show = (link: string) =>
        control.call('POST', '/v1/invitations/show', {
          token: null,
          body: { token: new URL(link).hash.slice(1) },
        })
      const first = (await invite('ada@example.com', 'developer')).body.inviteUrl
      const second = (await invite('bob@example.com', 'viewer')).body.inviteUrl
      for (const _ of [1, 2]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, so that the first would use it up
        const shown = await show(first)
        expect(shown.body).toEqual({
          kind: 'invited',
          organization: 'First',
          email: 'ada@example.com',
          role: 'developer',
          expiresAt: '2026-11-27T12:00:00.000Z',
        })
      }
      expect((await accept(first)).status).toBe(200)
      expect(codeOf(await show(first))).toEqual([400, 'link_invalid'])
      expect(codeOf(await show(`${first.slice(0, -1)}_`))).toEqual([400, 'link_invalid'])
      control.clock.nowMs = Date.parse('2026-11-27T12:00:00.000Z') - 1
      expect((await show(second)).status).toBe(200)
      control.clock.nowMs += 1
      expect(codeOf(await show(second))).toEqual([400, 'link_invalid'])
    })

    it('only one of twenty concurrent uses of the same link succeeds', async () => {
      const { body } = await invite('ada@example.com', 'developer')
      const answers = await Promise.all(Array.from({ length: 20 }, () => accept(body.inviteUrl)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(answer.body.error.code).toBe('link_invalid')
      }
    })

    it('another invitation of the same person renews the link, and the earlier link is no longer valid', async () => {
      const first = await invite('ada@example.com', 'developer')
      control.clock.nowMs += 3_600_000
      const second = await invite('ada@example.com', 'viewer')
      expect(second.body.id).toBe(first.body.id)
      expect(codeOf(await accept(first.body.inviteUrl))).toEqual([400, 'link_invalid'])
      expect((await accept(second.body.inviteUrl)).body.member.role).toBe('viewer')
      expect(codeOf(await invite('ada@example.com', 'admin'))).toEqual([409, 'already_member'])
    })

    it('an invitation expires after seven days, to the millisecond, and is canceled when the person is removed', async () => {
      const { body } = await invite('ada@example.com', 'developer')
      const other = await invite('bob@example.com', 'developer')
      control.clock.nowMs += 7 * 86_400_000 - 1
      const { body: third } = await invite('eve@example.com', 'developer')
      expect((await accept(other.body.inviteUrl)).status).toBe(200)
      control.clock.nowMs += 1
      expect(codeOf(await accept(body.inviteUrl))).toEqual([400, 'link_invalid'])
      await control.call('DELETE', '/v1/team/eve@example.com')
      expect(codeOf(await accept(third.inviteUrl))).toEqual([400, 'link_invalid'])
    })

    it('an invitation with an Idempotency-Key returns its secret once', async () => {
      const headers = { 'idempotency-key': 'once' }
      const first = await invite('ada@example.com', 'viewer', { headers })
      const again = await invite('ada@example.com', 'viewer', { headers })
      expect(codeOf(again)).toEqual([409, 'secret_not_kept'])
      expect((await accept(first.body.inviteUrl)).status).toBe(200)
    })

    it('threat 107: the link begins with the configured address, whatever host the request names', async () => {
      const headers = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        forwarded: 'host=evil.example',
      }
      const { body } = await invite('ada@example.com', 'viewer', { headers })
      expect(new URL(body.inviteUrl).host).toBe('localhost:8080')
    })

    it('an invitation does not reveal other organizations, and an address that is in use is rejected', async () => {
      await control.join('ada@example.com', 'developer')
      const token = await control.found('Other')
      const { body, status } = await invite('ada@example.com', 'viewer', { token })
      expect(status).toBe(200)
      expect(codeOf(await accept(body.inviteUrl))).toEqual([409, 'address_in_use'])
    })
  })

  describe('the first owner', () => {
    it('the link of the first start lets one person join as the first owner, within an hour and only while there is no owner', async () => {
      const { setupUrl } = control
      const noEmail = await accept(setupUrl)
      expect(noEmail.body.error).toMatchObject({ code: 'invalid_request', param: 'email' })
      const email = 'ada@example.com'
      const answers = await Promise.all([
        accept(setupUrl, { email }),
        accept(setupUrl, { email: 'eve@example.com' }),
      ])
      const [joined, ...others] = answers.filter(({ status }) => status === 200)
      expect(others).toEqual([])
      expect(joined?.body.member).toMatchObject({ role: 'owner' })
      expect(codeOf(await accept(setupUrl, { email: 'bob@example.com' }))).toEqual([400, 'link_invalid'])
    })

    it('the link of the first start expires after an hour', async () => {
      control.clock.nowMs += 3_600_000
      expect(codeOf(await accept(control.setupUrl, { email: 'ada@example.com' }))).toEqual([
        400,
        'link_invalid',
      ])
    })

    it('the link of the first start is invalid after an owner has joined through another invitation', async () => {
      await control.join('ada@example.com', 'owner')
      expect(codeOf(await accept(control.setupUrl, { email: 'eve@example.com' }))).toEqual([
        400,
        'link_invalid',
      ])
    })

    it('a person who was already invited with another role can join as the first owner', async () => {
      await invite('ada@example.com', 'viewer')
      const joined = await accept(control.setupUrl, { email: 'ada@example.com' })
      expect(joined.body.member).toMatchObject({ role: 'owner', email: 'ada@example.com' })
    })
  })

  describe('owners', () => {
    it('only owners create, change and remove owners', async () => {
      await control.join('ada@example.com', 'owner')
      await control.join('grace@example.com', 'owner')
      const session = await control.join('bob@example.com', 'admin')
      await invite('open@example.com', 'owner')
      await control.join('dev@example.com', 'developer')
      const before = await control.dump()
      const tries = [
        invite('eve@example.com', 'owner', { session }),
        invite('open@example.com', 'viewer', { session }),
        control.call('PATCH', '/v1/team/dev@example.com', { session, body: { role: 'owner' } }),
        control.call('PATCH', '/v1/team/bob@example.com', { session, body: { role: 'owner' } }),
        control.call('PATCH', '/v1/team/ada@example.com', { session, body: { role: 'viewer' } }),
        control.call('DELETE', '/v1/team/ada@example.com', { session }),
        control.call('DELETE', '/v1/team/open@example.com', { session }),
      ]
      for (const answer of await Promise.all(tries)) {
        expect(codeOf(answer)).toEqual([403, 'role_required'])
        expect(answer.body.error.details).toEqual({ role: 'admin', needed: 'owner' })
      }
      expect(await control.dump()).toBe(before)
      const changed = await control.call('PATCH', '/v1/team/dev@example.com', {
        session,
        body: { role: 'admin' },
      })
      expect(changed.body.role).toBe('admin')
    })

    it('the last owner cannot leave or get a lower role, even if all owners try concurrently', async () => {
      const emails = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']
      const sessions: Session[] = []
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (const email of emails) sessions.push(await control.join(email, 'owner'))
      // Each owner concurrently lowers the role of the next owner, and removes the owner after the next. The two
      // changes are made in different processes.
      const other = control.sibling()
      const tries = emails.flatMap((_, i) => {
        const session = sessions[i]
        const next = emails[(i + 1) % emails.length]
        const third = emails[(i + 2) % emails.length]
        assert(session)
        return [
          control.call('PATCH', `/v1/team/${next}`, { session, body: { role: 'admin' } }),
          other.call('DELETE', `/v1/team/${third}`, { session }),
        ]
      })
      const answers = await Promise.all(tries)
      for (const { body, status, text } of answers) {
        const known = ['last_owner', 'session_ended', 'not_found', 'role_required']
        if (status !== 200) expect(known, text).toContain(body.error.code)
      }
      const { body } = await control.call('GET', '/v1/team')
      const owners = body.data.filter(({ role }: { role: Role }) => role === 'owner')
      expect(owners.length).toBeGreaterThanOrEqual(1)
    })

    it('a single owner cannot leave or get a lower role, and an open invitation does not count as a second owner', async () => {
      const session = await control.join('ada@example.com', 'owner')
      await invite('bob@example.com', 'owner')
      for (const answer of [
        await control.call('DELETE', '/v1/team/ada@example.com', { session }),
        await control.call('PATCH', '/v1/team/ada@example.com', { session, body: { role: 'admin' } }),
      ]) {
        expect(codeOf(answer)).toEqual([409, 'last_owner'])
      }
      await control.join('grace@example.com', 'owner')
      expect((await control.call('DELETE', '/v1/team/ada@example.com', { session })).status).toBe(200)
      expect(codeOf(await whoami(session))).toEqual([401, 'session_ended'])
    })
  })

  describe('threat 107: a lowered role', () => {
    async function signedIn(email: string, role: Role): Promise<{ session: Session; token: string }> {
      const session = await control.join(email, role)
      const start = await control.call('POST', '/v1/device-auth', { body: { role } })
      await control.call('POST', '/v1/device-auth/approve', {
        session,
        body: { userCode: start.body.userCode, approve: true },
      })
      const { deviceCode } = start.body
      const redeemed = await control.call('POST', '/v1/device-auth/token', { body: { deviceCode } })
      return { session, token: redeemed.body.token }
    }

    it('a removed member loses their sessions and the tokens of their devices immediately', async () => {
      const { session, token } = await signedIn('bob@example.com', 'admin')
      const made = await control.call('POST', '/v1/application-keys', { session, body: { label: 'backend' } })
      await control.call('DELETE', '/v1/team/bob@example.com')
      expect(codeOf(await whoami(session))).toEqual([401, 'session_ended'])
      expect(codeOf(await control.call('GET', '/v1/whoami', { token }))).toEqual([401, 'invalid_token'])
      // The API token that the removed member created for a service still works.
      expect((await control.call('GET', '/v1/whoami', { token: made.body.token })).status).toBe(200)
      const again = await control.call('POST', '/v1/sessions', {
        body: { email: 'bob@example.com', password },
      })
      expect(codeOf(again)).toEqual([401, 'sign_in_failed'])
      expect(await member('bob@example.com')).toBeUndefined()
      await control.join('bob@example.com', 'viewer')
    })

    it('a removal lists the tokens that the member created, directly or through other tokens, and revokes them on request', async () => {
      const { session, token } = await signedIn('bob@example.com', 'admin')
      const create = async (label: string, by: object): Promise<{ id: string; token: string }> =>
        (await control.call('POST', '/v1/application-keys', { ...by, body: { label } })).body
      const direct = await create('direct', { session })
      const byDevice = await create('by the device', { token })
      const byToken = await create('by that token', { token: byDevice.token })
      await create('of somebody else', {})
      const listed = await control.call('GET', '/v1/application-keys')
      const { memberId } = listed.body.data.at(-2)
      expect(
        listed.body.data.map(({ createdBy, label }: Answer['body']) => [
          label,
          createdBy?.type,
          createdBy?.memberId,
        ]),
      ).toEqual([
        ['of somebody else', 'token', null],
        ['by that token', 'token', memberId],
        ['by the device', 'token', memberId],
        ['direct', 'member', memberId],
        ['Command line', 'member', memberId],
        ['first', undefined, undefined],
      ])
      expect(byToken).toMatchObject({ createdBy: { type: 'token', id: byDevice.id, label: 'by the device' } })
      expect(direct).toMatchObject({ createdBy: { type: 'member', id: memberId, label: 'bob@example.com' } })

      const removed = await control.call('DELETE', '/v1/team/bob@example.com')
      const labels = ({ body }: Answer) => body.validTokens.map(({ label }: { label: string }) => label)
      expect(labels(removed)).toEqual(['by that token', 'by the device', 'direct'])
      expect(removed.text).not.toContain(direct.token)
      // If the removal does not request revocation, the tokens of services remain valid. The token of the removed
      // member may even invite the member again.
      const back = await control.call('PUT', '/v1/team/bob@example.com', {
        token: byToken.token,
        body: { role: 'admin' },
      })
      expect(back.status).toBe(200)

      const { session: again } = await signedIn('eve@example.com', 'admin')
      const backdoor = await create('harmless-ci', { session: again })
      const second = await create('second', { token: backdoor.token })
      const ended = await control.call('DELETE', '/v1/team/eve@example.com?revokeTokens=true')
      expect(ended.body.validTokens).toEqual([])
      for (const each of [backdoor, second]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const invited = await control.call('PUT', '/v1/team/eve@example.com', {
          token: each.token,
          body: { role: 'admin' },
        })
        expect(codeOf(invited)).toEqual([401, 'invalid_token'])
      }
      expect((await control.call('GET', '/v1/whoami', { token: direct.token })).status).toBe(200)
    })

    it('a change to a lower role lists the tokens with more rights, and revokes only those tokens on request', async () => {
      const { session } = await signedIn('bob@example.com', 'admin')
      const create = async (role: Role): Promise<{ token: string }> =>
        (await control.call('POST', '/v1/application-keys', { session, body: { label: role, role } })).body
      const [admin, developer, viewer] = [
        await create('admin'),
        await create('developer'),
        await create('viewer'),
      ]
      const set = (role: Role, more: object = {}) =>
        control.call('PATCH', '/v1/team/bob@example.com', { body: { role, ...more } })
      const labels = ({ body }: Answer) => body.validTokens.map(({ label }: { label: string }) => label)
      expect(labels(await set('developer'))).toEqual(['admin'])
      expect(labels(await set('viewer', { revokeTokens: false }))).toEqual(['developer', 'admin'])
      expect(labels(await set('viewer', { revokeTokens: true }))).toEqual([])
      const statuses = await Promise.all(
        [admin, developer, viewer].map(
          async ({ token }) => (await control.call('GET', '/v1/whoami', { token })).status,
        ),
      )
      expect(statuses).toEqual([401, 401, 200])
    })

    it('a member’s sessions end when the role is lowered, and are kept when the role is raised or unchanged', async () => {
      const { session, token } = await signedIn('bob@example.com', 'developer')
      const set = (role: Role) => control.call('PATCH', '/v1/team/bob@example.com', { body: { role } })
      await set('developer')
      await set('admin')
      expect((await whoami(session)).body.member.role).toBe('admin')
      expect((await control.call('GET', '/v1/whoami', { token })).body.token.role).toBe('developer')
      await set('developer')
      expect(codeOf(await whoami(session))).toEqual([401, 'session_ended'])
      // The token is kept, because it never had more rights than the lower role.
      expect((await control.call('GET', '/v1/whoami', { token })).status).toBe(200)
      await set('viewer')
      expect((await control.call('GET', '/v1/whoami', { token })).status).toBe(401)
    })

    it('a change is rejected if the member is removed before the change is written', async () => {
      const session = await control.join('bob@example.com', 'admin')
      const answers = await Promise.all([
        control.call('DELETE', '/v1/team/bob@example.com'),
        ...Array.from({ length: 8 }, (_, i) =>
          control.sibling().call('PUT', `/v1/apps/app-${i}`, { session, body: { name: 'x' } }),
        ),
      ])
      const removal = answers[0]
      expect(removal?.status).toBe(200)
      const { body } = await control.call('GET', '/v1/audit?limit=200')
      const operations = body.data.map((entry: { operation: string }) => entry.operation)
      // The audit list is sorted newest first, so the removal must be its first entry.
      const removedAt = operations.indexOf('team.rm')
      expect(operations.slice(0, removedAt)).toEqual([])
    })
  })

  it('the team is listed with invited people, newest first, in pages', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await invite(`${name}@example.com`, 'viewer')
    }
    const first = await control.call('GET', '/v1/team?limit=3')
    const second = await control.call('GET', `/v1/team?limit=3&cursor=${first.body.nextCursor}`)
    const names = [...first.body.data, ...second.body.data].map(({ email }: { email: string }) => email[0])
    expect(names).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(second.body.nextCursor).toBeNull()
  })

  it('each member has an ETag', async () => {
    await control.join('bob@example.com', 'developer')
    const { headers } = await control.call('PATCH', '/v1/team/bob@example.com', { body: { role: 'admin' } })
    const ifMatch = { 'if-match': headers.get('etag') ?? '' }
    const role = (to: Role) =>
      control.call('PATCH', '/v1/team/bob@example.com', { body: { role: to }, headers: ifMatch })
    expect((await role('viewer')).status).toBe(200)
    expect(codeOf(await role('developer'))).toEqual([412, 'precondition_failed'])
    const { body } = await control.call('GET', '/v1/audit?operation=team.role')
    expect(body.data[0]).toMatchObject({ before: { role: 'admin' }, after: { role: 'viewer' } })
  })

  it('the address of an invitation link contains the API call that accepts the invitation', async () => {
    const { body } = await control.call('PUT', '/v1/team/bob@example.com', { body: { role: 'viewer' } })
    const { pathname } = new URL(body.inviteUrl)
    const answer = await control.call('GET', pathname, { token: null })
    expect(codeOf(answer)).toEqual([404, 'no_such_path'])
    expect(answer.body.error.message).toContain('POST /v1/invitations/accept')
  })
})
