import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import type { Answer } from '../support/start-product.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const set = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  control.call('PATCH', '/v1/gateway', { app: 'acme', body, headers })

describe('gateway.set', () => {
  it('a change sets the named fields, keeps the others, and null removes a field', async () => {
    const hours = [{ days: ['mon', 'fri'], from: '08:00', until: '18:00' }]
    await set({ wires: ['chat'], hours, defaultMaxTokens: 4096 })
    const { body } = await set({ conversion: 'strict', wires: null })
    expect(body).toMatchObject({
      application: 'acme',
      wires: null,
      hours,
      defaultMaxTokens: 4096,
      conversion: 'strict',
      providerTools: 'bounded',
    })
    const shown = await control.call('GET', '/v1/gateway', { app: 'acme' })
    expect(shown.body).toEqual(body)
  })

  it('a new list of shared limits replaces the old list, an omitted list is kept, and an invalid limit is rejected', async () => {
    const limits = [
      { measure: 'requests', window: 'minute', most: '6000' },
      { measure: 'tokens', window: '5h', most: '5000000000', models: ['acme/*'] },
      { measure: 'calls', most: '200' },
    ]
    expect((await control.call('GET', '/v1/gateway', { app: 'acme' })).body.limits).toEqual([])
    expect((await set({ limits })).body.limits).toEqual(limits)
    expect((await set({ defaultMaxTokens: 4096 })).body.limits).toEqual(limits)
    const wrong = await set({ limits: [{ measure: 'calls', window: 'day', most: '5' }] })
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'limits.0.window'])
    const exported = await control.call('GET', '/v1/apps/acme/configuration')
    expect(exported.body.gateway.limits).toEqual(limits)
    expect((await set({ limits: [] })).body.limits).toEqual([])
  })

  it('the settings of one application do not change another application', async () => {
    await control.call('PUT', '/v1/apps/other', { body: { name: 'Other' } })
    await set({ wires: ['chat'] })
    const other = await control.call('GET', '/v1/gateway', { app: 'other' })
    expect(other.body).toMatchObject({ application: 'other', wires: null })
  })

  it('a change with the ETag of an outdated `show` is rejected', async () => {
    const first = await control.call('GET', '/v1/gateway', { app: 'acme' })
    const etag = first.headers.get('etag') ?? ''
    const changed = await set({ defaultMaxTokens: 100 }, { 'if-match': etag })
    expect(changed.status).toBe(200)
    const late = await set({ defaultMaxTokens: 200 }, { 'if-match': etag })
    expect([late.status, late.body.error.code]).toEqual([412, 'precondition_failed'])
    const again = await set({ defaultMaxTokens: 200 }, { 'if-match': changed.headers.get('etag') ?? '' })
    expect(again.body.defaultMaxTokens).toBe(200)
  })

  it.each([
    'https://app.example.com',
    'http://localhost:3000',
    'https://app.example.com:8443',
    'https://xn--bcher-kva.example',
    'http://[::1]:3000',
    'app://obsidian.md',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    '*',
  ])('gateway.set accepts the origin %s', async (origin) => {
    expect((await set({ origins: [origin] })).body.origins).toEqual([origin])
  })

  it.each([
    '',
    'null',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://App.example.com',
    'https://app.example.com:443',
    'http://app.example.com:80',
    'https://user@app.example.com',
    'https://*.example.com',
    'https://bücher.example',
    'https://app.example.com, https://other.example',
    ' https://app.example.com',
    'javascript:alert(1)',
    'file://',
  ])('gateway.set rejects the origin %j', async (origin) => {
    const answer = await set({ origins: [origin] })
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      400,
      'invalid_request',
      'origins.0',
    ])
  })

  it.each([
    ['wires', []],
    ['wires', ['soap']],
    ['wires', ['chat', 'chat']],
    ['models', []],
    ['models', ['*x']],
    ['origins', null],
    ['addresses', []],
    ['addresses', ['10.0.0.1/8']],
    ['addresses', ['localhost']],
    ['hours', []],
    ['hours', [{ days: [], from: '08:00', until: '18:00' }]],
    ['hours', [{ days: ['mon'], from: '24:00', until: '18:00' }]],
    ['hours', [{ days: ['mon'], from: '8:00', until: '18:00' }]],
    ['hours', [{ days: ['mon'], from: '08:00', until: '24:01' }]],
    ['hours', [{ days: ['mon'], from: '08:00' }]],
    ['hours', [{ days: ['monday'], from: '08:00', until: '18:00' }]],
    ['defaultMaxTokens', 0],
    ['defaultMaxTokens', 1.5],
    ['defaultMaxTokens', '10'],
    ['holdWaitMs', -1],
    ['holdWaitMs', 60_001],
    ['filesMax', -1],
    ['filesMax', 10_001],
    ['fileBytesMax', 1.5],
    ['storagePrefixes', null],
    ['storagePrefixes', ['gs://acme']],
    ['storagePrefixes', ['gs://acme*/']],
    ['storagePrefixes', ['gs://acme/../']],
    ['storagePrefixes', ['https://storage.googleapis.com/acme/']],
    ['providerTools', 'keep'],
    ['providerTools', { webSearch: 'keep' }],
    ['providerTools', { webSearch: 0 }],
    ['providerTools', { webSearch: 101 }],
    ['providerTools', { toolSearch: 5 }],
    ['providerTools', 5],
    ['conversion', null],
    ['passTraceparent', 'yes'],
  ])('gateway.set rejects %s: %j and changes nothing', async (field, value) => {
    const before = await control.dump()
    const answer = await set({ conversion: 'strict', [field]: value })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request'])
    expect(answer.body.error.param.split('.')[0]).toBe(field)
    expect(await control.dump()).toBe(before)
  })
})

describe('limits.set', () => {
  const limit = (body: unknown, options: Parameters<Control['call']>[2] = {}): Promise<Answer> =>
    control.call('PATCH', '/v1/limits', { body, ...options })
  const unset = { callsPerDay: null, spendPerDayMicros: null }

  it('limits are set field by field, separately for the organization and for single applications', async () => {
    await limit({ callsPerDay: 100 })
    await limit({ spendPerDayMicros: '5000000' })
    const { body } = await limit({ application: 'acme', callsPerDay: 7 })
    expect(body).toMatchObject({
      organization: { callsPerDay: 100, spendPerDayMicros: '5000000' },
      applications: [{ application: 'acme', callsPerDay: 7, spendPerDayMicros: null }],
    })
    expect((await control.call('GET', '/v1/limits')).body).toEqual(body)
    await limit({ application: 'acme', callsPerDay: null })
    expect((await limit(unset)).body).toMatchObject({ organization: unset, applications: [] })
  })

  it('the response shows today’s counts, and the counts reset at midnight', async () => {
    const { body } = await control.call('GET', '/v1/limits')
    expect(body.organization.today).toEqual({
      calls: 0,
      spentMicros: '0',
      heldMicros: '0',
      resetsAt: '2026-11-21T00:00:00.000Z',
    })
  })

  it('an application of another organization is not found', async () => {
    const stranger = await control.found('Strangers')
    const answer = await limit({ application: 'acme', callsPerDay: 0 }, { token: stranger })
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      404,
      'not_found',
      'application',
    ])
    await limit({ callsPerDay: 3 })
    const theirs = await control.call('GET', '/v1/limits', { token: stranger })
    expect(theirs.body.organization.callsPerDay).toBeNull()
  })

  it('a change of the limits with an outdated ETag is rejected, and calls do not change the ETag', async () => {
    const first = await control.call('GET', '/v1/limits')
    const headers = { 'if-match': first.headers.get('etag') ?? '' }
    expect((await limit({ callsPerDay: 3 }, { headers })).status).toBe(200)
    expect((await limit({ callsPerDay: 4 }, { headers })).status).toBe(412)
  })

  it.each([
    ['callsPerDay', -1],
    ['callsPerDay', 1.5],
    ['callsPerDay', '10'],
    ['spendPerDayMicros', 10],
    ['spendPerDayMicros', '-1'],
    ['application', ''],
  ])('limits.set rejects %s: %j', async (field, value) => {
    const answer = await limit({ [field]: value })
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      400,
      'invalid_request',
      field,
    ])
  })
})
