import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'
import {
  NotReserved,
  portalKeysAllowed,
  reserveCall,
  settleCall,
  signIn,
} from '../support/valid-request-of-every-operation.ts'

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'x' },
    })
  })
  afterEach(() => control.close())

  const requests = { measure: 'requests', window: 'minute', most: '2', models: ['acme/*'] }
  const tokens = { measure: 'tokens', window: '5h', most: '1000000' }
  const inFlight = { measure: 'calls', most: '3' }
  const mint = async (limits?: unknown): Promise<Answer['body']> => {
    const { body, status, text } = await control.call('POST', '/v1/keys', {
      body: { endUserId: 'user-1', ...(limits !== undefined && { limits }) },
    })
    assert.equal(status, 200, text)
    return body
  }
  const call = async (key: string): Promise<void> =>
    settleCall(control, 'acme', await reserveCall(control, 'acme', key, null))
  const refusal = async (key: string): Promise<unknown> => {
    const error = await call(key).catch((cause: unknown) => cause)
    assert(error instanceof NotReserved)
    return error.result
  }
  const show = async (path: string) => (await control.call('GET', path)).body

  it('limits of a key are shown with the key, changed separately from its cap, and carried over by rotation', async () => {
    expect((await mint()).limits).toEqual([])
    const { id, limits } = await mint([requests, tokens, inFlight])
    expect(limits).toEqual([requests, tokens, inFlight])
    expect((await show(`/v1/keys/${id}`)).limits).toEqual([requests, tokens, inFlight])
    expect((await show('/v1/keys')).data.map((key: Answer['body']) => key.limits.length)).toEqual([3, 0])
    const cap = (body: object) => control.call('POST', `/v1/keys/${id}/cap`, { body })
    expect((await cap({ capMicros: '500000' })).body).toMatchObject({
      capMicros: '500000',
      limits: [requests, tokens, inFlight],
    })
    expect((await cap({ limits: [requests] })).body).toMatchObject({
      capMicros: '500000',
      limits: [requests],
    })
    const rotated = await control.call('POST', `/v1/keys/${id}/rotate`, { body: { graceSeconds: 60 } })
    expect(rotated.body.limits).toEqual([requests])
    await call(id)
    await call(rotated.body.id)
    for (const key of [id, rotated.body.id])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await refusal(key)).toMatchObject({
        code: 'rate_limited',
        limitSource: 'key_limit',
        used: 2n,
        rate: { measure: 'requests', window: 'minute', models: ['acme/*'] },
      })
    expect((await cap({ limits: [] })).body.limits).toEqual([])
    await call(id)
  })

  it('invalid limits of a key or a bundle are rejected, and the error names the field', async () => {
    const wrong = [{ measure: 'calls', window: 'day', most: '5' }]
    for (const [method, path, body] of [
      ['POST', '/v1/keys', { endUserId: 'user-1', limits: wrong }],
      ['PATCH', '/v1/bundles/free', { limits: wrong }],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await control.call(method, path, { body })
      expect([answer.status, answer.body.error.param]).toEqual([400, 'limits.0.window'])
    }
  })

  it('limits of a bundle are kept when other settings change, and apply to each end user of the bundle', async () => {
    const edit = (body: object) => control.call('PATCH', '/v1/bundles/free', { body })
    const { id } = await mint()
    expect((await show('/v1/bundles/free')).limits).toEqual([])
    expect((await edit({ limits: [requests] })).body.limits).toEqual([requests])
    expect((await edit({ displayName: 'Other' })).body.limits).toEqual([requests])
    await call(id)
    await call(id)
    expect(await refusal(id)).toMatchObject({ code: 'rate_limited', limitSource: 'bundle_limit', used: 2n })
    const configuration = await show('/v1/apps/acme/configuration')
    expect(configuration.bundles[0]).toMatchObject({ slug: 'free', limits: [requests] })
    expect((await edit({ limits: null })).body.limits).toEqual([])
    await call(id)
  })

  it('users.limits and the portal show the limits of the keys, the plan and the end user, with the counted usage', async () => {
    const { id } = await mint([requests])
    const unlimited = await mint()
    await control.call('PATCH', '/v1/bundles/free', { body: { limits: [inFlight] } })
    await control.call('PUT', '/v1/end-users/user-1/limit', { body: { limits: [requests] } })
    await call(id)
    await reserveCall(control, 'acme', unlimited.id, null)
    const resetsAt = new Date(Math.floor(control.clock.nowMs / 60_000 + 1) * 60_000).toISOString()
    const rates = [
      { ...requests, source: 'key_limit', id, used: '1', held: '0', available: '1', resetsAt },
      {
        ...inFlight,
        source: 'bundle_limit',
        id: 'free',
        used: '0',
        held: '1',
        available: '2',
        resetsAt: null,
      },
      { ...requests, source: 'end_user_limit', id: null, used: '2', held: '0', available: '0', resetsAt },
    ]
    expect((await show('/v1/end-users/user-1/limits')).rates).toEqual(rates)
    const token = await signIn(control, 'user-1')
    expect((await control.call('GET', '/v1/portal/account', { token })).body.rates).toEqual(rates)
    const keys = await control.call('GET', '/v1/portal/keys', { token })
    expect(keys.body.data.map((key: Answer['body']) => key.limits)).toEqual([[], [requests]])
  })

  it('an end user can set limits when creating a key in the portal', async () => {
    await control.call('PATCH', '/v1/portal-settings', { body: portalKeysAllowed })
    const token = await signIn(control, 'user-1')
    const body = { name: 'laptop', limits: [{ ...requests, most: '1' }] }
    const minted = await control.call('POST', '/v1/portal/keys', { token, body })
    expect([minted.status, minted.body.limits]).toEqual([200, body.limits])
    await call(minted.body.id)
    expect(await refusal(minted.body.id)).toMatchObject({ code: 'rate_limited', limitSource: 'key_limit' })
    const wrong = { ...body, limits: [{ measure: 'requests', most: '1' }] }
    const refused = await control.call('POST', '/v1/portal/keys', { token, body: wrong })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request'])
  })
})
