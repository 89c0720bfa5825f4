import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TargetCircuit } from '#domain/route-preview-interface.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

interface State {
  readonly provider?: string
  readonly name?: string
}

describe.each(testedEngines)('health on %s', (engine) => {
  let control: Control
  let keyId: string
  let accountId: string
  let applicationId: string
  const circuits: TargetCircuit[] = []
  beforeEach(async () => {
    circuits.length = 0
    const failure = {
      code: 'upstream_overloaded' as const,
      reason: 'it answered 503',
      said: 'Down for lunch',
    }
    const answer = { status: 503, latencyMs: 3, usage: null, failure }
    control = await openControl({ engine, circuits, probeAccount: async () => answer })
    await ready(control)
    keyId = (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })).body.id
    const grant = { endUsers: ['user-1'], amountUnits: '1000000000', reason: 'test' }
    const granted = await control.call('POST', '/v1/grants', { body: grant })
    assert(granted.status < 300, granted.text)
    accountId = (await control.call('GET', '/v1/providers/main')).body.id
    const application = await control.store.read.applications.bySlug('acme')
    assert(application)
    applicationId = application.id
  })
  afterEach(() => control.close())

  const answered = async (): Promise<void> =>
    settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
  async function failed(): Promise<void> {
    const callId = await reserveCall(control, 'acme', keyId, null)
    const { nowMs } = control.clock
    const record = {
      callId,
      applicationId,
      mode: 'live' as const,
      endUserId: null,
      keyId,
      alias: 'acme/smart',
      tags: null,
      target: { accountId, provider: 'openai_compatible', model: 'gpt-x' } as const,
      wire: 'chat',
      streamed: false,
      status: 'released' as const,
      httpStatus: 502,
      errorCode: 'upstream_error',
      atMs: nowMs,
      latencyMs: 1,
      firstByteMs: null,
      trace: JSON.stringify({ attempts: [{ status: 500, code: 'upstream_error' }] }),
    }
    await control.ledger.release({ callId, nowMs, record })
  }
  const health = async () => (await control.call('GET', '/v1/health')).body
  const account = async () => (await health()).accounts.find(({ provider }: State) => provider === 'main')
  const named = async (name: string) => (await health()).names.find((one: State) => one.name === name)
  const findings = async () =>
    (await control.call('GET', '/v1/diagnose')).body.findings.filter(
      ({ code }: { code: string }) => code === 'account_failing',
    )

  it('every report shows an account as failing if a fifth of its calls fail', async () => {
    expect(await account()).toMatchObject({ state: 'unknown', calls: 0, failed: 0, why: null })
    for (let n = 0; n < 20; n++) await answered()
    expect(await account()).toMatchObject({
      state: 'healthy',
      calls: 20,
      failed: 0,
      failureRate: 0,
      why: null,
    })
    expect(await findings()).toEqual([])
    for (let n = 0; n < 5; n++) await failed()
    const failing = { state: 'failing', calls: 25, failed: 5, failureRate: 0.2 }
    expect(await account()).toMatchObject({
      ...failing,
      why: '5 of 25 attempts failed in the last 24 hours.',
    })
    expect(await named('acme/smart')).toMatchObject({ ...failing, kind: 'model' })
    expect(await findings()).toMatchObject([
      {
        severity: 'warning',
        resource: { type: 'provider', id: 'main' },
        message: expect.stringContaining('20 %'),
      },
    ])
  })

  it('health reports a model name without usable targets as unavailable, and a router with a usable target as degraded', async () => {
    const body = {
      policy: 'priority',
      targets: [{ alias: 'acme/smart' }, { provider: 'main', model: 'unpriced' }],
    }
    await control.call('PUT', '/v1/routers/acme/best', { body })
    const broken = await named('acme/best')
    expect([broken.state, broken.kind]).toEqual(['degraded', 'router'])
    expect(broken.why).toMatch(/^Target 2: main has no price for /)
    const circuit = { kind: 'open', untilMs: control.clock.nowMs, why: 'five in a row' } as const
    circuits.push({ accountId, model: 'gpt-x', mode: 'live', inFlight: 0, firstTokenMs: null, circuit })
    expect(await named('acme/smart')).toMatchObject({ state: 'unavailable', why: 'gpt-x: five in a row.' })
    expect(await account()).toMatchObject({ state: 'unavailable', why: 'Five in a row.' })
    expect(await findings()).toMatchObject([
      {
        severity: 'warning',
        resource: { type: 'provider', id: 'main' },
        message: expect.stringContaining('main is unavailable. Five in a row.'),
      },
    ])
  })

  it('in test mode, requests that the simulator served count for accounts of the simulator', async () => {
    const inTest = (path: string) => control.call('GET', path, { headers: { 'x-svc-mode': 'test' } })
    const minted = await control.call('POST', '/v1/keys', {
      body: { endUserId: 'user-1', livemode: false },
    })
    const grant = { endUsers: ['user-1'], amountUnits: '1000000', reason: 'test' }
    await control.call('POST', '/v1/grants', { body: grant, headers: { 'x-svc-mode': 'test' } })
    for (let n = 0; n < 3; n++) {
      const target = { accountId: 'simulator', provider: 'simulator', model: 'gpt-x' } as const
      const callId = await reserveCall(control, 'acme', minted.body.id, null, { target })
      await settleCall(control, 'acme', callId, {}, 'test')
    }
    const { accounts, windows } = (await inTest('/v1/health?window=1h')).body
    // `spare` is an account of the simulator. The account `main` receives no test requests.
    expect(accounts).toMatchObject([
      { provider: 'main', state: 'unknown', calls: 0 },
      { provider: 'spare', state: 'healthy', calls: 3 },
    ])
    expect(windows[0].providers).toMatchObject([{ provider: 'simulator', calls: 3 }])
    const spare = (await control.call('GET', '/v1/providers/spare')).body
    const listed = async (provider: string) =>
      (await inTest(`/v1/requests?provider=${provider}`)).body.data.length
    expect(await Promise.all(['spare', spare.id, 'simulator', 'main'].map(listed))).toEqual([3, 3, 3, 0])
    expect((await health()).accounts).toMatchObject([{ calls: 0 }, { calls: 0 }])
  })

  it('health shows an account’s newest failed probe, in the words of the provider', async () => {
    expect((await control.call('GET', '/v1/providers/main')).body.lastFailedProbe).toBeNull()
    await control.call('POST', '/v1/providers/main/probe', { body: { model: 'gpt-x' } })
    expect((await control.call('GET', '/v1/providers/main')).body.lastFailedProbe).toMatchObject({
      model: 'gpt-x',
      code: 'upstream_overloaded',
      status: 503,
      message: 'The provider of main failed the probe: it returned 503.',
      said: 'Down for lunch',
    })
    const found = async (mode: 'live' | 'test' = 'live') =>
      (await control.call('GET', '/v1/diagnose', { mode })).body.findings.filter(
        ({ code }: { code: string }) => code === 'probe_failed',
      )
    expect(await found()).toMatchObject([
      {
        severity: 'warning',
        resource: { type: 'provider', id: 'main' },
        message: expect.stringContaining('The provider of main failed the probe: it returned 503.'),
        fix: { call: { operation: 'providers.probe' } },
      },
    ])
    expect(await found('test')).toEqual([])
    control.clock.nowMs += 1_000
    await answered()
    expect(await found()).toEqual([])
  })
})
