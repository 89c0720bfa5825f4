/** An earlier version violated each rule that this file tests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

let control: Control
beforeAll(async () => {
  control = await openControl({ pages: { html: () => '<!doctype html>', asset: () => null } })
  await ready(control)
})
afterAll(() => control.close())

describe('an end user', () => {
  it('an end user is found by their ID in every request that accepts their external ID', async () => {
    const { body: person } = await control.call('GET', '/v1/end-users/user-1')
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    const paths = ['', '/ledger', '/limits'].map((part) => `/v1/end-users/${person.id}${part}`)
    for (const path of [
      ...paths,
      `/v1/subscription?endUserId=${person.id}`,
      `/v1/usage?endUserId=${person.id}`,
    ]) {
      const answer = await control.call('GET', path)
      const named = await control.call('GET', path.replace(person.id, 'user-1'))
      expect([path, answer.status, answer.body]).toEqual([path, named.status, named.body])
    }
    const shown = await control.call('GET', `/v1/keys/${person.id}`)
    expect([shown.status, shown.body.id]).toEqual([200, key.body.id])
    const frozen = await control.call('POST', `/v1/end-users/${person.id}/freeze`)
    expect(frozen.body.frozen).toBe(true)
    await control.call('POST', `/v1/end-users/${person.id}/unfreeze`)
  })

  it('an end user cannot use the ID of another end user as external ID', async () => {
    const { body: one } = await control.call('GET', '/v1/end-users/user-1')
    const made = await control.call('PUT', `/v1/end-users/${one.id}`, { body: {} })
    expect([made.status, made.body.error.code]).toEqual([409, 'already_exists'])
  })

  it('a deleted end user is found by their ID only in requests for past usage', async () => {
    const { body: gone } = await control.call('PUT', '/v1/end-users/gone', { body: {} })
    await control.call('DELETE', '/v1/end-users/gone')
    expect((await control.call('GET', `/v1/end-users/${gone.id}`)).status).toBe(404)
    expect((await control.call('GET', `/v1/end-users/${gone.id}/ledger`)).status).toBe(200)
  })
})

it('requests.explain returns the same usage record ID as the events of the request', async () => {
  await control.call('POST', '/v1/grants', {
    body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' },
  })
  const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
  const callId = await reserveCall(control, 'acme', key.body.id, null)
  expect((await control.call('GET', `/v1/requests/req_${callId}`)).body.usageRecordId).toBeNull()
  await settleCall(control, 'acme', callId)
  expect((await control.call('GET', `/v1/requests/req_${callId}`)).body.usageRecordId).toBe(`ur_${callId}`)
})

it('the response to a request for an HTML page has a request ID', async () => {
  for (const path of ['/', '/sign-in', '/reference']) {
    const answer = await control.call('GET', path, { headers: { accept: 'text/html' }, token: null })
    expect([path, answer.status]).toEqual([path, 200])
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
  }
})

it('the event field of an emitter is accepted on creation and in changes', async () => {
  const webhook = { kind: 'webhook', url: 'https://hooks.example.com/usage' }
  const { body: emitter } = await control.call('POST', '/v1/emitters', { body: webhook })
  const path = `/v1/emitters/${emitter.id}`
  const changed = await control.call('PATCH', path, { body: { events: ['usage.recorded'] } })
  expect([changed.status, changed.body.events]).toEqual([200, ['usage.recorded']])
  const refused = await control.call('PATCH', path, { body: { events: ['usage.deleted'] } })
  expect(refused.body.error).toMatchObject({ code: 'unknown_event', param: 'events' })
})

it('an emitter rejects every other event name as an unknown event', async () => {
  const webhook = { kind: 'webhook', url: 'https://hooks.example.com/usage' }
  const { body: emitter } = await control.call('POST', '/v1/emitters', { body: webhook })
  for (const event of ['', ' ', 'usage\nrecorded', '\ud800', 'e'.repeat(65), 'e'.repeat(4_096)]) {
    const body = { events: ['usage.recorded', event] }
    const added = await control.call('POST', '/v1/emitters', { body: { ...webhook, ...body } })
    const changed = await control.call('PATCH', `/v1/emitters/${emitter.id}`, { body })
    for (const { body: refused, status } of [added, changed]) {
      expect([status, refused.error.code, refused.error.param]).toEqual([400, 'unknown_event', 'events'])
      expect(refused.error.message).toContain('usage.recorded')
      expect(refused.error.message.length).toBeLessThan(400)
    }
  }
})

describe('a name that the request omits', () => {
  // In UTF-16, the 128th unit is the first half of a character.
  const longId = `x${'🔑'.repeat(255)}`

  it('the name of a key is the whole external ID', async () => {
    const { body: key } = await control.call('POST', '/v1/keys', { body: { endUserId: longId } })
    expect((await control.call('GET', `/v1/keys/${key.id}`)).body.name).toBe(longId)
  })

  it('the name of a webhook is the whole URL', async () => {
    const url = `https://hooks.example.com/${'a'.repeat(1_900)}`
    const { body: emitter } = await control.call('POST', '/v1/emitters', { body: { kind: 'webhook', url } })
    expect([emitter.name, emitter.destination]).toEqual([url, url])
  })
})
