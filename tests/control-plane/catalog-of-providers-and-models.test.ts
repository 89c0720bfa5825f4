import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const get = (path: string) => control.call('GET', path)
const connect = (label: string, body: object) => control.call('PUT', `/v1/providers/${label}`, { body })
const price = (label: string, model: string, value: object | null) =>
  control.call('POST', `/v1/providers/${label}/price`, { body: { model, price: value } })
const add = (name: string, provider: string, model: string) =>
  control.call('PUT', `/v1/models/${name}`, { body: { sources: [{ provider, model }] } })
const enable = (name: string) => control.call('POST', `/v1/models/${name}/enable`)

describe('the catalog', () => {
  it('the catalog lists every provider with its kind and its address', async () => {
    const { body } = await get('/v1/catalog/providers')
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
      'anthropic',
      'deepseek',
      'fireworks',
      'google',
      'groq',
      'mistral',
      'openai',
      'openrouter',
      'together',
      'vertex',
      'xai',
    ])
    expect(body.nextCursor).toBeNull()
    for (const { baseUrls, id, kind, models, pricingUrl } of body.data) {
      const connected = await connect(`own-${id}`, { kind, baseUrl: baseUrls[0], apiKey: 'key-0123456789' })
      expect([id, connected.status]).toEqual([id, 200])
      expect(models).toBeGreaterThan(0)
      expect(pricingUrl).toMatch(/^https:/)
      const own = await get(`/v1/providers/own-${id}/models?limit=1`)
      expect(own.body.data[0]).toMatchObject({ pricedBy: 'catalogue', missing: [] })
    }
  })

  it('the catalog lists each model once, page by page, in the order of names', async () => {
    const names: string[] = []
    let cursor = ''
    do {
      // oxlint-disable-next-line no-await-in-loop -- a page names the next one
      const { body } = await get(`/v1/catalog/models?limit=200${cursor}`)
      names.push(...body.data.map(({ name }: { name: string }) => name))
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    expect(names).toEqual([...new Set(names)].toSorted())
    const { body } = await get('/v1/catalog/providers')
    const counts: number[] = body.data.map(({ models }: { models: number }) => models)
    expect(names).toHaveLength(counts.reduce((sum, models) => sum + models))
  })

  it('the catalog lists only the models of the requested provider', async () => {
    const { body } = await get('/v1/catalog/models?provider=groq&limit=200')
    expect(new Set(body.data.map(({ provider }: { provider: string }) => provider))).toEqual(
      new Set(['groq']),
    )
    expect(body.nextCursor).toBeNull()
  })

  it('a model shows its price with date and source, whether or not the slash in its name is percent-encoded', async () => {
    const shown = await get('/v1/catalog/models/groq/openai/gpt-oss-120b')
    expect(shown.body).toEqual({
      name: 'groq/openai/gpt-oss-120b',
      provider: 'groq',
      model: 'openai/gpt-oss-120b',
      dated: null,
      price: { input: '150000', cacheRead: '75000', output: '600000' },
      effectiveFrom: null,
      contextTokens: 131_072,
      maxOutputTokens: null,
      deprecated: false,
      note: null,
      source: '@pydantic/genai-prices 0.1.8',
      checkedAt: '2026-09-23',
    })
    expect((await get('/v1/catalog/models/groq%2Fopenai%2Fgpt-oss-120b')).body).toEqual(shown.body)
  })

  it('a model is found only by its exact name, which may end with a date', async () => {
    expect((await get('/v1/catalog/models/openai/gpt-6-sol-2026-09-01')).body).toMatchObject({
      model: 'gpt-6-sol-2026-09-01',
      dated: null,
    })
    for (const name of [
      'openai/gpt-6',
      'openai/gpt-6-sol-mini',
      'openai',
      'nobody/gpt-6-sol',
      'anthropic/gpt-6-sol',
    ])
      expect([name, (await get(`/v1/catalog/models/${name}`)).status]).toEqual([name, 404])
  })

  it('the catalog shows the current price, not an earlier or later price', async () => {
    const model = '/v1/catalog/models/google/gemini-3.8-flash'
    expect((await get(model)).body).toMatchObject({ price: { output: '3750000' }, effectiveFrom: null })
    control.clock.nowMs = Date.UTC(2027, 0, 1)
    expect((await get(model)).body).toMatchObject({
      price: { output: '7500000' },
      effectiveFrom: '2027-01-01T00:00:00.000Z',
    })
  })
})

describe('a vendor account', () => {
  it('a vendor account needs a key and no address, and uses the vendor’s published prices', async () => {
    const addresses = {
      openai: 'https://api.openai.com/v1',
      anthropic: 'https://api.anthropic.com',
      google: 'https://generativelanguage.googleapis.com',
    }
    for (const [kind, baseUrl] of Object.entries(addresses)) {
      expect((await connect(kind, { kind })).body.error.param).toBe('apiKey')
      const answer = await connect(kind, { kind, apiKey: 'key-0123456789' })
      expect(answer.body).toMatchObject({ kind, baseUrl, lastFour: '6789' })
    }
    expect((await add('acme/a', 'openai', 'gpt-6-sol')).body.status).toBe('serving')
    expect((await add('acme/b', 'anthropic', 'claude-opus-5-5')).body.status).toBe('serving')
    expect((await add('acme/c', 'google', 'gemini-3.8-flash')).body.status).toBe('serving')
    expect((await add('acme/d', 'anthropic', 'claude-opus-5-55')).body.status).toBe('unpriced')
  })

  it('if an account sets its own address, the address is checked, and published prices do not apply', async () => {
    const apiKey = 'key-0123456789'
    for (const baseUrl of [
      'https://127.0.0.1/v1',
      'http://proxy.example.com',
      'https://u:p@proxy.example.com',
    ])
      expect((await connect('vendor', { kind: 'anthropic', apiKey, baseUrl })).body.error.param).toBe(
        'baseUrl',
      )
    await connect('vendor', { kind: 'anthropic', apiKey, baseUrl: 'https://proxy.example.com/' })
    expect((await add('acme/a', 'vendor', 'claude-opus-5-5')).body.status).toBe('unpriced')
    expect((await get('/v1/providers/vendor/models')).body.data).toEqual([])
  })

  it('an account uses published prices at an OpenAI-compatible host of the catalog, and no published prices at any other host', async () => {
    await connect('groq', { kind: 'openai_compatible', baseUrl: 'https://api.groq.com/openai/v1/' })
    expect((await add('acme/a', 'groq', 'openai/gpt-oss-120b')).body.status).toBe('serving')
    await connect('groq', { kind: 'openai_compatible', baseUrl: 'https://api.groq.com/openai' })
    expect((await get('/v1/models/acme/a')).body.status).toBe('unpriced')
  })
})

describe('a model name', () => {
  it('a model name cannot be enabled while a kind of token that its provider reports has no price', async () => {
    const apiKey = 'key-0123456789'
    await connect('claude', { kind: 'anthropic', apiKey })
    await connect('gpt', { kind: 'openai', apiKey })
    const text = { input: '1', output: '2' }
    const lacking = { claude: 'cacheWrite, cacheWriteLong', gpt: 'cacheWrite' }
    for (const [label, dimensions] of Object.entries(lacking)) {
      await add(`acme/${label}`, label, 'own-model')
      await price(label, 'own-model', text)
      const refused = await enable(`acme/${label}`)
      expect(refused.body.error).toMatchObject({
        code: 'model_unpriced',
        details: { account: label, dimensions },
      })
      await price(label, 'own-model', { ...text, cacheWrite: '1', cacheWriteLong: '2' })
      expect((await enable(`acme/${label}`)).body.status).toBe('serving')
    }
  })
})

describe("an account's models", () => {
  it('an account lists published models and models with a price of its own, which overrides the published price until it is removed', async () => {
    await connect('claude', { kind: 'anthropic', apiKey: 'key-0123456789' })
    const own = {
      input: '1',
      cacheWrite: '2',
      cacheWriteLong: '3',
      output: '4',
      tiers: [{ aboveInputTokens: 9, input: '5' }],
    }
    const modelOf = async (model: string) => {
      const { body } = await get('/v1/providers/claude/models?limit=200')
      return body.data.find((one: { model: string }) => one.model === model)
    }
    const published = await modelOf('claude-opus-5-5')
    expect(published).toMatchObject({ pricedBy: 'catalogue', price: { output: '20000000' }, missing: [] })
    await price('claude', 'claude-opus-5-5', own)
    await price('claude', 'claude-next', { input: '1', output: '2' })
    expect(await modelOf('claude-opus-5-5')).toEqual({ ...published, pricedBy: 'account', price: own })
    expect(await modelOf('claude-next')).toEqual({
      model: 'claude-next',
      price: { input: '1', output: '2' },
      pricedBy: 'account',
      missing: ['cacheWrite', 'cacheWriteLong'],
      contextTokens: null,
      maxOutputTokens: null,
      deprecated: false,
    })
    await price('claude', 'claude-opus-5-5', null)
    await price('claude', 'claude-next', null)
    expect(await modelOf('claude-opus-5-5')).toEqual(published)
    expect(await modelOf('claude-next')).toBeUndefined()
  })

  it('an account at an unknown host lists only the models priced on it, page by page', async () => {
    await price('main', 'gpt-y', { input: '1', output: '2' })
    const first = await get('/v1/providers/main/models?limit=1')
    expect(first.body.data).toMatchObject([{ model: 'gpt-x', pricedBy: 'account' }])
    const second = await get(`/v1/providers/main/models?limit=1&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ data: [{ model: 'gpt-y' }], nextCursor: null })
  })

  it('listing models in a private network is rejected with the name of the setting that allows it', async () => {
    for (const baseUrl of [
      'http://127.0.0.1:11434/v1',
      'http://localhost:11434/v1',
      'https://10.0.0.7/v1',
      'http://ollama:11434/v1',
      'http://[::1]:8000/v1',
      'http://models.internal/v1',
    ]) {
      const { body } = await connect('local', { kind: 'openai_compatible', baseUrl })
      expect([baseUrl, body.error.param, body.error.message]).toEqual([
        baseUrl,
        'baseUrl',
        expect.stringContaining('TOLLGATE_ALLOW_PRIVATE_PROVIDERS=true'),
      ])
    }
    // No setting can allow these addresses, so the error names no setting.
    for (const baseUrl of [
      'http://api.example.com/v1',
      'http://169.254.169.254/v1',
      'http://user@localhost/v1',
    ]) {
      const { body } = await connect('local', { kind: 'openai_compatible', baseUrl })
      expect([baseUrl, body.error.message]).toEqual([baseUrl, expect.not.stringContaining('TOLLGATE_')])
    }
  })
})
