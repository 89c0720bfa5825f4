import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, opened, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
})
afterEach(async () => {
  await control.close()
})

describe('the requirements of a first call', () => {
  it('one token sets up all requirements of a first call, and each step returns its result', async () => {
    const app = await control.call('PUT', '/v1/apps/acme', { body: { name: 'Acme' } })
    expect(app.status).toBe(200)
    expect(app.body).toEqual({
      slug: 'acme',
      name: 'Acme',
      gateway: 'http://acme.gateway.localhost:8080',
      portal: 'http://acme.portal.localhost:8080',
      localGateway: 'http://127.0.0.1:8101',
      localPortal: 'http://127.0.0.1:8102',
      endUsers: 0,
      keys: 0,
      bundles: [],
      models: [],
      costUsd: '0.000000',
      createdAt: '2026-11-20T12:00:00.000Z',
      archivedAt: null,
    })
    expect(control.changes.count).toBe(1)

    const provider = await control.call('PUT', '/v1/providers/main', {
      body: { kind: 'openai_compatible', baseUrl: 'https://api.example.com/v1/', apiKey: 'sk-upstream-0001' },
    })
    expect(provider.body).toMatchObject({
      label: 'main',
      baseUrl: 'https://api.example.com/v1',
      lastFour: '0001',
      prices: [],
    })
    expect(provider.text).not.toContain('sk-upstream')

    const unpriced = await control.call('PUT', '/v1/models/acme%2Fsmart', {
      body: { sources: [{ provider: 'main', model: 'gpt-x' }] },
    })
    expect(unpriced.body).toMatchObject({ name: 'acme/smart', enabled: false, status: 'unpriced' })
    expect(unpriced.body.problems).toHaveLength(1)

    const priced = await control.call('POST', '/v1/providers/main/price', {
      body: { model: 'gpt-x', price: { input: '1000000', output: '4000000' } },
    })
    expect(priced.body.prices).toEqual([{ model: 'gpt-x', price: { input: '1000000', output: '4000000' } }])
    const model = await control.call('GET', '/v1/models/acme/smart')
    expect(model.body).toMatchObject({ enabled: true, status: 'serving', problems: [] })

    const bundle = await control.call('PUT', '/v1/bundles/free', { body: { displayName: 'Free' } })
    expect(bundle.body).toMatchObject({
      slug: 'free',
      default: true,
      allow: [],
      terminationPolicy: 'hard_token',
    })
    const allowed = await control.call('POST', '/v1/bundles/free/allow', { body: { models: ['acme/*'] } })
    expect(allowed.body.allow).toEqual(['acme/*'])

    const key = await control.call('POST', '/v1/keys', {
      body: { endUserId: 'user-1', email: 'one@example.com' },
    })
    expect(key.body).toMatchObject({ livemode: true, name: 'user-1', capMicros: null, expiresAt: null })
    expect(key.body.key).toMatch(/^ak_[a-z0-9]{6}_[0-9A-Za-z]{36}$/)
    expect(key.body.key.startsWith(key.body.keyPrefix)).toBe(true)
    expect(key.body.endUserId).toMatch(/^eu_/)

    const user = await control.call('GET', '/v1/end-users/user-1')
    expect(user.body).toMatchObject({
      id: key.body.endUserId,
      externalId: 'user-1',
      email: 'one@example.com',
      bundle: 'free',
      balance: { balanceUnits: '0', reservedUnits: '0' },
    })
  })

  it('the provider key is stored encrypted for its account, and no secret is stored as plain text', async () => {
    await ready(control)
    const [row] = await control.database.read.selectFrom('provider_accounts').selectAll().execute()
    expect(opened(control, row?.sealed_credential ?? null, row?.id ?? '')).toBe('sk-upstream-0001')
    expect(opened(control, row?.sealed_credential ?? null, 'pa_other')).toBeNull()
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    const files = readdirSync(control.folder).map((name) =>
      readFileSync(join(control.folder, name), 'latin1'),
    )
    expect(files.join('')).toContain(key.body.keyPrefix)
    for (const secret of ['sk-upstream', control.token, key.body.key]) {
      expect(files.filter((bytes) => bytes.includes(secret))).toEqual([])
    }
  })
})
