import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import { type Random, randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'
import { engines, type Opened } from './engines.ts'
import { restartingEngines } from './open-store-of-dead-process.ts'
import { join, type Member, moveTo, requestOf } from './build-team-with-payer.ts'
import { type Caller, dayMs, startMs, World } from './add-rows-that-calls-need.ts'

const tokens = { input: 5, output: 5 }

describe.each(engines)('pools of teams on $name', ({ open }) => {
  let opened: Opened
  let world: World
  let company: string
  const clock = { nowMs: startMs }

  beforeEach(async () => {
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    company = await world.bundle('company')
  })
  // `verify`, which `closeSound` runs, compares the shares of members with the payer's pools.
  afterEach(() => opened.closeSound())

  /** The payer is on the bundle `company`, and the members are on another bundle. */
  async function teamOf(count: number): Promise<{ payer: Caller; members: readonly [Member, ...Member[]] }> {
    const payer = await world.person(0n)
    await moveTo(world, payer, company)
    const members: Member[] = []
    for (let i = 0; i < count; i++) members.push(await join(world, payer, await world.person(0n)))
    const [first, ...others] = members
    if (first === undefined) throw new Error('a team of a test has a member')
    return { payer, members: [first, ...others] }
  }

  const share = (amount: bigint, memberCap: bigint, more = {}) =>
    world.include({ bundle_id: company, slug: 'shared', amount, member_cap: memberCap, ...more })

  async function call(member: Member, output: number): Promise<string> {
    const request = requestOf(world, member, { input: 0, output })
    expect(await world.reserve(request)).toMatchObject({ kind: 'reserved' })
    await world.settle(request, { output })
    return request.callId
  }

  async function sourcesOf({ endUserId }: Caller) {
    const rows = await opened.store.database.read
      .selectFrom('sources')
      .select(['id', 'kind', 'posted', 'held', 'expired', 'withheld'])
      .where('end_user_id', '=', endUserId)
      .orderBy('id')
      .execute()
    return rows.filter(({ kind }) => kind !== 'wallet')
  }

  async function poolsOf(payer: Caller): Promise<{ posted: bigint; held: bigint }[]> {
    const rows = await sourcesOf(payer)
    return rows.filter(({ kind }) => kind === 'pool').map(({ held, posted }) => ({ posted, held }))
  }

  const refund = (member: Member, callId: string) =>
    opened.store.ledger.refund({
      applicationId: world.applicationId,
      endUserId: member.endUserId,
      mode: 'live',
      callId,
      correctionId: `cor_${world.newId()}`,
      nowMs: clock.nowMs,
      amountMicros: null,
      reason: 'test',
      actor: null,
      idempotencyKey: null,
      requestHash: 'hash',
    })

  test('the first request of a member grants the pool of the payer and spends it, and both ledgers have the debit', async () => {
    await share(100n, 60n)
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    await world.credit([payer.endUserId], 30n, { kind: 'topup' })
    const callId = await call(member, 70)
    expect(await poolsOf(payer)).toEqual([{ posted: 40n, held: 0n }])
    expect(await world.wallet(payer)).toEqual({ posted: 20n, held: 0n })
    const id = `${company}/shared/${startMs}`
    const entries = await opened.store.database.read
      .selectFrom('ledger')
      .select(['end_user_id', 'source_id', 'kind', 'amount', 'call_id', 'reason'])
      .where('kind', '=', 'usage_debit')
      .where('amount', '=', -60n)
      .orderBy('sequence')
      .execute()
    expect(entries).toEqual([
      {
        end_user_id: member.endUserId,
        source_id: `team/${payer.endUserId}/${id}`,
        kind: 'usage_debit',
        amount: -60n,
        call_id: callId,
        reason: null,
      },
      {
        end_user_id: payer.endUserId,
        source_id: id,
        kind: 'usage_debit',
        amount: -60n,
        call_id: null,
        reason: `team/${member.endUserId}`,
      },
    ])
    const paid = await opened.store.database.read
      .selectFrom('usage_records')
      .select(['paid_plan_micros', 'paid_wallet_micros'])
      .where('call_id', '=', callId)
      .executeTakeFirstOrThrow()
    expect(paid).toEqual({ paid_plan_micros: 60n, paid_wallet_micros: 10n })
  })

  test('a pool without a member cap is not shared with the members', async () => {
    await world.include({ bundle_id: company, slug: 'own', amount: 100n })
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    expect(await world.reserve(requestOf(world, member, tokens))).toMatchObject({
      kind: 'refused',
      code: 'insufficient_credit',
    })
    expect(await poolsOf(payer)).toEqual([{ posted: 100n, held: 0n }])
  })

  test('exactly 20 of 60 concurrent reserves of 6 members and the payer succeed if the pool covers 20', async () => {
    await share(200n, 200n)
    const { payer, members } = await teamOf(6)
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const caller = members[i % 7]
        return world.reserve(
          caller === undefined
            ? world.request(payer, tokens, { bundleId: company })
            : requestOf(world, caller, tokens),
        )
      }),
    )
    expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(20)
    expect(await poolsOf(payer)).toEqual([{ posted: 200n, held: 200n }])
  })

  test('the cap limits each member in a period, and the next period has a new pool', async () => {
    await share(100n, 12n)
    const {
      payer,
      members: [one, other],
    } = await teamOf(2)
    await call(one, 12)
    expect(await world.reserve(requestOf(world, one, { input: 1, output: 0 }))).toMatchObject({
      kind: 'refused',
    })
    await call(other ?? one, 12)
    expect(await poolsOf(payer)).toEqual([{ posted: 76n, held: 0n }])
    clock.nowMs += 31 * dayMs
    await call(one, 12)
    expect(await poolsOf(payer)).toEqual([
      { posted: 0n, held: 0n },
      { posted: 88n, held: 0n },
    ])
  })

  test('credit that a request returns to an ended pool expires, and the used credit is charged to the ended pool', async () => {
    await share(100n, 50n)
    const {
      payer,
      members: [settled, released],
    } = await teamOf(2)
    const requests = [settled, released ?? settled].map((member) => requestOf(world, member, tokens))
    for (const request of requests) await world.reserve(request)
    clock.nowMs += 31 * dayMs
    const [first, second] = requests
    if (!first || !second) throw new Error('two requests')
    await world.settle(first, { output: 4 })
    await world.release(second)
    const [ended] = await sourcesOf(payer)
    expect(ended).toMatchObject({ posted: 0n, held: 0n, expired: 96n })
  })

  test('when the payer leaves the plan, unused credit is withheld, but requests in flight use the pool', async () => {
    await share(100n, 50n)
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    const request = requestOf(world, member, tokens)
    await world.reserve(request)
    await moveTo(world, payer, world.bundleId)
    await opened.store.ledger.complete({ endUserId: payer.endUserId, mode: 'live', nowMs: clock.nowMs })
    expect(await world.reserve(requestOf(world, member, tokens))).toMatchObject({ kind: 'refused' })
    await world.settle(request, { output: 4 })
    expect(await sourcesOf(payer)).toMatchObject([{ posted: 0n, held: 0n, withheld: 96n }])
  })

  test('after a member has left the team, the pool still pays for the member’s requests in flight', async () => {
    await share(100n, 50n)
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    const request = requestOf(world, member, tokens)
    await world.reserve(request)
    const left = await join(world, null, member)
    expect(await world.reserve(requestOf(world, left, tokens))).toMatchObject({ kind: 'refused' })
    await world.settle(request, { output: 8 })
    expect(await poolsOf(payer)).toEqual([{ posted: 92n, held: 0n }])
  })

  test('a refund returns to the pool, even after the member has left, and to the payer’s wallet if the pool has ended', async () => {
    await share(100n, 50n)
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    await world.credit([payer.endUserId], 5n, { grantId: 'gr_spent' })
    const [early, late] = [await call(member, 10), await call(member, 20)]
    await call(member, 25)
    await join(world, null, member)
    expect(await refund(member, early)).toMatchObject({ kind: 'refunded' })
    expect(await poolsOf(payer)).toEqual([{ posted: 60n, held: 0n }])
    clock.nowMs += 31 * dayMs
    expect(await refund(member, late)).toMatchObject({ kind: 'refunded' })
    expect(await world.wallet(member)).toEqual({ posted: 0n, held: 0n })
    expect(await world.wallet(payer)).toEqual({ posted: 20n, held: 0n })
    // The refund counts as a separate grant, so a reversal of an earlier grant cannot take it back.
    await world.credit([payer.endUserId], 5n, { kind: 'reversal', reverses: 'gr_spent' })
    expect(await world.wallet(payer)).toEqual({ posted: 20n, held: 0n })
  })

  test('after a plan change of the payer, a refund to the pool becomes granted credit of the payer, after any debt is paid', async () => {
    await share(100n, 60n)
    const other = await world.bundle('other')
    await world.include({ bundle_id: other, slug: 'shared', amount: 100n, member_cap: 60n })
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    await world.credit([payer.endUserId], 25n, { kind: 'topup' })
    const callId = await call(member, 60)
    await call(member, 25)
    clock.nowMs += 1_000
    await moveTo(world, payer, other)
    await call(member, 1)
    await world.credit([payer.endUserId], 25n, { kind: 'reversal' })
    expect(await refund(member, callId)).toMatchObject({ kind: 'refunded' })
    expect(await world.wallet(member)).toEqual({ posted: 0n, held: 0n })
    const id = `${company}/shared/${startMs}`
    const reads = opened.store.database.read
    const { amount, given, reason } = await reads
      .selectFrom('ledger')
      .select(['amount', 'given', 'reason'])
      .where('end_user_id', '=', payer.endUserId)
      .where('kind', '=', 'refund')
      .executeTakeFirstOrThrow()
    expect({ amount, given, reason }).toEqual({
      amount: 60n,
      given: 35n,
      reason: `team/${member.endUserId}/${id}`,
    })
    expect(await world.wallet(payer)).toEqual({ posted: 35n, held: 0n })
    const used = (await sourcesOf(member)).find((source) => source.id.endsWith(id))
    expect(used).toMatchObject({ posted: 0n, held: 0n })
  })

  test('a charge beyond the hold is paid from the pool up to the member’s cap, and then from the payer’s wallet', async () => {
    await share(100n, 12n)
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    await world.credit([payer.endUserId], 2n, { kind: 'topup' })
    const plain = requestOf(world, member, tokens)
    const quote = {
      ...plain.quote,
      id: 'quote_grace',
      policy: 'grace' as const,
      maxOverdraftMicros: 1_000n,
    }
    const request = { ...plain, quote }
    await world.reserve(request)
    await world.settle(request, { output: 15 })
    expect(await poolsOf(payer)).toEqual([{ posted: 88n, held: 0n }])
    expect(await world.wallet(payer)).toEqual({ posted: 0n, held: 0n })
    expect(await world.wallet(member)).toEqual({ posted: -1n, held: 0n })
  })

  test('a member uses at most the cap in each period, even if the payer carries over credit', async () => {
    await share(100n, 60n, { rollover_percent: 100, rollover_periods: 1 })
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    await call(member, 60)
    clock.nowMs += 31 * dayMs
    const beyond = requestOf(world, member, { input: 61, output: 0 })
    expect(await world.reserve(beyond)).toMatchObject({ kind: 'refused', code: 'insufficient_credit' })
    await call(member, 60)
    expect((await poolsOf(payer)).map(({ posted }) => posted)).toEqual([0n, 40n, 40n])
    const own = world.request(payer, { input: 80, output: 0 }, { bundleId: company })
    expect(await world.reserve(own)).toMatchObject({ kind: 'reserved' })
    await world.release(own)
  })

  test('if the payer’s pools have ended, the payer’s wallet pays, and the remaining credit of the pools expires', async () => {
    await world.include({ bundle_id: company, slug: 'own', amount: 100n })
    const {
      payer,
      members: [member],
    } = await teamOf(1)
    await world.credit([payer.endUserId], 50n, { kind: 'topup' })
    clock.nowMs += 31 * dayMs
    await call(member, 10)
    const [ended] = await sourcesOf(payer)
    expect(ended).toMatchObject({ posted: 0n, expired: 100n })
  })

  test('random teams never use more than the pools, the caps and the wallets', async () => {
    const seed = seedOfRun()
    await withSeed(seed, () => history(randomFrom(seed)))
  })

  async function history(random: Random): Promise<void> {
    const rolls = random.chance(0.5) ? { rollover_percent: random.whole(1, 100), rollover_periods: 2 } : {}
    await share(BigInt(random.whole(50, 400)), BigInt(random.whole(1, 300)), rolls)
    const welcome = { slug: 'welcome', recurring: 0 as const, position: 2 }
    await share(BigInt(random.whole(50, 400)), BigInt(random.whole(1, 300)), welcome)
    await world.include({ slug: 'own', amount: BigInt(random.whole(1, 50)) })
    const teams = [await teamOf(3), await teamOf(3)]
    const payers = teams.map(({ payer }) => payer)
    const members = teams.flatMap((team) => team.members)
    let flying: ReserveRequest[] = []
    let reserved = 0
    for (let step = 0; step < 30; step++) {
      const wanted = Array.from({ length: random.whole(1, 10) }, () => {
        const tokensOf = { input: random.whole(0, 30), output: random.whole(1, 60) }
        return random.chance(0.2)
          ? world.request(random.pick(payers), tokensOf, { bundleId: company })
          : requestOf(world, random.pick(members), tokensOf)
      })
      const results = await Promise.all(wanted.map((request) => world.reserve(request)))
      flying.push(...wanted.filter((_, i) => results[i]?.kind === 'reserved'))
      reserved += results.filter(({ kind }) => kind === 'reserved').length
      for (const payer of payers)
        for (const { held, posted } of await poolsOf(payer))
          expect(posted >= held && held >= 0n, `step ${step}: ${posted} - ${held}`).toBe(true)
      if (random.chance(0.3)) {
        const at = random.whole(0, members.length - 1)
        const joined = await join(world, random.pick([...payers, null]), members[at] ?? expect.fail())
        members[at] = joined
      }
      if (random.chance(0.2)) await world.credit([random.pick(payers).endUserId], BigInt(random.whole(1, 99)))
      if (random.chance(0.3)) clock.nowMs += random.whole(1, 25) * dayMs
      const ended = flying.filter(() => random.chance(0.6))
      flying = flying.filter((request) => !ended.includes(request))
      await Promise.all(ended.map((request) => end(request, random)))
      await opened.verify()
    }
    await Promise.all(flying.map((request) => end(request, random)))
    expect(reserved).toBeGreaterThan(0)
    for (const payer of payers) for (const { held } of await poolsOf(payer)) expect(held).toBe(0n)
    const shares = await opened.store.database.read
      .selectFrom('sources')
      .select(['posted', 'held'])
      .where('payer_id', 'is not', null)
      .execute()
    expect(shares.length).toBeGreaterThan(0)
    for (const { held } of shares) expect(held).toBe(0n)
  }

  async function end(request: ReserveRequest, random: Random): Promise<void> {
    if (random.chance(0.2)) return world.release(request)
    const { outputTokens, textTokens } = request.bound
    await world.settle(request, { input: textTokens, output: random.whole(0, outputTokens) })
  }
})

describe.each(restartingEngines)('usage reported after a restart on $name', ({ open }) => {
  test.each([
    ['less', { input: 2, output: 1 }, 97n],
    ['more', { input: 10, output: 20 }, 70n],
  ])(
    'if recovery charged a request by an estimate, the pool later pays for exactly the true usage (%s)',
    async (_how, used, posted) => {
      const clock = { nowMs: startMs }
      const first = await open(() => clock.nowMs)
      const world = new World(first.store, clock)
      await world.found()
      const company = await world.bundle('company')
      await world.include({ bundle_id: company, slug: 'shared', amount: 100n, member_cap: 60n })
      const payer = await world.person(0n)
      await moveTo(world, payer, company)
      const request = requestOf(world, await join(world, payer, await world.person(0n)), {
        input: 10,
        output: 20,
      })
      await world.reserve(request)
      const second = await first.reopen()
      expect(second.store.recovered.calls).toBe(1)
      await Object.assign(Object.create(world) as World, { store: second.store }).settle(request, used)
      const pool = await second.store.database.read
        .selectFrom('sources')
        .select(['posted', 'held', 'withheld'])
        .where('end_user_id', '=', payer.endUserId)
        .where('kind', '=', 'pool')
        .executeTakeFirstOrThrow()
      expect(pool).toEqual({ posted, held: 0n, withheld: 0n })
      await second.end()
    },
  )
})
