import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Grant } from '#domain/billing/grants-and-balance-changes.ts'
import { corrections } from '#store/nouns/corrections.ts'
import { engines, type Opened } from './engines.ts'
import { startMs, World } from './add-rows-that-calls-need.ts'

describe.each(engines)('grants on $name', ({ name, open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  afterEach(() => opened.closeSound())

  test('a grant adds credit to each end user once, even if the request names an end user twice', async () => {
    const one = await world.person(0n)
    const other = await world.person(0n)
    const people = [one.endUserId, other.endUserId, one.endUserId]
    expect(await world.credit(people, 500n)).toMatchObject({ kind: 'credited', isReplay: false, endUsers: 2 })
    expect(await world.wallet(one)).toEqual({ posted: 500n, held: 0n })
    expect(await world.wallet(other)).toEqual({ posted: 500n, held: 0n })
  })

  test('grants with the same idempotency key add credit once, and return the first grant', async () => {
    const caller = await world.person(0n)
    const asked = { idempotencyKey: 'march', requestHash: 'a' }
    const first = await world.credit([caller.endUserId], 500n, asked)
    const again = await world.credit([caller.endUserId], 500n, asked)
    expect(again).toEqual({ ...first, isReplay: true })
    expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 0n })
  })

  test('two concurrent grants with the same idempotency key add credit once', async () => {
    const caller = await world.person(0n)
    const asked = { idempotencyKey: 'march', requestHash: 'a' }
    await Promise.all([
      world.credit([caller.endUserId], 500n, asked),
      world.credit([caller.endUserId], 500n, asked),
    ])
    expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 0n })
  })

  test('the idempotency key of a grant is rejected for another grant in the same mode, and accepted in the other mode', async () => {
    const caller = await world.person(0n)
    await world.credit([caller.endUserId], 500n, { idempotencyKey: 'march', requestHash: 'a' })
    const other = { idempotencyKey: 'march', requestHash: 'b' }
    expect(await world.credit([caller.endUserId], 700n, other)).toEqual({ kind: 'idempotency_mismatch' })
    expect(await world.credit([caller.endUserId], 700n, { ...other, mode: 'test' })).toMatchObject({
      kind: 'credited',
    })
    expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 0n })
    expect(await world.wallet({ ...caller, mode: 'test' })).toEqual({ posted: 700n, held: 0n })
  })

  test('a grant with an unknown end user changes nothing', async () => {
    const caller = await world.person(0n)
    await expect(world.credit([caller.endUserId, 'eu_stranger'], 500n)).rejects.toThrow('eu_stranger')
    expect(await world.wallet(caller)).toEqual({ posted: 0n, held: 0n })
    expect(await opened.store.database.read.selectFrom('grants').selectAll().execute()).toEqual([])
  })

  test('a reversal may reduce the wallet below 0, and later credits pay the debt first', async () => {
    const caller = await world.person(0n)
    await world.credit([caller.endUserId], 500n, { kind: 'topup' })
    const request = world.request(caller, { input: 0, output: 400 })
    await world.reserve(request)
    await world.credit([caller.endUserId], 500n, { kind: 'reversal' })
    expect(await world.settle(request, { output: 400 })).toMatchObject({ chargeMicros: 400n })
    expect(await world.wallet(caller)).toEqual({ posted: -400n, held: 0n })
    await world.credit([caller.endUserId], 450n)
    const refused = await world.reserve(world.request(caller, { input: 50, output: 1 }))
    expect(refused.kind).toBe('refused')
    expect((await world.reserve(world.request(caller, { input: 0, output: 50 }))).kind).toBe('reserved')
  })

  test('an adjustment may be positive or negative, and a grant of 0 is rejected', async () => {
    const caller = await world.person(100n)
    await world.credit([caller.endUserId], -30n, { kind: 'adjustment' })
    expect(await world.wallet(caller)).toEqual({ posted: 70n, held: 0n })
    await expect(world.credit([caller.endUserId], 0n)).rejects.toThrow('cannot be of')
    await expect(world.credit([caller.endUserId], -1n, { kind: 'topup' })).rejects.toThrow('cannot be of')
  })

  test('a negative adjustment does not reduce the holds of calls in flight', async () => {
    const caller = await world.person(500n)
    const request = world.request(caller, { input: 0, output: 400 })
    await world.reserve(request)
    const tooMuch = { kind: 'below_held', postedMicros: 500n, heldMicros: 400n }
    expect(await world.credit([caller.endUserId], -101n, { kind: 'adjustment' })).toEqual(tooMuch)
    expect(await world.wallet(caller)).toEqual({ posted: 500n, held: 400n })
    expect(await world.credit([caller.endUserId], -100n, { kind: 'adjustment' })).toMatchObject({
      kind: 'credited',
    })
    expect(await world.wallet(caller)).toEqual({ posted: 400n, held: 400n })
    expect(await world.settle(request, { output: 400 })).toMatchObject({ chargeMicros: 400n })
  })

  test('a credit beyond the maximum balance is rejected, and changes nothing', async () => {
    const caller = await world.person(0n)
    const other = await world.person(0n)
    await world.credit([caller.endUserId], 10n ** 18n - 100n)
    const until = { expiresAtMs: startMs + 1_000 }
    expect(await world.credit([caller.endUserId], 60n, until)).toMatchObject({ kind: 'credited' })
    const balanceMicros = 10n ** 18n - 40n
    const tooMuch = { kind: 'above_max', endUserId: caller.endUserId, balanceMicros }
    // A grant to end users of several groups begins like a large grant, whose balances are not checked.
    const together = name.includes('shard groups') ? [caller.endUserId] : [other.endUserId, caller.endUserId]
    for (const terms of [{}, until, { kind: 'adjustment' }, { kind: 'topup' }] as const)
      // oxlint-disable-next-line no-await-in-loop -- one credit after the other
      expect(await world.credit(together, 41n, terms)).toEqual(tooMuch)
    expect(await world.wallet(other)).toEqual({ posted: 0n, held: 0n })
    expect(await world.credit([caller.endUserId], 40n)).toMatchObject({ kind: 'credited' })
    expect(await world.wallet(caller)).toEqual({ posted: 10n ** 18n - 60n, held: 0n })
    expect(await world.credit([caller.endUserId], -1n, { kind: 'adjustment' })).toMatchObject({
      kind: 'credited',
    })
  })

  test('many concurrent adjustments succeed as long as the balance covers them, and all others are rejected', async () => {
    const caller = await world.person(1_000n)
    const results = await Promise.all(
      Array.from({ length: 20 }, () => world.credit([caller.endUserId], -300n, { kind: 'adjustment' })),
    )
    expect(results.filter(({ kind }) => kind === 'credited')).toHaveLength(3)
    expect(await world.wallet(caller)).toEqual({ posted: 100n, held: 0n })
  })

  test('a payment is credited once per reference, application and mode, and a repeat for another end user or amount is rejected', async () => {
    const one = await world.person(0n)
    const other = await world.person(0n)
    const paid = { kind: 'topup', paymentReference: 'pi_1', requestHash: 'one' } as const
    const first = await world.credit([one.endUserId], 500n, paid)
    expect(await world.credit([one.endUserId], 500n, paid)).toEqual({ ...first, isReplay: true })
    expect(await world.credit([other.endUserId], 500n, { ...paid, requestHash: 'other' })).toEqual({
      kind: 'idempotency_mismatch',
    })
    expect(await world.credit([one.endUserId], 500n, { ...paid, mode: 'test' })).toMatchObject({
      isReplay: false,
    })
    expect(await world.wallet(one)).toEqual({ posted: 500n, held: 0n })
    expect(await world.wallet(other)).toEqual({ posted: 0n, held: 0n })
  })

  test('if one payment reference is used concurrently for many end users, only one of them is credited', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => world.person(0n)))
    const results = await Promise.all(
      people.map(({ endUserId }) =>
        world.credit([endUserId], 500n, {
          kind: 'topup',
          paymentReference: 'pi_race',
          requestHash: endUserId,
        }),
      ),
    )
    expect(results.filter(({ kind }) => kind === 'credited')).toHaveLength(1)
    const wallets = await Promise.all(people.map((person) => world.wallet(person)))
    expect(wallets.reduce((sum, wallet) => sum + wallet.posted, 0n)).toBe(500n)
  })

  test('a request that continues an interrupted grant writes its entries with the time of the grant, so that a reversal finds them', async () => {
    const people = [await world.person(0n), await world.person(0n)]
    const endUserIds = people.map(({ endUserId }) => endUserId)
    const { applicationId } = world
    const grant = { id: 'gr_1', application_id: applicationId, mode: 'live', kind: 'grant' } as const
    // The process that began the grant has died before it credited anyone.
    await opened.store.database.transaction((tx) =>
      tx
        .insertInto('grants')
        .values({
          ...grant,
          amount_micros: 500n,
          reason: 'bonus',
          idempotency_key: 'march',
          request_hash: 'a',
          end_users: endUserIds.length,
          pending: JSON.stringify(endUserIds),
          done: null,
          starts_at_ms: null,
          expires_at_ms: null,
          payment_reference: null,
          reverses: null,
          created_at_ms: startMs,
        })
        .execute(),
    )
    clock.nowMs = startMs + 30_000
    const asked = { idempotencyKey: 'march', requestHash: 'a' }
    expect(await world.credit(endUserIds, 500n, asked)).toMatchObject({ isReplay: true, grantId: 'gr_1' })
    for (const person of people) expect(await world.wallet(person)).toEqual({ posted: 500n, held: 0n })
    const credited = { id: 'gr_1', applicationId, mode: 'live', createdAtMs: startMs } as const
    const found = await corrections(opened.store.database.read).recipients(credited as Grant, null)
    expect(found.toSorted()).toEqual(endUserIds.toSorted())
  })

  test('calls of other end users run between the parts of a grant to many end users', async () => {
    const caller = await world.person(1_000n)
    const many = Array.from({ length: 1_000 }, () => `eu_${world.newId()}`)
    const rows = many.map((id) => ({
      id,
      application_id: world.applicationId,
      external_id: id,
      email: null,
      bundle_id: world.bundleId,
      subscribed_at_ms: startMs,
      frozen_at_ms: null,
      removed_at_ms: null,
      created_at_ms: startMs,
    }))
    await opened.store.database.transaction((tx) => tx.insertInto('end_users').values(rows).execute())
    const ends: string[] = []
    const granting = world.credit(many, 5n, { idempotencyKey: 'many' }).then((result) => {
      ends.push('grant')
      return result
    })
    await world.reserve(world.request(caller, { input: 1, output: 1 }))
    await world.reserve(world.request(caller, { input: 1, output: 1 }))
    ends.push('two calls')
    expect(await granting).toMatchObject({ kind: 'credited', isReplay: false, endUsers: 1_000 })
    expect(ends).toEqual(['two calls', 'grant'])
    expect(await world.credit(many, 5n, { idempotencyKey: 'many' })).toMatchObject({
      isReplay: true,
      endUsers: 1_000,
    })
    const { read } = opened.store.database
    const sums = await read
      .selectFrom('sources')
      .select((eb) => [eb.fn.countAll<number>().as('wallets'), eb.fn.sum<bigint>('posted').as('posted')])
      .executeTakeFirst()
    expect(sums).toEqual({ wallets: 1_001, posted: 6_000n })
    expect(
      await read.selectFrom('grants').select('pending').where('idempotency_key', '=', 'many').execute(),
    ).toEqual([{ pending: null }])
  })
})
