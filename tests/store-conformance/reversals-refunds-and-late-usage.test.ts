import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CreditResult, RefundRequest, RefundResult } from '#domain/ledger-interface.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World, type Caller } from './add-rows-that-calls-need.ts'

describe.each(engines)('corrections on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.closeSound())

  async function grant(people: readonly Caller[], micros: bigint): Promise<string> {
    const result = await world.credit(
      people.map(({ endUserId }) => endUserId),
      micros,
    )
    if (result.kind !== 'credited') throw new Error(result.kind)
    return result.grantId
  }

  const reverse = (
    grantId: string,
    people: readonly Caller[],
    amount: bigint,
    more = {},
  ): Promise<CreditResult> =>
    world.credit(
      people.map(({ endUserId }) => endUserId),
      amount,
      { kind: 'reversal', reverses: grantId, reason: 'issued by mistake', ...more },
    )

  async function spend(caller: Caller, micros: number): Promise<void> {
    const request = world.request(caller, { input: 0, output: micros })
    await world.reserve(request)
    await world.settle(request, { output: micros })
  }

  describe('reversals of a grant', () => {
    test('a reversal takes back the unspent amount once, and its ledger entry names the grant', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      await spend(caller, 120)
      expect(await reverse(id, [caller], 500n)).toMatchObject({ kind: 'credited', endUsers: 1 })
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
      await reverse(id, [caller], 500n)
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
      const entries = await opened.store.database.read
        .selectFrom('ledger')
        .select(['kind', 'amount', 'grant_id', 'reason'])
        .where('kind', '=', 'reversal')
        .execute()
      expect(entries).toEqual([
        { kind: 'reversal', amount: -380n, grant_id: id, reason: 'issued by mistake' },
      ])
    })

    test('a reversal does not affect other gifts, because the oldest gift is spent first', async () => {
      const caller = await world.person(0n)
      const first = await grant([caller], 100n)
      const second = await grant([caller], 50n)
      await spend(caller, 120)
      await reverse(first, [caller], 100n)
      expect(await world.wallet(caller)).toEqual({ posted: 30n, held: 0n })
      await reverse(second, [caller], 50n)
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
    })

    test('a reversal takes no amount that a call in flight holds', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      const request = world.request(caller, { input: 0, output: 400 })
      await world.reserve(request)
      await reverse(id, [caller], 500n)
      expect(await world.wallet(caller)).toEqual({ posted: 400n, held: 400n })
      await world.settle(request, { output: 100 })
      await reverse(id, [caller], 500n)
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
    })

    test('many concurrent requests for a reversal cause only one reversal', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      await spend(caller, 100)
      await Promise.all(Array.from({ length: 20 }, () => reverse(id, [caller], 500n)))
      expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
      const rows = await opened.store.database.read.selectFrom('grant_reversals').selectAll().execute()
      expect(rows.reduce((sum, row) => sum + row.reversed_micros, 0n)).toBe(400n)
    })

    test('several reversal requests with one idempotency key cause only one reversal', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 500n)
      const asked = { idempotencyKey: 'once', requestHash: 'a' }
      const first = await reverse(id, [caller], 500n, asked)
      expect(await reverse(id, [caller], 500n, asked)).toEqual({ ...first, isReplay: true })
    })

    test('a reversal takes back only its own gift, even if other gifts are granted at the same time', async () => {
      const caller = await world.person(0n)
      const id = await grant([caller], 100n)
      await Promise.all([grant([caller], 70n), reverse(id, [caller], 100n), grant([caller], 30n)])
      expect(await world.wallet(caller)).toEqual({ posted: 100n, held: 0n })
    })

    test('a reversal for many end users is written in parts, and takes back the grant from every end user', async () => {
      const people: Caller[] = []
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      for (let i = 0; i < 300; i++) people.push(await world.person(0n))
      const id = await grant(people, 10n)
      const [first, last] = [people[7], people.at(-1)]
      if (first === undefined || last === undefined) throw new Error('there are people')
      await spend(first, 4)
      await reverse(id, people, 10n)
      const [row] = await opened.store.database.read.selectFrom('grant_reversals').selectAll().execute()
      expect(row).toMatchObject({ grant_id: id, reversed_micros: 2_996n, end_users: 300 })
      expect(await world.wallet(first)).toEqual({ posted: 0n, held: 0n })
      expect(await world.wallet(last)).toEqual({ posted: 0n, held: 0n })
    })
  })

  describe('refunds of a call', () => {
    const refund = (
      caller: Caller,
      callId: string,
      amountMicros: bigint | null,
      more: Partial<RefundRequest> = {},
    ): Promise<RefundResult> =>
      world.store.ledger.refund({
        correctionId: `cor_${world.newId()}`,
        applicationId: world.applicationId,
        endUserId: caller.endUserId,
        mode: caller.mode,
        callId,
        nowMs: clock.nowMs,
        amountMicros,
        reason: 'it failed for them',
        actor: null,
        idempotencyKey: null,
        requestHash: 'hash',
        ...more,
      })

    async function called(caller: Caller, micros: number): Promise<string> {
      const request = world.request(caller, { input: 0, output: micros })
      expect((await world.reserve(request)).kind).toBe('reserved')
      await world.settle(request, { output: micros })
      return request.callId
    }

    const rows = () =>
      opened.store.database.read.selectFrom('call_corrections').selectAll().orderBy('number').execute()

    const given = async ({ endUserId }: Caller) =>
      (
        await opened.store.database.read
          .selectFrom('sources')
          .select('given')
          .where('end_user_id', '=', endUserId)
          .where('id', '=', 'wallet')
          .executeTakeFirst()
      )?.given

    test('the refund of a call returns the whole charge, and no more', async () => {
      const caller = await world.person(500n)
      const callId = await called(caller, 120)
      expect(await refund(caller, callId, null)).toMatchObject({ kind: 'refunded', isReplay: false })
      expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 0n })
      const nothingLeft = { kind: 'exceeds', chargeMicros: 120n, refundedMicros: 120n }
      expect(await refund(caller, callId, null)).toEqual(nothingLeft)
      expect(await refund(caller, callId, 1n)).toEqual(nothingLeft)
      const [row] = await rows()
      expect(row).toMatchObject({
        kind: 'refund',
        charge_micros: -120n,
        billed_micros: -120n,
        cost_micros: 0n,
        paid_gift_micros: -120n,
        paid_wallet_micros: 0n,
        reason: 'it failed for them',
        key_id: caller.keyId,
        alias: 'acme/fast',
      })
      const [sequence] = JSON.parse(row?.entries ?? '[]')
      const entry = await opened.store.database.read
        .selectFrom('ledger')
        .selectAll()
        .where('sequence', '=', sequence)
        .executeTakeFirst()
      expect(entry).toMatchObject({ kind: 'refund', amount: 120n, call_id: callId })
    })

    test('the refund of an interrupted response counts for the bundle of the request', async () => {
      const caller = await world.person(500n)
      const request = world.request(caller, { input: 0, output: 120 })
      await world.reserve(request)
      // The trace of a complete response is a list, and the trace of an interrupted response is an object.
      const trace = JSON.stringify({ auth: { keyId: 'k'.repeat(100) }, policy: { bundle: 'pro' } })
      const record = { ...world.record(request, 'settled'), errorCode: 'client_closed', trace }
      await world.settle(request, { output: 120 }, { record })
      expect(await refund(caller, request.callId, 20n)).toMatchObject({ kind: 'refunded' })
      expect(await rows()).toMatchObject([{ charge_micros: -20n, bundle: 'pro' }])
    })

    test('any number of concurrent partial refunds never exceeds the charge', async () => {
      const caller = await world.person(500n)
      const callId = await called(caller, 120)
      const results = await Promise.all(Array.from({ length: 20 }, () => refund(caller, callId, 50n)))
      expect(results.filter(({ kind }) => kind === 'refunded')).toHaveLength(2)
      expect(await world.wallet(caller)).toEqual({ posted: 480n, held: 0n })
      expect(await refund(caller, callId, 21n)).toEqual({
        kind: 'exceeds',
        chargeMicros: 120n,
        refundedMicros: 100n,
      })
      expect(await refund(caller, callId, null)).toMatchObject({ kind: 'refunded' })
      expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 0n })
      expect((await rows()).reduce((sum, row) => sum + row.charge_micros, 0n)).toBe(-120n)
    })

    test('several refund requests with one idempotency key cause only one refund', async () => {
      const caller = await world.person(500n)
      const callId = await called(caller, 120)
      const asked = { idempotencyKey: 'once', requestHash: 'a' }
      const results = await Promise.all(Array.from({ length: 5 }, () => refund(caller, callId, 50n, asked)))
      expect(
        new Set(results.map((result) => (result.kind === 'refunded' ? result.correctionId : null))).size,
      ).toBe(1)
      expect(await refund(caller, callId, 60n, { ...asked, requestHash: 'b' })).toEqual({
        kind: 'idempotency_mismatch',
      })
      expect(await world.wallet(caller)).toEqual({ posted: 430n, held: 0n })
    })

    test('a refund returns paid money as paid money and gifts as gifts, beginning with the last payer', async () => {
      const caller = await world.person(100n)
      await world.credit([caller.endUserId], 200n, { kind: 'topup' })
      const callId = await called(caller, 150)
      expect([(await world.wallet(caller)).posted, await given(caller)]).toEqual([150n, 0n])
      await refund(caller, callId, 60n)
      expect([(await world.wallet(caller)).posted, await given(caller)]).toEqual([210n, 10n])
      await refund(caller, callId, null)
      expect([(await world.wallet(caller)).posted, await given(caller)]).toEqual([300n, 100n])
      const parts = (await rows()).map((row) => [row.paid_wallet_micros, row.paid_gift_micros])
      expect(parts).toEqual([
        [-50n, -10n],
        [0n, -90n],
      ])
    })

    test('a refund is rejected if the call has not ended or is unknown', async () => {
      const caller = await world.person(500n)
      const request = world.request(caller, { input: 0, output: 100 })
      await world.reserve(request)
      expect(await refund(caller, request.callId, null)).toEqual({ kind: 'not_charged' })
      expect(await refund(caller, world.newId(), null)).toEqual({ kind: 'not_charged' })
      await world.settle(request, { output: 0 })
      expect(await refund(caller, request.callId, null)).toMatchObject({ kind: 'exceeds', chargeMicros: 0n })
    })

    test('a refund goes to the pool that paid, or to the wallet as granted credit if the pool no longer exists', async () => {
      await world.include({ slug: 'tokens', amount: 80n })
      const caller = await world.person(500n)
      const callId = await called(caller, 120)
      await refund(caller, callId, 50n)
      expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 0n })
      const pool = () =>
        opened.store.database.read
          .selectFrom('sources')
          .select(['posted', 'expired'])
          .where('kind', '=', 'pool')
          .where('end_user_id', '=', caller.endUserId)
          .orderBy('id')
          .executeTakeFirst()
      expect(await pool()).toMatchObject({ posted: 10n })
      clock.nowMs += 40 * 86_400_000
      await refund(caller, callId, null)
      expect(await world.wallet(caller)).toEqual({ posted: 570n, held: 0n })
      expect(await given(caller)).toBe(570n)
      expect(await pool()).toMatchObject({ posted: 0n, expired: 10n })
      clock.nowMs = startMs
    })

    test('a refund of on-demand usage reduces the current month, or credits the wallet if the month has ended', async () => {
      const caller = await world.person(20n)
      await opened.store.database.transaction((tx) =>
        tx
          .insertInto('accounts')
          .values({
            end_user_id: caller.endUserId,
            mode: 'live',
            on_demand_enabled: 1,
            on_demand_limit_micros: null,
          })
          .execute(),
      )
      const callId = await called(caller, 100)
      const month = async () =>
        (
          await opened.store.database.read
            .selectFrom('sources')
            .select('posted')
            .where('kind', '=', 'on_demand')
            .where('end_user_id', '=', caller.endUserId)
            .orderBy('id')
            .executeTakeFirst()
        )?.posted
      expect(await month()).toBe(-80n)
      await refund(caller, callId, 30n)
      expect(await month()).toBe(-50n)
      clock.nowMs += 40 * 86_400_000
      await refund(caller, callId, null)
      expect(await month()).toBe(-50n)
      expect(await world.wallet(caller)).toEqual({ posted: 70n, held: 0n })
      expect(await given(caller)).toBe(70n)
      clock.nowMs = startMs
    })

    test('a refund in granted credit is a separate gift, so reversals of older grants do not take it back', async () => {
      await world.include({ slug: 'tokens', amount: 80n })
      const caller = await world.person(0n)
      const id = await grant([caller], 100n)
      const callId = await called(caller, 180)
      clock.nowMs += 40 * 86_400_000
      await refund(caller, callId, 130n)
      // The wallet paid 100 micros of the charge from the grant, and a pool that has since ended paid 30.
      expect(await world.wallet(caller)).toEqual({ posted: 130n, held: 0n })
      await reverse(id, [caller], 100n)
      expect(await world.wallet(caller)).toEqual({ posted: 30n, held: 0n })
      clock.nowMs = startMs
    })
  })
})
