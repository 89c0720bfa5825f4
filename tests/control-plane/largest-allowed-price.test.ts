import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { microsMax } from '#money/amount.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

describe.each(testedEngines)('amounts and prices on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
  })
  afterEach(() => control.close())

  const excessive = { input: '1000000', output: '4000000', request: '999999999999999' }
  const sound = { input: '1000000', output: '4000000', request: '999000000000000' }

  it('a price at which one call could exceed the largest amount is rejected by every operation that sets prices', async () => {
    const post = (path: string, body: object) => control.call('POST', path, { body })
    const refusals = [
      [await post('/v1/providers/main/price', { model: 'gpt-x', price: excessive }), 'price'],
      [await post('/v1/bundles/free/price', { model: 'acme/smart', price: excessive }), 'price'],
      [await post('/v1/bundles/free/price', { model: 'acme/smart', credits: excessive }), 'credits'],
    ] as const
    for (const [answer, param] of refusals) {
      expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
        400,
        'invalid_request',
        param,
      ])
      expect(answer.body.error.message).toContain(
        'could cost 1000001099999999 micros, more than the maximum of 1000000000000000',
      )
    }
    const { body: document } = await control.call('GET', '/v1/apps/acme/configuration')
    const prices = [{ model: 'acme/smart', price: excessive, credits: null }]
    const bundles = document.bundles.map((bundle: object) => ({ ...bundle, prices }))
    const applied = await control.call('PUT', '/v1/apps/acme/configuration', {
      body: { ...document, bundles },
    })
    expect([applied.status, applied.body.error.param]).toEqual([400, 'bundles.0.prices.0.price'])
    expect((await post('/v1/providers/main/price', { model: 'gpt-x', price: sound })).status).toBe(200)
  })

  it('every list and report includes a call that cost more than the largest amount', async () => {
    const grant = { everyone: true, amountUnits: '1000000', reason: 'test' }
    await control.call('POST', '/v1/grants', { body: grant })
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    // Stored prices may exceed the maximum, because older versions accepted any price.
    const cost = { input: 1_000_000n, output: 4_000_000n, request: microsMax }
    const costMicros = String(microsMax + 450n)
    for (let calls = 0; calls < 12; calls++) {
      // oxlint-disable-next-line no-await-in-loop -- the calls spend one balance in turn
      const callId = await reserveCall(control, 'acme', key.body.id, null, { cost, basis: 'sell_price' })
      // oxlint-disable-next-line no-await-in-loop
      await settleCall(control, 'acme', callId)
    }
    const read = async (path: string) => {
      const answer = await control.call('GET', path)
      expect([path, answer.status, answer.text.slice(0, 300)]).toEqual([path, 200, expect.any(String)])
      return answer.body
    }
    const { data } = await read('/v1/requests')
    expect(data[0].costMicros).toBe(costMicros)
    const explained = await read(`/v1/requests/${data[0].id}`)
    expect(explained.priceLines[0].amount).toBe(costMicros)
    for (const by of ['endUser', 'model', 'bundle', 'provider', 'day']) {
      // oxlint-disable-next-line no-await-in-loop
      const { totals } = await read(`/v1/margin?by=${by}`)
      expect([by, totals.costMicros]).toEqual([by, String(12n * (microsMax + 450n))])
    }
    await read('/v1/usage/series?bucket=day&by=model')
    await read('/v1/usage')
    await read('/v1/usage/export')
    await read('/v1/apps/acme')
    await read('/v1/limits')
  })
})
