/**
 * Many end users have pools in money and credits, caps, limits, runs and on-demand billing, under all policies. The
 * clock moves over days and months, the configuration changes, and the disk fails. At the end of every history, all
 * amounts of the store add up, and no money is held after the last call has ended. HISTORY_SEED runs only the history
 * with the seed that a failure printed. HISTORY_RUNS sets the number of histories.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { type ReserveRequest, StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Quote } from '#money/decision-types.ts'
import { OperationFault } from '#store/ledger/operation-fault.ts'
import { faultyEngines, type FaultyOptions, type Opened } from '../store-conformance/engines.ts'
import { type Caller, dayMs, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { isLong } from '../support/reduced-suite.ts'

const steps = 250
/**
 * A history with few charged calls would test little, so it continues until it has `callsMin` of them, for up to
 * `stepsMax` steps.
 */
const stepsMax = 40 * steps
const callsMin = 6
const seeds = process.env.HISTORY_SEED
  ? [Number(process.env.HISTORY_SEED)]
  : Array.from(
      { length: Number(process.env.HISTORY_RUNS ?? (isLong ? 8 : 3)) },
      (_, i) => Math.floor(Math.random() * 2 ** 31) + i,
    )

let opened: Opened | null = null
afterEach(async () => {
  await opened?.close()
  opened = null
})

describe.each(faultyEngines)('on $name', ({ openFaulty }) => {
  test.each(seeds)('all amounts of a history add up (HISTORY_SEED=%i)', (seed) => history(openFaulty, seed))
})

async function history(openFaulty: (options: FaultyOptions) => Promise<Opened>, seed: number): Promise<void> {
  const chance = chances(seed)
  const clock = { nowMs: startMs }
  const queue = { backoffMs: () => 0 }
  let failing = 0
  const faults: FaultyOptions['faults'] = () => {
    if (failing > 0) {
      failing -= 1
      return chance.of(['busy', 'full', 'io'] as const)
    }
    return null
  }
  opened = await openFaulty({ nowMs: () => clock.nowMs, faults, queue })
  const world = new World(opened.store, clock)
  await world.found({ credit_currency: 'stars', spend_limit_micros: 40_000n, spend_limit_period: 'week' })
  await world.include({ slug: 'money', amount: 3_000n })
  await world.include({ slug: 'stars', amount: 700n, unit: 'credits', position: 2 })
  await world.include({ slug: 'welcome', amount: 500n, recurring: 0, position: 3, spillover_to: 'stars' })
  await world.outcome('report', 2_000n)
  const callers: Caller[] = []
  for (let i = 0; i < 6; i++) {
    const cap = chance.of([null, 5_000n, 20_000n])
    callers.push(
      await world.person(chance.amount(20_000), {
        cap_micros: cap,
        cap_period: chance.of(['day', 'month', 'total']),
      }),
    )
  }
  callers.push(await world.key(callers[0]?.endUserId ?? '', { mode: 'test' }))
  await opened.store.database.transaction((tx) =>
    tx
      .insertInto('accounts')
      .values({
        end_user_id: callers[1]?.endUserId ?? '',
        mode: 'live',
        on_demand_enabled: 1,
        on_demand_limit_micros: 4_000n,
      })
      .execute(),
  )

  const { ledger, database } = opened.store
  const callsCharged = async (): Promise<number> => {
    const { calls } = await database.read
      .selectFrom('usage_records')
      .select((eb) => eb.fn.countAll<number>().as('calls'))
      .executeTakeFirstOrThrow()
    return calls
  }
  const inFlight: ReserveRequest[] = []
  const pending: Promise<unknown>[] = []
  const forget = (promise: Promise<unknown>): void => {
    pending.push(promise.catch(expectRefusal))
  }
  const end = (request: ReserveRequest): Promise<unknown> => {
    if (chance.one(5)) return world.release(request)
    const most = request.bound.outputTokens + (chance.one(4) ? 300 : 0)
    const input = chance.below(request.bound.textTokens + 1)
    return world.settle(request, { input, output: chance.below(most + 1) }, { nowMs: clock.nowMs })
  }

  // With some seeds, every end user is frozen or every wallet is empty for a long time.
  const isThin = async (step: number): Promise<boolean> => {
    if (step % steps !== 0) return true
    await Promise.all(pending)
    return (await callsCharged()) < callsMin && step < stepsMax
  }
  for (let step = 0; step < steps || (await isThin(step)); step++) {
    const caller = chance.of(callers)
    switch (chance.below(12)) {
      case 0:
        clock.nowMs += chance.of([1, 1_000, dayMs / 3, 9 * dayMs, 35 * dayMs])
        break
      case 1:
        forget(
          world.credit([caller.endUserId], chance.amount(5_000), {
            mode: caller.mode,
            kind: chance.of(['grant', 'topup', 'reversal']),
          }),
        )
        break
      case 2:
        failing = chance.below(6)
        break
      case 3: {
        const [request] = inFlight
        if (request === undefined) break
        ledger.checkpoint({
          callId: request.callId,
          usage: world.settlement(request, { input: 1, output: 1 }).usage,
        })
        forget(
          ledger.extend({
            callId: request.callId,
            nowMs: clock.nowMs,
            moreOutputTokens: 1 + chance.below(200),
          }),
        )
        break
      }
      case 4: {
        const frozen = chance.of([null, clock.nowMs])
        await Promise.all(pending)
        await database.transaction((tx) =>
          tx
            .updateTable('end_users')
            .set({ frozen_at_ms: frozen })
            .where('id', '=', caller.endUserId)
            .execute(),
        )
        break
      }
      case 5:
      case 6:
      case 7: {
        const request = inFlight.splice(chance.below(inFlight.length), 1)[0]
        if (request === undefined) break
        forget(end(request))
        // The repeat of an operation must have no effect.
        if (chance.one(6)) forget(end(request))
        break
      }
      default: {
        const outcome = chance.one(4)
          ? { slug: 'report', runId: `run-${chance.below(3)}`, ceilingMicros: 2_000n }
          : null
        const tokens = { input: chance.below(300), output: 1 + chance.below(600) }
        const request = world.request(caller, tokens, {
          outcome,
          quote: chance.of(quotes),
          nowMs: clock.nowMs,
        })
        const reserving = world.reserve(request).then((result) => {
          if (result.kind === 'reserved')
            inFlight.push({
              ...request,
              bound: { ...request.bound, outputTokens: result.outputTokensPerChoice },
            })
          return result.kind
        })
        if (chance.one(2)) forget(reserving)
        else await reserving.catch(expectRefusal)
      }
    }
  }
  failing = 0
  await Promise.all(pending)
  await Promise.all(inFlight.map((request) => end(request)))
  const held = await database.read.selectFrom('sources').select('id').where('held', '<>', 0n).execute()
  expect(held).toEqual([])
  expect(await callsCharged()).toBeGreaterThanOrEqual(callsMin)
  await opened.closeSound()
}

const price = { input: 1_000_000n, output: 2_000_000n }
const quotes: readonly Quote[] = (['hard_token', 'grace', 'complete_message'] as const).flatMap((policy) =>
  [null, { input: 300_000n, output: 700_000n }].map((credits) => ({
    id: `quote_${policy}_${credits === null ? 'money' : 'stars'}`,
    cost: price,
    sell: credits === null ? price : { input: 1_500_000n, output: 2_500_000n },
    basis: credits === null ? ('provider_cost' as const) : ('sell_price' as const),
    credits,
    policy,
    maxOverdraftMicros: policy === 'grace' ? 100n : 0n,
  })),
)

function expectRefusal(error: unknown): void {
  expect(error instanceof StoreUnavailable || error instanceof OperationFault, String(error)).toBe(true)
}

interface Chances {
  below(bound: number): number
  one(of: number): boolean
  of<T>(values: readonly T[]): T
  amount(max: number): bigint
}

function chances(seed: number): Chances {
  const random = randomFrom(seed)
  const below = (bound: number): number => random.whole(0, bound - 1)
  return {
    below,
    one: (of) => below(of) === 0,
    of: (values) => random.pick(values),
    amount: (max) => BigInt(1 + below(max)),
  }
}
