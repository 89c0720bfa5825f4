import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const mint = (body: object = {}) =>
  control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', ...body } })

describe('a key', () => {
  it('a key is stored as a hash, and later shown without its secret', async () => {
    const { body } = await mint({ name: 'ci' })
    const [row] = await control.database.read.selectFrom('keys').selectAll().execute()
    expect(row?.hash).toBe(createHash('sha256').update(body.key).digest('hex'))
    expect(body.lastFour).toBe(body.key.slice(-4))
    const shown = await control.call('GET', `/v1/keys/${body.id}`)
    expect(shown.body).toEqual({
      id: body.id,
      name: 'ci',
      keyPrefix: body.keyPrefix,
      lastFour: body.lastFour,
      livemode: true,
      endUserId: 'user-1',
      capMicros: null,
      capPeriod: 'month',
      limits: [],
      tags: [],
      spentMicros: '0',
      heldMicros: '0',
      resetsAt: '2026-12-01T00:00:00.000Z',
      actorType: 'token',
      actorLabel: 'first',
      createdAt: '2026-11-20T12:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
      expiresAt: null,
      replacedBy: null,
    })
    const list = await control.call('GET', '/v1/keys')
    expect(list.body.data).toEqual([shown.body])
    expect(list.text).not.toContain(body.key)
  })

  it.each(['.', '..'])(
    'the external ID %s is rejected, because a path cannot contain it',
    async (endUserId) => {
      const refused = await mint({ endUserId })
      expect([refused.status, refused.body.error.param]).toEqual([400, 'endUserId'])
      const { body } = await control.call('GET', '/v1/end-users')
      expect(body.data.map(({ externalId }: { externalId: string }) => externalId)).toEqual(['user-1'])
      expect((await mint({ endUserId: '...' })).status).toBe(200)
    },
  )

  it('creating a key creates its end user if they do not exist, and sets an email only if no email is set', async () => {
    const key = await mint({ endUserId: 'new', email: 'new@example.com' })
    const user = await control.call('GET', '/v1/end-users/new')
    expect(user.body).toMatchObject({ id: key.body.endUserId, email: 'new@example.com', bundle: 'free' })
    await mint({ endUserId: 'new', email: 'other@example.com' })
    expect((await control.call('GET', '/v1/end-users/new')).body.email).toBe('new@example.com')
    await control.call('PUT', '/v1/end-users/bare')
    await mint({ endUserId: 'bare', email: 'bare@example.com' })
    expect((await control.call('GET', '/v1/end-users/bare')).body.email).toBe('bare@example.com')
  })

  it('a key accepts a cap, an expiry and a mode, and shows them', async () => {
    const { body } = await mint({
      capMicros: '5000000',
      capPeriod: 'day',
      expiresAt: '2027-01-01T01:00:00+01:00',
      livemode: false,
    })
    expect(body).toMatchObject({
      capMicros: '5000000',
      capPeriod: 'day',
      expiresAt: '2027-01-01T00:00:00.000Z',
      livemode: false,
    })
    // The tests' clock starts at 12:00 on November 20, 2026, so none of these times is in the future. The server
    // rejects a key that would never be valid.
    for (const expiresAt of ['2026-11-20T12:00:00Z', '2026-11-20T11:59:59.999Z', '2020-01-01T00:00:00Z']) {
      expect([expiresAt, (await mint({ expiresAt })).body.error]).toMatchObject([
        expiresAt,
        { code: 'invalid_request', param: 'expiresAt' },
      ])
    }
    expect((await mint({ expiresAt: '2026-11-20T12:00:00.001Z' })).status).toBe(200)
    for (const expiresAt of ['2027-01-01', '2027-01-01T00:00:00', 'tomorrow', '2027-02-30T00:00:00Z', 1]) {
      expect([expiresAt, (await mint({ expiresAt })).body.error?.param]).toEqual([expiresAt, 'expiresAt'])
    }
  })

  it('keys are listed in pages, and other lists reject the cursors of these pages', async () => {
    for (let i = 0; i < 3; i++) await mint()
    const first = await control.call('GET', '/v1/keys?limit=2')
    const cursor = encodeURIComponent(first.body.nextCursor)
    const rest = await control.call('GET', `/v1/keys?limit=2&cursor=${cursor}`)
    expect([rest.body.data.length, rest.body.nextCursor]).toEqual([1, null])
    for (const path of ['/v1/requests', '/v1/end-users', '/v1/application-keys']) {
      const other = await control.call('GET', `${path}?cursor=${cursor}`)
      expect([path, other.status, other.body.error?.param]).toEqual([path, 400, 'cursor'])
    }
    const nul = Buffer.from(JSON.stringify([1, 'a\0b'])).toString('base64url')
    expect((await control.call('GET', `/v1/keys?cursor=keys.list.${nul}`)).status).toBe(400)
  })

  it('the cap of a key can be set and removed, and an omitted period is kept', async () => {
    const { body } = await mint()
    const cap = (change: object) => control.call('POST', `/v1/keys/${body.id}/cap`, { body: change })
    expect((await cap({ capMicros: '7', capPeriod: 'week' })).body).toMatchObject({
      capMicros: '7',
      capPeriod: 'week',
    })
    expect((await cap({ capMicros: '8' })).body).toMatchObject({ capMicros: '8', capPeriod: 'week' })
    expect((await cap({ capMicros: null })).body.capMicros).toBeNull()
    expect((await cap({})).body.error.param).toBe('capMicros')
  })

  it('a revoked key remains listed, and a second revocation changes nothing', async () => {
    const { body } = await mint()
    const first = await control.call('DELETE', `/v1/keys/${body.id}`)
    control.clock.nowMs += 1000
    expect((await control.call('DELETE', `/v1/keys/${body.id}`)).body).toEqual(first.body)
    const { alsoRevoked, ...listed } = first.body
    expect(alsoRevoked).toEqual([])
    expect((await control.call('GET', '/v1/keys')).body.data).toEqual([listed])
  })
})

describe('the look-up of a key', () => {
  it('a key is found by its ID and its prefix, in either mode, revoked or not', async () => {
    const { body } = await mint({ livemode: false })
    for (const name of [body.id, body.keyPrefix]) {
      expect((await control.call('GET', `/v1/keys/${name}`)).body.id).toBe(body.id)
    }
    await control.call('DELETE', `/v1/keys/${body.keyPrefix}`)
    expect((await control.call('GET', `/v1/keys/${body.keyPrefix}`)).body.revokedAt).not.toBeNull()
    expect((await control.call('GET', `/v1/keys/${body.keyPrefix.slice(0, -1)}`)).status).toBe(404)
  })

  it('a key is found by its end user only while the end user has exactly one key', async () => {
    const first = await mint()
    await mint({ livemode: false })
    expect((await control.call('GET', '/v1/keys/user-1')).body.id).toBe(first.body.id)
    const second = await mint()
    const two = await control.call('GET', '/v1/keys/user-1')
    expect(two.body.error).toMatchObject({ code: 'ambiguous_key', details: { id: 'user-1', count: 2 } })
    await control.call('DELETE', `/v1/keys/${first.body.id}`)
    expect((await control.call('GET', '/v1/keys/user-1')).body.id).toBe(second.body.id)
  })

  it('a key is never found by its secret', async () => {
    const { body } = await mint()
    expect((await control.call('GET', `/v1/keys/${body.key}`)).status).toBe(404)
  })

  it('the list of keys can be filtered by end user', async () => {
    await mint()
    await mint({ endUserId: 'user-2' })
    const list = await control.call('GET', '/v1/keys?endUserId=user-2')
    expect(list.body.data.map((key: { endUserId: string }) => key.endUserId)).toEqual(['user-2'])
  })
})
