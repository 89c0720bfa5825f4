import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const order = [
  'provider_answered',
  'name_served',
  'bundle_allows',
  'default_bundle',
  'key_minted',
  'call_settled',
]

interface Step {
  readonly step: string
  readonly state: 'done' | 'missing'
  readonly sentence: string
  readonly call: {
    readonly operation: string
    readonly method: string
    readonly path: string
    readonly body: unknown
  }
}

describe.each(testedEngines)('the set-up on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
  })
  afterEach(() => control.close())

  const call = async (method: string, path: string, body?: unknown, mode: 'live' | 'test' = 'live') => {
    const answer = await control.call(method, path, { mode, ...(body !== undefined && { body }) })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200)
    return answer.body
  }
  const status = (mode: 'live' | 'test' = 'live') => call('GET', '/v1/onboarding', undefined, mode)
  const done = async (mode: 'live' | 'test' = 'live') =>
    (await status(mode)).steps.filter(({ state }: Step) => state === 'done').map(({ step }: Step) => step)
  const stage = (name: 'complete' | 'fund-and-try') => control.call('POST', `/v1/onboarding/${name}`)
  const application = async () => (await control.store.read.applications.bySlug('acme'))?.id ?? ''
  const price = { model: 'gpt-x', price: { input: '1000000', output: '4000000' } }

  it('the server detects each set-up step, and the set-up is complete only after the last step', async () => {
    expect(await status()).toMatchObject({ application: null, mode: 'live', completedAt: null })
    expect((await status()).steps.map(({ step }: Step) => step)).toEqual(order)
    expect(await done()).toEqual([])

    await call('PUT', '/v1/apps/acme', { name: 'Acme' })
    expect(await status()).toMatchObject({ application: 'acme' })
    await call('PUT', '/v1/providers/main', {
      kind: 'openai_compatible',
      baseUrl: 'https://api.example.com/v1',
      apiKey: 'sk-upstream-0001',
    })
    await call('PUT', '/v1/models/smart', { sources: [{ provider: 'main', model: 'gpt-x' }] })
    expect(await done(), 'connected is not answered, added is not priced').toEqual([])
    await call('POST', '/v1/providers/main/price', price)
    expect(await done()).toEqual(['name_served'])
    await call('PUT', '/v1/bundles/free', { displayName: 'Free' })
    expect(await done()).toEqual(['name_served', 'default_bundle'])
    await call('POST', '/v1/bundles/free/allow', { models: ['smart'] })
    const key = await call('POST', '/v1/keys', { endUserId: 'user-1' })
    const five = ['name_served', 'bundle_allows', 'default_bundle', 'key_minted']
    expect(await done()).toEqual(five)

    const early = await stage('complete')
    expect(early.status).toBe(409)
    expect(early.body.error).toMatchObject({
      code: 'onboarding_incomplete',
      details: { missing: 'provider_answered, call_settled' },
    })
    expect((await stage('fund-and-try')).body.error.details.missing).toBe('funded, call_settled')
    await call('POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '1000000', reason: 'try' })
    expect((await stage('fund-and-try')).body.error.details.missing).toBe('call_settled')

    const callId = await reserveCall(control, 'acme', key.id, null)
    expect(await done(), 'a call in flight has not settled').toEqual(five)
    await settleCall(control, 'acme', callId)
    expect(await done()).toEqual(order)

    expect((await stage('fund-and-try')).body).toMatchObject({
      fundedAndTriedAt: '2026-11-20T12:00:00.000Z',
      completedAt: null,
    })
    const completed = await stage('complete')
    expect(completed.body).toMatchObject({ completedAt: '2026-11-20T12:00:00.000Z' })

    // A completed step remains completed, even if its change is undone later. A repeated change does not change the
    // set-up.
    control.clock.nowMs += 60_000
    await call('DELETE', `/v1/keys/${key.id}`)
    const again = await stage('complete')
    expect(again.body).toMatchObject({ completedAt: '2026-11-20T12:00:00.000Z' })
    expect(again.body.steps.find(({ step }: Step) => step === 'key_minted').state).toBe('missing')
    expect((await stage('fund-and-try')).body.fundedAndTriedAt).toBe('2026-11-20T12:00:00.000Z')
  })

  it('each mode has its own set-up, and the simulator counts only in test mode', async () => {
    await call('PUT', '/v1/apps/acme', { name: 'Acme' })
    await call('PUT', '/v1/providers/main', { kind: 'simulator' })
    await call('PUT', '/v1/models/smart', { sources: [{ provider: 'main', model: 'anything' }] })
    await call('PUT', '/v1/bundles/free', { displayName: 'Free' })
    await call('POST', '/v1/bundles/free/allow', { models: ['*'] })
    await call('POST', '/v1/keys', { endUserId: 'user-1', livemode: false }, 'test')
    expect(await done('test')).toEqual(order.slice(0, 5))
    expect(await done('live')).toEqual(['default_bundle'])
    const { steps } = await status('live')
    expect(steps[0].sentence).toBe(
      'The only provider account is the simulator, which does not serve live requests.',
    )
    expect(steps[1].sentence).toBe(
      'No model name is served in live mode. Every source of smart is a simulator. Add a model name with a source at a provider.',
    )
    // A live call to the simulator settles, but does not count as a provider's response.
    await call('POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '1000000', reason: 'try' })
    const key = await call('POST', '/v1/keys', { endUserId: 'user-1' })
    await settleCall(control, 'acme', await reserveCall(control, 'acme', key.id, null))
    expect(await done('live')).toEqual(order.slice(3))
    expect((await stage('complete')).body.error.details.missing).toBe(
      'provider_answered, name_served, bundle_allows',
    )
  })

  it('the set-up shows the application that has completed the most steps, and no archived application', async () => {
    await call('PUT', '/v1/apps/acme', { name: 'Acme' })
    await call('PUT', '/v1/apps/other', { name: 'Other' })
    const made = await control.call('PUT', '/v1/bundles/free', {
      app: 'other',
      body: { displayName: 'Free' },
    })
    expect(made.status).toBe(200)
    expect(await status()).toMatchObject({ application: 'other' })
    await control.database.transaction((tx) =>
      tx.updateTable('applications').set({ archived_at_ms: 1 }).where('slug', '=', 'other').execute(),
    )
    expect(await status()).toMatchObject({ application: 'acme' })
  })

  it('credit from a plan completes the step that requires credit', async () => {
    await call('PUT', '/v1/apps/acme', { name: 'Acme' })
    await call('PUT', '/v1/bundles/free', { displayName: 'Free' })
    await call('POST', '/v1/bundles/free/allow', { models: ['*'] })
    const include = { slug: 'base', displayName: 'Base', unit: 'micros', amount: '1000000' }
    await call('POST', '/v1/bundles/free/include', include)
    const id = await application()
    expect(await control.store.read.diagnosis.isFunded(id, 'live')).toBe(false)
    const key = await call('POST', '/v1/keys', { endUserId: 'user-1' })
    await reserveCall(control, 'acme', key.id, null)
    expect(await control.store.read.diagnosis.isFunded(id, 'live')).toBe(true)
    expect(await control.store.read.diagnosis.isFunded(id, 'test')).toBe(false)
  })

  it('each step names an existing operation, with its method and its path', async () => {
    const { steps } = await status()
    for (const { call: named } of steps) {
      const operation = operations.find(({ id }) => id === named.operation)
      expect([named.operation, operation?.method]).toEqual([named.operation, named.method])
      expect(named.path).toMatch(new RegExp(`^${operation?.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
    }
  })

  it('the set-up is shown only to tokens of its organization', async () => {
    await call('PUT', '/v1/apps/acme', { name: 'Acme' })
    const token = await control.found('Other')
    expect((await control.call('GET', '/v1/onboarding', { token })).body.application).toBeNull()
    expect((await control.call('POST', '/v1/onboarding/complete', { token })).status).toBe(409)
  })
})
