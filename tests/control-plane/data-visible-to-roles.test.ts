/** The file operations-allowed-to-each-caller.test.ts tests which operations each role and each credential may call. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roles, type Role } from '#domain/people/team-roles.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { filled, type Filled } from '../support/valid-request-of-every-operation.ts'

let control: Control
let ids: Filled
const tokens = new Map<Role, string>()

beforeAll(async () => {
  control = await openControl()
  ids = await filled(control)
  for (const role of roles) tokens.set(role, await mint({ label: role, role }))
})
afterAll(() => control.close())

async function mint(body: object, token = control.token): Promise<string> {
  const made = await control.call('POST', '/v1/application-keys', { token, body })
  expect(made.status, made.text).toBe(200)
  return made.body.token
}

describe('threat 21: a role', () => {
  it('a role creates no token with a higher role', async () => {
    const token = tokens.get('developer') ?? ''
    const body = { label: 'wider', role: 'admin' }
    const answer = await control.call('POST', '/v1/application-keys', { token, body })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'role_required'])
    const own = await control.call('POST', '/v1/application-keys', { token, body: { label: 'same' } })
    expect(own.body.role).toBe('developer')
  })

  it('a role below admin can revoke only its own token', async () => {
    const token = await mint({ label: 'short-lived', role: 'viewer' })
    const { body } = await control.call('GET', '/v1/auth/token', { token })
    const other = await control.call('DELETE', `/v1/application-keys/${ids.tokenId}`, { token })
    expect([other.status, other.body.error.code]).toEqual([403, 'role_required'])
    const self = await control.call('DELETE', `/v1/application-keys/${body.id}`, { token })
    expect(self.status).toBe(200)
    expect((await control.call('GET', '/v1/whoami', { token })).status).toBe(401)
  })
})

describe('threat 21: a credential that is limited to one application', () => {
  it('a credential that is limited to one application selects this application, and finds no other', async () => {
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    const token = await mint({ label: 'one', role: 'owner', application: 'acme' })
    const current = await control.call('GET', '/v1/apps/current', { token })
    expect(current.body.slug).toBe('acme')
    const listed = await control.call('GET', '/v1/apps', { token })
    expect(listed.body.data.map(({ slug }: { slug: string }) => slug)).toEqual(['acme'])
    for (const [method, path, app] of [
      ['GET', '/v1/apps/other', undefined],
      ['POST', '/v1/apps/other/use', undefined],
      ['GET', '/v1/models', 'other'],
    ] as const) {
      const answer = await control.call(method, path, { token, ...(app !== undefined && { app }) })
      expect([answer.status, answer.body.error.code], path).toEqual([404, 'not_found'])
    }
    // Tokens that the limited credential creates have the same limits.
    const made = await control.call('POST', '/v1/application-keys', { token, body: { label: 'two' } })
    const { body } = await control.call('GET', '/v1/apps/acme')
    expect(made.body.applicationId).toBe((await control.store.read.applications.bySlug('acme'))?.id)
    expect(body.slug).toBe('acme')
    const wider = { label: 'three', application: 'other' }
    const refusal = await control.call('POST', '/v1/application-keys', { token, body: wider })
    expect([refusal.status, refusal.body.error.code]).toEqual([404, 'not_found'])
  })
})
