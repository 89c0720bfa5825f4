import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
  await control.call('PUT', '/v1/bundles/pro', { body: { displayName: 'Pro' } })
  await control.call('PUT', '/v1/end-users/user-2', { body: { bundle: 'pro' } })
  await control.call('PUT', '/v1/end-users/user-3', { body: {} })
})
afterEach(() => control.close())

const issue = (body: object, mode: 'live' | 'test' = 'live') =>
  control.call('POST', '/v1/grants', { mode, body: { amountUnits: '1000', reason: 'welcome', ...body } })

async function balances(mode: 'live' | 'test' = 'live'): Promise<Record<string, string>> {
  const { body } = await control.call('GET', '/v1/end-users', { mode })
  return Object.fromEntries(
    body.data.map((user: { externalId: string; balance: { balanceUnits: string } }) => [
      user.externalId,
      user.balance.balanceUnits,
    ]),
  )
}

describe('a grant', () => {
  it('a grant adds credit to each named end user once, and the response contains the number of these end users', async () => {
    const { body } = await issue({ endUsers: ['user-1', 'user-2', 'user-1'] })
    expect(body).toMatchObject({ amountUnits: '1000', reason: 'welcome', idempotencyKey: null, endUsers: 2 })
    expect(body.id).toMatch(/^gr_/)
    expect(await balances()).toEqual({ 'user-1': '1000', 'user-2': '1000', 'user-3': '0' })
  })

  it('a grant adds credit to all end users of a bundle, or of the application, in one mode', async () => {
    expect((await issue({ bundle: 'free' })).body.endUsers).toBe(2)
    expect((await issue({ everyone: true }, 'test')).body.endUsers).toBe(3)
    expect(await balances()).toEqual({ 'user-1': '1000', 'user-2': '0', 'user-3': '1000' })
    expect(await balances('test')).toEqual({ 'user-1': '1000', 'user-2': '1000', 'user-3': '1000' })
    expect((await control.call('GET', '/v1/grants')).body.data).toHaveLength(1)
    expect((await control.call('GET', '/v1/grants', { mode: 'test' })).body.data).toHaveLength(1)
  })

  it('a grant adds no credit to any end user if one of the end users is unknown', async () => {
    const answer = await issue({ endUsers: ['user-1', 'nobody'] })
    expect(answer.body.error).toMatchObject({ code: 'not_found', details: { id: 'nobody' } })
    expect((await balances())['user-1']).toBe('0')
  })

  it('a grant selects its recipients in exactly one way, and has at least one recipient', async () => {
    for (const body of [{}, { everyone: true, bundle: 'free' }, { endUsers: ['user-1'], everyone: true }]) {
      expect((await issue(body)).body.error).toMatchObject({ code: 'invalid_request', param: 'endUsers' })
    }
    await control.call('PUT', '/v1/bundles/empty', { body: { displayName: 'Empty' } })
    expect((await issue({ bundle: 'empty' })).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'bundle',
    })
    expect((await issue({ everyone: false })).status).toBe(400)
    expect((await issue({ endUsers: [] })).status).toBe(400)
  })

  it('the amount of a grant is at least one micro, and is written in canonical form', async () => {
    for (const amountUnits of ['0', '-5', '1.5', '', '1000000000000001', 5]) {
      const answer = await issue({ endUsers: ['user-1'], amountUnits })
      expect([amountUnits, answer.body.error?.param]).toEqual([amountUnits, 'amountUnits'])
    }
    expect((await issue({ endUsers: ['user-1'], amountUnits: '1000000000000000' })).status).toBe(200)
  })

  it('a repeated grant returns the first grant, even after its expiry or after the deletion of a recipient', async () => {
    const sent = {
      endUsers: ['user-1', 'user-2'],
      idempotencyKey: 'campaign-1',
      expiresAt: '2026-11-20T13:00:00.000Z',
    }
    const first = await issue(sent)
    expect(first.status, first.text).toBe(200)
    control.clock.nowMs = Date.parse(sent.expiresAt)
    expect((await issue(sent)).body).toEqual(first.body)

    // An interrupted grant is continued too.
    const pending = JSON.stringify([
      (await control.call('GET', '/v1/end-users/user-1')).body.id,
      (await control.call('GET', '/v1/end-users/user-2')).body.id,
    ])
    await control.database.transaction((tx) =>
      tx.updateTable('grants').set({ pending, done: 1 }).where('id', '=', first.body.id).execute(),
    )
    expect((await control.call('GET', '/v1/grants')).body.data[0].done).toBe(1)
    expect((await issue(sent)).body).toEqual(first.body)

    const other = await issue({ ...sent, reason: 'other' })
    expect([other.status, other.body.error?.code]).toEqual([422, 'idempotency_mismatch'])
    const unused = await issue({ ...sent, idempotencyKey: 'campaign-2' })
    expect(unused.body.error).toMatchObject({ code: 'invalid_request', param: 'expiresAt' })

    expect((await control.call('DELETE', '/v1/end-users/user-2')).status).toBe(200)
    const repeat = await issue(sent)
    expect([repeat.status, repeat.body.id]).toEqual([200, first.body.id])
    expect((await control.call('GET', '/v1/grants')).body.data).toHaveLength(1)
  })

  it('a repeated grant to a bundle returns the first grant, even if no end user is on the bundle any longer', async () => {
    const sent = { bundle: 'pro', idempotencyKey: 'campaign-1' }
    const first = await issue(sent)
    await control.call('PUT', '/v1/end-users/user-2', { body: { bundle: 'free' } })
    await control.call('DELETE', '/v1/bundles/pro')
    expect((await issue(sent)).body).toEqual(first.body)
    expect((await balances())['user-2']).toBe('1000')
  })

  it('a grant adds credit to each of many end users once, even if the request is repeated', async () => {
    const many = Array.from({ length: 1200 }, (_, n) => `many-${n}`)
    await control.database.transaction(async (tx) => {
      const [row] = await tx.selectFrom('end_users').selectAll().limit(1).execute()
      if (!row) throw new Error('there is a person')
      for (const external_id of many) {
        await tx
          .insertInto('end_users')
          .values({ ...row, id: `eu_${external_id}`, external_id })
          .execute()
      }
    })
    const first = await issue({ endUsers: many, idempotencyKey: 'campaign' })
    expect(first.body).toMatchObject({ endUsers: 1200, done: 1200, status: 'done' })
    expect((await issue({ endUsers: many, idempotencyKey: 'campaign' })).body).toEqual(first.body)
    const sums = await control.database.read
      .selectFrom('sources')
      .select(['posted'])
      .where('kind', '=', 'wallet')
      .execute()
    expect(sums).toHaveLength(1200)
    expect(new Set(sums.map(({ posted }) => posted))).toEqual(new Set([1000n]))
  })

  it('a grant to everyone credits 10,000 end users once each, while calls run, and reports its progress', async () => {
    await people(10_000)
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-2' } })
    await issue({ endUsers: ['user-2'], amountUnits: '1000000' })
    const issuing = issue({ everyone: true, idempotencyKey: 'all' })
    const ends: string[] = []
    void issuing.then(() => ends.push('grant'))
    const seen = new Set<number>()
    let calls = 0
    while (ends.length === 0) {
      await settleCall(control, 'acme', await reserveCall(control, 'acme', key.body.id, null))
      calls++
      const [newest] = (await control.call('GET', '/v1/grants')).body.data
      if (newest.endUsers < 10_003) continue
      seen.add(newest.done)
      expect(newest.status).toBe(newest.done === 10_003 ? 'done' : 'running')
    }
    // The number of observed grant steps depends on the speed of the machine.
    expect(calls).toBeGreaterThan(1)
    expect([...seen].filter((done) => done < 10_003)).not.toEqual([])
    expect([...seen]).toEqual([...seen].toSorted((one, other) => one - other))
    const { body } = await issuing
    expect((await control.call('GET', `/v1/grants/${body.id}`)).body).toEqual(body)
    expect(body).toMatchObject({ endUsers: 10_003, done: 10_003, status: 'done' })
    expect((await issue({ everyone: true, idempotencyKey: 'all' })).body).toEqual(body)
    const { count } = await control.database.read
      .selectFrom('ledger')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('grant_id', '=', body.id)
      .executeTakeFirstOrThrow()
    expect(count).toBe(10_003)
  })
})

/** The other end users are copies of the first one. */
async function people(count: number): Promise<void> {
  await control.database.transaction(async (tx) => {
    const row = await tx.selectFrom('end_users').selectAll().limit(1).executeTakeFirstOrThrow()
    for (let from = 0; from < count; from += 1000) {
      const some = Array.from({ length: Math.min(1000, count - from) }, (_, i) => ({
        ...row,
        id: `eu_copy-${from + i}`,
        external_id: `copy-${from + i}`,
      }))
      await tx.insertInto('end_users').values(some).execute()
    }
  })
}
