import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
})
afterEach(() => control.close())

describe('the audit log', () => {
  it('the audit log records the caller, the old value and the new value of each change', async () => {
    await ready(control)
    const edited = await control.call('PATCH', '/v1/bundles/free', { body: { spendLimitMicros: '7' } })
    const { body } = await control.call('GET', '/v1/audit?operation=bundles.edit')
    const [entry] = body.data
    expect(body.data).toHaveLength(1)
    expect(entry.resource).toBe('PATCH /v1/bundles/free')
    expect(entry.requestId).toBe(edited.headers.get('x-request-id'))
    expect(entry.actor).toMatchObject({ kind: 'token', label: 'first' })
    expect(entry.before.spendLimitMicros).not.toBe('7')
    expect(entry.after.spendLimitMicros).toBe('7')
  })

  it('a rejection writes no row, and a repeated request writes one row', async () => {
    await ready(control)
    const count = async () => (await control.call('GET', '/v1/audit?limit=200')).body.data.length
    const before = await count()
    expect((await control.call('PUT', '/v1/bundles/x', { body: { nonsense: 1 } })).status).toBe(400)
    expect((await control.call('POST', '/v1/bundles/none/allow', { body: { models: ['*'] } })).status).toBe(
      404,
    )
    expect(await count()).toBe(before)
    const once = { body: { displayName: 'Team' }, headers: { 'idempotency-key': 'once' } }
    await control.call('PUT', '/v1/bundles/team', once)
    await control.call('PUT', '/v1/bundles/team', once)
    expect(await count()).toBe(before + 1)
  })

  it('the audit log shows only changes of its own organization', async () => {
    await ready(control)
    const stranger = await control.found('Other')
    expect((await control.call('GET', '/v1/audit', { token: stranger })).body.data).toEqual([])
  })

  it('threat 108: the audit log contains no secret', async () => {
    await ready(control)
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    const token = await control.call('POST', '/v1/application-keys', { body: { label: 'second' } })
    await control.call('PUT', '/v1/providers/canary', {
      body: { kind: 'openai', apiKey: 'sk-canary-credential' },
    })
    const { text } = await control.call('GET', '/v1/audit?limit=200')
    const account = await control.store.read.providers.byLabel(control.organizationId, 'canary')
    for (const secret of [
      key.body.key,
      token.body.token,
      'sk-canary-credential',
      account?.sealedCredential,
    ]) {
      expect(secret).toBeTruthy()
      expect(text).not.toContain(secret)
    }
  })
})
