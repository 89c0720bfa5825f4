import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Answer } from '../support/start-product.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
})
afterEach(() => control.close())

const price = { input: '1000000', output: '4000000' }
const post = (verb: string, body: object, slug = 'free') =>
  control.call('POST', `/v1/bundles/${slug}/${verb}`, { body })

describe('a bundle', () => {
  it('a new bundle has safe defaults, and the response contains all settings', async () => {
    const { body } = await control.call('GET', '/v1/bundles/free')
    expect(body).toEqual({
      slug: 'free',
      displayName: 'Free',
      priceMicros: null,
      interval: 'month',
      spendLimitMicros: null,
      spendLimitPeriod: 'month',
      limits: [],
      terminationPolicy: 'hard_token',
      maxOverdraftMicros: '0',
      debitBasis: 'provider_cost',
      creditCurrency: null,
      onClientLeft: null,
      providerTools: null,
      allow: ['acme/*'],
      deny: [],
      prices: [],
      includes: [],
      warnings: [],
      default: true,
      createdAt: '2026-11-20T12:00:00.000Z',
    })
    const all = {
      displayName: 'Pro',
      priceMicros: '20000000',
      interval: 'year',
      spendLimitMicros: '5000000',
      spendLimitPeriod: 'week',
      limits: [{ measure: 'requests', window: 'minute', most: '60' }],
      terminationPolicy: 'grace',
      maxOverdraftMicros: '100000',
      debitBasis: 'sell_price',
      creditCurrency: 'sparks',
    }
    const made = await control.call('PUT', '/v1/bundles/pro', { body: all })
    expect(made.body).toMatchObject({ ...all, default: false })
  })

  it('a bundle is edited field by field, and null removes a limit', async () => {
    await control.call('PATCH', '/v1/bundles/free', {
      body: { spendLimitMicros: '5', spendLimitPeriod: 'day' },
    })
    const edited = await control.call('PATCH', '/v1/bundles/free', { body: { displayName: 'Free again' } })
    expect(edited.body).toMatchObject({
      displayName: 'Free again',
      spendLimitMicros: '5',
      spendLimitPeriod: 'day',
    })
    const freed = await control.call('PATCH', '/v1/bundles/free', { body: { spendLimitMicros: null } })
    expect(freed.body).toMatchObject({ spendLimitMicros: null, spendLimitPeriod: 'day', allow: ['acme/*'] })
  })

  it('a second put keeps every omitted setting, including allowed models, prices and includes', async () => {
    await post('price', { model: 'acme/smart', price })
    await post('include', { slug: 'base', displayName: 'Base', unit: 'micros', amount: '5' })
    const money = {
      priceMicros: '20000000',
      interval: 'year',
      spendLimitMicros: '5000000',
      spendLimitPeriod: 'day',
      terminationPolicy: 'grace',
      maxOverdraftMicros: '300',
      debitBasis: 'sell_price',
    }
    const { body: before } = await control.call('PATCH', '/v1/bundles/free', { body: money })
    const again = await control.call('PUT', '/v1/bundles/free', { body: { displayName: 'Free 2' } })
    expect(again.body).toEqual({ ...before, displayName: 'Free 2' })
    expect(again.body).toMatchObject({ ...money, allow: ['acme/*'], prices: [{}], includes: [{}] })
  })

  it('a bundle with a sell price shows a warning until a request sets `debitBasis`, which selects the price that end users are charged', async () => {
    const warned = ['debit_basis_not_set']
    const codes = ({ body }: Answer): string[] => body.warnings.map(({ code }: { code: string }) => code)
    const show = () => control.call('GET', '/v1/bundles/free')
    expect(codes(await show())).toEqual([])
    expect(codes(await post('price', { model: 'acme/smart', credits: price }))).toEqual([])
    const first = await post('price', { model: 'acme/smart', price })
    expect(codes(first)).toEqual(warned)
    expect(first.body.warnings[0].message).toContain('PATCH /v1/bundles/free')
    expect(codes(await control.call('PUT', '/v1/bundles/free', { body: { displayName: 'Free 2' } }))).toEqual(
      warned,
    )
    // The request sets the same value explicitly, so the bundle shows no warning.
    const confirmed = await control.call('PATCH', '/v1/bundles/free', {
      body: { debitBasis: 'provider_cost' },
    })
    expect([confirmed.body.debitBasis, codes(confirmed)]).toEqual(['provider_cost', []])
    expect(codes(await post('price', { model: 'acme/smart', price }))).toEqual([])
    const reset = await control.call('PUT', '/v1/bundles/free', { body: { debitBasis: null } })
    expect([reset.body.debitBasis, codes(reset)]).toEqual(['provider_cost', warned])
    const sold = await post('price', { model: 'acme/smart', price, debitBasis: 'sell_price' })
    expect([sold.body.debitBasis, codes(sold)]).toEqual(['sell_price', []])
    expect((await show()).body).toEqual(sold.body)
    await post('price', { model: 'acme/smart', price: null })
    await control.call('PUT', '/v1/bundles/chosen', {
      body: { displayName: 'Chosen', debitBasis: 'provider_cost' },
    })
    await control.call('POST', '/v1/bundles/chosen/allow', { body: { models: ['acme/*'] } })
    const chosen = await control.call('POST', '/v1/bundles/chosen/price', {
      body: { model: 'acme/smart', price },
    })
    expect(codes(chosen)).toEqual([])
  })

  it('the default bundle is assigned to new end users, and existing end users keep their bundle', async () => {
    await control.call('PUT', '/v1/bundles/pro', { body: { displayName: 'Pro' } })
    expect((await control.call('POST', '/v1/bundles/pro/default')).body.default).toBe(true)
    expect((await control.call('GET', '/v1/bundles/free')).body.default).toBe(false)
    expect((await control.call('PUT', '/v1/end-users/new')).body.bundle).toBe('pro')
    expect((await control.call('GET', '/v1/end-users/user-1')).body.bundle).toBe('free')
  })

  it('deny patterns override allow patterns, and a pattern can be on only one of the two lists', async () => {
    const denied = await post('deny', { models: ['acme/smart'] })
    expect(denied.body).toMatchObject({ allow: ['acme/*'], deny: ['acme/smart'] })
    const allowed = await post('allow', { models: ['acme/smart', 'acme/smart'] })
    expect(allowed.body).toMatchObject({ allow: ['acme/*', 'acme/smart'], deny: [] })
    expect((await post('deny', { models: ['acme/*'] })).body).toMatchObject({
      allow: ['acme/smart'],
      deny: ['acme/*'],
    })
  })

  it('a bundle can list only existing models, or the pattern *', async () => {
    for (const pattern of ['acme/none', 'other/*', 'acmes*']) {
      const answer = await post('allow', { models: [pattern] })
      expect(answer.body.error).toMatchObject({ code: 'unknown_model_pattern', details: { pattern } })
    }
    expect((await post('allow', { models: ['*', 'acm*'] })).body.allow).toEqual(['acme/*', '*', 'acm*'])
    for (const pattern of ['a*b', '**', '', 'A', '[a-z]+', '.*']) {
      expect([pattern, (await post('allow', { models: [pattern] })).status]).toEqual([pattern, 400])
    }
  })

  it('a bundle’s price for a model is complete or absent, and its price in credits is separate', async () => {
    const half = await post('price', { model: 'acme/smart', price: { input: '1' } })
    expect(half.body.error).toMatchObject({ code: 'invalid_request', param: 'price' })
    expect(half.body.error.message).toContain('no rate for output')
    expect((await post('price', { model: 'acme/smart' })).status).toBe(400)
    await post('price', { model: 'acme/smart', price })
    const credits = { input: '10', output: '40' }
    const both = await post('price', { model: 'acme/smart', credits })
    expect(both.body.prices).toEqual([{ model: 'acme/smart', price, credits }])
    expect((await post('price', { model: 'acme/smart', price: null })).body.prices[0].price).toBeNull()
    expect((await post('price', { model: 'acme/smart', credits: null })).body.prices).toEqual([])
  })

  it('the allotments of a bundle keep their order, have unique slugs, and share one currency of credits', async () => {
    const first = await post('include', {
      slug: 'base',
      displayName: 'Base',
      unit: 'micros',
      amount: '1000000',
    })
    expect(first.body).toEqual({
      slug: 'base',
      displayName: 'Base',
      unit: 'micros',
      amount: '1000000',
      price: null,
      thenOnDemand: true,
      recurring: true,
      spilloverTo: '*',
      models: null,
      memberCap: null,
      rollover: null,
    })
    await post('include', {
      slug: 'bonus',
      displayName: 'Bonus',
      unit: 'credits',
      amount: '5000000',
      price: '100',
      thenOnDemand: false,
      recurring: false,
      spilloverTo: 'base',
      models: ['acme/smart'],
    })
    await post('include', { slug: 'base', displayName: 'Base 2', unit: 'micros', amount: '7' })
    const { body } = await control.call('GET', '/v1/bundles/free')
    expect(body.includes.map((include: { displayName: string }) => include.displayName)).toEqual([
      'Base 2',
      'Bonus',
    ])
    expect(body.creditCurrency).toBe('credits')
    expect(
      (await control.call('PATCH', '/v1/bundles/free', { body: { creditCurrency: 'sparks' } })).status,
    ).toBe(200)
    const self = await post('include', {
      slug: 'x',
      displayName: 'X',
      unit: 'micros',
      amount: '1',
      spilloverTo: 'x',
    })
    expect(self.body.error.param).toBe('spilloverTo')
    expect((await post('include', { slug: 'x', displayName: 'X', unit: 'micros', amount: '0' })).status).toBe(
      400,
    )
  })
})
