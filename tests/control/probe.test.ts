import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage.ts'
import { openControl, ready, type CallOptions, type Control } from '../support/control.ts'

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
  it('asks no provider in test mode, and none for the simulator or an account without a price', async () => {
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

  it('is made once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await probe('main', {}, { headers })
    const again = await probe('main', {}, { headers })
    expect([again.body, asked]).toEqual([first.body, ['main/gpt-x']])
  })

  it('is for developers, and not for whoever only looks', async () => {
    const viewer = await control.join('viewer@example.com', 'viewer')
    const refused = await probe('main', {}, { session: viewer })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'role_required'])
    expect(asked).toEqual([])
  })
})
