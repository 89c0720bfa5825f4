import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import { type Random, randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { engines, type Opened } from './engines.ts'
import { join, type Member, requestOf } from './build-team-with-payer.ts'
import { type Caller, dayMs, startMs, World } from './add-rows-that-calls-need.ts'

const tokens = { input: 5, output: 5 }

describe.each(engines)('teams on $name', ({ open }) => {
  let opened: Opened
  let world: World
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
  })
  // `verify`, which `closeSound` runs, compares the shares of members with the payer's wallet.
  afterEach(() => opened.closeSound())

  async function teamOf(members: number, capMicros: bigint | null = null, micros = 0n): Promise<TestTeam> {
    const payer = await world.person(0n)
    if (micros > 0n) await world.credit([payer.endUserId], micros, { kind: 'topup' })
    const joined: Member[] = []
    for (let i = 0; i < members; i++) joined.push(await join(world, payer, await world.person(0n), capMicros))
    const [first, ...others] = joined
    if (first === undefined) throw new Error('a team of a test has a member')
    return { payer, members: [first, ...others] }
  }

  async function call(member: Member, output: number): Promise<string> {
    const request = requestOf(world, member, { input: 0, output })
    expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
    await world.settle(request, { output })
    return request.callId
  }

  async function entriesOf({ endUserId }: Caller) {
    return opened.store.database.read
      .selectFrom('ledger')
      .select(['source_id', 'kind', 'amount', 'call_id', 'reason'])
      .where('end_user_id', '=', endUserId)
      .orderBy('sequence')
      .execute()
  }

  async function refund(member: Member, callId: string, amountMicros: bigint | null) {
    return opened.store.ledger.refund({
      applicationId: world.applicationId,
      endUserId: member.endUserId,
      mode: 'live',
      callId,
      correctionId: `cor_${world.newId()}`,
      nowMs: clock.nowMs,
      amountMicros,
      reason: 'test',
      actor: null,
      idempotencyKey: null,
      requestHash: 'hash',
    })
  }

  test('the payer pays before the member’s own wallet, and both ledgers have the debit', async () => {
    const {
      payer,
      members: [member],
    } = await teamOf(1, null, 30n)
    await world.credit([member.endUserId], 20n)
    const callId = await call(member, 40)
    expect(await world.wallet(payer)).toEqual({ posted: 0n, held: 0n })
    expect(await world.wallet(member)).toEqual({ posted: 10n, held: 0n })
    const share = `team/${payer.endUserId}/2026-11`
    expect((await entriesOf(member)).slice(1)).toEqual([
      { source_id: share, kind: 'usage_debit', amount: -30n, call_id: callId, reason: null },
      { source_id: 'wallet', kind: 'usage_debit', amount: -10n, call_id: callId, reason: null },
    ])
    expect((await entriesOf(payer)).slice(1)).toEqual([
      {
        source_id: 'wallet',
        kind: 'usage_debit',
        amount: -30n,
        call_id: null,
        reason: `team/${member.endUserId}`,
      },
    ])
  })

  test('exactly 20 of 60 concurrent reserves of 6 members succeed if the balance covers 20', async () => {
    const { payer, members } = await teamOf(6, null, 200n)
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        world.reserve(requestOf(world, members[i % 6] ?? members[0], tokens)),
      ),
    )
    expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(20)
    expect(results.find(({ kind }) => kind === 'refused')).toMatchObject({ code: 'balance_held' })
    expect(await world.wallet(payer)).toEqual({ posted: 200n, held: 200n })
  })

  test('a cap limits one member in a month, and the whole cap is available again in the next month', async () => {
    const {
      payer,
      members: [capped, other],
    } = await teamOf(2, 12n, 100n)
    await call(capped, 10)
    const small = { input: 1, output: 1 }
    expect(await world.reserve(requestOf(world, capped, small))).toMatchObject({ kind: 'reserved' })
    expect(await world.reserve(requestOf(world, capped, small))).toMatchObject({
      kind: 'refused',
      code: 'balance_held',
    })
    await call(other ?? capped, 12)
    clock.nowMs += 15 * dayMs
    await call(capped, 12)
    expect(await world.wallet(payer)).toMatchObject({ posted: 100n - 34n })
  })

  test('after a member leaves the team, the payer pays for open requests, and the member for new ones', async () => {
    const {
      payer,
      members: [member],
    } = await teamOf(1, null, 100n)
    const request = requestOf(world, member, tokens)
    await world.reserve(request)
    const left = await join(world, null, member)
    expect(await world.reserve(requestOf(world, member, tokens))).toEqual({ kind: 'stale' })
    expect(await world.reserve(requestOf(world, left, tokens))).toMatchObject({
      kind: 'refused',
      code: 'insufficient_credit',
    })
    await world.settle(request, { output: 8 })
    expect(await world.wallet(payer)).toEqual({ posted: 92n, held: 0n })
  })

  test('a released hold returns to the payer', async () => {
    const { payer, members } = await teamOf(1, 10n, 10n)
    const request = requestOf(world, members[0], tokens)
    await world.reserve(request)
    await world.release(request)
    expect(await world.wallet(payer)).toEqual({ posted: 10n, held: 0n })
    await call(members[0], 10)
  })

  test('an extension holds more of the payer’s money, up to the cap', async () => {
    const { payer, members } = await teamOf(1, 15n, 100n)
    const request = requestOf(world, members[0], tokens)
    await world.reserve(request)
    const { callId } = request
    expect(
      await opened.store.ledger.extend({ callId, nowMs: clock.nowMs, moreOutputTokens: 20 }),
    ).toMatchObject({ kind: 'extended', addedOutputTokens: 5 })
    await world.settle(request, { output: 15 })
    expect(await world.wallet(payer)).toEqual({ posted: 85n, held: 0n })
  })

  test.each(['frozen_at_ms', 'removed_at_ms'] as const)(
    'a payer with %s pays for no new request',
    async (column) => {
      const {
        payer,
        members: [member],
      } = await teamOf(1, null, 100n)
      const request = requestOf(world, member, tokens)
      await world.reserve(request)
      await opened.store.database.transaction((tx) =>
        tx
          .updateTable('end_users')
          .set({ [column]: clock.nowMs })
          .where('id', '=', payer.endUserId)
          .execute(),
      )
      expect(await world.reserve(requestOf(world, member, tokens))).toMatchObject({ kind: 'refused' })
      await world.settle(request, { output: 3 })
      expect(await world.wallet(payer)).toEqual({ posted: 97n, held: 0n })
    },
  )

  test('a refund returns to the payer, even after the month has ended and the member has left', async () => {
    const {
      payer,
      members: [member],
    } = await teamOf(1, null, 0n)
    await world.credit([payer.endUserId], 6n)
    await world.credit([payer.endUserId], 20n, { kind: 'topup' })
    const callId = await call(member, 10)
    const paid = await opened.store.database.read
      .selectFrom('usage_records')
      .select(['paid_gift_micros', 'paid_wallet_micros'])
      .where('call_id', '=', callId)
      .executeTakeFirstOrThrow()
    expect(paid).toEqual({ paid_gift_micros: 6n, paid_wallet_micros: 4n })
    clock.nowMs += 40 * dayMs
    await join(world, null, member)
    expect(await refund(member, callId, 7n)).toMatchObject({ kind: 'refunded' })
    expect(await refund(member, callId, null)).toMatchObject({ kind: 'refunded' })
    expect(await world.wallet(payer)).toEqual({ posted: 26n, held: 0n })
    expect(await world.wallet(member)).toEqual({ posted: 0n, held: 0n })
    const { given } = await opened.store.database.read
      .selectFrom('sources')
      .select('given')
      .where('end_user_id', '=', payer.endUserId)
      .where('id', '=', 'wallet')
      .executeTakeFirstOrThrow()
    expect(given).toBe(6n)
  })

  test('a refund to a payer in debt first reduces the debt', async () => {
    const {
      payer,
      members: [member],
    } = await teamOf(1, null, 0n)
    await world.credit([payer.endUserId], 5n)
    await world.credit([payer.endUserId], 5n, { kind: 'topup' })
    const callId = await call(member, 10)
    await world.credit([payer.endUserId], 4n, { kind: 'reversal' })
    expect(await refund(member, callId, null)).toMatchObject({ kind: 'refunded' })
    expect(await world.wallet(payer)).toEqual({ posted: 6n, held: 0n })
  })

  test('a charge beyond the hold first empties the payer’s wallet, and then overdraws the member’s own wallet', async () => {
    const {
      payer,
      members: [member],
    } = await teamOf(1, null, 12n)
    const plain = requestOf(world, member, tokens)
    const request = {
      ...plain,
      quote: { ...plain.quote, id: 'quote_grace', policy: 'grace' as const, maxOverdraftMicros: 1_000n },
    }
    await world.reserve(request)
    await world.settle(request, { output: 15 })
    expect(await world.wallet(payer)).toEqual({ posted: 0n, held: 0n })
    expect(await world.wallet(member)).toEqual({ posted: -3n, held: 0n })
  })

  test('random teams never spend more than the wallet and the caps', async () => {
    const seed = seedOfRun()
    await withSeed(seed, () => history(randomFrom(seed)))
  })

  async function history(random: Random): Promise<void> {
    const payers = [await world.person(0n), await world.person(0n)]
    let members: Member[] = []
    for (let i = 0; i < 6; i++) {
      const caller = await world.person(BigInt(random.whole(0, 40)))
      const cap = random.chance(0.5) ? BigInt(random.whole(0, 200)) : null
      members.push(await join(world, random.pick([...payers, null]), caller, cap))
    }
    let funded = 0n
    let flying: ReserveRequest[] = []
    for (let step = 0; step < 40; step++) {
      const amount = BigInt(random.whole(1, 300))
      await world.credit([random.pick(payers).endUserId], amount, random.chance(0.5) ? { kind: 'topup' } : {})
      funded += amount
      const wanted = Array.from({ length: random.whole(1, 12) }, () =>
        requestOf(world, random.pick(members), { input: random.whole(0, 30), output: random.whole(1, 60) }),
      )
      const results = await Promise.all(wanted.map((request) => world.reserve(request)))
      expect(results.every(({ kind }) => kind === 'reserved' || kind === 'refused')).toBe(true)
      flying.push(...wanted.filter((_, i) => results[i]?.kind === 'reserved'))
      for (const payer of payers) {
        const { held, posted } = await world.wallet(payer)
        expect(posted >= held && held >= 0n, `step ${step}: ${posted} - ${held}`).toBe(true)
      }
      if (random.chance(0.3)) {
        const at = random.whole(0, members.length - 1)
        const cap = random.chance(0.5) ? BigInt(random.whole(0, 200)) : null
        const joined = await join(world, random.pick([...payers, null]), members[at] ?? expect.fail(), cap)
        members = members.with(at, joined)
      }
      if (random.chance(0.2)) clock.nowMs += random.whole(1, 20) * dayMs
      const ended = flying.filter(() => random.chance(0.6))
      flying = flying.filter((request) => !ended.includes(request))
      await Promise.all(ended.map((request) => end(request, random)))
    }
    await Promise.all(flying.map((request) => end(request, random)))
    await opened.verify()
    let spent = 0n
    let left = 0n
    for (const payer of payers) {
      const { held, posted } = await world.wallet(payer)
      expect(held).toBe(0n)
      left += posted
    }
    const shares = await opened.store.database.read
      .selectFrom('sources')
      .select(['posted', 'held'])
      .where('kind', '=', 'team')
      .execute()
    for (const { held, posted } of shares) {
      expect(held).toBe(0n)
      spent -= posted
    }
    expect(spent).toBeGreaterThan(0n)
    expect(left + spent).toBe(funded)
  }

  async function end(request: ReserveRequest, random: Random): Promise<void> {
    if (random.chance(0.2)) return world.release(request)
    const { outputTokens, textTokens } = request.bound
    await world.settle(request, { input: textTokens, output: random.whole(0, outputTokens) })
  }
})

interface TestTeam {
  readonly payer: Caller
  readonly members: readonly [Member, ...Member[]]
}
