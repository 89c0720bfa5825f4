import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control.ts'
import { reserveCall, settleCall } from '../support/samples.ts'

let control: Control
let keyId: string
let applicationId: string
beforeEach(async () => {
  control = await openControl()
  await ready(control)
  await control.call('POST', '/v1/grants', {
    body: { everyone: true, amountUnits: '1000000', reason: 'welcome' },
  })
  await control.call('PUT', '/v1/outcomes/report', {
    body: { displayName: 'Report', ceilingMicros: '5000000' },
  })
  keyId = (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })).body.id
  applicationId = (await control.store.read.applications.bySlug('acme'))?.id ?? ''
})
afterEach(() => control.close())

const explain = (id: string) => control.call('GET', `/v1/requests/${id}`)
const begin = (outcome?: null) => reserveCall(control, 'acme', keyId, outcome)

/** A call that was refused with that status, as the gateway records it. */
async function refuse(httpStatus: number, latencyMs: number): Promise<string> {
  const callId = control.newId()
  await control.ledger.record({
    callId,
    applicationId,
    mode: 'live',
    endUserId: null,
    keyId: null,
    alias: 'acme/none',
    target: null,
    wire: 'chat',
    streamed: false,
    status: 'refused',
    httpStatus,
    errorCode: 'model_not_found',
    atMs: control.clock.nowMs,
    latencyMs,
    firstByteMs: null,
    trace: JSON.stringify({ refusal: { code: 'model_not_found', model: 'acme/none' } }),
  })
  return callId
}

describe('requests.list', () => {
  it('shows calls that were settled, refused and are in flight, newest first, each once', async () => {
    const settled = await begin(null)
    control.clock.nowMs += 10
    const open = await begin(null)
    control.clock.nowMs += 10
    const refusedCall = await refuse(404, 3)
    await settleCall(control, 'acme', settled)
    const { body } = await control.call('GET', '/v1/requests')
    expect(body.data.map((call: { id: string; status: string }) => [call.id, call.status])).toEqual([
      [`req_${refusedCall}`, 'refused'],
      [`req_${open}`, 'in_flight'],
      [`req_${settled}`, 'settled'],
    ])
    expect(body.data[2]).toMatchObject({
      endUserId: 'user-1',
      keyId,
      requestedModel: 'acme/smart',
      httpStatus: 200,
      chargeMicros: '450',
      latencyMs: 120,
    })
    expect(body.data[0]).toMatchObject({ endUserId: null, errorCode: 'model_not_found', chargeMicros: '0' })

    const pages: string[] = []
    let path = '/v1/requests?limit=1'
    for (let page = 0; page < 3; page++) {
      const answer = await control.call('GET', path)
      pages.push(...answer.body.data.map((call: { id: string }) => call.id))
      path = `/v1/requests?limit=1&cursor=${answer.body.nextCursor}`
    }
    expect(pages).toEqual(body.data.map((call: { id: string }) => call.id))
  })

  it('filters by person, key, model, status and mode', async () => {
    const settled = await begin(null)
    await settleCall(control, 'acme', settled)
    await begin(null)
    await refuse(404, 3)
    const count = async (query: string, mode: 'live' | 'test' = 'live') =>
      (await control.call('GET', `/v1/requests?${query}`, { mode })).body.data.length
    expect(await count('endUserId=user-1')).toBe(2)
    expect(await count(`keyId=${keyId}`)).toBe(2)
    expect(await count('model=acme%2Fnone')).toBe(1)
    expect(await count('status=in_flight')).toBe(1)
    expect(await count('status=settled')).toBe(1)
    expect(await count('status=refused')).toBe(1)
    expect(await count('', 'test')).toBe(0)
  })
})

describe('requests.explain', () => {
  it('shows a settled call in sections whose numbers add up', async () => {
    const callId = await begin()
    await settleCall(control, 'acme', callId)
    const { body } = await explain(`req_${callId}`)
    expect(body).toMatchObject({
      id: `req_${callId}`,
      status: 'settled',
      summary: 'Charged 450 of 900 micros held; the provider counted.',
      auth: { keyId, mode: 'live' },
      policy: { terminationPolicy: 'hard_token', debitBasis: 'provider_cost' },
      quote: { cost: { input: '1000000', output: '4000000' }, credits: null },
      reserve: { holdId: `hold_${callId}`, worstMicros: '900' },
      route: { provider: 'openai_compatible', model: 'gpt-x' },
      attempts: [{ status: 200 }],
      stream: { end: 'done' },
      refusal: null,
      usage: { input: 50, output: 100, tokenSource: 'provider_reported' },
      settle: {
        costMicros: '450',
        billedMicros: '450',
        chargeMicros: '450',
        overHoldMicros: '0',
        releasedMicros: '450',
        outcome: 'report',
        outcomeRun: 'run-1',
      },
      emitters: [],
    })
    expect(body.priceLines).toEqual([
      {
        price: 'cost',
        lines: [
          { dimension: 'input', units: 50, rate: '1000000', assumed: false, exact: '50' },
          { dimension: 'output', units: 100, rate: '4000000', assumed: false, exact: '400' },
        ],
        multiplier: '1000',
        amount: '450',
      },
    ])
    expect(body.ledger).toMatchObject([
      { kind: 'usage_debit', amountUnits: '-450', source: 'wallet', requestId: `req_${callId}` },
    ])
    for (const id of [`hold_${callId}`, `ur_${callId}`]) expect((await explain(id)).body).toEqual(body)
  })

  it('shows a call in flight and a refused one as far as they got', async () => {
    const open = await begin(null)
    const inFlight = await explain(`req_${open}`)
    expect(inFlight.body).toMatchObject({
      status: 'in_flight',
      summary: 'In flight: 900 micros are held.',
      quote: { bound: { alias: 'acme/smart', textTokens: 100, outputTokens: 200 } },
      reserve: { worstMicros: '900', inputTokensEstimated: 80 },
      usage: null,
      priceLines: [],
      settle: null,
      ledger: [],
    })
    const refusedCall = await refuse(404, 3)
    expect((await explain(`req_${refusedCall}`)).body).toMatchObject({
      status: 'refused',
      summary:
        'Refused before any provider was called: There is no model acme/none here; GET /v1/models lists the names.',
      refusal: { code: 'model_not_found' },
      quote: null,
      reserve: null,
      settle: null,
    })
  })

  it('finds a call in its mode only, in flight or ended', async () => {
    const settled = await begin(null)
    await settleCall(control, 'acme', settled)
    for (const callId of [settled, await begin(null), await refuse(404, 3)]) {
      expect((await explain(`req_${callId}`)).status).toBe(200)
      const other = await control.call('GET', `/v1/requests/req_${callId}`, { mode: 'test' })
      expect([other.status, other.body.error.code]).toEqual([404, 'not_found'])
    }
  })

  it('knows only ids of calls', async () => {
    const callId = await begin(null)
    for (const id of [callId, `key_${callId}`, 'req_', 'req_x', `req_${callId}x`]) {
      expect([id, (await explain(id)).status]).toEqual([id, 404])
    }
  })
})

describe('usage', () => {
  it('sums calls by the name asked for, of one person or all, in days', async () => {
    await settleCall(control, 'acme', await begin(null))
    await settleCall(control, 'acme', await begin(null))
    const row = { calls: 2, inputTokens: 100, outputTokens: 200, billedMicros: '900', overHoldMicros: '0' }
    const none = { calls: 0, inputTokens: 0, outputTokens: 0, billedMicros: '0', overHoldMicros: '0' }
    const read = async (query: string, mode: 'live' | 'test' = 'live') =>
      (await control.call('GET', `/v1/usage?${query}`, { mode })).body
    expect(await read('')).toEqual({ rows: [{ requestedModel: 'acme/smart', ...row }], totals: row })
    expect((await read('endUserId=user-1')).totals).toEqual(row)
    await control.call('PUT', '/v1/end-users/user-2')
    expect(await read('endUserId=user-2')).toEqual({ rows: [], totals: none })
    expect((await read('', 'test')).totals).toEqual(none)
    expect((await read('from=2026-11-20&to=2026-11-21')).totals).toEqual(row)
    expect((await read('from=2026-11-21')).totals).toEqual(none)
    expect((await read('to=2026-11-20')).totals).toEqual(none)
    expect((await read('from=2026-11-20T23:00:00Z&to=2026-11-20T23:30:00Z')).totals).toEqual(row)
    expect((await read('from=2026-11-21&to=2026-11-20')).error.param).toBe('to')
    expect((await read('from=yesterday')).error.param).toBe('from')
  })
})

describe('health', () => {
  it('measures the calls of the last hour', async () => {
    const read = async () => (await control.call('GET', '/v1/health')).body
    expect(await read()).toEqual({
      windowSeconds: 3600,
      calls: 0,
      failures: 0,
      refusals: 0,
      failureRate: 0,
      latencyMs: { p50: null, p99: null },
    })
    await refuse(502, 9999)
    control.clock.nowMs += 3_600_001
    for (let n = 1; n <= 100; n++) await refuse(n <= 5 ? 502 : n <= 15 ? 402 : 200, n)
    expect(await read()).toEqual({
      windowSeconds: 3600,
      calls: 100,
      failures: 5,
      refusals: 10,
      failureRate: 0.05,
      latencyMs: { p50: 50, p99: 99 },
    })
  })
})

describe('an outcome', () => {
  it('counts its runs and what they spent, and lists them', async () => {
    await settleCall(control, 'acme', await begin())
    control.clock.nowMs += 5
    await settleCall(control, 'acme', await begin())
    await reserveCall(control, 'acme', keyId, { slug: 'report', runId: 'run-2', ceilingMicros: 5_000_000n })
    const shown = await control.call('GET', '/v1/outcomes/report')
    expect(shown.body).toMatchObject({
      ceilingMicros: '5000000',
      runs: 2,
      spentMicros: '900',
      archivedAt: null,
    })
    expect((await control.call('GET', '/v1/outcomes')).body.data).toEqual([shown.body])
    const runs = await control.call('GET', '/v1/outcomes/report/runs')
    expect(runs.body.data).toMatchObject([
      { id: 'run-2', endUserId: 'user-1', status: 'running', spentMicros: '0', calls: 1 },
      { id: 'run-1', endUserId: 'user-1', status: 'running', spentMicros: '900', calls: 2 },
    ])
    expect((await control.call('GET', '/v1/outcomes/report/runs?status=done')).body.data).toEqual([])
    expect((await control.call('GET', '/v1/outcomes/report/runs?endUserId=user-1')).body.data).toHaveLength(2)
  })

  it('has runs that end once, and take no call after that', async () => {
    await settleCall(control, 'acme', await begin())
    const finish = (body: object) => control.call('POST', '/v1/outcomes/report/runs/run-1/finish', { body })
    expect((await finish({ status: 'done' })).body.status).toBe('done')
    expect((await finish({ status: 'done' })).body.status).toBe('done')
    expect((await finish({ status: 'failed' })).body.error.code).toBe('outcome_finished')
    expect((await finish({ status: 'running' })).body.error.param).toBe('status')
    await expect(begin()).rejects.toThrow(/refused/)
  })

  it('asks for the person where two people have a run of one id', async () => {
    await begin()
    const other = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-2' } })
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-2'], amountUnits: '1000', reason: 'x' },
    })
    await reserveCall(control, 'acme', other.body.id)
    const finish = (body: object) => control.call('POST', '/v1/outcomes/report/runs/run-1/finish', { body })
    expect((await finish({ status: 'done' })).body.error).toMatchObject({
      code: 'invalid_request',
      param: 'endUserId',
    })
    expect((await finish({ status: 'done', endUserId: 'user-2' })).body.endUserId).toBe('user-2')
    const runs = await control.call('GET', '/v1/outcomes/report/runs?status=running')
    expect(runs.body.data.map((run: { endUserId: string }) => run.endUserId)).toEqual(['user-1'])
  })
})
