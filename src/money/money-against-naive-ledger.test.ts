/**
 * Runs random sequences of all operations on an end user's money, with the real functions and with a naive ledger.
 * After every step, the real functions and the naive ledger must agree on every balance, and the invariants must be
 * true.
 *
 * If a sequence fails, fast-check prints a seed and a path. `FC_SEED=... FC_PATH=...` repeats this sequence. `FC_RUNS`
 * sets the number of runs.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { admit } from './admit.ts'
import { dayMs } from './periods-and-windows.ts'
import { aBound, aLimit, anOnDemand, aQuote, aState, aWallet } from '#tests/fixtures/build-money-values.ts'
import { extend } from './extend-hold.ts'
import { creditWallet, reverseTopup } from './wallet-and-expiring-credit.ts'
import { poolChanges, type Include, type OwnedPool } from './plan-pools.ts'
import type { Hold, Leg, Limit, PersonState, Source } from './decision-types.ts'
import {
  creditsOf,
  NaiveLedger,
  priceOf,
  type NaiveCall,
  type NaiveHold,
  type NaiveLeg,
  type NaiveSource,
} from '#tests/oracle/naive-ledger.ts'
import { calendarWindow } from './periods-and-windows.ts'
import { applyPosting, type Posting } from './posting.ts'
import { recover } from './charge-after-crash.ts'
import { release } from './release.ts'
import { settle, type Settlement } from './settle.ts'
import { zeroUsage, type Usage } from './usage-counts.ts'

const ANCHOR = Date.parse('2026-01-31T12:00:00Z')

const include = (slug: string, amount: bigint, fields: Partial<Include>): Include => ({
  slug,
  displayName: slug,
  unit: 'micros',
  currency: null,
  amount,
  priceMicros: null,
  thenOnDemand: true,
  recurring: true,
  spilloverTo: '*',
  models: ['*'],
  memberCap: null,
  modelCount: 2,
  fromMs: 0,
  untilMs: null,
  isUndated: false,
  rollover: null,
  ...fields,
})

const BUNDLES: Readonly<Record<'free' | 'pro', readonly Include[]>> = {
  free: [
    include('small', 120n, {}),
    include('welcome', 50n, { recurring: false, spilloverTo: 'small' }),
    include('stars', 90n, { unit: 'credits', currency: 'stars', models: ['acme/a'], modelCount: 1 }),
  ],
  pro: [
    include('large', 200n, { models: ['acme/*'], spilloverTo: 'stars' }),
    include('bonus', 60n, { recurring: false, priceMicros: 5n, spilloverTo: null }),
    include('stars', 150n, { unit: 'credits', currency: 'stars' }),
    include('strict', 40n, { models: ['acme/b'], modelCount: 1, thenOnDemand: false, spilloverTo: 'large' }),
    include('last', 30n, { models: ['other/*'], modelCount: 1, thenOnDemand: false }),
  ],
}

interface Call {
  readonly naive: NaiveCall
  readonly settlement: Settlement
  readonly hold: Hold
}

class Books {
  nowMs = ANCHOR
  isFrozen = false
  bundle: 'free' | 'pro' = 'free'
  sources: Source[] = [aWallet(0n)]
  limits: Limit[] = (
    ['outcome_run', 'key_cap', 'portal_total', 'bundle_limit', 'end_user_limit'] as const
  ).map((kind) => aLimit(kind, 2000n))
  /** Usage of the current month, because every limit is monthly. */
  spentMicros = 0n
  readonly holds = new Map<string, Hold>()
  readonly settled: Call[] = []
  readonly pools = new Map<string, Omit<OwnedPool, 'source'>>()
  sinceMs = ANCHOR
  plans = 0
  readonly journal: Posting[] = []
  calls = 0
  steps = 0
  extensions = 0
  waits = 0

  state(): PersonState {
    const held = { spentMicros: this.spentMicros, heldMicros: this.heldMicros() }
    const limits = this.limits.map((limit) => ({ ...limit, ...held }))
    return aState(this.sources, { nowMs: this.nowMs, isFrozen: this.isFrozen, limits })
  }

  post(postings: readonly Posting[]): void {
    for (const posting of postings) {
      const at = this.sources.findIndex(({ id }) => id === posting.sourceId)
      const source = this.sources[at]
      if (source === undefined) throw new Error(`no source ${posting.sourceId}`)
      this.sources[at] = applyPosting(source, posting)
      if (posting.entry !== null) this.journal.push(posting)
    }
  }

  heldMicros(): bigint {
    return this.holds.values().reduce((sum, { worstMicros }) => sum + worstMicros, 0n)
  }

  openCall(index: number): { readonly callId: string; readonly hold: Hold } | null {
    const open = [...this.holds]
    const found = open[index % Math.max(1, open.length)]
    return found ? { callId: found[0], hold: found[1] } : null
  }

  ownedPools(): OwnedPool[] {
    return this.sources.flatMap((source) => {
      const pool = this.pools.get(source.id)
      return source.kind === 'pool' && pool !== undefined ? [{ ...pool, source }] : []
    })
  }
}

interface Step {
  readonly check: () => boolean
  readonly run: (naive: NaiveLedger, books: Books) => void
  readonly toString: () => string
}

function step<T>(
  name: string,
  args: fc.Arbitrary<T>,
  act: (naive: NaiveLedger, books: Books, args: T) => void,
) {
  return args.map((value): Step => ({
    check: () => true,
    run: (naive, books) => {
      books.steps += 1
      act(naive, books, value)
      bringUp(naive, books)
      checkInvariants(naive, books)
    },
    toString: () => `${name} ${fc.stringify(value)}`,
  }))
}

/** `expect` is too slow for millions of comparisons. */
function same(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)}, and naively ${String(expected)}`)
}

function sameLegs(legs: readonly Leg[], naive: readonly NaiveLeg[]): void {
  const actual = legs.map(({ amount, micros, sourceId, unit }) => `${sourceId}: ${amount} ${unit}, ${micros}`)
  const expected = naive.map(({ amount, id, micros, unit }) => `${id}: ${amount} ${unit}, ${micros}`)
  same('legs', actual.join('; '), expected.join('; '))
}

function checkInvariants(naive: NaiveLedger, books: Books): void {
  const replayed = new Map<string, bigint>()
  for (const { postedDelta, sourceId } of books.journal) {
    replayed.set(sourceId, (replayed.get(sourceId) ?? 0n) + postedDelta)
  }
  const promised = new Map<string, bigint>()
  for (const { legs } of books.holds.values()) {
    for (const { amount, sourceId } of legs) promised.set(sourceId, (promised.get(sourceId) ?? 0n) + amount)
  }
  for (const source of books.sources) {
    same(`${source.id} posted is the replay of its ledger`, source.posted, replayed.get(source.id) ?? 0n)
    same(`${source.id} held is the sum of open legs`, source.held, promised.get(source.id) ?? 0n)
    same(`${source.id} posted`, Number(source.posted), naive.posted(source.id))
    same(`${source.id} held`, Number(source.held), naive.held(source.id))
    same(`${source.id} holds nothing negative`, source.held >= 0n, true)
    same(`${source.id} is not overdrawn`, source.kind !== 'pool' || source.posted >= source.held, true)
    same(`${source.id} only owes`, source.kind !== 'on_demand' || source.posted <= 0n, true)
  }
  same('held in all', Number(books.heldMicros()), naive.heldInAll())
  same('spent in all', Number(books.spentMicros), naive.spent)
  same('open calls', books.holds.size, naive.holds.size)
}

/**
 * Applies the due changes to the pools of the plan. The store applies due changes before every operation and after the
 * end of each call.
 */
function bringUp(naive: NaiveLedger, books: Books): void {
  const { granted, postings } = poolChanges({
    bundleId: books.bundle,
    isRemoved: false,
    includes: BUNDLES[books.bundle],
    anchorMs: ANCHOR,
    sinceMs: books.sinceMs,
    interval: 'month',
    nowMs: books.nowMs,
    pools: books.ownedPools(),
  })
  for (const { source, ...pool } of granted) {
    books.sources.push(source)
    books.pools.set(source.id, pool)
    naive.sources.push({
      id: source.id,
      kind: 'pool',
      unit: source.unit,
      slug: source.slug,
      prefix: source.models[0]?.replace('*', '') ?? '',
      rank: [source.rank.models, source.rank.endsAtMs, source.rank.isPaid ? 1 : 0, source.rank.sequence],
      spill: source.spilloverTo,
      stops: !source.thenOnDemand,
      from: source.startsAtMs,
      until: source.endsAtMs ?? Number.POSITIVE_INFINITY,
      isOn: true,
      ceiling: 0,
    })
  }
  books.post(postings)
  books.plans += postings.filter(({ reason }) => reason !== 'included').length
  for (const { postedDelta, sourceId } of postings) naive.enter(sourceId, Number(postedDelta), true)
  checkPools(naive, books)
}

/**
 * Checks the free amounts of the pools (neither spent nor held) against the amounts that calls took. If a pool's period
 * has ended or the plan has changed, nothing is free. In a sign-up pool, the free amount is the grant, minus the pool's
 * own payments and holds. In all recurring pools together, the free amount is the sum of the grants, minus all payments
 * and holds of this period.
 */
function checkPools(naive: NaiveLedger, books: Books): void {
  const free = new Map<string, number>()
  const rest = new Map<string, { granted: number; here: number; elsewhere: number }>()
  for (const { bundleId, recurring, source } of books.ownedPools()) {
    const { id, unit } = source
    const isOver = (source.endsAtMs ?? Number.POSITIVE_INFINITY) <= books.nowMs
    const isHere = bundleId === books.bundle
    const used = naive.consumed(id) + naive.held(id)
    const left = naive.posted(id) - naive.held(id)
    const of = rest.get(unit) ?? { granted: 0, here: 0, elsewhere: 0 }
    rest.set(unit, of)
    same(`${id} was granted once`, naive.sources.filter((other) => other.id === id).length, 1)
    if (isOver || !isHere) same(`${id} has nothing free`, left, 0)
    else if (!recurring) same(`${id} has the rest of its sign-up`, left, Number(source.granted) - used)
    else free.set(unit, (free.get(unit) ?? 0) + left)
    if (isOver || !recurring) continue
    if (isHere) {
      of.granted += Number(source.granted)
      of.here += used
    } else {
      of.elsewhere += used
    }
  }
  for (const [unit, { elsewhere, granted, here }] of rest) {
    same(`free ${unit}`, free.get(unit) ?? 0, Math.max(0, granted - here - elsewhere))
  }
}

const NAIVE_WALLET: NaiveSource = {
  id: 'wallet',
  kind: 'wallet',
  unit: 'micros',
  slug: '',
  prefix: '',
  rank: [],
  spill: null,
  stops: false,
  from: 0,
  until: Number.POSITIVE_INFINITY,
  isOn: true,
  ceiling: 0,
}

function openPeriod(naive: NaiveLedger, books: Books): void {
  const { endsAtMs, startsAtMs } = calendarWindow('month', books.nowMs)
  const id = `on-demand ${startsAtMs}`
  if (!books.sources.some((source) => source.id === id)) {
    const last = books.sources.findLast((source) => source.kind === 'on_demand')
    const isEnabled = last?.isEnabled ?? false
    const limitMicros = last?.limitMicros ?? 0n
    const endsAt = endsAtMs ?? 0
    books.sources.push(anOnDemand(limitMicros, { id, isEnabled, startsAtMs, endsAtMs: endsAt }))
    naive.sources.push({
      ...NAIVE_WALLET,
      id,
      kind: 'on_demand',
      from: startsAtMs,
      until: endsAt,
      isOn: isEnabled,
      ceiling: limitMicros === null ? Number.POSITIVE_INFINITY : Number(limitMicros),
    })
    books.spentMicros = 0n
    naive.spent = 0
  }
  bringUp(naive, books)
}

const credit = step(
  'credit',
  fc.record({ amount: fc.integer({ min: 1, max: 250 }), entry: fc.constantFrom('topup', 'grant') }),
  (naive, books, { amount, entry }) => {
    books.post([creditWallet('wallet', BigInt(amount), entry)])
    naive.enter('wallet', amount)
  },
)

const reverse = step('reverse', fc.integer({ min: 1, max: 300 }), (naive, books, amount) => {
  books.post([reverseTopup('wallet', BigInt(amount))])
  naive.enter('wallet', -amount)
})

const passTime = step('pass time', fc.integer({ min: 0, max: 25 }), (naive, books, days) => {
  books.nowMs += days * dayMs
  openPeriod(naive, books)
})

const move = step('move to the other bundle', fc.constant(null), (naive, books) => {
  books.bundle = books.bundle === 'free' ? 'pro' : 'free'
  books.sinceMs = books.nowMs
  const isHere = (id: string): boolean => books.pools.get(id)?.bundleId === books.bundle
  books.sources = books.sources.map((source) =>
    source.kind === 'pool' ? { ...source, isSuspended: !isHere(source.id) } : source,
  )
  for (const source of naive.sources) if (source.kind === 'pool') source.isOn = isHere(source.id)
  bringUp(naive, books)
})

const setOnDemand = step(
  'set on-demand',
  fc.record({ isEnabled: fc.boolean(), limit: fc.option(fc.nat(300), { freq: 6 }) }),
  (naive, books, { isEnabled, limit }) => {
    const limitMicros = limit === null ? null : BigInt(limit)
    books.sources = books.sources.map((source) =>
      source.kind === 'on_demand' ? { ...source, isEnabled, limitMicros } : source,
    )
    for (const source of naive.sources) {
      if (source.kind !== 'on_demand') continue
      source.isOn = isEnabled
      source.ceiling = limit ?? Number.POSITIVE_INFINITY
    }
  },
)

const setLimit = step(
  'set a limit',
  fc.record({
    kind: fc.constantFrom('outcome_run', 'key_cap', 'portal_total', 'bundle_limit', 'end_user_limit'),
    amount: fc.integer({ min: 0, max: 3000 }),
  }),
  (naive, books, { amount, kind }) => {
    books.limits = books.limits.map((limit) =>
      limit.kind === kind ? { ...limit, limitMicros: BigInt(amount) } : limit,
    )
    naive.limits[kind] = amount
  },
)

// Freeze end users rarely and unfreeze them soon, because a frozen end user can do nothing that is worth testing.
const freeze = step('freeze or unfreeze', fc.nat(4), (_naive, books, dice) => {
  books.isFrozen = dice === 0
})

const anyCall = fc
  .record({
    alias: fc.constantFrom('acme/a', 'acme/b', 'other/c'),
    text: fc.nat(40),
    perChoice: fc.nat(40),
    choices: fc.integer({ min: 1, max: 3 }),
    inQuarters: fc.nat(6),
    outQuarters: fc.nat(8),
    creditQuarters: fc.option(fc.nat(12), { freq: 3 }),
    policy: fc.constantFrom('hard_token', 'complete_message', 'grace'),
    overdraft: fc.nat(30),
  })
  .map(({ perChoice, ...call }): NaiveCall => ({ ...call, output: perChoice * call.choices }))

const rate = (quarters: number): bigint => BigInt(quarters) * 250_000n

function quoteOf(call: NaiveCall) {
  const price = { input: rate(call.inQuarters), output: rate(call.outQuarters) }
  return aQuote({
    cost: price,
    sell: price,
    credits: call.creditQuarters === null ? null : { input: 0n, output: rate(call.creditQuarters) },
    policy: call.policy,
    maxOverdraftMicros: BigInt(call.overdraft),
  })
}

const REFUSALS: Readonly<Record<string, readonly string[]>> = {
  outcome_run: ['outcome_run'],
  key_cap: ['key_cap'],
  portal_total: ['portal_total'],
  bundle_limit: ['bundle_limit'],
  end_user_limit: ['end_user_limit'],
  money: ['on_demand_ceiling', 'pool', 'balance'],
}

const reserve = step('reserve', anyCall, (naive, books, call) => {
  books.calls += 1
  const callId = `call ${books.calls}`
  const bound = aBound({
    alias: call.alias,
    textTokens: call.text,
    outputTokens: call.output,
    choices: call.choices,
  })
  const answer = admit(books.state(), quoteOf(call), bound, callId)
  if (books.isFrozen) {
    same('refusal of a frozen person', answer.kind === 'refused' && answer.code, 'end_user_frozen')
    return
  }
  const expected = naive.reserve(call, books.nowMs)
  if (answer.kind === 'refused' || typeof expected === 'string') {
    const source = answer.kind === 'refused' ? answer.limitSource : 'admitted'
    const isHeld = typeof expected === 'string' && expected.startsWith('held ')
    const reasons =
      typeof expected === 'string' ? (REFUSALS[expected.replace('held ', '')] ?? []) : ['admitted']
    same(`refused by ${source}, naively by ${reasons.join(' or ')}`, reasons.includes(source), true)
    same('held is not spent', answer.kind === 'refused' && answer.code === 'balance_held', isHeld)
    books.waits += Number(isHeld)
    return
  }
  same('output', answer.hold.bound.outputTokens, expected.output)
  same('worst case', Number(answer.hold.worstMicros), expected.micros)
  same('worst case in credits', Number(answer.hold.worstCredits), expected.credits)
  sameLegs(answer.hold.legs, expected.legs)
  books.post(answer.postings)
  books.holds.set(callId, answer.hold)
  naive.holds.set(callId, expected)
})

const lengthen = step(
  'extend',
  fc.record({ index: fc.nat(50), more: fc.integer({ min: 1, max: 40 }) }),
  (naive, books, { index, more }) => {
    const open = books.openCall(index)
    if (open === null) return
    const answer = extend(books.state(), open.hold, more)
    const before = naive.holds.get(open.callId)
    const expected = books.isFrozen || !before ? null : naive.extend(open.callId, before, more, books.nowMs)
    same('extended', answer.kind, expected === null ? 'no_room' : 'extended')
    if (answer.kind === 'no_room' || expected === null) return
    same('added output', open.hold.bound.outputTokens + answer.addedOutputTokens, expected.output)
    sameLegs(answer.hold.legs, expected.legs)
    books.post(answer.postings)
    books.holds.set(open.callId, answer.hold)
    books.extensions += 1
  },
)

function settleBoth(
  naive: NaiveLedger,
  books: Books,
  open: { callId: string; hold: Hold },
  usage: Usage,
): void {
  const { callId, hold } = open
  const naiveHold = naive.holds.get(callId)
  if (naiveHold === undefined) throw new Error(`${callId} is open on one side only`)
  const settlement = settle({ hold, usage, sources: books.sources, nowMs: books.nowMs })
  const expected = naive.settle(callId, usage.input, usage.output, books.nowMs)
  same('charge', Number(settlement.chargeMicros), expected.charge)
  same('overdraft is marked', overdraws(settlement), expected.owed > 0)
  sameLegs(settlement.legs, expected.legs)
  checkSettlement(naiveHold, hold, usage, settlement)
  books.post(settlement.postings)
  books.holds.delete(callId)
  books.spentMicros += settlement.chargeMicros
  books.settled.push({ naive: naiveHold.call, settlement, hold })
}

function overdraws({ postings }: Settlement): boolean {
  return postings.some(({ mayOverdraw }) => mayOverdraw)
}

function checkSettlement(naive: NaiveHold, hold: Hold, usage: Usage, settlement: Settlement): void {
  const { billedMicros, chargeMicros, legs, overHoldMicros } = settlement
  const used = priceOf(naive.call, usage.input, usage.output)
  const usedCredits = creditsOf(naive.call, usage.output)
  same('the application bears what is not charged', Number(overHoldMicros + chargeMicros), used)
  same('one price is billed as it is charged', billedMicros, chargeMicros)
  const isOver = used > naive.micros || usedCredits > naive.credits
  same('only a marked charge is above its hold', isOver || chargeMicros <= hold.worstMicros, true)
  same('only a marked charge overdraws', isOver || !overdraws(settlement), true)
  same(
    'hard_token never charges above its hold',
    hold.quote.policy !== 'hard_token' || chargeMicros <= hold.worstMicros,
    true,
  )
  // A charge uses the legs of the hold in order, and uses every leg in full except the last one.
  const own = legs.slice(0, hold.legs.length)
  own.forEach((leg, at) => {
    const promised = hold.legs[at]
    same('prefix', leg.sourceId, promised?.sourceId)
    same('no leg pays more than it promised', promised !== undefined && leg.amount <= promised.amount, true)
    same('legs are spent in order', at === own.length - 1 || leg.amount === promised?.amount, true)
  })
  same('what is paid beyond the hold is marked', isOver || legs.length <= hold.legs.length, true)
}

const finish = step(
  'settle',
  fc.record({
    index: fc.nat(50),
    input: fc.nat(100),
    output: fc.nat(100),
    beyond: fc.oneof(fc.constant(0), fc.nat(400)),
  }),
  (naive, books, { beyond, index, input, output }) => {
    const open = books.openCall(index)
    if (open === null) return
    const { outputTokens, textTokens } = open.hold.bound
    settleBoth(naive, books, open, {
      ...zeroUsage,
      input: Math.round((textTokens * input) / 100),
      output: Math.round((outputTokens * output) / 100) + beyond,
    })
  },
)

const giveBack = step('release', fc.nat(50), (naive, books, index) => {
  const open = books.openCall(index)
  if (open === null) return
  books.post(release(open.hold))
  books.holds.delete(open.callId)
  naive.holds.delete(open.callId)
})

const crash = step(
  'recover',
  fc.record({
    index: fc.nat(50),
    isSent: fc.boolean(),
    output: fc.option(fc.nat(80)),
    inputEstimate: fc.nat(60),
  }),
  (naive, books, { index, inputEstimate, isSent, output }) => {
    const open = books.openCall(index)
    if (open === null) return
    const { textTokens } = open.hold.bound
    const checkpoint = isSent && output !== null ? { ...zeroUsage, input: textTokens, output } : null
    const answer = recover(open.hold, {
      dispatchedAtMs: isSent ? books.nowMs : null,
      checkpoint,
      inputEstimate,
    })
    same('recovery', answer.kind, isSent ? 'settle' : 'release')
    if (answer.kind === 'settle') {
      same('recovered output', answer.usage.output, checkpoint?.output ?? 0)
      settleBoth(naive, books, open, answer.usage)
      return
    }
    books.post(release(open.hold))
    books.holds.delete(open.callId)
    naive.holds.delete(open.callId)
  },
)

const STEPS = [
  reserve,
  reserve,
  reserve,
  reserve,
  finish,
  finish,
  lengthen,
  giveBack,
  crash,
  credit,
  credit,
  reverse,
  passTime,
  move,
  setOnDemand,
  setLimit,
  freeze,
]

/**
 * Counts the hard cases that the sequences reached. If the sequences never reach a case, the test proves nothing about
 * that case.
 */
class Seen {
  readonly counts = {
    steps: 0,
    settled: 0,
    overHold: 0,
    overdrawn: 0,
    mixed: 0,
    clamped: 0,
    extended: 0,
    held: 0,
    plans: 0,
  }

  count(books: Books): void {
    this.counts.steps += books.steps
    this.counts.extended += books.extensions
    this.counts.held += books.waits
    this.counts.plans += books.plans
    for (const { hold, naive, settlement } of books.settled) {
      this.counts.settled += 1
      if (settlement.overHoldMicros > 0n) this.counts.overHold += 1
      if (overdraws(settlement)) this.counts.overdrawn += 1
      if (new Set(settlement.legs.map(({ unit }) => unit)).size > 1) this.counts.mixed += 1
      if (hold.bound.outputTokens < naive.output) this.counts.clamped += 1
    }
  }
}

const { FC_PATH } = process.env
const { numRuns: sequences, seed } = sampledRuns(5_000)

it('any sequence of grants, calls and periods keeps both ledgers equal and every invariant true', () => {
  const seen = new Seen()
  fc.assert(
    fc.property(fc.commands(STEPS, { maxCommands: 100, size: 'max' }), (commands) => {
      const naive = new NaiveLedger()
      const books = new Books()
      naive.sources.push({ ...NAIVE_WALLET })
      openPeriod(naive, books)
      fc.modelRun(() => ({ model: naive, real: books }), commands)
      seen.count(books)
    }),
    {
      numRuns: sequences,
      ...(seed !== undefined && { seed }),
      ...(FC_PATH && { path: FC_PATH }),
    },
  )
  const least = FC_PATH ? 0 : sequences / 25
  expect(seen.counts).toEqual(
    Object.fromEntries(
      Object.keys(seen.counts).map((name) => [name, expect.toSatisfy((n: number) => n >= least)]),
    ),
  )
}, 600_000)
