import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

let control: Control
beforeEach(async () => {
  control = await openControl()
  await ready(control)
  await control.call('POST', '/v1/grants', {
    body: { everyone: true, amountUnits: '1000000', reason: 'welcome' },
  })
})
afterEach(() => control.close())

async function charge(endUserId: string): Promise<void> {
  const key = await control.call('POST', '/v1/keys', { body: { endUserId } })
  const body = { endUsers: [endUserId], amountUnits: '1000000', reason: 'row' }
  await control.call('POST', '/v1/grants', { body })
  const callId = await reserveCall(control, 'acme', key.body.id, null)
  await settleCall(control, 'acme', callId)
}

const ask = (query: string) => control.call('GET', `/v1/usage/series?${query}`)

describe('usage.series', () => {
  it('a series has the largest groups and one group for the rest, so that all groups together are complete', async () => {
    for (const name of ['ada', 'ada', 'ada', 'bo', 'bo', 'cy', 'di']) await charge(name)
    const { body } = await ask('by=endUser&top=2')
    expect(body.bucket).toBe('day')
    expect(body.groups.map(({ group }: { group: string }) => group)).toEqual(['ada', 'bo'])
    const parts = [...body.groups, body.other].map(({ totals }) => totals)
    expect(parts.map(({ chargedCalls }) => chargedCalls)).toEqual([3, 2, 2])
    for (const name of ['chargeMicros', 'billedMicros', 'costMicros', 'overHoldMicros']) {
      const sum = parts.reduce((all, totals) => all + BigInt(totals[name]), 0n)
      expect(String(sum), name).toBe(body.all.totals[name])
    }
    const margin = await control.call('GET', '/v1/margin?by=model')
    expect(body.all.totals.chargeMicros).toBe(margin.body.totals.chargeMicros)
    expect((await ask('by=endUser')).body.other).toBeNull()
  })

  it('series and lists show calls of test mode at the time of the test clock', async () => {
    const inTest = { mode: 'test' } as const
    const call = (method: string, path: string, body?: unknown) =>
      control.call(method, path, { ...inTest, ...(body !== undefined && { body }) })
    await call('POST', '/v1/test-clock/advance', { to: '2026-12-24T10:00:00Z' })
    const key = await call('POST', '/v1/keys', { endUserId: 'user-1' })
    await call('POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '1000000', reason: 'row' })
    const callId = await reserveCall(control, 'acme', key.body.id, null)
    await settleCall(control, 'acme', callId, {}, 'test')
    for (const bucket of ['minute', 'hour', 'day']) {
      const { body } = await call(
        'GET',
        `/v1/usage/series?bucket=${bucket}&from=2026-12-24T09:00:00Z&to=2026-12-24T11:00:00Z&by=provider`,
      )
      expect(body.all.totals, bucket).toMatchObject({ calls: 1, chargedCalls: 1 })
    }
    const listed = async (from: string, to: string) => {
      const { body } = await call('GET', `/v1/requests?from=${from}&to=${to}`)
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await listed('2026-12-24', '2026-12-25')).toEqual([`req_${callId}`])
    expect(await listed('2026-12-25', '2026-12-26')).toEqual([])
    expect(await listed('2026-11-20', '2026-12-24')).toEqual([])
    const open = await reserveCall(control, 'acme', key.body.id, null)
    expect(await listed('2026-12-24', '2026-12-25')).toEqual([`req_${open}`, `req_${callId}`])
    expect(await listed('2026-11-20', '2026-12-24')).toEqual([])
  })

  it('a series can be limited to one end user, model name or provider', async () => {
    for (const name of ['ada', 'ada', 'bo']) await charge(name)
    const counts = async (query: string) => (await ask(query)).body.all.totals.chargedCalls
    expect(await counts('endUserId=ada')).toBe(2)
    expect(await counts('model=acme/smart')).toBe(3)
    expect(await counts('model=acme/none')).toBe(0)
    const { groups } = (await ask('by=provider')).body
    expect(groups).toHaveLength(1)
    expect(groups[0].totals.chargedCalls).toBe(3)
    expect(await counts(`provider=${groups[0].group}`)).toBe(3)
    expect(await counts('provider=pa_none')).toBe(0)
  })

  it('the range of a series is widened to whole buckets, and its length determines the bucket size', async () => {
    const bucketOf = async (from: string) => {
      const { body } = await ask(`from=${from}&to=2026-11-20T10:30:20Z`)
      return [body.bucket, body.from, body.to]
    }
    expect(await bucketOf('2026-11-20T09:00:10Z')).toEqual([
      'minute',
      '2026-11-20T09:00:00.000Z',
      '2026-11-20T10:31:00.000Z',
    ])
    expect(await bucketOf('2026-11-19T09:10:00Z')).toEqual([
      'hour',
      '2026-11-19T09:00:00.000Z',
      '2026-11-20T11:00:00.000Z',
    ])
    expect(await bucketOf('2026-11-10')).toEqual([
      'day',
      '2026-11-10T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ])
  })

  it('latencies are returned only on request', async () => {
    await charge('ada')
    expect((await ask('by=model')).body.latency).toBeNull()
    const { body } = await ask('latency=true')
    expect(body.latency).toHaveLength(body.all.points.length)
    const slowest = body.latency.map(({ latencyMs }: { latencyMs: { p95Ms: number } }) => latencyMs.p95Ms)
    expect(body.latencyTotals.latencyMs.p95Ms).toBeLessThanOrEqual(Math.max(...slowest))
    expect(body.latencyTotals.latencyMs.p95Ms).toBeGreaterThanOrEqual(Math.min(...slowest))
    expect(body.latencyTotals.firstByteMs.p50Ms).toBeLessThanOrEqual(body.latencyTotals.firstByteMs.p95Ms)
    expect(body.latency[0].latencyMs.p95Ms).toBeGreaterThanOrEqual(body.latency[0].latencyMs.p50Ms)
  })

  it.each([
    ['from=2026-11-20&to=2026-11-20', 'to'],
    ['bucket=minute&from=2026-11-01&to=2026-11-20', 'bucket'],
    ['bucket=hour&by=endUser', 'bucket'],
    ['by=key&provider=pa_1', 'provider'],
    ['by=bundle&endUserId=user-1', 'by'],
    ['latency=true&by=endUser', 'latency'],
    ['latency=true&from=2026-01-01', 'latency'],
    ['top=21', 'top'],
  ])(
    'a series is rejected if its time range is too long or its data is no longer kept: %s',
    async (query, param) => {
      const { body, status } = await ask(query)
      expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param])
    },
  )
})
