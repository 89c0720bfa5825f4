import { describe, expect, test } from 'vitest'
import {
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  upstreamKey,
} from '../support/start-product.ts'
import { databaseOf } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

describe.each(testedEngines)('an unknown rate, on %s', (engine) => {
  test('only units with a missing rate are charged at an assumed rate, and every place that shows the cost marks it as assumed', async () => {
    const store = await databaseOf(engine)
    const server = await startServer(store === null ? {} : { databaseUrl: store.url })
    const acme = await makeApplication(server)
    const { provider } = acme
    const api = (method: string, path: string, body?: unknown) => acme.api(method, path, body)
    await connectAccount(acme, 'half', {
      kind: 'openai',
      baseUrl: provider.baseUrl,
      apiKey: upstreamKey,
      model: 'half-1',
      price: { input: '1000000', output: '2000000' },
    })
    const user = await acme.newUser({ balanceMicros: 1_000_000n })
    const send = (usage: object) => {
      provider.script({ usage })
      return acme.call(user, { model: 'acme/half', max_tokens: 100 })
    }
    const explained = async (usage: object) => {
      const answer = await send(usage)
      expect([answer.status, answer.body.error]).toEqual([200, undefined])
      return eventually(() => api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`))
    }
    const findings = async () => (await api('GET', '/v1/diagnose')).findings

    // If no bundle has a price, the gateway cannot assume a rate, so it does not serve the model.
    expect((await send({})).body.error.code).toBe('model_unpriced')
    const [refused] = await findings()
    expect(refused).toMatchObject({ code: 'dimension_unpriced', severity: 'error' })
    expect(refused.message).toContain(
      'half has no price for cache write of half-1. Requests for the name are rejected.',
    )

    const sell = { input: '5000000', output: '10000000' }
    await api('POST', '/v1/bundles/basic/price', { model: 'acme/half', price: sell })
    const [assumed] = await findings()
    expect(assumed).toMatchObject({ code: 'dimension_unpriced', severity: 'warning' })
    expect(assumed.message).toContain(
      'The cost of units without a rate is computed at assumed rates. All known rates apply.',
    )
    const shown = await api('GET', '/v1/models/acme%2Fhalf')
    expect([shown.status, shown.problems[1]]).toEqual([
      'serving',
      'served only in bundles that set a price for the model name (basic), with assumed rates in place of the missing rates',
    ])

    const plain = await explained({ prompt_tokens: 15, completion_tokens: 50 })
    expect(plain).toMatchObject({
      costMicros: '115',
      assumedMicros: '0',
      billedMicros: '575',
      chargeMicros: '115',
      // Granted credit paid for the call, so the call earned nothing.
      settle: { costMicros: '115', assumedMicros: '0', marginMicros: '-115' },
    })
    // The provider wrote four tokens to the cache. Each cache write costs 5 micros, the highest known rate for cache
    // writes.
    const cached = await explained({
      prompt_tokens: 15,
      completion_tokens: 50,
      prompt_tokens_details: { cache_write_tokens: 4 },
    })
    expect(cached).toMatchObject({ costMicros: '131', assumedMicros: '20', chargeMicros: '131' })
    const [cost] = cached.priceLines
    expect(
      cost.lines.map((line: { dimension: string; assumed: boolean }) => [line.dimension, line.assumed]),
    ).toEqual([
      ['input', false],
      ['cacheWrite', true],
      ['output', false],
    ])
    const listed = await user.requests()
    expect(listed.map(({ assumedMicros }) => assumedMicros)).toEqual(['20', '0', '0'])

    const margin = await api('GET', '/v1/margin?by=model')
    expect(margin.totals).toMatchObject({ costMicros: '246', assumedCalls: 1, assumedMicros: '20' })
    expect(margin.data).toMatchObject([{ requestedModel: 'acme/half', assumedCalls: 1, assumedMicros: '20' }])

    const { call } = assumed.fix
    expect(call.body).toEqual({
      model: 'half-1',
      price: { input: '1000000', output: '2000000', cacheWrite: '1000000' },
    })
    await api(call.method, call.path, call.body)
    expect(await findings()).toMatchObject([{ code: 'debit_basis_not_set' }])
    const known = await explained({
      prompt_tokens: 15,
      completion_tokens: 50,
      prompt_tokens_details: { cache_write_tokens: 4 },
    })
    expect(known).toMatchObject({ costMicros: '115', assumedMicros: '0' })
    const after = await api('GET', '/v1/margin?by=day')
    expect(after.totals).toMatchObject({ costMicros: '361', assumedCalls: 1, assumedMicros: '20' })

    // If the account has no price, the cost is the sell price, and the whole cost is assumed.
    await api('POST', '/v1/providers/half/price', { model: 'half-1', price: null })
    const none = await explained({ prompt_tokens: 15, completion_tokens: 50 })
    expect(none).toMatchObject({ costMicros: '575', assumedMicros: '575', billedMicros: '575' })
    expect((await findings())[0]).toMatchObject({ code: 'name_unpriced', severity: 'warning' })
    await server.close()
    await store?.drop()
  })
})
