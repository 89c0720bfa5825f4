/**
 * Periods end and plans change while calls are in flight. The first operation that detects a due change of pools writes
 * the change, and each change is written only once. PLANS_SEED runs only the case with the seed that a failure printed.
 * PLANS_RUNS sets the number of cases.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ReserveRequest } from '#domain/ledger-interface.ts'
import type { LedgerEntry } from '#domain/billing/balances-and-ledger-entries.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { randomFrom, type Random } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'
import { engines, openOnPostgres, type Opened } from './engines.ts'
import { type Caller, dayMs, startMs, World } from './add-rows-that-calls-need.ts'

const seeds = process.env.PLANS_SEED
  ? [Number(process.env.PLANS_SEED)]
  : Array.from(
      { length: Number(process.env.PLANS_RUNS ?? (isLong ? 6 : 2)) },
      (_, i) => Math.floor(Math.random() * 2 ** 31) + i,
    )

let opened: Opened
let world: World
let clock: { nowMs: number }

async function open(engine: (typeof engines)[number]): Promise<void> {
  clock = { nowMs: startMs }
  opened = await engine.open(() => clock.nowMs)
  world = new World(opened.store, clock)
  await world.found()
}

async function addPlan(slug: string): Promise<string> {
  const id = `bun_${world.newId()}`
  await opened.store.database.transaction(async (tx) => {
    const row = await tx
      .selectFrom('bundles')
      .selectAll()
      .where('id', '=', world.bundleId)
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('bundles')
      .values({ ...row, id, slug })
      .execute()
  })
  return id
}

/** Like users.subscribe: stores the plan, and then notifies the ledger. */
async function subscribe({ endUserId, mode }: Caller, bundleId: string): Promise<void> {
  const { nowMs } = clock
  await opened.store.database.transaction((tx) =>
    tx
      .updateTable('end_users')
      .set({ bundle_id: bundleId, bundle_since_ms: nowMs })
      .where('id', '=', endUserId)
      .execute(),
  )
  await opened.store.ledger.complete({ endUserId, mode, nowMs })
}

const complete = ({ endUserId, mode }: Caller, nowMs = clock.nowMs): Promise<void> =>
  opened.store.ledger.complete({ endUserId, mode, nowMs })

/** By source, oldest first. */
async function entries({ endUserId, mode }: Caller): Promise<LedgerEntry[]> {
  const { read } = sqlStore(opened.store.database)
  const page = await read.balances.ledger(endUserId, mode, 'all', { limit: 100_000, after: null })
  return page.rows.toReversed()
}

/** Each balance must be the source's previous balance plus the entry's amount, and each pool is granted once. */
function expectChains(all: readonly LedgerEntry[]): void {
  const balances = new Map<string, bigint>()
  const granted = new Set<string>()
  for (const { amount, balanceAfter, kind, source } of all) {
    const balance = (balances.get(source) ?? 0n) + amount
    expect([source, balance]).toEqual([source, balanceAfter])
    balances.set(source, balance)
    if (kind !== 'grant' || source === 'wallet') continue
    expect(granted.has(source)).toBe(false)
    granted.add(source)
  }
}

const told = (all: readonly LedgerEntry[]): string[] =>
  all
    .filter(({ source }) => source !== 'wallet')
    .map(
      ({ amount, kind, reason, source }) =>
        `${source} ${kind} ${amount}${reason === null ? '' : ` ${reason}`}`,
    )

describe.each(engines)('plans on $name', (engine) => {
  beforeEach(() => open(engine))
  afterEach(() => opened.closeSound())

  const reserve = async (
    caller: Caller,
    output: number,
    bundleId = world.bundleId,
  ): Promise<ReserveRequest> => {
    const request = world.request(caller, { input: 0, output }, { bundleId })
    expect((await world.reserve(request)).kind).toBe('reserved')
    return request
  }

  test('money that a call returns to an ended pool lapses, both on settle and on release', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    const caller = await world.person(1_000n)
    const settled = await reserve(caller, 40)
    const released = await reserve(caller, 30)
    clock.nowMs = Date.UTC(2026, 11, 20, 12)
    await complete(caller)
    await world.settle(settled, { output: 15 })
    await world.release(released)
    await world.release(released)
    await complete(caller)
    expect(told(await entries(caller))).toEqual([
      'plain/monthly/2026-11-20 grant 100 included',
      'plain/monthly/2026-11-20 reversal -30 expired',
      'plain/monthly/2026-12-20 grant 100 included',
      'plain/monthly/2026-11-20 usage_debit -15',
      'plain/monthly/2026-11-20 reversal -25 expired',
      'plain/monthly/2026-11-20 reversal -30 expired',
    ])
    expectChains(await entries(caller))
  })

  test('a ledger entry names its pool and its plan, even after a plan change, and only its pool after the plan is deleted', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    const caller = await world.person(1_000n)
    await complete(caller)
    const basic = await addPlan('basic')
    await subscribe(caller, basic)
    const named = async () => {
      const all = await entries(caller)
      return new Set(all.map(({ planName, poolName, source }) => [source, poolName, planName].join(', ')))
    }
    const { plan, pool } = await opened.store.database.read
      .selectFrom('sources as s')
      .innerJoin('bundles as b', 'b.id', 's.bundle_id')
      .select(['s.display_name as pool', 'b.display_name as plan'])
      .executeTakeFirstOrThrow()
    expect(await named()).toEqual(new Set(['wallet, , ', `plain/monthly/2026-11-20, ${pool}, ${plan}`]))
    await opened.store.database.transaction(async (tx) => {
      await tx.deleteFrom('bundle_includes').where('bundle_id', '=', world.bundleId).execute()
      await tx.deleteFrom('bundles').where('id', '=', world.bundleId).execute()
    })
    expect(await named()).toEqual(new Set(['wallet, , ', `${world.bundleId}/monthly/2026-11-20, ${pool}, `]))
  })

  test('the pools of a deleted end user end immediately, and money that calls in flight return to them lapses', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    const caller = await world.person(1_000n)
    const settled = await reserve(caller, 40)
    const released = await reserve(caller, 30)
    await sqlStore(opened.store.database).transaction((nouns) =>
      nouns.endUsers.remove({ id: caller.endUserId, externalId: 'x', email: null }, clock.nowMs),
    )
    expect(await world.reserve(world.request(caller, { input: 0, output: 1 }))).toEqual({ kind: 'stale' })
    await complete(caller)
    await complete(caller)
    await world.settle(settled, { output: 15 })
    await world.release(released)
    clock.nowMs = Date.UTC(2026, 11, 20, 12)
    await complete(caller)
    expect(told(await entries(caller))).toEqual([
      'plain/monthly/2026-11-20 grant 100 included',
      'plain/monthly/2026-11-20 reversal -30 end_user_removed',
      'plain/monthly/2026-11-20 usage_debit -15',
      'plain/monthly/2026-11-20 reversal -25 end_user_removed',
      'plain/monthly/2026-11-20 reversal -30 end_user_removed',
    ])
    expectChains(await entries(caller))
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('if the plan changes during a call, the call is settled on the old pool, and the new pool gets the remaining amount', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    const other = await addPlan('other')
    await world.include({ slug: 'monthly', amount: 200n, bundle_id: other })
    const caller = await world.person(1_000n)
    const request = await reserve(caller, 80)
    await subscribe(caller, other)
    expect(await world.settle(request, { output: 30 })).toMatchObject({ chargeMicros: 30n })
    expect(told(await entries(caller))).toEqual([
      'plain/monthly/2026-11-20 grant 100 included',
      'plain/monthly/2026-11-20 reversal -20 plan_changed',
      'other/monthly/2026-11-20 grant 200 included',
      'other/monthly/2026-11-20 adjustment -80 used_on_another_plan',
      'plain/monthly/2026-11-20 usage_debit -30',
      'plain/monthly/2026-11-20 reversal -50 plan_changed',
      'other/monthly/2026-11-20 adjustment 50 plan_changed',
    ])
    expect(await world.wallet(caller)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('money that a call returns to a pool is available only in so far as no pool of another plan has spent it', async () => {
    await world.include({ slug: 'monthly', amount: 300n })
    const other = await addPlan('other')
    await world.include({ slug: 'monthly', amount: 500n, bundle_id: other })
    const caller = await world.person(1_000n)
    const here = await reserve(caller, 296)
    await subscribe(caller, other)
    const there = await reserve(caller, 204, other)
    await subscribe(caller, world.bundleId)
    await world.settle(here, { output: 1 })
    const request = world.request(caller, { input: 0, output: 200 })
    expect(await world.reserve(request)).toMatchObject({
      // The settled call used 1 of the pool's 300 micros, and the call under the other plan holds 204.
      legs: [{ amount: 95n }, { sourceId: 'wallet', amount: 105n }],
    })
    await world.release(request)
    await world.release(there)
  })

  test('a sign-up pool pays nothing while another plan is assigned, and pays its remaining amount when its plan is assigned again', async () => {
    await world.include({ slug: 'welcome', amount: 100n, recurring: 0 })
    const other = await addPlan('other')
    const caller = await world.person(1_000n)
    await world.settle(await reserve(caller, 41), { output: 41 })
    await subscribe(caller, other)
    await world.settle(await reserve(caller, 10, other), { output: 10 })
    expect(await world.wallet(caller)).toEqual({ posted: 990n, held: 0n })
    await subscribe(caller, world.bundleId)
    await world.settle(await reserve(caller, 59), { output: 59 })
    expect(await world.wallet(caller)).toEqual({ posted: 990n, held: 0n })
    expectChains(await entries(caller))
  })

  test('if the ledger is not notified of a plan change, the next call writes the change', async () => {
    await world.include({ slug: 'welcome', amount: 100n, recurring: 0 })
    const other = await addPlan('other')
    const caller = await world.person(1_000n)
    await world.settle(await reserve(caller, 41), { output: 41 })
    await opened.store.database.transaction((tx) =>
      tx.updateTable('end_users').set({ bundle_id: other, bundle_since_ms: clock.nowMs }).execute(),
    )
    const request = await reserve(caller, 10, other)
    expect(told(await entries(caller)).at(-1)).toBe('plain/welcome reversal -59 plan_changed')
    await world.release(request)
  })

  test('a pool lapses even if it ended long before the end user’s next call', async () => {
    await world.include({ slug: 'monthly', amount: 100n })
    const caller = await world.person(1_000n)
    await world.release(await reserve(caller, 40))
    clock.nowMs = startMs + 31 * dayMs
    // Any change of end users removes the writer's cached data.
    await opened.store.database.transaction((tx) =>
      tx.updateTable('end_users').set({ email: 'a@b.c' }).execute(),
    )
    await complete(caller)
    expect(told(await entries(caller))).toEqual([
      'plain/monthly/2026-11-20 grant 100 included',
      'plain/monthly/2026-11-20 reversal -100 expired',
      'plain/monthly/2026-12-20 grant 100 included',
    ])
  })

  test('if nothing is due for an end user without money and pools, completing the sources writes no rows', async () => {
    const caller = await world.person(0n)
    await complete(caller)
    await complete({ ...caller, endUserId: 'eu_nobody' })
    const rows = await opened.store.database.read.selectFrom('sources').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('a sign-up grant or a monthly grant that is created late has the terms that applied when it was due', async () => {
    const store = sqlStore(opened.store.database)
    const terms = (slug: string, amount: bigint, recurring: boolean) => ({
      slug,
      displayName: slug,
      unit: 'micros' as const,
      amount,
      priceMicros: null,
      thenOnDemand: true,
      recurring,
      spilloverTo: '*',
      models: null,
      memberCap: null,
      rollover: null,
    })
    const set = (...includes: ReturnType<typeof terms>[]) =>
      store.transaction(({ bundles }) =>
        bundles.setIncludes(world.bundleId, includes, { live: clock.nowMs, test: clock.nowMs }),
      )
    await set(terms('welcome', 50n, false), terms('monthly', 100n, true))
    const early = await world.person(0n)
    clock.nowMs += dayMs
    await set(terms('welcome', 60n, false), terms('monthly', 200n, true), terms('extra', 5n, true))
    clock.nowMs += dayMs
    const late = await world.person(0n)
    clock.nowMs = startMs + 5 * dayMs
    await set(terms('monthly', 300n, true), terms('gift', 9n, false))
    // The first operation for the end user creates all grants.
    await complete(early)
    expect(told(await entries(early))).toEqual([
      'plain/welcome grant 50 included',
      'plain/monthly/2026-11-20 grant 100 included',
    ])
    clock.nowMs = startMs + 40 * dayMs
    await complete(early)
    await complete(late)
    expect(told(await entries(early)).slice(2)).toEqual([
      'plain/monthly/2026-11-20 reversal -100 expired',
      'plain/monthly/2026-12-20 grant 300 included',
    ])
    expect(told(await entries(late)).toSorted()).toEqual([
      'plain/monthly/2026-12-22 grant 300 included',
      'plain/welcome grant 60 included',
    ])
  })

  test('if a period ends during many concurrent operations, its pools lapse once, and the next pools are granted once', async () => {
    await world.include({ slug: 'monthly', amount: 1_000n })
    await world.include({ slug: 'welcome', amount: 50n, recurring: 0, position: 2 })
    const caller = await world.person(10_000n)
    const inFlight = await Promise.all(Array.from({ length: 8 }, () => reserve(caller, 20)))
    clock.nowMs = startMs + 31 * dayMs
    const ending = inFlight.map((request, i) =>
      i % 3 === 0 ? world.release(request) : world.settle(request, { output: 5 }),
    )
    const beginning = Array.from({ length: 6 }, () => reserve(caller, 20))
    const looking = Array.from({ length: 6 }, () => complete(caller))
    await Promise.all([...ending, ...looking, world.credit([caller.endUserId], 5n)])
    await Promise.all((await Promise.all(beginning)).map((request) => world.release(request)))
    const all = await entries(caller)
    expectChains(all)
    const lapsed = all.filter(({ reason }) => reason === 'expired')
    expect(new Set(lapsed.map(({ source }) => source))).toEqual(new Set(['plain/monthly/2026-11-20']))
    // The pool of 1,000 micros, minus five calls of 5 micros each.
    expect(lapsed.reduce((sum, { amount }) => sum + amount, 0n)).toBe(-975n)
    expect(told(all).filter((line) => line.includes(' grant '))).toEqual([
      'plain/monthly/2026-11-20 grant 1000 included',
      'plain/welcome grant 50 included',
      'plain/monthly/2026-12-20 grant 1000 included',
    ])
  })

  test.each(seeds)(
    'any sequence of plans, calls and periods pays from the expected sources (PLANS_SEED=%i)',
    (seed) => sequence(randomFrom(seed)),
  )
})

describe.runIf(hasPostgres)('plans on PostgreSQL with two processes', () => {
  test('the end of a period and a change of plan are each written once, even if both processes detect them concurrently', async () => {
    clock = { nowMs: startMs }
    const first = await openOnPostgres({ nowMs: () => clock.nowMs })
    const second = await openOnPostgres({ nowMs: () => clock.nowMs, url: first.url })
    try {
      opened = first
      world = new World(first.store, clock)
      await world.found()
      await world.include({ slug: 'monthly', amount: 1_000n })
      const other = await addPlan('other')
      await world.include({ slug: 'monthly', amount: 3_000n, bundle_id: other })
      const caller = await world.person(10_000n)
      const ledgers = [first.store.ledger, second.store.ledger]
      for (let round = 1; round <= 6; round++) {
        clock.nowMs += 16 * dayMs
        const plan = round % 2 === 0 ? world.bundleId : other
        const requests = Array.from({ length: 12 }, () =>
          world.request(caller, { input: 0, output: 30 }, { bundleId: plan }),
        )
        const calling = requests.map(async (request, i) => {
          // The clock of one of the two processes is slightly slow.
          const nowMs = clock.nowMs - (i % 2) * 20
          const ledger = ledgers[i % 2] ?? first.store.ledger
          await ledger.complete({ ...caller, nowMs })
          const { kind } = await ledger.reserve({ ...request, nowMs })
          if (kind === 'reserved') await ledger.settle(world.settlement(request, { output: 7 }, { nowMs }))
        })
        await Promise.all([...calling, subscribe(caller, plan)])
      }
      expectChains(await entries(caller))
    } finally {
      await second.close()
      await first.closeSound()
    }
  })
})

interface Plan {
  readonly id: string
  readonly monthly: bigint
  readonly once: bigint
}

interface Flight {
  readonly request: ReserveRequest
  readonly month: number
  readonly plan: Plan
  readonly legs: { monthly: bigint; once: bigint; wallet: bigint }
}

/**
 * Compares plans with a simple model, which contains the sum that all monthly pools have paid this month. It also
 * contains the remaining amount of each sign-up pool, and the balance of the wallet.
 */
async function sequence(random: Random): Promise<void> {
  const amounts = [
    [300n, 0n],
    [500n, 120n],
    [0n, 200n],
  ] as const
  const plans: Plan[] = []
  for (const [i, [monthly, once]] of amounts.entries()) {
    const id = i === 0 ? world.bundleId : await addPlan(`plan-${i}`)
    plans.push({ id, monthly, once })
    if (monthly > 0n) await world.include({ slug: 'monthly', amount: monthly, bundle_id: id })
    if (once > 0n) {
      await world.include({ slug: 'welcome', amount: once, bundle_id: id, recurring: 0, position: 2 })
    }
  }
  let plan = plans[0] ?? { id: '', monthly: 0n, once: 0n }
  let wallet = 1_000_000n
  const caller = await world.person(wallet)
  const used = new Map<number, bigint>()
  const left = new Map(plans.map((each) => [each, each.once]))
  const flights: Flight[] = []
  const monthOf = (): number => {
    let month = 0
    while (Date.UTC(2026, 11 + month, 20, 12) <= clock.nowMs) month += 1
    return month
  }
  const freeMonthly = (): bigint => {
    const rest = plan.monthly - (used.get(monthOf()) ?? 0n)
    return rest > 0n ? rest : 0n
  }
  const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

  for (let step = 0; step < 60; step++) {
    switch (random.whole(0, 7)) {
      case 0:
        clock.nowMs += random.pick([1_000, dayMs, 9 * dayMs, 35 * dayMs])
        break
      case 1:
      case 2:
        plan = random.pick(plans)
        clock.nowMs += 1
        await subscribe(caller, plan.id)
        break
      case 3:
      case 4: {
        const flight = flights.splice(random.whole(0, Math.max(0, flights.length - 1)), 1)[0]
        if (flight === undefined) break
        const { legs, month, plan: of, request } = flight
        const output = random.whole(0, request.bound.outputTokens)
        if (output === 0) await world.release(request)
        else await world.settle(request, { output })
        let rest = BigInt(output)
        const monthly = least(rest, legs.monthly)
        rest -= monthly
        const once = least(rest, legs.once)
        used.set(month, (used.get(month) ?? 0n) - legs.monthly + monthly)
        left.set(of, (left.get(of) ?? 0n) + legs.once - once)
        wallet -= rest - once
        break
      }
      default: {
        const output = random.whole(1, 250)
        const request = world.request(caller, { input: 0, output }, { bundleId: plan.id })
        expect((await world.reserve(request)).kind).toBe('reserved')
        const month = monthOf()
        const monthly = least(BigInt(output), freeMonthly())
        const once = least(BigInt(output) - monthly, left.get(plan) ?? 0n)
        used.set(month, (used.get(month) ?? 0n) + monthly)
        left.set(plan, (left.get(plan) ?? 0n) - once)
        flights.push({
          request,
          month,
          plan,
          legs: { monthly, once, wallet: BigInt(output) - monthly - once },
        })
      }
    }
    await complete(caller)
    const rows = await opened.store.database.read
      .selectFrom('sources')
      .selectAll()
      .where('end_user_id', '=', caller.endUserId)
      .execute()
    let free = 0n
    for (const { bundle_id, ends_at_ms, held, kind, posted } of rows) {
      if (kind !== 'pool') continue
      const isOver = ends_at_ms !== null && ends_at_ms <= clock.nowMs
      if (isOver || bundle_id !== plan.id) expect(posted).toBe(held)
      else free += posted - held
    }
    expect(free).toBe(freeMonthly() + (left.get(plan) ?? 0n))
    expect((await world.wallet(caller)).posted).toBe(wallet)
  }
  for (const { request } of flights) await world.release(request)
  const all = await entries(caller)
  expectChains(all)
  expect(
    all.filter(({ reason }) => reason === 'plan_changed' || reason === 'expired').length,
  ).toBeGreaterThan(0)
}
