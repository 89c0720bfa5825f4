import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
})
afterEach(() => control.close())

describe('customer.show', () => {
  it('customer.show returns the organization of the token, with its tier, applications and members', async () => {
    const empty = await control.call('GET', '/v1/customer')
    expect(empty.body).toEqual({
      id: control.organizationId,
      name: 'First',
      code: expect.stringMatching(/^[a-z0-9]{6}$/),
      tier: 'free',
      applications: 0,
      members: 1,
      mode: 'live',
      role: 'owner',
      createdAt: '2026-11-20T12:00:00.000Z',
    })
    await ready(control)
    await control.call('POST', '/v1/bill/subscribe', { body: { tier: 'scale' } })
    expect((await control.call('GET', '/v1/customer', { mode: 'test' })).body).toEqual({
      ...empty.body,
      tier: 'scale',
      applications: 1,
      mode: 'test',
    })
  })

  it('customer.show does not count archived applications or applications of another organization', async () => {
    await ready(control)
    const token = await control.found('Other')
    expect((await control.call('GET', '/v1/customer', { token })).body).toMatchObject({
      name: 'Other',
      applications: 0,
      members: 1,
    })
    await control.database.transaction((tx) =>
      tx.updateTable('applications').set({ archived_at_ms: 1 }).execute(),
    )
    expect((await control.call('GET', '/v1/customer')).body.applications).toBe(0)
  })
})
