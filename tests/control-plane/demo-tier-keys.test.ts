import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mintedKeysMax } from '#demo/demo-tenant.ts'
import { parseSecret } from '#domain/secrets/key-and-token-format.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { demoOf } from '../support/demo-tier-client.ts'
import * as published from '../contract/demo-tier-schemas.ts'
import { anyCharacter } from '../support/any-character.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
})
afterEach(() => control.close())

const { anyone, as, expectPublished, peopleOf } = demoOf(() => control)
const mint = '/v1/keys'

describe('a key created in the demo tier', () => {
  it('the key is shown once, in the format of keys, and is first in the list', async () => {
    const before = (await as('acme', 'GET', '/v1/keys')).body.data
    const minted = await as('acme', 'POST', mint, { endUserId: 'ada', name: 'Phone', livemode: false })
    expect(minted.status, minted.text).toBe(200)
    await expectPublished(minted, published.mintedKey, ['POST', mint])
    const { endUserId, id, key, keyPrefix, lastFour } = minted.body
    expect(parseSecret(key)).toEqual({ kind: 'ak', code: 'acme', isTest: true })
    expect([key.startsWith(keyPrefix), key.endsWith(lastFour)]).toEqual([true, true])
    expect(endUserId).toBe((await peopleOf('acme')).find(({ externalId }) => externalId === 'ada')?.id)
    const list = await as('acme', 'GET', '/v1/keys')
    expect(list.body.data).toEqual([
      {
        id,
        name: 'Phone',
        keyPrefix,
        lastFour,
        livemode: false,
        endUserId: 'ada',
        actorType: 'demo_tenant',
        actorLabel: null,
        createdAt: new Date(control.clock.nowMs).toISOString(),
        lastUsedAt: null,
        revokedAt: null,
        expiresAt: null,
      },
      ...before,
    ])
    const paths = ['/v1/tenant', '/v1/end-users', '/v1/usage', '/v1/keys', '/v1/subscription?endUserId=ada']
    for (const path of paths) {
      const { text } = await as('acme', 'GET', path)
      expect(text).not.toContain(key)
      expect(text).not.toContain(key.slice(keyPrefix.length, -4))
      expect(text).not.toContain(sha256(key))
    }
  })

  it('the name of a key defaults to the whole external ID', async () => {
    const endUserId = 'x'.repeat(256)
    await as('acme', 'POST', mint, { endUserId })
    const [named] = (await as('acme', 'GET', '/v1/keys')).body.data
    expect(named).toMatchObject({ name: endUserId, endUserId })
  })

  it('creating a key creates its end user on the default bundle, and sets an email only if no email is set', async () => {
    const body = { endUserId: 'new/person', email: 'new@acme.example' }
    const minted = await as('acme', 'POST', mint, body)
    const [person, ...others] = await peopleOf('acme')
    expect(person).toEqual({
      id: minted.body.endUserId,
      externalId: 'new/person',
      email: 'new@acme.example',
      wallet: { balanceMicros: '0', reservedMicros: '0' },
      usage: { calls: 0, inputTokens: 0, outputTokens: 0, billedMicros: '0' },
    })
    expect(others.map(({ externalId }) => externalId)).toEqual(['ben', 'ada', 'cleo'])
    const [named] = (await as('acme', 'GET', '/v1/keys')).body.data
    expect(named).toMatchObject({ name: 'new/person', endUserId: 'new/person' })
    const plan = await as('acme', 'GET', '/v1/subscription?endUserId=new%2Fperson')
    await expectPublished(plan, published.subscription, ['GET', '/v1/subscription'])
    expect(plan.body).toMatchObject({
      planName: 'Starter',
      periodStart: new Date(control.clock.nowMs).toISOString(),
      onDemandEnabled: false,
      onDemandLimitMicros: null,
      onDemandSpentMicros: '0',
      pools: [{ slug: 'welcome', consumed: '0' }],
      invoices: [],
    })

    await as('acme', 'POST', mint, { ...body, email: 'other@acme.example' })
    await as('acme', 'POST', mint, { endUserId: 'ben', email: 'ben@acme.example' })
    await as('acme', 'POST', mint, { endUserId: 'ben' })
    const emails = (await peopleOf('acme')).map(({ email, externalId }) => `${externalId} ${email}`)
    expect(emails.slice(0, 2)).toEqual(['new/person new@acme.example', 'ben ben@acme.example'])
    expect(emails).toHaveLength(4)
  })

  it('a demo key is never a live key', async () => {
    const answer = await as('acme', 'POST', mint, { endUserId: 'ada', livemode: true })
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      400,
      'live_mode_refused',
      'livemode',
    ])
  })

  it('a request that does not match the published schema creates no demo key', async () => {
    const before = (await as('acme', 'GET', '/v1/keys')).text
    const wrong: readonly (readonly [unknown, string])[] = [
      [{}, 'invalid_request'],
      [{ endUserId: '' }, 'invalid_request'],
      [{ endUserId: null }, 'invalid_request'],
      [{ endUserId: 42 }, 'invalid_request'],
      [{ endUserId: 'x'.repeat(257) }, 'invalid_request'],
      [{ endUserId: 'a', email: null }, 'invalid_request'],
      [{ endUserId: 'a', email: 'nobody' }, 'invalid_request'],
      [{ endUserId: 'a', name: '' }, 'invalid_request'],
      [{ endUserId: 'a', name: 1 }, 'invalid_request'],
      [{ endUserId: 'a', livemode: 'true' }, 'invalid_request'],
      [{ endUserId: 'a', livemode: null }, 'invalid_request'],
      [{ endUserId: 'a', capMicros: '1' }, 'unknown_field'],
      [{ endUserId: 'a', bundle: 'pro' }, 'unknown_field'],
      [{ endUserID: 'a' }, 'unknown_field'],
      [[], 'invalid_request'],
      ['"a"', 'invalid_request'],
      ['{', 'invalid_json'],
      ['{"endUserId":"a","endUserId":"b"}', 'invalid_json'],
      [`{"endUserId":"${'x'.repeat(1_100_000)}"}`, 'request_too_large'],
    ]
    for (const [body, code] of wrong) {
      const answer = await as('acme', 'POST', mint, body)
      expect(answer.body.error?.code, JSON.stringify(body).slice(0, 80)).toBe(code)
    }
    const typed = await anyone('POST', mint, {
      headers: { 'x-demo-tenant': 'acme', 'content-type': 'text/plain' },
      body: { endUserId: 'a' },
    })
    expect(typed.body.error.code).toBe('unsupported_media_type')
    expect((await as('nobody', 'POST', mint, { endUserId: 'a' })).body.error.code).toBe('demo_tenant_unknown')
    const both = await control.call('POST', mint, {
      headers: { 'x-demo-tenant': 'acme' },
      body: { endUserId: 'a' },
    })
    expect(both.body.error.code).toBe('conflicting_credentials')
    expect((await as('acme', 'GET', '/v1/keys')).text).toBe(before)
  })

  it('every request creates a key or is rejected, without a server fault, and rejected requests leave no data', async () => {
    const field = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.boolean(),
      fc.integer(),
      fc.constant(null),
      fc.constantFrom('ada', 'a@b.example', 'x'.repeat(129)),
    )
    const body = fc.oneof(
      fc.record({ endUserId: field, email: field, name: field, livemode: field }, { requiredKeys: [] }),
      fc.record({ endUserId: fc.string({ minLength: 1 }), livemode: fc.boolean(), name: fc.string() }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.jsonValue(),
    )
    const countOf = async () => (await as('globex', 'GET', '/v1/keys')).body.data.length
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const before = await countOf()
        const { body: answer, status, text } = await as('globex', 'POST', mint, JSON.stringify(sent))
        expect([200, 400, 409], text).toContain(status)
        expect(await countOf()).toBe(status === 200 ? before + 1 : before)
        const isLive =
          typeof sent === 'object' && sent !== null && 'livemode' in sent && sent.livemode === true
        if (status === 200) expect([isLive, answer.livemode]).toEqual([false, false])
      }),
      { numRuns: 300 },
    )
  })

  it('each tenant can have at most a fixed number of demo keys, and the error for a further key states this number', async () => {
    for (let count = 0; count < mintedKeysMax; count += 1) {
      expect((await as('acme', 'POST', mint, { endUserId: `person-${count}` })).status).toBe(200)
    }
    const list = (await as('acme', 'GET', '/v1/keys')).text
    const full = await as('acme', 'POST', mint, { endUserId: 'one-too-many' })
    expect([full.status, full.body.error.code]).toEqual([409, 'demo_keys_exhausted'])
    expect(full.body.error.message).toContain(`already has ${mintedKeysMax} keys`)
    expect((await as('acme', 'GET', '/v1/keys')).text).toBe(list)
    expect((await as('globex', 'POST', mint, { endUserId: 'a' })).status).toBe(200)
  })

  it('a demo key gives no access, and its creation changes no row of the store', async () => {
    const before = await control.dump()
    const { key } = (await as('acme', 'POST', mint, { endUserId: 'ada' })).body
    expect(await control.dump()).toBe(before)
    const used = await anyone('GET', '/v1/whoami', { headers: { authorization: `Bearer ${key}` } })
    expect(used.body.error.code).toBe('wrong_credential_kind')
  })
})

describe.each(['acme', 'globex'])('the demo response for %s', (tenant) => {
  it('the response contains no ID, name or prefix of another tenant', async () => {
    const other = tenant === 'acme' ? 'globex' : 'acme'
    await as(other, 'POST', mint, { endUserId: 'someone-else', email: 'someone@else.example' })
    const foreign = [
      ...(await peopleOf(other)).flatMap(({ externalId, id }) => [id, externalId]),
      ...(await as(other, 'GET', '/v1/keys')).body.data.flatMap((key: { id: string; keyPrefix: string }) => [
        key.id,
        key.keyPrefix,
      ]),
      'someone@else.example',
    ]
    const paths = ['/v1/tenant', '/v1/end-users', '/v1/usage', '/v1/keys', '/v1/capabilities']
    const texts = await Promise.all(paths.map(async (path) => (await as(tenant, 'GET', path)).text))
    for (const name of foreign) expect(texts.filter((text) => text.includes(`"${name}"`))).toEqual([])
    for (const path of ['/v1/usage', '/v1/subscription']) {
      const answer = await as(tenant, 'GET', `${path}?endUserId=someone-else`)
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
        404,
        'not_found',
        'endUserId',
      ])
    }
  })
})
