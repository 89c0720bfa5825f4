import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clearMonths } from '#operations/billing/shared/clear-paid-on-demand-months.ts'
import { issueAllInvoices } from '#operations/billing/shared/issue-due-invoices.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { reserveCall, settleCall, signIn } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000
const startMs = Date.UTC(2026, 10, 20, 12)
const novemberEndMs = Date.UTC(2026, 11, 1)

interface Line {
  readonly kind: string
  readonly description: string
  readonly amountMicros: string
  readonly ledgerEntryId?: string
}

describe.each(testedEngines)('on-demand usage on %s', (engine) => {
  let control: Control
  let keyId: string
  beforeEach(async () => {
    control = await openControl({ engine })
    control.clock.nowMs = startMs
    await ready(control)
    for (const [slug, body] of Object.entries({
      pro: { displayName: 'Pro', priceMicros: '30000000' },
      max: { displayName: 'Max', priceMicros: '60000000' },
      year: { displayName: 'Year', priceMicros: '365000000', interval: 'year' },
    })) {
      await ok('PUT', `/v1/bundles/${slug}`, body)
      await ok('POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
    }
    keyId = (await ok('POST', '/v1/keys', { endUserId: 'user-1' })).id
  })
  afterEach(async () => {
    try {
      await control.verify()
    } finally {
      await control.close()
    }
  })

  const ok = async (method: string, path: string, body?: unknown, mode: 'live' | 'test' = 'live') => {
    const answer = await control.call(method, path, { body, mode })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const turn = (enabled: boolean, mode: 'live' | 'test' = 'live') =>
    ok('POST', '/v1/subscription/on-demand', { endUserId: 'user-1', enabled }, mode)
  const subscribe = (slug: string) => ok('PUT', '/v1/end-users/user-1/subscription', { bundle: slug })
  const subscription = (mode: 'live' | 'test' = 'live') =>
    ok('GET', '/v1/subscription?endUserId=user-1', undefined, mode)
  const list = async (mode: 'live' | 'test' = 'live') =>
    (await ok('GET', '/v1/invoices?endUserId=user-1&limit=200', undefined, mode)).data
  const pay = (invoice: { readonly id: string }) => ok('POST', `/v1/invoices/${invoice.id}/pay`)
  const ledger = async (mode: 'live' | 'test' = 'live') =>
    (await ok('GET', '/v1/end-users/user-1/ledger?source=all&limit=200', undefined, mode)).data
  const call = async (key = keyId, mode: 'live' | 'test' = 'live') =>
    settleCall(control, 'acme', await reserveCall(control, 'acme', key, null), {}, mode)
  const issueAll = () =>
    issueAllInvoices(
      { store: control.store, ledger: control.ledger, newId: control.newId },
      control.clock.nowMs,
    )
  const linesOf = ({ lines }: { readonly lines: readonly Line[] }) =>
    lines.map(({ amountMicros, description, kind }) => [kind, description, amountMicros])
  const spent = async (): Promise<bigint> => BigInt((await subscription()).onDemandSpentMicros)

  it('usage on a free plan gets its own invoice after the month, and its payment clears the debt of the month', async () => {
    await turn(true)
    await call()
    await call()
    const november = await spent()
    expect(november).toBeGreaterThan(0n)
    expect(await list()).toEqual([])
    control.clock.nowMs = novemberEndMs + dayMs
    const [invoice, ...others] = await list()
    expect(others).toEqual([])
    expect(invoice).toMatchObject({
      number: 1,
      status: 'open',
      amountMicros: String(november),
      periodStart: '2026-11-01T00:00:00.000Z',
      periodEnd: '2026-12-01T00:00:00.000Z',
      issuedAt: '2026-12-01T00:00:00.000Z',
      dueAt: '2026-12-08T00:00:00.000Z',
    })
    expect(linesOf(invoice)).toEqual([['on_demand', 'On-demand usage, November 2026', String(november)]])
    await call()
    const shown = await subscription()
    expect(shown).toMatchObject({ onDemandOwedMicros: String(november) })
    expect(BigInt(shown.onDemandSpentMicros)).toBeLessThan(november)
    const token = await signIn(control, 'user-1')
    const inPortal = async () => (await control.call('GET', '/v1/portal/account', { token })).body.onDemand
    expect(await inPortal()).toMatchObject({
      spentMicros: shown.onDemandSpentMicros,
      owedMicros: String(november),
    })
    await control.verify()

    const paid = await pay(invoice)
    expect(paid.status).toBe('paid')
    expect(await subscription()).toMatchObject({ onDemandOwedMicros: '0' })
    expect(await inPortal()).toMatchObject({ spentMicros: shown.onDemandSpentMicros, owedMicros: '0' })
    const cleared = (await ledger()).filter(({ invoiceId }: { invoiceId?: string }) => invoiceId)
    expect(cleared).toEqual([
      {
        id: expect.stringMatching(/^led_/),
        kind: 'adjustment',
        amountUnits: String(november),
        balanceAfterUnits: '0',
        unit: 'micros',
        source: 'on_demand/2026-11',
        invoiceId: invoice.id,
        reason: 'on_demand_paid',
        createdAt: new Date(control.clock.nowMs).toISOString(),
      },
    ])
    expect((await ok('GET', `/v1/invoices/${invoice.id}`)).lines[0].ledgerEntryId).toBe(cleared[0].id)
    await pay(invoice)
    await issueAll()
    expect((await ledger()).filter(({ invoiceId }: { invoiceId?: string }) => invoiceId)).toEqual(cleared)
  })

  it('usage on a monthly plan is a line on the invoice of the next renewal, and is owed until then', async () => {
    await subscribe('pro')
    await pay((await list())[0])
    await turn(true)
    await call()
    const november = String(await spent())
    control.clock.nowMs = novemberEndMs + dayMs
    await issueAll()
    expect(await list()).toHaveLength(1)
    expect(await subscription()).toMatchObject({ onDemandSpentMicros: '0', onDemandOwedMicros: november })
    await control.verify()
    control.clock.nowMs = Date.UTC(2026, 11, 21)
    const [renewed] = await list()
    expect(linesOf(renewed)).toEqual([
      ['plan', 'Pro', '30000000'],
      ['on_demand', 'On-demand usage, November 2026', november],
    ])
    expect(await subscription()).toMatchObject({ onDemandOwedMicros: november })
    await pay(renewed)
    expect(await subscription()).toMatchObject({ onDemandOwedMicros: '0' })
  })

  it('usage on a yearly plan gets its own invoice, and a past-due invoice stops on-demand', async () => {
    await subscribe('year')
    await pay((await list())[0])
    await turn(true)
    await call()
    control.clock.nowMs = novemberEndMs
    await issueAll()
    control.clock.nowMs = novemberEndMs + 7 * dayMs - 1
    await call()
    control.clock.nowMs += 1
    await expect(call()).rejects.toThrow('insufficient_credit')
    const [own] = await list()
    expect(own.status).toBe('past_due')
    await pay(own)
    await call()
  })

  it('a month is invoiced after all its calls have ended, and a later call counts in the next month', async () => {
    await turn(true)
    await call()
    const november = await spent()
    const inFlight = await reserveCall(control, 'acme', keyId, null)
    control.clock.nowMs = novemberEndMs + 1_000
    await issueAll()
    expect(await list()).toEqual([])
    await settleCall(control, 'acme', inFlight)
    control.clock.nowMs += 60_000
    const [own, ...others] = await list()
    expect(others).toEqual([])
    expect(BigInt(own.amountMicros)).toBeGreaterThan(november)
    expect(own.issuedAt).toBe(new Date(control.clock.nowMs).toISOString())
    // A process with a slow clock reserves money in the closed month.
    control.clock.nowMs = novemberEndMs - 1
    await call()
    control.clock.nowMs = novemberEndMs + 61_000
    expect(await spent()).toBeGreaterThan(0n)
    const months = await control.database.read
      .selectFrom('sources')
      .select(['id', 'posted'])
      .where('kind', '=', 'on_demand')
      .orderBy('id')
      .execute()
    expect(months.map(({ id }) => id)).toEqual(['on_demand/2026-11', 'on_demand/2026-12'])
    expect(String(-(months[0]?.posted ?? 0n))).toBe(own.amountMicros)
  })

  it('a month is invoiced even if on-demand is turned off or the end user is deleted', async () => {
    await turn(true)
    await call()
    const november = String(await spent())
    await turn(false)
    await ok('DELETE', '/v1/end-users/user-1')
    control.clock.nowMs = novemberEndMs + dayMs
    await issueAll()
    await issueAll()
    const { data } = await ok('GET', '/v1/invoices')
    expect(data).toMatchObject([{ amountMicros: november, status: 'open' }])
    await pay(data[0])
    const account = control.database.read.selectFrom('accounts').selectAll().where('mode', '=', 'live')
    expect(await account.execute()).toMatchObject([{ on_demand_closes_at_ms: null }])
  })

  it('if the invoice is voided, a ledger entry waives the end user’s debt of the month', async () => {
    await turn(true)
    await call()
    control.clock.nowMs = novemberEndMs
    const [own] = await list()
    await ok('POST', `/v1/invoices/${own.id}/void`)
    expect(await subscription()).toMatchObject({ onDemandOwedMicros: '0' })
    expect((await ledger())[0]).toMatchObject({ reason: 'on_demand_waived', invoiceId: own.id })
    control.clock.nowMs += 70 * dayMs
    await issueAll()
    expect(await list()).toHaveLength(1)
  })

  it('if a plan ends and its open invoice is voided, the usage on that invoice gets an invoice of its own', async () => {
    await subscribe('pro')
    await turn(true)
    await call()
    const november = String(await spent())
    control.clock.nowMs = Date.UTC(2026, 11, 21)
    expect(await list()).toHaveLength(2)
    await ok('POST', '/v1/end-users/user-1/subscription/cancel', { atPeriodEnd: false })
    const [own, renewed] = await list()
    expect([renewed.status, own.status]).toEqual(['void', 'open'])
    expect(linesOf(own)).toEqual([['on_demand', 'On-demand usage, November 2026', november]])
    expect(linesOf(renewed)).toHaveLength(2)
    await pay(own)
  })

  it('if the renewal is canceled, the usage is invoiced without waiting for the renewal', async () => {
    await subscribe('pro')
    await turn(true)
    await call()
    control.clock.nowMs = novemberEndMs + 3 * dayMs
    await issueAll()
    expect(await list()).toHaveLength(1)
    await ok('POST', '/v1/end-users/user-1/subscription/cancel', {})
    expect((await list())[0]).toMatchObject({
      issuedAt: new Date(control.clock.nowMs).toISOString(),
      lines: [{ kind: 'on_demand' }],
    })
  })

  it('if credit of earlier plans covers the invoice, the next hourly job clears the end user’s debt', async () => {
    await subscribe('year')
    await subscribe('max')
    const credit = BigInt((await subscription()).creditMicros)
    expect(credit).toBeGreaterThan(0n)
    for (const invoice of await list()) if (invoice.status !== 'paid') await pay(invoice)
    await turn(true)
    await call()
    control.clock.nowMs = Date.UTC(2026, 11, 21)
    await issueAll()
    const [renewed] = await list()
    expect(renewed).toMatchObject({ status: 'paid', amountMicros: '0' })
    expect(renewed.lines.map(({ kind }: Line) => kind)).toEqual(['plan', 'on_demand', 'credit'])
    expect(renewed.lines[1].ledgerEntryId).toMatch(/^led_/)
  })

  it('usage in test mode is invoiced by the test clock, month by month', async () => {
    const key = (await ok('POST', '/v1/keys', { endUserId: 'user-1', livemode: false })).id
    await turn(true, 'test')
    await call(key, 'test')
    await ok('POST', '/v1/test-clock/advance', { to: '2026-12-05T00:00:00Z' }, 'test')
    await call(key, 'test')
    await ok('POST', '/v1/test-clock/advance', { to: '2027-03-10T00:00:00Z' }, 'test')
    const invoices = await list('test')
    expect(invoices.map(({ issuedAt }: { issuedAt: string }) => issuedAt.slice(0, 10))).toEqual([
      '2027-01-01',
      '2026-12-01',
    ])
    expect(await list('live')).toEqual([])
    await issueAll()
    expect(await list('test')).toEqual(invoices)
  })

  it('months before on-demand invoices existed are billed on one invoice, with the usual time to pay', async () => {
    await turn(true)
    await call()
    control.clock.nowMs = Date.UTC(2027, 0, 5)
    await call()
    control.clock.nowMs = Date.UTC(2027, 2, 5)
    // The migration and processes of the previous release leave such usage without an invoice.
    for (const closesAtMs of [0, null]) {
      await control.database.transaction((tx) =>
        tx.updateTable('accounts').set({ on_demand_closes_at_ms: closesAtMs }).execute(),
      )
      await issueAll()
    }
    const invoices = await list()
    expect(invoices).toHaveLength(1)
    expect(invoices[0]).toMatchObject({
      issuedAt: '2027-03-05T00:00:00.000Z',
      dueAt: '2027-03-12T00:00:00.000Z',
      lines: [
        { description: 'On-demand usage, November 2026' },
        { description: 'On-demand usage, January 2027' },
      ],
    })
  })

  it('if an invoice is paid while the ledger is unavailable, the next hourly job clears its debt once', async () => {
    await turn(true)
    await call()
    control.clock.nowMs = novemberEndMs
    const [own] = await list()
    await control.database.transaction(async (tx) => {
      await tx.updateTable('invoices').set({ paid_at_ms: control.clock.nowMs }).execute()
      await tx.updateTable('on_demand_months').set({ reason: 'on_demand_paid' }).execute()
    })
    await control.verify()
    const again = { store: control.store, ledger: control.ledger }
    await Promise.all([
      clearMonths(again, null, control.clock.nowMs),
      clearMonths(again, null, control.clock.nowMs),
      issueAll(),
    ])
    const entries = (await ledger()).filter(({ reason }: { reason?: string }) => reason === 'on_demand_paid')
    expect(entries).toMatchObject([{ invoiceId: own.id, balanceAfterUnits: '0' }])
  })

  it('the margin counts on-demand usage once, and its invoice is part of the invoiced amount in rows and totals', async () => {
    await turn(true)
    await call()
    control.clock.nowMs = novemberEndMs + dayMs
    const [{ amountMicros }, ...others] = await list()
    expect(others).toEqual([])
    const range = 'from=2026-11-01T00:00:00Z&to=2026-12-31T00:00:00Z'
    for (const group of ['endUser', 'day']) {
      const { data, totals } = await ok('GET', `/v1/margin?by=${group}&${range}`)
      expect(totals).toMatchObject({ subscriptionMicros: '0', invoicedMicros: amountMicros })
      const sum = data.reduce(
        (all: bigint, row: { invoicedMicros: string }) => all + BigInt(row.invoicedMicros),
        0n,
      )
      expect(String(sum), group).toBe(amountMicros)
    }
  })
})
