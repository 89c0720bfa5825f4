import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fillBalance, reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'
import type { Answer } from '../support/start-product.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { testedEngines } from '../support/reduced-suite.ts'

describe.each(testedEngines)('corrections on %s', (engine) => {
  let control: Control
  beforeEach(async () => {
    control = await openControl({ engine })
    await ready(control)
    await control.call('PUT', '/v1/end-users/user-2', { body: {} })
  })
  afterEach(() => control.close())

  const balance = async (person = 'user-1'): Promise<string> =>
    (await control.call('GET', `/v1/end-users/${person}`)).body.balance.balanceUnits

  describe('top-ups', () => {
    const topUp = (body: object, person = 'user-1') =>
      control.call('POST', `/v1/end-users/${person}/top-up`, {
        body: { amountUnits: '5000', paymentReference: 'pi_1', ...body },
      })

    it('a top-up adds paid money to the ledger once, with its reference', async () => {
      const first = await topUp({ reason: 'card' })
      expect(first.body).toMatchObject({
        endUserId: 'user-1',
        kind: 'topup',
        amountUnits: '5000',
        balanceAfterUnits: '5000',
        paymentReference: 'pi_1',
        reason: 'card',
      })
      // A top-up with a known reference counts as a repeat, even if other fields differ.
      expect((await topUp({ reason: 'again' })).body).toEqual(first.body)
      expect(await balance()).toBe('5000')
      const { body } = await control.call('GET', '/v1/end-users/user-1/ledger')
      expect(body.data).toHaveLength(1)
      expect(body.data[0]).toMatchObject({
        id: first.body.ledgerEntryId,
        kind: 'topup',
        amountUnits: '5000',
        reason: 'card',
        paymentReference: 'pi_1',
      })
      expect((await control.call('GET', '/v1/grants')).body.data).toEqual([])
    })

    it('a reference that is in use for another amount or end user is a conflict', async () => {
      await topUp({})
      for (const answer of [await topUp({ amountUnits: '5001' }), await topUp({}, 'user-2')]) {
        expect(answer.status).toBe(409)
        expect(answer.body.error).toMatchObject({ code: 'payment_reference_used', param: 'paymentReference' })
      }
      expect(await balance('user-2')).toBe('0')
    })

    it('concurrent top-ups with the same reference credit the wallet once', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => topUp({})))
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
      expect(await balance()).toBe('5000')
    })
  })

  describe('adjustments', () => {
    const adjust = (amountUnits: string, options: object = {}) =>
      control.call('POST', '/v1/end-users/user-1/adjust', {
        body: { amountUnits, reason: 'wrong account' },
        ...options,
      })

    it('an adjustment adds or removes money, and returns the new balance', async () => {
      expect((await adjust('900')).body).toMatchObject({ kind: 'adjustment', balanceAfterUnits: '900' })
      expect((await adjust('-400')).body).toMatchObject({ amountUnits: '-400', balanceAfterUnits: '500' })
      expect(await balance()).toBe('500')
    })

    it('an adjustment that exceeds the free balance is rejected, and the error states both amounts', async () => {
      await adjust('900')
      const answer = await adjust('-901')
      expect(answer.status).toBe(409)
      expect(answer.body.error).toMatchObject({
        code: 'adjustment_too_large',
        details: { balance: '900', held: '0', most: '900' },
      })
      expect((await adjust('0')).status).toBe(400)
      expect(await balance()).toBe('900')
    })

    it('a credit beyond a balance of a trillion dollars is rejected, and the error states the amounts', async () => {
      await fillBalance(control, 'user-1', 10n ** 18n - 5n)
      const grant = { endUsers: ['user-1'], reason: 'x', amountUnits: '6' }
      for (const answer of [
        await adjust('6'),
        await control.call('POST', '/v1/grants', { body: grant }),
        await control.call('POST', '/v1/end-users/user-1/top-up', {
          body: { amountUnits: '6', paymentReference: 'pi_6' },
        }),
      ]) {
        expect([answer.status, answer.body.error]).toMatchObject([
          409,
          {
            code: 'balance_too_large',
            message:
              'The end user user-1 has a balance of $999999999999.999995. At most $0.000005 can be added, because a balance can be at most $1000000000000.00.',
            details: { id: 'user-1', balance: '999999999999999995', most: '5', max: '1000000000000000000' },
          },
        ])
      }
      expect(await balance()).toBe('999999999999999995')
      expect((await adjust('5')).body.balanceAfterUnits).toBe('1000000000000000000')
    })

    it('a grant whose sum exceeds a trillion dollars is rejected', async () => {
      const people = Array.from({ length: 1_001 }, (_, n) => `rich-${n}`)
      await control.database.transaction(async (tx) => {
        const row = await tx.selectFrom('end_users').selectAll().limit(1).executeTakeFirstOrThrow()
        const copies = people.map((name) => ({ ...row, id: `eu_${name}`, external_id: name }))
        await tx.insertInto('end_users').values(copies).execute()
      })
      const grant = { endUsers: people, amountUnits: '1000000000000000', reason: 'x' }
      const { body, status } = await control.call('POST', '/v1/grants', { body: grant })
      expect([status, body.error.param, body.error.message]).toEqual([
        400,
        'amountUnits',
        'This grant would credit 1001 end users with 1001000000000000000 micros together, more than the maximum of 1000000000000000000. Issue smaller grants.',
      ])
      expect((await control.call('GET', '/v1/grants')).body.data).toEqual([])
    })

    it('an adjustment that is repeated with the same idempotency key is applied once', async () => {
      const first = await adjust('900', { headers: { 'idempotency-key': 'one' } })
      expect((await adjust('900', { headers: { 'idempotency-key': 'one' } })).body).toEqual(first.body)
      expect(await balance()).toBe('900')
    })

    it('an adjustment writes a row with its reason to the audit log', async () => {
      await adjust('900')
      const { body } = await control.call('GET', '/v1/audit')
      expect(body.data[0]).toMatchObject({ operation: 'users.adjust' })
      expect(JSON.stringify(body.data[0])).toContain('wrong account')
    })
  })

  describe('reversals of a grant', () => {
    const grant = async (endUsers: readonly string[], amountUnits = '1000'): Promise<string> =>
      (await control.call('POST', '/v1/grants', { body: { endUsers, amountUnits, reason: 'welcome' } })).body
        .id
    const reverse = (id: string, body: object = {}) =>
      control.call('POST', `/v1/grants/${id}/reverse`, { body: { reason: 'mistake', ...body } })

    it('a reversal takes the grant back from all of its end users, and the grant shows the reversal', async () => {
      const id = await grant(['user-1', 'user-2'])
      const { body } = await reverse(id)
      expect(body).toMatchObject({
        grantId: id,
        endUsers: 2,
        done: 2,
        status: 'done',
        reversedEndUsers: 2,
        reversedUnits: '2000',
        reason: 'mistake',
      })
      expect([await balance(), await balance('user-2')]).toEqual(['0', '0'])
      const shown = (await control.call('GET', `/v1/grants/${id}`)).body
      expect(shown).toMatchObject({ reversedUnits: '2000', reversals: [body] })
      const listed = (await control.call('GET', '/v1/grants')).body.data
      expect(listed).toEqual([shown])
      const [entry] = (await control.call('GET', '/v1/end-users/user-1/ledger')).body.data
      expect(entry).toMatchObject({ kind: 'reversal', amountUnits: '-1000', grantId: id, reason: 'mistake' })
    })

    it('a reversal for named end users takes the grant back only from these end users', async () => {
      const id = await grant(['user-1', 'user-2'])
      expect((await reverse(id, { endUsers: ['user-2'] })).body).toMatchObject({ reversedUnits: '1000' })
      expect([await balance(), await balance('user-2')]).toEqual(['1000', '0'])
      expect((await reverse(id)).body).toMatchObject({
        endUsers: 2,
        reversedEndUsers: 1,
        reversedUnits: '1000',
      })
    })

    it('a reversal rejects end users who do not have the grant', async () => {
      const id = await grant(['user-1'])
      for (const stranger of ['user-2', 'nobody']) {
        const { body } = await reverse(id, { endUsers: ['user-1', stranger] })
        expect(body.error).toMatchObject({ code: 'not_found', param: 'endUsers', details: { id: stranger } })
      }
      expect(await balance()).toBe('1000')
    })

    it('a reversal does not affect paid money', async () => {
      const id = await grant(['user-1'])
      await control.call('POST', '/v1/end-users/user-1/top-up', {
        body: { amountUnits: '700', paymentReference: 'pi_9' },
      })
      await control.call('POST', '/v1/end-users/user-1/adjust', {
        body: { amountUnits: '-400', reason: 'x' },
      })
      expect((await reverse(id)).body).toMatchObject({ reversedUnits: '600' })
      expect(await balance()).toBe('700')
    })
  })

  describe('refunds of a request', () => {
    let id = ''
    beforeEach(async () => {
      await control.call('POST', '/v1/end-users/user-1/top-up', {
        body: { amountUnits: '1000000', paymentReference: 'pi_1' },
      })
      const minted = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
      const callId = await reserveCall(control, 'acme', minted.body.id, null)
      await settleCall(control, 'acme', callId)
      id = `req_${callId}`
    })
    const refund = (body: object = {}, options: object = {}) =>
      control.call('POST', `/v1/requests/${id}/refund`, { body: { reason: 'useless', ...body }, ...options })

    it('a refund returns the charge, and the request, the ledger and the balance show the refund', async () => {
      const { body } = await refund({ amountUnits: '150' })
      expect(body).toMatchObject({
        requestId: id,
        amountUnits: '150',
        kind: 'refund',
        chargeMicros: '-150',
        costMicros: '0',
        reason: 'useless',
        legs: [{ sourceId: 'wallet', micros: '-150' }],
      })
      expect(await balance()).toBe('999700')
      const explained = (await control.call('GET', `/v1/requests/${id}`)).body
      const { amountUnits: _, requestId: __, ...correction } = body
      expect(explained).toMatchObject({
        chargeMicros: '450',
        refundedMicros: '150',
        corrections: [correction],
      })
      expect(explained.summary).toContain('150 micros were refunded.')
      expect(explained.ledger.map(({ kind }: { kind: string }) => kind)).toEqual(['usage_debit', 'refund'])
      const [listed] = (await control.call('GET', '/v1/requests')).body.data
      expect(listed).toMatchObject({ id, chargeMicros: '450', refundedMicros: '150' })
      const [entry] = (await control.call('GET', '/v1/end-users/user-1/ledger')).body.data
      expect(entry).toMatchObject({
        id: body.ledgerEntryIds[0],
        kind: 'refund',
        requestId: id,
        reason: 'useless',
      })
    })

    it('a refund without an amount returns the whole remaining charge, and a second refund is rejected because nothing remains', async () => {
      await refund({ amountUnits: '150' })
      expect((await refund()).body.amountUnits).toBe('300')
      for (const answer of [await refund(), await refund({ amountUnits: '1' })]) {
        expect(answer.status).toBe(409)
        expect(answer.body.error).toMatchObject({
          code: 'refund_too_large',
          details: { charged: '450', refunded: '450', most: '0' },
        })
      }
      expect(await balance()).toBe('1000000')
    })

    it('many concurrent refunds never exceed the charge', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => refund({ amountUnits: '200' })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
      expect(await balance()).toBe('999950')
    })

    it('a refund with an idempotency key is executed once, and repeats return the first response', async () => {
      const options = { headers: { 'idempotency-key': 'refund-1' } }
      const first = await refund({ amountUnits: '100' }, options)
      expect((await refund({ amountUnits: '100' }, options)).body).toEqual(first.body)
      expect((await refund({ amountUnits: '101' }, options)).body.error.code).toBe('idempotency_mismatch')
      expect(await balance()).toBe('999650')
    })

    it('in every grouping, the sums of corrections count a refund on the day of the refund', async () => {
      await refund({ amountUnits: '150' })
      const application = await control.store.read.applications.bySlug('acme')
      const day = Math.floor(control.clock.nowMs / 86_400_000)
      const range = { fromDay: day, toDay: day + 1 }
      for (const by of ['endUser', 'model', 'bundle', 'key', 'provider', 'day', 'run', null] as const) {
        const asked = {
          applicationId: application?.id ?? '',
          mode: 'live',
          by,
          endUserId: null,
          ...range,
        } as const
        const sums = await control.store.read.corrections.sums(asked)
        expect([by, sums]).toMatchObject([
          by,
          [{ chargeMicros: -150n, paidWalletMicros: -150n, costMicros: 0n }],
        ])
        expect(
          await control.store.read.corrections.sums({ ...asked, fromDay: day + 1, toDay: day + 2 }),
        ).toEqual([])
      }
    })
  })

  describe('the refund of a request while the wallet is below 0', () => {
    let keyId = ''
    beforeEach(async () => {
      keyId = (await ok('POST', '/v1/keys', { endUserId: 'user-1' })).id
    })

    const ok = async (method: string, path: string, body?: object): Promise<Answer['body']> => {
      const answer = await control.call(method, path, { body })
      expect([path, answer.status]).toEqual([path, 200])
      return answer.body
    }
    const onDemand = (enabled: boolean) =>
      ok('POST', '/v1/subscription/on-demand', { endUserId: 'user-1', enabled })
    const topUp = (amountUnits: string, paymentReference: string) =>
      ok('POST', '/v1/end-users/user-1/top-up', { amountUnits, paymentReference })
    const refund = (requestId: string, amountUnits: string) =>
      ok('POST', `/v1/requests/${requestId}/refund`, { amountUnits, reason: 'useless' })

    /** The call holds money for 200 output tokens. `price` is in micros per million output tokens. */
    async function call(price: bigint, output: number): Promise<string> {
      const rates = { input: 0n, output: price }
      const callId = await reserveCall(control, 'acme', keyId, null, {
        id: `quote-${price}`,
        cost: rates,
        sell: rates,
        policy: 'grace',
        maxOverdraftMicros: 250n,
      })
      await settleCall(control, 'acme', callId, {}, 'live', { input: 0, output })
      return `req_${callId}`
    }

    async function paid(requestId: string): Promise<Record<string, string>> {
      const shown = await ok('GET', `/v1/requests/${requestId}`)
      return {
        charge: shown.chargeMicros,
        gift: shown.paidFromGiftMicros,
        wallet: shown.paidFromWalletMicros,
        onDemand: shown.onDemandMicros,
        overdraft: shown.overdraftMicros,
      }
    }

    it.each([
      ['in one step', ['1690']],
      ['in two steps', ['128', '1562']],
    ])('a refund %s first repays the debt from the on-demand part of the ended month', async (_, steps) => {
      await onDemand(true)
      await topUp('1849', 'pi_1')
      const first = await call(9_885_000n, 200)
      const byMonth = { charge: '1977', gift: '0', wallet: '1849', onDemand: '128', overdraft: '0' }
      expect(await paid(first)).toEqual(byMonth)
      await onDemand(false)
      control.clock.nowMs += 31 * 86_400_000
      await ok('POST', '/v1/end-users/user-1/adjust', { amountUnits: '400', reason: 'welcome' })
      const overdrawn = { charge: '465', gift: '400', wallet: '0', onDemand: '0', overdraft: '65' }
      expect(await paid(await call(1_860_000n, 250))).toEqual(overdrawn)
      expect(await balance()).toBe('-65')
      // oxlint-disable-next-line no-await-in-loop -- one refund after the other
      for (const amount of steps) await refund(first, amount)
      expect(await balance()).toBe('1625')
      // The refund first returns the on-demand part of the charge, 128 micros. 65 of them repay the debt, and 63
      // become granted credit.
      const mixed = { charge: '333', gift: '63', wallet: '270', onDemand: '0', overdraft: '0' }
      expect(await paid(await call(1_665_000n, 200))).toEqual(mixed)
      await control.verify()
    })

    it('the gift of a refund is newer than the grants that the refund restores', async () => {
      const body = { endUsers: ['user-1'], amountUnits: '50', reason: 'welcome' }
      const grantId: string = (await ok('POST', '/v1/grants', body)).id
      await onDemand(true)
      const first = await call(750_000n, 200)
      const byMonth = { charge: '150', gift: '50', wallet: '0', onDemand: '100', overdraft: '0' }
      expect(await paid(first)).toEqual(byMonth)
      await onDemand(false)
      control.clock.nowMs += 31 * 86_400_000
      await topUp('400', 'pi_1')
      const overdrawn = { charge: '460', gift: '0', wallet: '400', onDemand: '0', overdraft: '60' }
      expect(await paid(await call(2_000_000n, 230))).toEqual(overdrawn)
      await refund(first, '150')
      expect(await balance()).toBe('90')
      // Gifts are spent oldest first, so the remaining 90 micros belong to the newest gift: the 100 micros of the
      // refund.
      const reversed = await ok('POST', `/v1/grants/${grantId}/reverse`, { reason: 'mistake' })
      expect(reversed.reversedUnits).toBe('0')
      const gift = { charge: '90', gift: '90', wallet: '0', onDemand: '0', overdraft: '0' }
      expect(await paid(await call(450_000n, 200))).toEqual(gift)
      await control.verify()
    })
  })
})
