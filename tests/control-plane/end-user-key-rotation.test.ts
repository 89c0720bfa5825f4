import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  openControl,
  ready,
  type CallOptions,
  type Control,
} from '../support/control-plane-without-socket.ts'
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

  const mint = async (body: object = {}): Promise<Answer['body']> =>
    (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', name: 'ci', ...body } })).body
  const rotate = (id: string, graceSeconds: unknown, options: CallOptions = {}): Promise<Answer> =>
    control.call('POST', `/v1/keys/${id}/rotate`, { body: { graceSeconds }, ...options })
  const show = async (id: string): Promise<Answer['body']> =>
    (await control.call('GET', `/v1/keys/${id}`)).body
  const inSeconds = (seconds: number): string => new Date(control.clock.nowMs + seconds * 1_000).toISOString()

  async function outcomeOf(keyId: string): Promise<string> {
    try {
      await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
      return 'served'
    } catch (error) {
      if (error instanceof NotReserved && error.result.kind === 'refused') return error.result.code
      throw error
    }
  }

  it('revoking a key also revokes the keys that it replaced, but no later key', async () => {
    const first = await mint()
    const second = (await rotate(first.id, 86_400)).body
    const third = (await rotate(second.id, 0)).body
    const fourth = (await rotate(third.id, 60)).body
    // The grace period of the third key has ended. The first key still works, because its grace period is a day.
    control.clock.nowMs += 61_000
    expect(await Promise.all([first, third, fourth].map(({ id }) => outcomeOf(id)))).toEqual([
      'served',
      'key_expired',
      'served',
    ])
    const other = await mint()
    const { body } = await control.call('DELETE', `/v1/keys/${fourth.id}`)
    expect(body).toMatchObject({ id: fourth.id, alsoRevoked: [first.id] })
    expect(await outcomeOf(first.id)).toBe('key_revoked')
    expect(await outcomeOf(fourth.id)).toBe('key_revoked')
    expect(await outcomeOf(other.id)).toBe('served')
    expect((await control.call('DELETE', `/v1/keys/${fourth.id}`)).body.alsoRevoked).toEqual([])
  })

  it('after a key is replaced, revoking the old key does not affect the new key', async () => {
    const old = await mint()
    const { body: successor } = await rotate(old.id, 3_600)
    expect((await control.call('DELETE', `/v1/keys/${old.id}`)).body.alsoRevoked).toEqual([])
    expect(await outcomeOf(successor.id)).toBe('served')
    expect(await outcomeOf(old.id)).toBe('key_revoked')
  })

  it('the new key has the same terms as the old key, which expires when the grace period ends', async () => {
    const old = await mint({ capMicros: '5000000', capPeriod: 'week' })
    const { body, status } = await rotate(old.id, 3_600)
    expect(status).toBe(200)
    const { id, key, keyPrefix, lastFour, ...terms } = body
    expect(terms).toEqual({
      name: 'ci',
      endUserId: old.endUserId,
      livemode: true,
      capMicros: '5000000',
      capPeriod: 'week',
      limits: [],
      tags: [],
      expiresAt: null,
      createdAt: inSeconds(0),
      replaces: old.id,
      replacedEndsAt: inSeconds(3_600),
    })
    expect([id === old.id, key === old.key, keyPrefix === old.keyPrefix]).toEqual([false, false, false])
    expect(key.endsWith(lastFour)).toBe(true)
    expect(await show(old.id)).toMatchObject({
      expiresAt: inSeconds(3_600),
      revokedAt: null,
      replacedBy: id,
    })
    expect(await show(id)).toMatchObject({ expiresAt: null, replacedBy: null, actorLabel: 'first' })
    const everything = await Promise.all(
      ['/v1/keys', `/v1/keys/${id}`, '/v1/audit?limit=200'].map((path) => control.call('GET', path)),
    )
    for (const { text } of everything) expect(text).not.toContain(key)
    expect(everything[2]?.body.data[0]).toMatchObject({ operation: 'keys.rotate' })

    expect([await outcomeOf(old.id), await outcomeOf(id)]).toEqual(['served', 'served'])
    control.clock.nowMs += 3_600_000 - 1
    expect([await outcomeOf(old.id), await outcomeOf(id)]).toEqual(['served', 'served'])
    control.clock.nowMs += 1
    expect([await outcomeOf(old.id), await outcomeOf(id)]).toEqual(['key_expired', 'served'])
  })

  it('a grace period is 0 to 86400 seconds, and at most the remaining lifetime of the key', async () => {
    for (const grace of [-1, 86_401, 0.5, '60', null, undefined]) {
      const { id } = await mint()
      expect((await rotate(id, grace)).body.error, String(grace)).toMatchObject({
        code: 'invalid_request',
        param: 'graceSeconds',
      })
      expect(await show(id)).toMatchObject({ replacedBy: null, expiresAt: null })
    }
    const atOnce = await mint()
    expect((await rotate(atOnce.id, 0)).body.replacedEndsAt).toBe(inSeconds(0))
    expect(await outcomeOf(atOnce.id)).toBe('key_expired')
    const day = await mint()
    expect((await rotate(day.id, 86_400)).body.replacedEndsAt).toBe(inSeconds(86_400))
    const expiring = await mint({ expiresAt: inSeconds(60) })
    expect((await rotate(expiring.id, 3_600)).body).toMatchObject({
      expiresAt: inSeconds(60),
      replacedEndsAt: inSeconds(60),
    })
  })

  it('only one of ten concurrent rotations succeeds, and the nine errors contain the ID of the new key', async () => {
    const { id } = await mint()
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => rotate(id, i * 60)))
    const [made, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    for (const { body, status } of answers.filter((one) => one !== made)) {
      expect(status).toBe(409)
      expect(body.error).toMatchObject({ code: 'key_ended', param: 'id', details: { id } })
      expect(body.error.message).toContain(`${made?.body.id} has replaced it`)
    }
    const { data } = (await control.call('GET', '/v1/keys')).body
    expect(new Set(data.map((one: { id: string }) => one.id))).toEqual(new Set([id, made?.body.id]))
    expect(data).toHaveLength(2)
    expect(await show(id)).toMatchObject({ expiresAt: made?.body.replacedEndsAt, replacedBy: made?.body.id })
  })

  it('a repeated rotation with the same Idempotency-Key creates no further key, and does not return the secret', async () => {
    const { id } = await mint()
    const headers = { 'idempotency-key': 'rotation-1' }
    const first = await rotate(id, 60, { headers })
    const again = await rotate(id, 60, { headers })
    expect(first.status).toBe(200)
    expect(again.body.error).toMatchObject({ code: 'secret_not_kept', details: { id: first.body.id } })
    expect((await rotate(id, 61, { headers })).body.error.code).toBe('idempotency_mismatch')
    expect((await control.call('GET', '/v1/keys')).body.data).toHaveLength(2)
  })

  it('an expired key cannot be rotated, but its successor can, repeatedly', async () => {
    const revoked = await mint()
    await control.call('DELETE', `/v1/keys/${revoked.id}`)
    expect((await rotate(revoked.id, 60)).body.error.message).toContain('it is revoked')
    const expired = await mint({ expiresAt: inSeconds(1) })
    control.clock.nowMs += 1_000
    expect((await rotate(expired.id, 60)).body.error.message).toContain('it has expired')
    let { id } = await mint()
    for (let n = 0; n < 3; n++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { body } = await rotate(id, 60)
      expect(body.replaces).toBe(id)
      ;({ id } = body)
    }
    // Revoking the old key ends its grace period.
    const first = await mint()
    await rotate(first.id, 3_600)
    await control.call('DELETE', `/v1/keys/${first.id}`)
    expect(await outcomeOf(first.id)).toBe('key_revoked')
  })

  it('spending and holds of the earlier keys count toward the cap of a rotated key', async () => {
    const old = await mint({ capMicros: '1000', capPeriod: 'month' })
    expect(await outcomeOf(old.id)).toBe('served')
    const { body: next } = await rotate(old.id, 3_600)
    expect(await outcomeOf(next.id)).toBe('served')
    // The calls have spent 900 of the 1,000 micros, and each call holds at least 104.
    expect([await outcomeOf(old.id), await outcomeOf(next.id)]).toEqual([
      'spend_limit_exceeded',
      'spend_limit_exceeded',
    ])
    const { body: last } = await rotate(next.id, 0)
    expect(await outcomeOf(last.id)).toBe('spend_limit_exceeded')
    for (const { id } of [old, next, last]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await show(id)).toMatchObject({ spentMicros: '900', heldMicros: '0', capMicros: '1000' })
    }
    const { limits } = (await control.call('GET', '/v1/end-users/user-1/limits')).body
    const caps = limits.filter(({ kind }: { kind: string }) => kind === 'key_cap')
    expect(caps.map(({ usedUnits }: { usedUnits: string }) => usedUnits)).toEqual(['900', '900'])
    control.clock.nowMs = Date.UTC(2026, 11, 1)
    expect(await outcomeOf(last.id)).toBe('served')
  })

  it.each(['new', 'old'])('a cap and limits set on the %s key apply to both keys', async (capped) => {
    const old = await mint({ capMicros: '1000', capPeriod: 'month' })
    const { body: next } = await rotate(old.id, 3_600)
    expect(await outcomeOf(old.id)).toBe('served')
    const other = await mint({ capMicros: '1000' })
    // Each call spends 450 micros and holds at least 104, so the cap rejects the next call of either key.
    const limits = [{ measure: 'requests', window: 'day', most: '9' }]
    const { text, status } = await control.call(
      'POST',
      `/v1/keys/${capped === 'new' ? next.id : old.id}/cap`,
      {
        body: { capMicros: '500', capPeriod: 'week', limits },
      },
    )
    expect(status, text).toBe(200)
    expect([await outcomeOf(old.id), await outcomeOf(next.id)]).toEqual([
      'spend_limit_exceeded',
      'spend_limit_exceeded',
    ])
    const set = { capMicros: '500', capPeriod: 'week', limits }
    expect(await Promise.all([show(old.id), show(next.id)])).toMatchObject([set, set])
    expect(await show(other.id)).toMatchObject({ capMicros: '1000', limits: [] })
  })

  it('a cap leaves revoked keys of the key line as they were', async () => {
    const old = await mint({ capMicros: '1000' })
    const { body: next } = await rotate(old.id, 3_600)
    await control.call('DELETE', `/v1/keys/${old.id}`)
    await control.call('POST', `/v1/keys/${next.id}/cap`, { body: { capMicros: '500' } })
    expect(await show(old.id)).toMatchObject({ capMicros: '1000' })
    expect(await show(next.id)).toMatchObject({ capMicros: '500' })
  })

  it('a test key expires by the test clock', async () => {
    const { id } = await mint({ livemode: false })
    const { body } = await rotate(id, 3_600)
    expect(body).toMatchObject({ livemode: false, replacedEndsAt: inSeconds(3_600) })
    await control.call('POST', '/v1/test-clock/advance', { body: { to: inSeconds(7_200) } })
    const successor = await rotate(body.id, 60)
    expect(successor.body.replacedEndsAt).toBe(inSeconds(7_260))
    expect((await rotate(id, 60)).body.error.code).toBe('key_ended')
  })

  it('after the old key has expired, the end user’s ID identifies the only remaining key again', async () => {
    const { id } = await mint()
    const { body } = await rotate(id, 60)
    expect((await control.call('GET', '/v1/keys/user-1')).body.error.code).toBe('ambiguous_key')
    control.clock.nowMs += 60_000
    expect(await show('user-1')).toMatchObject({ id: body.id })
    await control.call('DELETE', `/v1/keys/${body.id}`)
    // The other key was revoked, so the expired key is the only remaining key.
    expect(await show('user-1')).toMatchObject({ id })
  })

  describe('in the portal', () => {
    let token: string
    beforeEach(async () => {
      token = await signIn(control, 'user-1')
      await control.call('PATCH', '/v1/portal-settings', { body: portalKeysAllowed })
    })
    const rotateOwn = (id: string, graceSeconds: number): Promise<Answer> =>
      control.call('POST', `/v1/portal/keys/${id}/rotate`, { token, body: { graceSeconds } })
    const mintOwn = async (): Promise<Answer['body']> =>
      (await control.call('POST', '/v1/portal/keys', { token, body: {} })).body

    it('end users who may create keys can rotate their own keys and keys that the team created', async () => {
      const teams = await mint({ capMicros: '700' })
      for (const { id, capMicros } of [await mintOwn(), teams]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { body } = await rotateOwn(id, 60)
        expect(body).toMatchObject({ capMicros, replaces: id, replacedEndsAt: inSeconds(60) })
        // oxlint-disable-next-line no-await-in-loop -- the same
        const { data } = (await control.call('GET', '/v1/portal/keys', { token })).body
        expect(data.find((one: { id: string }) => one.id === body.id)).toMatchObject({ mintedHere: true })
        expect(data.find((one: { id: string }) => one.id === id)).toMatchObject({ replacedBy: body.id })
      }
      const { id } = await mintOwn()
      await control.call('PATCH', '/v1/portal-settings', { body: { endUsersMayMintKeys: false } })
      expect((await rotateOwn(id, 60)).body.error.code).toBe('portal_keys_refused')
    })

    it('over four consecutive rotations, all keys together spend at most the cap', async () => {
      let { id } = await mint({ capMicros: '1000' })
      let served = 0
      for (let n = 0; n < 4; n++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        while ((await outcomeOf(id)) === 'served') served += 1
        // oxlint-disable-next-line no-await-in-loop -- the same
        ;({ id } = (await rotateOwn(id, 0)).body)
      }
      expect(served).toBe(2)
    })

    it('no caller can rotate the key of another end user', async () => {
      const other = await mint({ endUserId: 'user-2' })
      expect((await rotateOwn(other.id, 60)).body.error.code).toBe('not_found')
      expect(await show(other.id)).toMatchObject({ replacedBy: null })
    })

    it('rotation creates no more keys than the limit allows', async () => {
      const { id } = await mintOwn()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (let n = 1; n < 25; n++) await mintOwn()
      expect((await rotateOwn(id, 60)).body.error.code).toBe('too_many_keys')
      const { body } = await rotateOwn(id, 0)
      expect(body.replaces).toBe(id)
      control.clock.nowMs += 1
      expect((await rotateOwn(body.id, 1)).body.error.code).toBe('too_many_keys')
    })
  })
})
