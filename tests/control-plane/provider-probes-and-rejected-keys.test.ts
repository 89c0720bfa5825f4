import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProbeAnswer } from '#domain/health/provider-probes.ts'
import type { TargetCircuit } from '#domain/route-preview-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import {
  openControl,
  ready,
  type CallOptions,
  type Control,
} from '../support/control-plane-without-socket.ts'

let control: Control
const asked: string[] = []
beforeEach(async () => {
  asked.length = 0
  control = await openControl({
    probeAccount: async ({ label }, model) => {
      asked.push(`${label}/${model}`)
      return {
        status: 200,
        latencyMs: 5,
        usage: { ...zeroUsage, input: 1, output: 1 },
        failure: null,
      }
    },
  })
  await ready(control)
})
afterEach(() => control.close())

const probe = (id: string, body: object = {}, options: CallOptions = {}) =>
  control.call('POST', `/v1/providers/${id}/probe`, { body, ...options })

describe('a probe', () => {
  it('a probe calls no provider in test mode, for the simulator, or for an account without a price', async () => {
    const inTest = await probe('main', {}, { mode: 'test' })
    expect([inTest.status, inTest.body.error.param]).toEqual([400, 'x-svc-mode'])
    const simulator = await probe('spare')
    expect([simulator.status, simulator.body.error.message]).toEqual([
      400,
      expect.stringContaining('built in'),
    ])
    await control.call('PUT', '/v1/providers/bare', {
      body: { kind: 'openai_compatible', baseUrl: 'https://bare.example/v1', apiKey: 'sk-bare-0001' },
    })
    const bare = await probe('bare')
    expect([bare.status, bare.body.error.param]).toEqual([400, 'model'])
    expect(asked).toEqual([])
    const named = await probe('bare', { model: 'some' })
    expect([named.status, named.body.costMicros, asked]).toEqual([200, null, ['bare/some']])
  })

  it('requests with the same Idempotency-Key cause only one probe', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await probe('main', {}, { headers })
    const again = await probe('main', {}, { headers })
    expect([again.body, asked]).toEqual([first.body, ['main/gpt-x']])
  })

  it('developers may probe, and viewers may not', async () => {
    const viewer = await control.join('viewer@example.com', 'viewer')
    const refused = await probe('main', {}, { session: viewer })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'role_required'])
    expect(asked).toEqual([])
  })

  it('a probe with a successful response completes the set-up step', async () => {
    const step = async () => (await control.call('GET', '/v1/onboarding')).body.steps[0]
    const missing = await step()
    expect([missing.state, missing.call.operation]).toEqual(['missing', 'providers.probe'])
    const { body, method, path } = missing.call
    expect((await control.call(method, path, { body })).body.ok).toBe(true)
    expect((await step()).state).toBe('done')
  })
})

describe('a key that its provider rejects', () => {
  it('if a provider rejects a key, the account and health show the rejection with its fix, until the key is rotated', async () => {
    await control.close()
    const refused: ProbeAnswer = {
      status: 401,
      latencyMs: 5,
      usage: null,
      failure: { code: 'upstream_unauthorized', reason: 'it answered 401', said: '{"error":"no"}' },
    }
    control = await openControl({ probeAccount: async () => refused })
    await ready(control)
    const etag = (await control.call('GET', '/v1/providers/main')).headers.get('etag')
    await probe('main')
    const account = await control.call('GET', '/v1/providers/main')
    const mark = { refusals: 1, mend: { operation: 'providers.rotate', path: '/v1/providers/main/rotate' } }
    expect(account.body.credentialRefused).toMatchObject(mark)
    expect(account.headers.get('etag')).toBe(etag)
    const list = await control.call('GET', '/v1/providers')
    expect(list.body.data.map((one: { credentialRefused: unknown }) => one.credentialRefused)).toEqual([
      null,
      expect.objectContaining({ refusals: 1 }),
    ])
    const health = await control.call('GET', '/v1/health')
    expect(health.body.credentialsRefused).toMatchObject([{ provider: 'main', ...mark }])
    const doctor = await control.call('GET', '/v1/diagnose')
    expect(doctor.body.findings.map(({ code }: { code: string }) => code)).toContain('credential_refused')
    control.clock.nowMs += 1
    const { body, method, path } = account.body.credentialRefused.mend
    expect((await control.call(method, path, { body })).body.credentialRefused).toBeNull()
  })
})

describe('health', () => {
  it('health lists the open circuit breakers of the organization’s own accounts, in the mode of the request', async () => {
    await control.close()
    const circuits: TargetCircuit[] = []
    control = await openControl({ circuits })
    await ready(control)
    const { id } = (await control.call('GET', '/v1/providers/main')).body
    const circuit = { kind: 'open', untilMs: control.clock.nowMs, why: 'five in a row' } as const
    const open = { model: 'gpt-x', inFlight: 0, firstTokenMs: null, circuit }
    circuits.push(
      { ...open, accountId: id, mode: 'live' },
      { ...open, accountId: id, mode: 'test' },
      { ...open, accountId: 'pa_of_others', mode: 'live' },
      { ...open, accountId: id, mode: 'live', model: 'well', circuit: { kind: 'closed' } },
    )
    expect((await control.call('GET', '/v1/health')).body.circuits).toEqual([
      {
        provider: 'main',
        model: 'gpt-x',
        state: 'open',
        until: new Date(control.clock.nowMs).toISOString(),
        why: 'Five in a row.',
      },
    ])
  })
})
