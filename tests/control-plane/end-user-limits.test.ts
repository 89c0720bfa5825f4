import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'
import { NotReserved, reserveCall, settleCall, signIn } from '../support/valid-request-of-every-operation.ts'

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  const keys: string[] = []
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'x' },
    })
    keys.length = 0
    for (let n = 0; n < 2; n++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      keys.push((await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })).body.id)
    }
  })
  afterEach(() => control.close())

  const limit = (limits: unknown, mode: 'live' | 'test' = 'live'): Promise<Answer> =>
    control.call('PUT', '/v1/end-users/user-1/limit', { body: { limits }, mode })
  const micros = (window: string, most: string) => ({ measure: 'micros', window, most })
  const call = async (key = 0): Promise<void> =>
    settleCall(control, 'acme', await reserveCall(control, 'acme', keys[key] ?? '', null))
  const refusal = async (key = 0): Promise<unknown> => {
    const error = await call(key).catch((cause: unknown) => cause)
    assert(error instanceof NotReserved)
    return error.result
  }

  it('a request replaces all limits of an end user in the mode of the request, and an empty list removes all limits', async () => {
    const both = [micros('day', '500'), micros('month', '9000')]
    const set = await limit(both)
    expect(set.status, set.text).toBe(200)
    expect(set.body).toMatchObject({ externalId: 'user-1', limits: both })
    expect((await limit([micros('total', '1')], 'test')).body.limits).toEqual([micros('total', '1')])
    const shown = async (mode: 'live' | 'test' = 'live') =>
      (await control.call('GET', '/v1/end-users/user-1', { mode })).body.limits
    expect(await shown()).toEqual(both)
    expect(await shown('test')).toEqual([micros('total', '1')])
    expect((await limit([micros('week', '7')])).body.limits).toEqual([micros('week', '7')])
    expect((await control.call('GET', '/v1/end-users')).body.data[0].limits).toEqual([micros('week', '7')])
    await limit([])
    expect([await shown(), await shown('test')]).toEqual([[], [micros('total', '1')]])
    const audit = await control.call('GET', '/v1/audit')
    expect(audit.body.data[0]).toMatchObject({ operation: 'users.limit' })
  })

  it('limits with an invalid measure, window, pattern or amount are rejected, and the error names the field', async () => {
    for (const [limits, param, words] of [
      [[{ measure: 'seconds', window: 'day', most: '5' }], 'limits.0.measure', 'measure'],
      [[{ measure: 'calls', window: 'day', most: '5' }], 'limits.0.window', 'no window'],
      [[{ measure: 'requests', most: '5' }], 'limits.0.window', 'is required'],
      [[micros('year', '5')], 'limits.0.window', 'window'],
      [[{ ...micros('day', '5'), models: ['A*'] }], 'limits.0.models.0', 'pattern'],
      [[micros('day', '-1')], 'limits.0.most', 'most'],
      [
        [micros('day', '1'), micros('day', '2')],
        'limits',
        'must not contain two limits with the same measure',
      ],
      [undefined, 'limits', 'required'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { body, status } = await limit(limits)
      expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param])
      expect(body.error.message).toContain(words)
    }
  })

  it('limits stop every key of the end user together until the window ends', async () => {
    await call()
    await limit([micros('day', '1000'), micros('month', '1400')])
    await call(1)
    const nextDayMs = Math.ceil((control.clock.nowMs + 1) / 86_400_000) * 86_400_000
    for (const key of [0, 1]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await refusal(key)).toMatchObject({
        code: 'spend_limit_exceeded',
        limitSource: 'end_user_limit',
        limit: 1000n,
        used: 900n,
        resetsAtMs: nextDayMs,
      })
    }
    const limits = async () =>
      (await control.call('GET', '/v1/end-users/user-1/limits')).body.limits.filter(
        ({ kind }: { kind: string }) => kind === 'end_user_limit',
      )
    expect(await limits()).toEqual([
      {
        kind: 'end_user_limit',
        id: 'day',
        name: 'End user',
        unit: 'micros',
        limitUnits: '1000',
        usedUnits: '900',
        heldUnits: '0',
        availableUnits: '100',
        expiresAt: null,
        period: 'day',
        resetsAt: new Date(nextDayMs).toISOString(),
      },
      expect.objectContaining({ id: 'month', limitUnits: '1400', usedUnits: '900', availableUnits: '500' }),
    ])
    const token = await signIn(control, 'user-1')
    const { body: account } = await control.call('GET', '/v1/portal/account', { token })
    expect(account.limits).toEqual([
      {
        limitMicros: '1000',
        spentMicros: '900',
        period: 'day',
        resetsAt: new Date(nextDayMs).toISOString(),
      },
      expect.objectContaining({ limitMicros: '1400', spentMicros: '900', period: 'month' }),
    ])
    control.clock.nowMs = nextDayMs
    await call()
    expect(await refusal()).toMatchObject({ limitSource: 'end_user_limit', limit: 1400n, used: 1350n })
    await limit([])
    await call()
  })

  it('limits on requests and tokens are shown with the counted usage, and are replaced together with all other limits', async () => {
    const requests = { measure: 'requests', window: 'minute', most: '2', models: ['acme/*'] }
    const inFlight = { measure: 'calls', most: '3' }
    const all = [micros('day', '100000'), requests, inFlight]
    expect((await limit(all)).body.limits).toEqual(all)
    await call()
    await reserveCall(control, 'acme', keys[0] ?? '', null)
    const own = { source: 'end_user_limit', id: null }
    const rates = async () => (await control.call('GET', '/v1/end-users/user-1/limits')).body.rates
    const resetsAt = new Date(Math.floor(control.clock.nowMs / 60_000 + 1) * 60_000).toISOString()
    expect(await rates()).toEqual([
      { ...requests, ...own, used: '2', held: '0', available: '0', resetsAt },
      { ...inFlight, ...own, used: '0', held: '1', available: '2', resetsAt: null },
    ])
    expect(await refusal(1)).toMatchObject({
      code: 'rate_limited',
      limitSource: 'end_user_limit',
      rate: { measure: 'requests', window: 'minute' },
    })
    await limit([micros('day', '100000')])
    await call(1)
    expect(await rates()).toEqual([])
  })

  it('limits of an end user remain in force after a change to another plan', async () => {
    await limit([micros('total', '1000')])
    await call()
    await control.call('PUT', '/v1/bundles/other', { body: { displayName: 'Other' } })
    await control.call('POST', '/v1/bundles/other/allow', { body: { models: ['acme/*'] } })
    await control.call('PUT', '/v1/end-users/user-1/subscription', { body: { bundle: 'other' } })
    await call()
    expect(await refusal()).toMatchObject({ limitSource: 'end_user_limit', used: 900n, resetsAtMs: null })
  })
})
