import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, opened, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const price = { input: '1000000', output: '4000000' }
const add = (name: string, ...sources: [string, string][]) =>
  control.call('PUT', `/v1/models/${name}`, {
    body: { sources: sources.map(([provider, model]) => ({ provider, model })) },
  })
const priced = (model: string, value: object | null) =>
  control.call('POST', '/v1/providers/main/price', { body: { model, price: value } })
const status = async (name: string) => (await control.call('GET', `/v1/models/${name}`)).body.status
const version = async () => (await control.store.read.applications.bySlug('acme'))?.configVersion ?? 0

describe('a model name', () => {
  it('a model name is served only after it has a price', async () => {
    const added = await add('acme/new', ['main', 'gpt-new'])
    expect(added.body).toMatchObject({ status: 'unpriced', enabled: false })
    expect(added.body.problems).toEqual([
      'main has no price for input, output of gpt-new (set it with providers.price)',
    ])
    await priced('gpt-new', { input: '1' })
    const half = await control.call('POST', '/v1/models/acme/new/enable')
    expect(half.status).toBe(409)
    expect(half.body.error).toMatchObject({
      code: 'model_unpriced',
      details: { model: 'acme/new', account: 'main', dimensions: 'output' },
    })
    await priced('gpt-new', price)
    expect(await status('acme/new')).toBe('serving')
    await priced('gpt-new', null)
    expect(await status('acme/new')).toBe('unpriced')
  })

  it('a model name uses the price of exactly its upstream model, never of a model with the same prefix', async () => {
    await add('acme/mini', ['main', 'gpt-x-mini'])
    expect(await status('acme/mini')).toBe('unpriced')
  })

  it('a model name counts as priced if a bundle has a price for it, or if the simulator serves it', async () => {
    await add('acme/new', ['main', 'gpt-new'])
    await control.call('POST', '/v1/bundles/free/price', { body: { model: 'acme/new', price } })
    const sold = await control.call('GET', '/v1/models/acme/new')
    expect(sold.body).toMatchObject({ status: 'serving', enabled: true })
    expect(sold.body.problems[1]).toBe(
      'served only in bundles that set a price for the model name (free), with assumed rates in place of the missing rates',
    )
    for (let i = 1; i <= 9; i++) {
      await control.call('PUT', `/v1/bundles/plan-${i}`, { body: { displayName: 'Plan' } })
      await control.call('POST', `/v1/bundles/plan-${i}/price`, { body: { model: 'acme/new', price } })
    }
    const { body: widelySold } = await control.call('GET', '/v1/models/acme/new')
    expect(widelySold.problems[1]).toContain(
      '(free, plan-1, plan-2, plan-3, plan-4, plan-5, plan-6, plan-7, and 2 more)',
    )
    // The simulator has a price, and serves only test requests.
    expect((await add('acme/sim', ['spare', 'anything'])).body).toMatchObject({
      status: 'test_only',
      enabled: false,
      problems: ['spare is a simulator and does not serve live requests'],
    })
    const inTest = await control.call('GET', '/v1/models/acme/sim', { mode: 'test' })
    expect(inTest.body).toMatchObject({ status: 'serving', enabled: true, problems: [] })
  })

  it('a model name lists a missing fee of a use, which the price of a bundle cannot replace', async () => {
    const model = 'gpt-4o-search-preview'
    const rates = { input: '1000000', cacheWrite: '1000000', output: '4000000' }
    await priced(model, rates)
    expect((await add('acme/search', ['main', model])).body).toMatchObject({
      status: 'unpriced',
      enabled: false,
      problems: [`main has no price for web search of ${model} (set it with providers.price)`],
    })
    const body = { policy: 'priority', targets: [{ provider: 'main', model }] }
    await control.call('PUT', '/v1/routers/acme/router', { body })
    for (const name of ['acme/search', 'acme/router'])
      await control.call('POST', '/v1/bundles/free/price', { body: { model: name, price } })
    expect(await status('acme/search')).toBe('unpriced')
    expect((await control.call('GET', '/v1/routers/acme/router')).body.serving).toBe(false)
    const { data } = (await control.call('GET', '/v1/providers/main/models')).body
    const listed = data.find((one: { readonly model: string }) => one.model === model)
    expect(listed.missing).toEqual(['webSearch'])
    await priced(model, { ...rates, webSearch: '10000' })
    expect((await control.call('GET', '/v1/models/acme/search')).body.problems).toEqual([])
  })

  it('a model name with several sources is served if one of them has a price, and lists the sources without a price', async () => {
    const added = await add('acme/two', ['main', 'gpt-none'], ['main', 'gpt-x'])
    expect(added.body.status).toBe('serving')
    expect(added.body.problems).toHaveLength(1)
    expect(added.body.sources).toEqual([
      { provider: 'main', model: 'gpt-none' },
      { provider: 'main', model: 'gpt-x' },
    ])
  })

  it('a disabled model name remains disabled after new sources and prices, until it is enabled', async () => {
    await control.call('POST', '/v1/models/acme/smart/disable')
    expect((await add('acme/smart', ['spare', 'x'])).body).toMatchObject({
      status: 'disabled',
      enabled: false,
    })
    const enabled = await control.call('POST', '/v1/models/acme/smart/enable', { mode: 'test' })
    expect(enabled.body.status).toBe('serving')
  })

  it('the ceilings of a model name are kept if they are omitted, and removed if they are null', async () => {
    const body = { sources: [{ provider: 'main', model: 'gpt-x' }], ceilings: { outputTokens: 500 } }
    expect((await control.call('PUT', '/v1/models/acme/smart', { body })).body.ceilings).toEqual({
      outputTokens: 500,
    })
    expect((await control.call('GET', '/v1/models/acme/smart')).body.ceilings).toEqual({ outputTokens: 500 })
    expect((await add('acme/smart', ['main', 'gpt-x'])).body.ceilings).toEqual({ outputTokens: 500 })
    const cleared = await control.call('PUT', '/v1/models/acme/smart', { body: { ceilings: null } })
    expect(cleared.body).toMatchObject({ ceilings: {}, sources: body.sources })
  })

  it('a model name is lower-case ASCII, so that no two names look alike', async () => {
    const wrong = ['Acme', 'ac me', 'аcme', 'a\u200bb', '/a', '-a', 'x'.repeat(129), 'a*', 'a\\b']
    for (const name of wrong) {
      const answer = await add(encodeURIComponent(name), ['main', 'gpt-x'])
      expect([name, answer.status, answer.body.error.param]).toEqual([name, 400, 'name'])
    }
    for (const name of ['a', '0', 'a.b_c:d-e/f', 'x'.repeat(128)]) {
      expect([name, (await add(encodeURIComponent(name), ['main', 'gpt-x'])).status]).toEqual([name, 200])
    }
  })

  it('a deleted model name loses its prices in bundles', async () => {
    await control.call('POST', '/v1/bundles/free/price', { body: { model: 'acme/smart', price } })
    const gone = await control.call('DELETE', '/v1/models/acme/smart')
    expect(gone.body).toMatchObject({ name: 'acme/smart', status: 'serving' })
    expect((await control.call('GET', '/v1/bundles/free')).body.prices).toEqual([])
    expect((await control.call('DELETE', '/v1/models/acme/smart')).status).toBe(404)
  })
})

describe("changes of an application's compiled configuration", () => {
  it('a change raises the version of the application only if it changes the compiled configuration', async () => {
    const changes: [string, string, object?][] = [
      ['PUT', '/v1/models/acme/smart', { sources: [{ provider: 'main', model: 'gpt-x' }] }],
      ['POST', '/v1/models/acme/smart/disable'],
      ['POST', '/v1/models/acme/smart/enable'],
      ['POST', '/v1/bundles/free/deny', { models: ['acme/smart'] }],
      ['POST', '/v1/bundles/free/allow', { models: ['acme/smart'] }],
      ['PATCH', '/v1/bundles/free', { terminationPolicy: 'grace' }],
      ['POST', '/v1/bundles/free/price', { model: 'acme/smart', price }],
      ['PUT', '/v1/outcomes/report', { displayName: 'r', ceilingMicros: '1' }],
      ['POST', '/v1/providers/main/price', { model: 'gpt-x', price }],
      ['PUT', '/v1/providers/main', { baseUrl: 'https://b.example.com', apiKey: null }],
      ['DELETE', '/v1/providers/spare'],
      ['DELETE', '/v1/models/acme/smart'],
    ]
    for (const [method, path, body] of changes) {
      const before = await version()
      expect((await control.call(method, path, { body })).status).toBe(200)
      expect([path, await version()]).toEqual([path, before + 1])
    }
    const before = await version()
    await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    await control.call('POST', '/v1/end-users/user-1/freeze')
    expect(await version()).toBe(before)
  })

  it('a change of a provider account raises the version of every application of its organization, and of no other organization', async () => {
    await control.call('PUT', '/v1/apps/second', { body: { name: 'Second' } })
    const token = await control.found('Other')
    await control.call('PUT', '/v1/apps/foreign', { token, body: { name: 'Foreign' } })
    await priced('gpt-x', price)
    const versions = await Promise.all(
      ['second', 'foreign'].map(
        async (slug) => (await control.store.read.applications.bySlug(slug))?.configVersion,
      ),
    )
    expect(versions).toEqual([2, 1])
  })
})

describe('a provider account', () => {
  const connect = (body: object, label = 'new') => control.call('PUT', `/v1/providers/${label}`, { body })
  const base = { kind: 'openai_compatible', baseUrl: 'https://api.example.com/v1' }

  it('an account that would reach into a private network or expose its key is rejected', async () => {
    const refused = [
      'http://api.example.com/v1',
      'https://127.0.0.1/v1',
      'https://[::1]/v1',
      'https://169.254.169.254/latest',
      'https://localhost/v1',
      'https://user:pass@api.example.com/v1',
      'https://api.example.com/v1?key=1',
      'https://api.example.com/v1#x',
      'ftp://api.example.com',
      'nonsense',
      '',
    ]
    for (const baseUrl of refused) {
      const answer = await connect({ kind: 'openai_compatible', baseUrl })
      expect([baseUrl, answer.status, answer.body.error.param]).toEqual([baseUrl, 400, 'baseUrl'])
    }
    expect((await connect({ kind: 'openai_compatible' })).body.error.param).toBe('baseUrl')
    expect((await connect({ kind: 'simulator', apiKey: 'x' })).body.error.param).toBe('apiKey')
    expect((await connect({ ...base, apiKey: 'a\r\nhost: evil' })).body.error.param).toBe('apiKey')
  })

  it('an account may have a private address if the operator allows it', async () => {
    const open = await openControl({ allowPrivateProviders: true })
    const answer = await open.call('PUT', '/v1/providers/local', {
      body: { kind: 'openai_compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
    })
    expect(answer.status).toBe(200)
    await open.close()
  })

  it('the key of an account is kept if it is omitted, removed if it is null, and never sent to a new address', async () => {
    const first = await connect({ ...base, apiKey: 'sk-upstream-0003' })
    expect(first.body.lastFour).toBe('0003')
    expect((await connect(base)).body).toEqual(first.body)
    expect((await connect({})).body).toEqual(first.body)
    const stored = await control.store.read.providers.byId(control.organizationId, first.body.id)
    expect(opened(control, stored?.sealedCredential ?? null, first.body.id)).toBe('sk-upstream-0003')
    const moved = await connect({ ...base, baseUrl: 'https://evil.example.com' })
    expect([moved.status, moved.body.error.param]).toEqual([400, 'apiKey'])
    const elsewhere = await connect({ ...base, baseUrl: `${base.baseUrl}/other-tenant` })
    expect([elsewhere.status, elsewhere.body.error.param]).toEqual([400, 'apiKey'])
    const { body } = await connect({ baseUrl: 'https://b.example.com', apiKey: 'sk-upstream-0004' })
    expect(body).toMatchObject({ id: first.body.id, baseUrl: 'https://b.example.com', lastFour: '0004' })
    expect((await connect({ apiKey: null })).body).toMatchObject({ baseUrl: body.baseUrl, lastFour: null })
    const short = await connect({ ...base, apiKey: 'short' })
    expect(short.body.lastFour).toBe('****')
  })

  it('an account under an existing label but of another kind is rejected, and nothing changes', async () => {
    const first = await connect({ kind: 'openai', apiKey: 'sk-proj-0123456789abcdef' }, 'vendor')
    const other = await connect({ kind: 'anthropic', apiKey: 'sk-ant-0123456789abcdef' }, 'vendor')
    expect([other.status, other.body.error.code, other.body.error.param]).toEqual([
      409,
      'provider_kind_fixed',
      'kind',
    ])
    const shown = await control.call('GET', '/v1/providers/vendor')
    expect(shown.body).toEqual(first.body)
    for (const kind of ['openai', undefined]) {
      const without = await connect({ kind, apiKey: null }, 'vendor')
      expect([without.status, without.body.error.param]).toEqual([400, 'apiKey'])
    }
    expect((await connect({}, 'vendor')).body).toEqual(first.body)
  })

  it('null resets the address of an account to the vendor’s address, if the API key is sent again', async () => {
    const proxied = {
      kind: 'openai',
      baseUrl: 'https://proxy.example.com/v1',
      apiKey: 'sk-proj-0123456789abcdef',
    }
    await connect(proxied, 'vendor')
    expect((await connect({ baseUrl: null }, 'vendor')).body.error.param).toBe('apiKey')
    const { body } = await connect({ baseUrl: null, apiKey: proxied.apiKey }, 'vendor')
    expect(body.baseUrl).toBe('https://api.openai.com/v1')
  })

  it('an account is found by ID and by label, and cannot be deleted while a model needs it', async () => {
    const { body } = await control.call('GET', '/v1/providers/main')
    expect((await control.call('GET', `/v1/providers/${body.id}`)).body).toEqual(body)
    const kept = await control.call('DELETE', '/v1/providers/main')
    expect(kept.body.error).toMatchObject({
      code: 'in_use',
      details: { users: 'the models acme/acme/smart' },
    })
    expect((await connect(base, 'pa_1')).body.error.param).toBe('label')
  })
})

describe('a price', () => {
  it('a price consists only of canonical decimal strings', async () => {
    for (const value of ['-1', '01', '1.0', '1e3', '0x10', ' 1', '1000000000000001', 1, null]) {
      const answer = await priced('gpt-x', { input: value, output: '1' })
      expect([value, answer.status, answer.body.error.param]).toEqual([value, 400, 'price.input'])
      // The pattern allows no semicolon, so the message describes only one error.
      expect(answer.body.error.message).toMatch(/^price\.input must be [^;]+\.$/)
    }
    expect((await priced('gpt-x', { input: '9007199254740993', output: '1' })).status).toBe(400)
    expect((await priced('gpt-x', { input: '100000000000', output: '0' })).status).toBe(200)
  })

  it('a price keeps every dimension, tier and service tier as it was set', async () => {
    const whole = {
      input: '1',
      cacheRead: '2',
      cacheWrite: '3',
      cacheWriteLong: '4',
      audioInput: '5',
      imageInput: '6',
      output: '7',
      reasoning: '8',
      audioOutput: '9',
      imageOutput: '10',
      request: '11',
      webSearch: '12',
      tiers: [{ aboveInputTokens: 200000, input: '2', output: '8' }],
      serviceTiers: { priority: '2000' },
    }
    const answer = await priced('gpt-x', whole)
    expect(answer.body.prices).toEqual([{ model: 'gpt-x', price: whole }])
  })

  it('tiers that are empty or out of order are rejected with the reason', async () => {
    const tiers = [
      { aboveInputTokens: 2, input: '1' },
      { aboveInputTokens: 1, input: '1' },
    ]
    expect((await priced('gpt-x', { input: '1', output: '1', tiers })).body.error.message).toContain(
      'must ascend',
    )
    expect((await priced('gpt-x', {})).body.error.message).toContain('a rate for input or output is missing')
    expect((await priced('gpt-x', { inputs: '1' })).body.error.code).toBe('unknown_field')
  })
})
