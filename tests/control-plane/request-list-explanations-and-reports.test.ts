import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

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

async function refuse(httpStatus: number, latencyMs: number): Promise<string> {
  const callId = control.newId()
  await control.ledger.record({
    callId,
    applicationId,
    mode: 'live',
    endUserId: null,
    keyId: null,
    alias: 'acme/none',
    tags: null,
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
  it('the list shows settled and rejected calls and calls in flight, newest first, each once', async () => {
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

  it('the list filters by end user, key, model, status and mode', async () => {
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

describe('requests.list of outcomes', () => {
  it('the list filters by HTTP status, outcome, run and usage record', async () => {
    const plain = await begin(null)
    await settleCall(control, 'acme', plain)
    const ofRun = await begin()
    await settleCall(control, 'acme', ofRun)
    const open = await begin()
    const refusedCall = await refuse(404, 3)
    const found = async (query: string) =>
      (await control.call('GET', `/v1/requests?${query}`)).body.data.map((call: { id: string }) =>
        call.id.slice(4),
      )
    expect(await found('httpStatus=404')).toEqual([refusedCall])
    expect(await found('httpStatus=200')).toEqual([ofRun, plain])
    expect(await found('outcome=report')).toEqual([open, ofRun])
    expect(await found('runId=run-1&status=settled')).toEqual([ofRun])
    expect(await found('runId=run-2')).toEqual([])
    expect(await found(`usageRecordId=ur_${plain}`)).toEqual([plain])
    expect(await found(`usageRecordId=ur_${plain}&outcome=report`)).toEqual([])
    expect(await found('usageRecordId=nothing')).toEqual([])
    const wrong = await control.call('GET', '/v1/requests?httpStatus=5')
    expect([wrong.status, wrong.body.error.param]).toEqual([400, 'httpStatus'])
  })
})

describe('threat 8: data of other organizations and end users', () => {
  it('no filter finds data of other organizations or end users, and a cursor works only in the caller’s own list', async () => {
    await settleCall(control, 'acme', await begin(null))
    const account = (await control.call('GET', '/v1/providers/main')).body.id
    const page = await control.call('GET', '/v1/requests?limit=1')
    const token = await control.found('Second')
    await ready(control, 'other', token)
    const read = async (path: string) => {
      const { body, status } = await control.call('GET', path, { token, app: 'other' })
      return [status, body.data ?? body.error.code]
    }
    expect(await read(`/v1/requests?keyId=${keyId}`)).toEqual([200, []])
    expect(await read(`/v1/requests?provider=${account}`)).toEqual([200, []])
    expect(await read('/v1/requests?provider=nobody')).toEqual([404, 'not_found'])
    const cursor = Buffer.from(JSON.stringify([0, 'zzzzzzzzzz'])).toString('base64url')
    expect(await read(`/v1/requests?cursor=requests.list.${cursor}`)).toEqual([200, []])
    for (const by of ['endUser', 'model', 'bundle', 'provider', 'day'])
      expect(await read(`/v1/margin?by=${by}`), by).toEqual([200, []])
    expect(page.body.data).toHaveLength(1)
  })
})

describe('requests.explain', () => {
  it('a settled call is explained in sections whose numbers add up', async () => {
    const callId = await begin()
    await settleCall(control, 'acme', callId)
    const { body } = await explain(`req_${callId}`)
    expect(body).toMatchObject({
      id: `req_${callId}`,
      status: 'settled',
      summary: 'Charged 450 of 900 micros held. The provider counted the usage.',
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

  it('a call in flight and a rejected call are explained up to the phase that they have reached', async () => {
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
        'Rejected before any provider was called. The model acme/none does not exist. GET /v1/models lists the model names.',
      refusal: { code: 'model_not_found' },
      quote: null,
      reserve: null,
      settle: null,
    })
  })

  it('a call is found only in its own mode, both in flight and after it has ended', async () => {
    const settled = await begin(null)
    await settleCall(control, 'acme', settled)
    for (const callId of [settled, await begin(null), await refuse(404, 3)]) {
      expect((await explain(`req_${callId}`)).status).toBe(200)
      const other = await control.call('GET', `/v1/requests/req_${callId}`, { mode: 'test' })
      expect([other.status, other.body.error.code]).toEqual([404, 'not_found'])
    }
  })

  it('requests.explain accepts only IDs of calls', async () => {
    const callId = await begin(null)
    for (const id of [callId, `key_${callId}`, 'req_', 'req_x', `req_${callId}x`]) {
      expect([id, (await explain(id)).status]).toEqual([id, 404])
    }
  })
})

describe('usage', () => {
  it('usage sums calls by requested model name and by day, for one or all end users', async () => {
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
  const read = async (query = '') => (await control.call('GET', `/v1/health${query}`)).body
  const nothing = { client: 0, limit: 0, provider: 0, ours: 0 }
  const unknown = { p50: null, p95: null, p99: null }

  it('health measures the calls that ended in the last hour', async () => {
    expect(await read()).toMatchObject({
      windowSeconds: 3600,
      calls: 0,
      failures: 0,
      refusals: 0,
      failureRate: 0,
      latencyMs: unknown,
    })
    await refuse(502, 9999)
    control.clock.nowMs += 3_700_000
    for (let n = 1; n <= 100; n++) await refuse(n <= 5 ? 502 : n <= 15 ? 402 : 200, n)
    expect(await read()).toMatchObject({
      windowSeconds: 3600,
      calls: 100,
      failures: 5,
      refusals: 10,
      failureRate: 0.05,
      latencyMs: { p50: 50, p95: 95, p99: 99 },
    })
  })

  it('health shows one or three time windows, by provider account and by model name, with the cause of each failure', async () => {
    await settleCall(control, 'acme', await begin(null))
    control.clock.nowMs += 1_000_000
    await refuse(404, 3)
    const { windows } = await read()
    const well = { calls: 1, failed: nothing, latencyMs: { p50: 121, p99: 121 }, firstByteMs: { p50: 40 } }
    const all = { calls: 2, failed: { ...nothing, client: 1 }, failureRates: { client: 0.5, ours: 0 } }
    expect(windows).toMatchObject([
      { window: '5m', windowSeconds: 300, calls: 1, failureRates: { client: 1 }, providers: [], models: [] },
      {
        window: '1h',
        windowSeconds: 3_600,
        isWhole: true,
        ...all,
        providers: [{ provider: 'main', ...well }],
        models: [{ requestedModel: 'acme/smart', ...well }],
      },
      { window: '24h', windowSeconds: 86_400, from: '2026-11-19T12:00:00.000Z', ...all },
    ])
    expect((await read('?window=1h')).windows).toEqual([windows[1]])
    expect((await read('?window=2h')).error.param).toBe('window')
    expect((await control.call('GET', '/v1/health', { mode: 'test' })).body.calls).toBe(0)
  })
})

describe('margin', () => {
  const read = async (query = '') => (await control.call('GET', `/v1/margin?${query}`)).body
  const none = {
    calls: 0,
    billedMicros: '0',
    chargeMicros: '0',
    costMicros: '0',
    overHoldMicros: '0',
    paidFromPlanMicros: '0',
    paidFromWalletMicros: '0',
    paidFromGiftMicros: '0',
    onDemandMicros: '0',
    overdraftMicros: '0',
    unattributedMicros: '0',
    revenueMicros: '0',
    marginMicros: '0',
    marginPercent: null,
  }
  /** Granted credit paid for the request. */
  const one = {
    ...none,
    calls: 1,
    billedMicros: '450',
    chargeMicros: '450',
    costMicros: '450',
    paidFromGiftMicros: '450',
    marginMicros: '-450',
  }
  const noPlan = { subscriptionMicros: '0', invoicedMicros: '0' }

  it('the margin is grouped by end user, model, bundle, provider and day, with the same totals', async () => {
    await settleCall(control, 'acme', await begin(null))
    const days = { from: '2026-10-22', to: '2026-11-21' }
    expect(await read()).toEqual({
      data: [{ endUserId: 'user-1', ...one, ...noPlan }],
      nextCursor: null,
      probeCostMicros: '0',
      ...days,
      totals: { ...one, ...noPlan, assumedCalls: 0, assumedMicros: '0' },
    })
    const rows = {
      model: { requestedModel: 'acme/smart' },
      provider: { provider: 'main' },
      day: { day: '2026-11-20' },
    }
    for (const [by, row] of Object.entries(rows))
      expect(await read(`by=${by}`), by).toMatchObject({ data: [{ ...row, ...one }], totals: one })
    // The sample's trace does not contain the name of its bundle.
    expect(await read('by=bundle')).toMatchObject({ data: [{ bundle: null, ...one }], totals: one })
    expect(await read('from=2026-11-21&to=2026-11-22')).toMatchObject({ data: [], totals: none })
    expect(await read('from=2026-11-20T23:00:00Z&to=2026-11-20T23:30:00Z')).toMatchObject({
      from: '2026-11-20',
      to: '2026-11-21',
      totals: one,
    })
    expect((await read('from=2026-11-21&to=2026-11-20')).error.param).toBe('to')
    expect((await read('by=router')).error.param).toBe('by')
    expect((await control.call('GET', '/v1/margin', { mode: 'test' })).body.totals).toEqual({
      assumedCalls: 0,
      assumedMicros: '0',
      ...none,
      ...noPlan,
    })
  })

  it('invoiced subscriptions are in every total of the margin, and in the rows of each grouping that adds up to the total', async () => {
    await control.call('PUT', '/v1/bundles/pro', { body: { displayName: 'Pro', priceMicros: '20000000' } })
    await control.call('POST', '/v1/bundles/pro/allow', { body: { models: ['acme/*'] } })
    await control.call('PUT', '/v1/end-users/user-1/subscription', { body: { bundle: 'pro' } })
    await control.call('PUT', '/v1/end-users/user-2', { body: { bundle: 'pro' } })
    await settleCall(control, 'acme', await begin(null))
    const month = 'from=2026-11-20&to=2026-12-20'
    const earned = { subscriptionMicros: '20000000', invoicedMicros: '20000000', revenueMicros: '20000000' }
    const both = { subscriptionMicros: '40000000', invoicedMicros: '40000000', revenueMicros: '40000000' }
    const fees = { subscriptionMicros: '40000000', revenueMicros: '40000000' }
    const withoutCall = { endUserId: 'user-2', calls: 0, ...earned, marginPercent: '100.00' }
    expect(await read(month)).toMatchObject({
      data: [{ endUserId: 'user-1', calls: 1, ...earned, marginMicros: '19999550' }, withoutCall],
      totals: { ...both, marginMicros: '39999550' },
    })
    const { nextCursor } = await read(`limit=1&${month}`)
    expect(await read(`limit=1&${month}&cursor=${nextCursor}`)).toMatchObject({
      data: [withoutCall],
      nextCursor: null,
      totals: both,
    })
    for (const [by, rows] of [
      [
        'model',
        [
          { requestedModel: 'acme/smart', ...one },
          { requestedModel: null, ...none, ...both, marginMicros: '40000000', marginPercent: '100.00' },
        ],
      ],
      [
        'provider',
        [
          { provider: 'main', ...one },
          { provider: null, ...none, ...both, marginMicros: '40000000', marginPercent: '100.00' },
        ],
      ],
      // The sample's trace does not contain the name of its bundle, and invoices belong to no bundle.
      [
        'bundle',
        [
          { bundle: 'pro', ...none, ...fees, marginMicros: '40000000', marginPercent: '100.00' },
          { bundle: null, ...one, subscriptionMicros: '0', invoicedMicros: '40000000' },
        ],
      ],
    ] as const) {
      const answer = await read(`by=${by}&${month}`)
      expect(answer, by).toMatchObject({ totals: both })
      expect(answer.data, by).toEqual(rows)
    }
    // Each day earns its share of the subscription, and the invoice counts on its issue date.
    const share = { subscriptionMicros: '1333332', invoicedMicros: '40000000', revenueMicros: '1333332' }
    expect(await read('by=day')).toMatchObject({ data: [{ day: '2026-11-20', calls: 1, ...share }] })
    const days = (await read(`by=day&${month}&limit=200`)).data
    expect(days).toHaveLength(30)
    const sumOf = (name: string): bigint =>
      days.reduce((sum: bigint, row: Record<string, string>) => sum + BigInt(row[name] ?? ''), 0n)
    expect([sumOf('subscriptionMicros'), sumOf('invoicedMicros')]).toEqual([40_000_000n, 40_000_000n])
    const { body } = await control.call('GET', '/v1/invoices?endUserId=user-2')
    await control.call('POST', `/v1/invoices/${body.data[0].id}/void`)
    expect((await read(month)).totals).toMatchObject(earned)
  })

  it('the margin report lists its groups page by page in order, and shows the label of an account', async () => {
    for (const user of ['user-1', 'user-2', 'user-3']) {
      const key = await control.call('POST', '/v1/keys', { body: { endUserId: user } })
      const body = { endUsers: [user], amountUnits: '100000', reason: 'x' }
      await control.call('POST', '/v1/grants', { body })
      await settleCall(control, 'acme', await reserveCall(control, 'acme', key.body.id, null))
    }
    const seen: string[] = []
    let cursor = ''
    do {
      const { data, nextCursor, totals } = await read(`limit=1${cursor}`)
      expect(totals.calls).toBe(3)
      seen.push(...data.map((row: { endUserId: string }) => row.endUserId))
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`
    } while (cursor !== '')
    expect(seen).toEqual(['user-1', 'user-2', 'user-3'])
  })
})

describe('an outcome of runs', () => {
  it('an outcome counts its runs and their spending, and lists the runs', async () => {
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

  it('a run ends once, and accepts no call after that', async () => {
    await settleCall(control, 'acme', await begin())
    const finish = (body: object) => control.call('POST', '/v1/outcomes/report/runs/run-1/finish', { body })
    expect((await finish({ status: 'done' })).body.status).toBe('done')
    expect((await finish({ status: 'done' })).body.status).toBe('done')
    expect((await finish({ status: 'failed' })).body.error.code).toBe('outcome_finished')
    expect((await finish({ status: 'running' })).body.error.param).toBe('status')
    await expect(begin()).rejects.toThrow(/refused/)
  })

  it('a request for a run must name the end user if two end users have a run with the same ID', async () => {
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
