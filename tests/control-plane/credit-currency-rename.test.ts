/** A rename would change the price of credits that end users already have. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000

describe.each(testedEngines)('the credit currency of a bundle on %s', (engine) => {
  let control: Control
  let keyId: string
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    await rename('sparks')
    const include = { slug: 'base', displayName: 'Base', unit: 'credits', amount: '959000000' }
    await control.call('POST', '/v1/bundles/free/include', { body: include })
    await control.call('POST', '/v1/grants', {
      body: { everyone: true, amountUnits: '1000000', reason: 'test' },
    })
    keyId = (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })).body.id
  })
  afterEach(() => control.close())

  const rename = (creditCurrency: string | null) =>
    control.call('PATCH', '/v1/bundles/free', { body: { creditCurrency } })
  /** The call grants the pools of the plan if no earlier request has granted them. */
  const callOnce = async () => settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
  const held = {
    code: 'in_use',
    param: 'creditCurrency',
    message:
      'The credit currency of bundle free is still used by credits that 1 end user holds. Keep the currency until the credits are spent or expired, or create another bundle for the new currency.',
  }

  it('no operation renames the currency while an end user has credits in it', async () => {
    await callOnce()
    const renamed = await rename('gems')
    expect([renamed.status, renamed.body.error]).toMatchObject([409, held])
    expect((await rename('sparks')).status).toBe(200)
    const put = { displayName: 'Free', creditCurrency: 'gems' }
    expect((await control.call('PUT', '/v1/bundles/free', { body: put })).body.error).toMatchObject(held)
    const { body: document } = await control.call('GET', '/v1/apps/acme/configuration')
    const bundles = document.bundles.map((bundle: object) => ({ ...bundle, creditCurrency: 'gems' }))
    const body = { ...document, bundles }
    const applied = await control.call('PUT', '/v1/apps/acme/configuration', { body })
    expect(applied.body.error).toMatchObject({ ...held, param: 'bundles.0.creditCurrency' })
    const include = { slug: 'base', displayName: 'Base', unit: 'micros', amount: '1' }
    await control.call('POST', '/v1/bundles/free/include', { body: include })
    expect((await rename(null)).body.error).toMatchObject(held)
    expect((await control.call('GET', '/v1/bundles/free')).body.creditCurrency).toBe('sparks')
  })

  it('the currency can be renamed once the credits have expired, and the next credits have the new name', async () => {
    await callOnce()
    control.clock.nowMs += 40 * dayMs
    expect((await rename('gems')).body.creditCurrency).toBe('gems')
    await callOnce()
    expect((await rename('sparks')).body.error).toMatchObject(held)
  })

  it('the currency can be renamed if the credits belong to another bundle', async () => {
    await callOnce()
    await control.call('PUT', '/v1/bundles/pro', { body: { displayName: 'Pro', creditCurrency: 'coins' } })
    const renamed = await control.call('PATCH', '/v1/bundles/pro', { body: { creditCurrency: 'gems' } })
    expect(renamed.body.creditCurrency).toBe('gems')
  })
})
