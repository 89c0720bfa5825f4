import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { issueBills } from '#operations/bill/shared/issue-bills.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000

describe.each(testedEngines)('the bill on %s', (engine) => {
  let control: Control
  let keyId: string
  beforeEach(async () => {
    control = await openControl({ engine })
    control.clock.nowMs = Date.UTC(2026, 10, 20, 12)
    await ready(control)
    await control.call('POST', '/v1/grants', {
      body: { endUsers: ['user-1'], amountUnits: '1000000000', reason: 'test' },
    })
    keyId = (await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })).body.id
  })
  afterEach(() => control.close())

  const settle = async (calls: number): Promise<void> => {
    for (let i = 0; i < calls; i++) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
    }
  }
  const at = (iso: string): void => void (control.clock.nowMs = Date.parse(iso))
  const show = (period?: string) =>
    control.call('GET', period === undefined ? '/v1/bill' : `/v1/bill?period=${period}`)
  const subscribe = (tier: string) => control.call('POST', '/v1/bill/subscribe', { body: { tier } })
  const issue = () => issueBills(control.store, control.clock.nowMs)

  it('the bill for the current month is open, counts only settled live calls, and states its total', async () => {
    await settle(3)
    // A call in flight and a key of test mode must not count.
    await reserveCall(control, 'acme', keyId, null)
    const testKey = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1', livemode: false } })
    expect(testKey.status).toBe(200)
    const { body } = await show()
    expect(body).toMatchObject({
      period: '2026-11',
      startsAt: '2026-11-01T00:00:00.000Z',
      endsAt: '2026-12-01T00:00:00.000Z',
      status: 'open',
      tier: 'free',
      settledCalls: 3,
      seats: 1,
      totalMicros: '0',
      // 19.5 of the month's 30 days have passed, so the projection is higher than the three calls so far.
      projection: { settledCalls: 4, totalMicros: '0' },
      watermark: 3,
      past: [],
    })
    expect(body.lines.map(({ kind }: { kind: string }) => kind)).toEqual(['base', 'calls'])
  })

  it('an upgrade is billed immediately for the remaining days, and a downgrade with the next month', async () => {
    const up = await subscribe('team')
    expect(up.body).toEqual({ tier: 'team', since: '2026-11-20T00:00:00.000Z', next: null })
    // The bill contains 11 of 30 days of the 49-dollar tier.
    expect((await show()).body).toMatchObject({ tier: 'team', totalMicros: '17966667' })
    const down = await subscribe('free')
    expect(down.body).toMatchObject({
      tier: 'team',
      next: { tier: 'free', from: '2026-12-01T00:00:00.000Z' },
    })
    expect((await show()).body.totalMicros).toBe('17966667')
    expect((await subscribe('free')).body).toEqual(down.body)
    // Only the last tier change of a day counts.
    expect((await subscribe('team')).body).toEqual(up.body)
    await subscribe('free')
    at('2026-12-01T00:00:00Z')
    expect((await control.call('GET', '/v1/bill/tiers')).body.current).toEqual({
      tier: 'free',
      since: '2026-12-01T00:00:00.000Z',
      next: null,
    })
    expect((await show()).body.totalMicros).toBe('0')
    expect((await control.call('GET', '/v1/customer')).body.tier).toBe('free')
  })

  it('tier changes that are repeated or reversed on the same day are billed as one change', async () => {
    for (const tier of ['team', 'scale', 'team', 'free', 'scale', 'scale']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await subscribe(tier)).status).toBe(200)
    }
    // The bill contains 11 of 30 days of the 499-dollar tier, and no day of the tier `team`.
    expect((await show()).body.totalMicros).toBe('182966667')
    const answers = await Promise.all(['scale', 'scale', 'scale'].map(subscribe))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  it('a bill is issued once, a day after its month ends, and its bytes never change', async () => {
    await subscribe('team')
    await settle(5)
    at('2026-12-01T23:59:59Z')
    expect(await issue()).toBe(0)
    const closing = await show('2026-11')
    expect(closing.body).toMatchObject({
      status: 'closing',
      settledCalls: 5,
      issuedAt: null,
      projection: null,
    })
    at('2026-12-02T00:00:00Z')
    expect(await issue()).toBe(1)
    expect(await issue()).toBe(0)
    const issued = await show('2026-11')
    expect(issued.body).toEqual({
      ...closing.body,
      status: 'issued',
      issuedAt: '2026-12-02T00:00:00.000Z',
      past: [{ period: '2026-11', totalMicros: '17966667', issuedAt: '2026-12-02T00:00:00.000Z' }],
    })
    await subscribe('scale')
    await settle(3)
    expect((await show('2026-11')).text).toBe(issued.text)
    expect((await show()).body.past).toEqual(issued.body.past)
  })

  it('a call that settles after its month was billed is a line on the next bill', async () => {
    await subscribe('team')
    await settle(2)
    at('2026-12-02T00:00:00Z')
    await issue()
    const issued = await show('2026-11')
    await settle(1)
    // A process that could not reach its store writes four settlements late. The calls settled in November.
    at('2026-11-25T00:00:00Z')
    await settle(4)
    at('2026-12-20T00:00:00Z')
    expect((await show('2026-11')).text).toBe(issued.text)
    const { body } = await show()
    expect(body).toMatchObject({ settledCalls: 1, watermark: 7 })
    expect(body.lines.at(-1)).toMatchObject({
      kind: 'late_calls',
      period: '2026-11',
      quantity: 4,
      amountMicros: '0',
    })
    at('2027-01-02T00:00:00Z')
    expect(await issue()).toBe(1)
    // The late calls are on the issued bill for December, and on no later bill.
    expect((await show('2026-12')).body.lines.at(-1)).toMatchObject({ kind: 'late_calls', quantity: 4 })
    expect((await show()).body.lines.map(({ kind }: { kind: string }) => kind)).toEqual(['base', 'calls'])
    expect((await show()).body.watermark).toBe(7)
  })

  it('a server issues a bill for each month in which it did not run, and two servers that start concurrently issue each bill once', async () => {
    at('2027-03-05T00:00:00Z')
    const counts = await Promise.all([issue(), issue()])
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4)
    expect((await show()).body.past.map(({ period }: { period: string }) => period)).toEqual([
      '2027-02',
      '2027-01',
      '2026-12',
      '2026-11',
    ])
  })

  it('a bill stays the same after the sums of its days are stored, and excludes other organizations', async () => {
    await settle(2)
    const { foldUsageDays } = await import('#store/usage-sums-by-day.ts')
    control.clock.nowMs += 3 * dayMs
    const before = (await show()).body.settledCalls
    await foldUsageDays(control.database, control.clock.nowMs)
    expect([before, (await show()).body.settledCalls]).toEqual([2, 2])
    const token = await control.found('Other')
    const other = await control.call('GET', '/v1/bill', { token })
    expect(other.body).toMatchObject({ settledCalls: 0, watermark: 0 })
    await control.call('POST', '/v1/bill/subscribe', { token, body: { tier: 'scale' } })
    expect((await control.call('GET', '/v1/bill/tiers')).body.current.tier).toBe('free')
  })

  it('a bill is not shown if its recomputation differs from the issued bill', async () => {
    at('2026-12-02T00:00:00Z')
    await issue()
    await control.database.transaction((tx) => tx.updateTable('bills').set({ digest: 'other' }).execute())
    expect((await show('2026-11')).status).toBe(500)
    expect(control.internal.splice(0)).toHaveLength(1)
  })

  it('bills are available from the first month to the current month, for months in the form YYYY-MM', async () => {
    for (const period of ['2026-10', '2026-12', '0001-01']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await show(period)).status).toBe(404)
    }
    for (const period of ['2026-13', '2026-1', 'now', '']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await show(period)).status).toBe(400)
    }
    expect((await subscribe('platinum')).status).toBe(400)
  })
})
