import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { issueAllInvoices } from '#operations/billing/shared/issue-due-invoices.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'
import { NotReserved, reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000
const startMs = Date.UTC(2026, 10, 20, 12)

const iso = (ms: number): string => new Date(ms).toISOString()

describe.each(testedEngines)('on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    await bundle('pro', { displayName: 'Pro', priceMicros: '30000000' })
    await bundle('max', { displayName: 'Max', priceMicros: '60000000' })
    await bundle('year', { displayName: 'Year', priceMicros: '365000000', interval: 'year' })
  })
  afterEach(async () => {
    const found = engine === 'SQLite' ? await verifySqlite(sqlitePath(control.folder)) : []
    await control.close()
    assert.deepEqual(
      found.filter(({ difference }) => difference !== null),
      [],
    )
  })

  const ok = async (method: string, path: string, body?: unknown, mode: 'live' | 'test' = 'live') => {
    const answer = await control.call(method, path, { body, mode })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const bundle = async (slug: string, body: object): Promise<void> => {
    await ok('PUT', `/v1/bundles/${slug}`, body)
    await ok('POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
  }
  const subscribe = (slug: string) => ok('PUT', '/v1/end-users/user-1/subscription', { bundle: slug })
  const subscription = (mode: 'live' | 'test' = 'live') =>
    ok('GET', '/v1/subscription?endUserId=user-1', undefined, mode)
  const cancel = (atPeriodEnd: boolean) =>
    ok('POST', '/v1/end-users/user-1/subscription/cancel', { atPeriodEnd })
  const list = async (query = '', mode: 'live' | 'test' = 'live') =>
    (await ok('GET', `/v1/invoices?limit=200${query}`, undefined, mode)).data
  const rows = () => control.database.read.selectFrom('invoices').selectAll().execute()

  describe('a plan with a price', () => {
    it('a plan with a price is invoiced at the start of each period, in each mode, and the subscription shows the invoice', async () => {
      await subscribe('pro')
      control.clock.nowMs = Date.UTC(2027, 0, 25)
      const [january, december, first] = await list()
      expect(january).toEqual({
        id: expect.stringMatching(/^inv_[0-9a-z]{26}$/),
        number: 3,
        endUserId: 'user-1',
        status: 'open',
        amountMicros: '30000000',
        lines: [
          {
            kind: 'plan',
            description: 'Pro',
            periodStart: '2027-01-20T12:00:00.000Z',
            periodEnd: '2027-02-20T12:00:00.000Z',
            amountMicros: '30000000',
          },
        ],
        periodStart: '2027-01-20T12:00:00.000Z',
        periodEnd: '2027-02-20T12:00:00.000Z',
        issuedAt: '2027-01-20T12:00:00.000Z',
        dueAt: '2027-01-27T12:00:00.000Z',
        paidAt: null,
        voidedAt: null,
      })
      expect([december.status, first.status, first.issuedAt]).toEqual(['past_due', 'past_due', iso(startMs)])
      expect(await list('', 'test')).toHaveLength(3)
      const shown = await subscription()
      expect(shown.onDemandBlockedSince).toBe(iso(startMs + 7 * dayMs))
      expect(shown.invoices.map(({ id }: { id: string }) => id)).toEqual([january.id, december.id, first.id])
      expect(await list('&status=open')).toEqual([january])
      expect(await list('&status=past_due&endUserId=user-1')).toEqual([december, first])
      expect((await control.call('GET', `/v1/invoices/${first.id}`)).body).toEqual(first)
      expect((await control.call('GET', `/v1/invoices/${first.id}`, { mode: 'test' })).status).toBe(404)
    })

    it('threat 71: each invoice is issued once, by a report, a list or the hourly job, whichever runs first', async () => {
      await subscribe('pro')
      control.clock.nowMs += 65 * dayMs
      const issue = { store: control.store, ledger: control.ledger, newId: control.newId }
      await Promise.all([
        subscription(),
        list(),
        issueAllInvoices(issue, control.clock.nowMs),
        issueAllInvoices(issue, control.clock.nowMs),
      ])
      await issueAllInvoices(issue, control.clock.nowMs)
      expect((await rows()).map(({ mode, number }) => `${mode} ${number}`).toSorted()).toEqual([
        'live 1',
        'live 2',
        'live 3',
        'test 1',
        'test 2',
        'test 3',
      ])
    })

    it('the invoiced price is the price at which the end user joined, until the plan is assigned again', async () => {
      await subscribe('pro')
      await ok('PATCH', '/v1/bundles/pro', { priceMicros: '45000000' })
      control.clock.nowMs += 31 * dayMs
      expect((await subscription()).priceMicros).toBe('30000000')
      expect((await list())[0].amountMicros).toBe('30000000')
      // The invoice covers the remaining 30 of the period's 31 days.
      const again = await subscribe('pro')
      expect(again.priceMicros).toBe('45000000')
      expect(
        again.invoices[0].lines.map(({ amountMicros }: { amountMicros: string }) => amountMicros),
      ).toEqual(['43548388', '-29032258'])
      expect(await subscribe('pro')).toEqual(again)
    })

    it('end users who joined before invoices existed are invoiced from the second period on', async () => {
      await ok('PUT', '/v1/bundles/free', { displayName: 'Free', priceMicros: '5000000' })
      await control.database.transaction((tx) => tx.deleteFrom('accounts').execute())
      control.clock.nowMs += 10 * dayMs
      await issueAllInvoices(
        { store: control.store, ledger: control.ledger, newId: control.newId },
        control.clock.nowMs,
      )
      expect(await list()).toEqual([])
      control.clock.nowMs += 20 * dayMs
      expect(await list()).toMatchObject([
        { amountMicros: '5000000', periodStart: '2026-12-20T12:00:00.000Z' },
      ])
    })
  })

  describe('a change of plan', () => {
    it('a change to a more expensive plan is invoiced for the remaining days, minus the unused days of the previous plan', async () => {
      await subscribe('pro')
      control.clock.nowMs += 10 * dayMs
      const { invoices } = await subscribe('max')
      expect(invoices[0]).toMatchObject({ amountMicros: '20000000', status: 'open' })
      expect(
        invoices[0].lines.map((line: { kind: string; description: string; amountMicros: string }) => [
          line.kind,
          line.description,
          line.amountMicros,
        ]),
      ).toEqual([
        ['plan', 'Max', '40000000'],
        ['unused', 'Unused days of Pro', '-20000000'],
      ])
    })

    it('an upgrade an hour before a period ends is invoiced with the usual number of days to pay', async () => {
      await subscribe('pro')
      const renewalMs = Date.UTC(2026, 11, 20, 12)
      await ok('POST', `/v1/invoices/${(await list())[0].id}/pay`, {})
      control.clock.nowMs = renewalMs - 3_600_000
      const upgradedMs = control.clock.nowMs
      await subscribe('max')
      control.clock.nowMs = renewalMs + dayMs
      const [renewal, upgrade] = await list()
      expect(upgrade).toMatchObject({
        status: 'open',
        amountMicros: '1000000',
        dueAt: iso(upgradedMs + 7 * dayMs),
      })
      expect(renewal).toMatchObject({
        status: 'open',
        amountMicros: '60000000',
        dueAt: iso(renewalMs + 7 * dayMs),
      })
      // Neither of the two invoices blocks on-demand before its due date.
      const blockedSince = async () =>
        (await ok('GET', '/v1/end-users/user-1/limits')).onDemandBlockedSince as string | null
      expect(await blockedSince()).toBeNull()
      control.clock.nowMs = upgradedMs + 7 * dayMs
      expect((await list()).map(({ status }: { status: string }) => status)).toEqual([
        'open',
        'past_due',
        'paid',
      ])
      expect(await blockedSince()).toBe(iso(upgradedMs + 7 * dayMs))
    })

    it('changing to a cheaper plan or to no plan, and back, neither saves nor costs money', async () => {
      await subscribe('max')
      for (const slug of ['pro', 'max', 'free', 'pro', 'max']) {
        control.clock.nowMs += dayMs
        await subscribe(slug)
      }
      expect(await list()).toHaveLength(1)
      await subscribe('pro')
      control.clock.nowMs = Date.UTC(2026, 11, 20, 12)
      expect(await list()).toMatchObject([{ amountMicros: '30000000' }, { amountMicros: '60000000' }])
    })

    it('a change from a yearly plan leaves credit, which the next invoices use', async () => {
      await subscribe('year')
      control.clock.nowMs += 5 * dayMs
      const moved = await subscribe('max')
      expect(moved).toMatchObject({ creditMicros: '310000000' })
      expect(moved.invoices[0]).toMatchObject({ amountMicros: '0', status: 'paid' })
      control.clock.nowMs = Date.UTC(2027, 4, 21)
      expect((await list()).map(({ amountMicros }: { amountMicros: string }) => amountMicros)).toEqual([
        '50000000',
        '0',
        '0',
        '0',
        '0',
        '0',
        '0',
        '365000000',
      ])
      expect((await subscription()).creditMicros).toBe('0')
    })
  })

  describe('past-due invoices', () => {
    let keyId = ''
    const call = async (): Promise<string> => {
      try {
        await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
        return 'paid'
      } catch (error) {
        if (!(error instanceof NotReserved) || error.result.kind !== 'refused') throw error
        return error.result.code
      }
    }
    beforeEach(async () => {
      await subscribe('pro')
      await ok('POST', '/v1/subscription/on-demand', { endUserId: 'user-1', enabled: true })
      keyId = (await ok('POST', '/v1/keys', { endUserId: 'user-1' })).id
    })

    it('if an invoice is past due, on-demand stops with the next call until the invoice is paid', async () => {
      control.clock.nowMs = startMs + 7 * dayMs - 1
      expect(await call()).toBe('paid')
      const inFlight = await reserveCall(control, 'acme', keyId, null)
      control.clock.nowMs += 1
      expect(await call()).toBe('insufficient_credit')
      // Calls that were reserved before the due date are still charged.
      await settleCall(control, 'acme', inFlight)
      const [invoice] = await list()
      expect(invoice.status).toBe('past_due')
      const paid = await ok('POST', `/v1/invoices/${invoice.id}/pay`)
      expect(paid).toMatchObject({ status: 'paid', paidAt: iso(control.clock.nowMs) })
      expect(await call()).toBe('paid')
      control.clock.nowMs += 1000
      expect(await ok('POST', `/v1/invoices/${invoice.id}/pay`)).toEqual(paid)
      expect((await subscription()).onDemandBlockedSince).toBeNull()
    })

    it('on-demand stops exactly at the due date, even if no request or hourly job has run since', async () => {
      const [invoice] = await list()
      await ok('POST', `/v1/invoices/${invoice.id}/pay`)
      const nextDueMs = Date.UTC(2026, 11, 27, 12)
      control.clock.nowMs = nextDueMs - 1
      expect(await call()).toBe('paid')
      control.clock.nowMs = nextDueMs
      expect(await call()).toBe('insufficient_credit')
      expect(await rows()).toHaveLength(2)
    })

    it('while an invoice is past due, wallet and pools still pay for calls', async () => {
      control.clock.nowMs += 8 * dayMs
      await ok('POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '900', reason: 'x' })
      expect(await call()).toBe('paid')
    })

    it('a past-due invoice of one mode has no effect on the other mode', async () => {
      control.clock.nowMs += 8 * dayMs
      const [invoice] = await list()
      await ok('POST', `/v1/invoices/${invoice.id}/pay`)
      expect((await list('', 'test'))[0].status).toBe('past_due')
      expect(await call()).toBe('paid')
    })

    it('voiding the past-due invoice allows on-demand again', async () => {
      control.clock.nowMs += 8 * dayMs
      const [invoice] = await list()
      expect(await ok('POST', `/v1/invoices/${invoice.id}/void`)).toMatchObject({ status: 'void' })
      expect(await call()).toBe('paid')
      expect((await subscription()).invoices).toEqual([])
      expect(await list('&status=void')).toHaveLength(1)
      expect((await ok('POST', `/v1/invoices/${invoice.id}/void`)).status).toBe('void')
    })
  })

  describe('a canceled subscription', () => {
    it('a canceled subscription continues to the end of its period, and then rejects calls until another plan is assigned', async () => {
      await subscribe('pro')
      await ok('POST', '/v1/grants', { endUsers: ['user-1'], amountUnits: '1000000', reason: 'x' })
      const keyId = (await ok('POST', '/v1/keys', { endUserId: 'user-1' })).id
      const endMs = Date.UTC(2026, 11, 20, 12)
      expect((await cancel(true)).endsAt).toBe(iso(endMs))
      expect((await cancel(true)).endsAt).toBe(iso(endMs))
      control.clock.nowMs = endMs - 1
      await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
      control.clock.nowMs = endMs
      await expect(reserveCall(control, 'acme', keyId, null)).rejects.toThrow('stale')
      expect(await list()).toHaveLength(1)
      expect((await control.call('GET', '/v1/subscription?endUserId=user-1')).status).toBe(404)
      expect((await ok('GET', '/v1/end-users/user-1')).bundle).toBeNull()
      expect((await ok('GET', '/v1/end-users?bundle=pro')).data).toEqual([])
      expect((await ok('GET', '/v1/subscription?endUserId=user-1', undefined, 'test')).endsAt).toBeNull()
      control.clock.nowMs += 3 * dayMs
      // The invoice covers the remaining 28 of the period's 31 days.
      expect((await subscribe('pro')).invoices[0]).toMatchObject({ amountMicros: '27096775' })
      await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null))
    })

    it('a resumed subscription continues as before', async () => {
      await subscribe('pro')
      await cancel(true)
      const resumed = await ok('POST', '/v1/end-users/user-1/subscription/resume')
      expect(resumed.endsAt).toBeNull()
      control.clock.nowMs += 31 * dayMs
      expect(await list()).toHaveLength(2)
    })

    it('after a cancellation, amounts that are not due yet are waived, and past-due amounts are still owed', async () => {
      await subscribe('pro')
      control.clock.nowMs = Date.UTC(2026, 11, 21)
      await list()
      expect((await cancel(false)).endsAt).toBe(iso(control.clock.nowMs))
      expect((await list()).map(({ status }: { status: string }) => status)).toEqual(['void', 'past_due'])
      control.clock.nowMs += 100 * dayMs
      expect(await list()).toHaveLength(2)
      expect((await control.call('POST', '/v1/end-users/user-1/subscription/resume')).body.error.code).toBe(
        'subscription_ended',
      )
    })

    it.each([
      ['oldest first', [0, 1, 2]],
      ['newest first', [2, 1, 0]],
      ['in another order', [0, 2, 1]],
    ])(
      'if all unpaid invoices are voided, %s, the credit that they used is available again',
      async (_, order) => {
        for (const [slug, priceMicros] of [
          ['ultra', '600000000'],
          ['mega', '1200000000'],
          ['giga', '2400000000'],
        ] as const)
          await bundle(slug, { displayName: slug, priceMicros })
        const newest = async (slug: string) => {
          const { invoices } = await subscribe(slug)
          control.clock.nowMs += dayMs
          return invoices[0]
        }
        await ok('POST', `/v1/invoices/${(await newest('year')).id}/pay`)
        expect((await newest('max')).amountMicros).toBe('0')
        // The credit from the paid year pays for a part of this invoice.
        const ultra = await newest('ultra')
        const [mega, giga] = [await newest('mega'), await newest('giga')]
        const used = ultra.lines.find(({ kind }: { kind: string }) => kind === 'credit').amountMicros
        expect(used).toMatch(/^-/)
        for (const at of order) await ok('POST', `/v1/invoices/${[ultra, mega, giga][at].id}/void`)
        expect(`-${(await subscription()).creditMicros}`).toBe(used)
      },
    )

    it.each([
      ['before', [0, 1]],
      ['after', [1, 0]],
    ])(
      'credit that a voided renewal returns pays for the next plan, even if that invoice is voided %s the renewal',
      async (_, order) => {
        await bundle('ultra', { displayName: 'Ultra', priceMicros: '90000000' })
        await ok('POST', `/v1/invoices/${(await subscribe('year')).invoices[0].id}/pay`)
        await subscribe('max')
        // The credit of the paid year pays for the first renewals in full, and for the last renewal in part.
        control.clock.nowMs = Date.UTC(2027, 4, 21)
        const [renewal] = await list()
        const used = renewal.lines.find(({ kind }: { kind: string }) => kind === 'credit').amountMicros
        expect([renewal.status, used]).toEqual(['open', '-5000000'])
        const upgrade = (await subscribe('ultra')).invoices[0]
        expect(upgrade.lines.map(({ kind }: { kind: string }) => kind)).toEqual(['plan', 'unused'])
        const creditAfter: string[] = []
        for (const at of order) {
          await ok('POST', `/v1/invoices/${[upgrade, renewal][at].id}/void`)
          creditAfter.push((await subscription()).creditMicros)
        }
        expect(creditAfter).toEqual(['0', '5000000'])
      },
    )

    it('paid days of a plan are not invoiced again after the invoice of an upgrade is void', async () => {
      await ok('POST', `/v1/invoices/${(await subscribe('pro')).invoices[0].id}/pay`)
      control.clock.nowMs += 10 * dayMs
      expect((await subscribe('max')).invoices[0].amountMicros).toBe('20000000')
      control.clock.nowMs += dayMs
      await cancel(false)
      control.clock.nowMs += dayMs
      await subscribe('pro')
      expect((await list()).map(({ status }: { status: string }) => status)).toEqual(['void', 'paid'])
      // The next upgrade costs as much as if the first upgrade had never happened.
      control.clock.nowMs += dayMs
      expect((await subscribe('max')).invoices[0].lines).toMatchObject([
        { kind: 'plan', amountMicros: '34000000' },
        { kind: 'unused', description: 'Unused days of Pro', amountMicros: '-17000000' },
      ])
    })

    it('days that were never paid are invoiced again after a cancellation voided all invoices', async () => {
      await subscribe('pro')
      control.clock.nowMs += dayMs
      await subscribe('max')
      control.clock.nowMs += dayMs
      await cancel(false)
      expect((await list()).map(({ status }: { status: string }) => status)).toEqual(['void', 'void'])
      // 28 of 30 days remain.
      expect((await subscribe('pro')).invoices[0]).toMatchObject({ status: 'open', amountMicros: '28000000' })
    })

    it('deleting the end user voids amounts that are not due yet, and no further invoice is issued', async () => {
      await subscribe('pro')
      control.clock.nowMs += dayMs
      await ok('DELETE', '/v1/end-users/user-1')
      control.clock.nowMs += 200 * dayMs
      await issueAllInvoices(
        { store: control.store, ledger: control.ledger, newId: control.newId },
        control.clock.nowMs,
      )
      const [invoice, ...others] = await list()
      expect([invoice.status, invoice.endUserId, others]).toEqual(['void', expect.stringMatching(/^eu_/), []])
      const paid = await control.call('POST', `/v1/invoices/${invoice.id}/pay`)
      expect(paid.body.error.code).toBe('invoice_void')
      await ok('PUT', '/v1/end-users/user-1', { bundle: 'pro' })
      expect((await list())[0]).toMatchObject({ number: 1, endUserId: 'user-1', amountMicros: '30000000' })
    })

    it('a grant to everyone on the bundle does not credit an end user whose subscription was canceled', async () => {
      await subscribe('pro')
      await ok('PUT', '/v1/end-users/user-2', { bundle: 'pro' })
      await cancel(false)
      const grant = await ok('POST', '/v1/grants', { bundle: 'pro', amountUnits: '5', reason: 'x' })
      expect(grant).toMatchObject({ endUsers: 1, done: 1, status: 'done' })
    })
  })
})
