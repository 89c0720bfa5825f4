/** Compares margin and health with simple sums over random calls, with or without stored sums. */
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failureClasses, failureClassOf } from '#domain/health/class-of-failure.ts'
import { addMoney, type Money, unattributedMicros, zeroMoney } from '#domain/sums-of-request-figures.ts'
import { Histogram } from '#domain/reports/duration-histogram.ts'
import { idSource } from '#domain/ids-sorted-by-time.ts'
import type { FailedAttempt, ReserveRequest, Target } from '#domain/ledger-interface.ts'
import type { SeriesAsked, SeriesBy } from '#domain/reports/usage-series-interface.ts'
import type { MarginBy, MarginGroup, MarginSums, TargetFigures } from '#domain/reports/reports-interface.ts'
import type { InvoiceLine } from '#money/invoice.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { invoices } from '#store/nouns/billing/invoices.ts'
import { reports } from '#store/nouns/reports/reports-of-store.ts'
import { seriesBounds, usageSeries } from '#store/nouns/reports/usage-series.ts'
import { eachEndedGroup } from '#store/rows/group-ended-calls.ts'
import { eachEndedCall, type EndedCalls } from '#store/rows/read-ended-calls-by-time.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import {
  naiveAfterVoids,
  type NaiveEarned,
  type NaiveIssued,
  type NaiveSpan,
} from '../oracle/naive-void-invoices.ts'
import { randomFrom, seedOfRun, type Random } from '../support/seeded-random.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World, type Caller } from './add-rows-that-calls-need.ts'

const aliases = ['acme/fast', 'acme/smart']
const bundles = ['free', 'pro', 'team-2']
const declaredTags = ['batch', 'search', 'search-2']
const payerIds = ['eu_payer_one', 'eu_payer_two']
const targets: readonly Target[] = [
  { accountId: 'pa_1', provider: 'openai', model: 'gpt-x' },
  { accountId: 'pa_2', provider: 'anthropic', model: 'claude' },
]
const ends = [
  [200, null],
  [200, null],
  [200, null],
  [502, 'upstream_error'],
  [499, 'client_left'],
] as const
const refusals = [
  [402, 'insufficient_credit'],
  [404, 'model_not_found'],
  [503, 'store_unavailable'],
] as const

interface Known {
  readonly endUserId: string
  readonly keyId: string
  readonly alias: string | null
  readonly bundle: string
  readonly accountId: string | null
  readonly model: string | null
  readonly attempts: readonly FailedAttempt[]
  readonly endedAtMs: number
  readonly latencyMs: number
  readonly httpStatus: number
  readonly errorCode: string | null
  readonly isCharged: boolean
  /** Includes failed attempts. */
  readonly costMicros: bigint
  readonly tags: readonly string[]
  /** Null if the end user was in no team. */
  readonly payerId: string | null
  /** `outcome/run`. Null if the call belongs to no run. */
  readonly run: string | null
}

interface KnownInvoice extends NaiveIssued {
  readonly endUserId: string
  readonly createdAtMs: number
}

interface LastInvoice {
  readonly number: number
  readonly createdAtMs: number
  readonly periodEndMs: number
  /** Credit as if no invoice were void. */
  readonly creditMicros: bigint
}

const no: MarginSums = { calls: 0, ...zeroMoney(), subscriptionMicros: 0n, invoicedMicros: 0n }

function moneyOf(of: Readonly<Money>): Money {
  const money = zeroMoney()
  addMoney(money, of)
  return money
}

function plus(one: MarginSums, other: Partial<MarginSums>): MarginSums {
  const money = moneyOf(one)
  addMoney(money, { ...zeroMoney(), ...other })
  return {
    ...money,
    calls: one.calls + (other.calls ?? 0),
    subscriptionMicros: one.subscriptionMicros + (other.subscriptionMicros ?? 0n),
    invoicedMicros: one.invoicedMicros + (other.invoicedMicros ?? 0n),
  }
}

/** The successful attempt of a call, or a failed attempt that had a cost. */
interface Part {
  readonly of: Known
  readonly accountId: string | null
  readonly bundle: string | null
  readonly isCall: boolean
  readonly costMicros: bigint
}

const costOfAttempt = ({ usage }: FailedAttempt): bigint => BigInt(usage === null ? 0 : usage.input)

function naiveParts(of: Known): Part[] {
  const { accountId, attempts, costMicros, isCharged } = of
  const costs = attempts.filter((attempt) => costOfAttempt(attempt) > 0n)
  const own = costs.reduce((rest, attempt) => rest - costOfAttempt(attempt), costMicros)
  return [
    { of, accountId, bundle: isCharged ? of.bundle : null, isCall: true, costMicros: own },
    ...costs.map((attempt) => ({
      of,
      accountId: attempt.target.accountId,
      bundle: of.bundle,
      isCall: false,
      costMicros: costOfAttempt(attempt),
    })),
  ]
}

describe.each(engines)('reports on $name', ({ open }) => {
  const clock = { nowMs: startMs }
  let opened: Opened
  let world: World
  let callers: Caller[]
  let others: Caller[]
  let known: Known[]
  let invoiced: KnownInvoice[]
  let random: Random
  let seed: number
  /** The last invoice by end user and mode. */
  let invoicesOf: Map<string, LastInvoice>
  let newId: () => string
  beforeEach(async () => {
    newId = idSource(
      () => clock.nowMs,
      (bytes) => bytes.fill(5),
    )
    seed = seedOfRun()
    random = randomFrom(seed)
    clock.nowMs = startMs
    opened = await open(() => clock.nowMs)
    world = new World(opened.store, clock)
    await world.found()
    known = []
    invoiced = []
    invoicesOf = new Map()
    callers = []
    others = []
    for (let n = 0; n < 5; n++) callers.push(await world.person(1_000n))
    for (const { endUserId } of callers) await world.credit([endUserId], 1_000_000n, { kind: 'topup' })
    await world.outcome('report', 1_000_000n)
    await world.include({ slug: 'included', amount: 500n })
    for (let n = 0; n < 3; n++) others.push(await world.person(0n))
  })
  afterEach(() => opened.closeSound())

  /** The call ends after a second or after half an hour. */
  async function call(): Promise<void> {
    const caller = random.pick(callers)
    const target = random.pick(targets)
    const alias = random.pick(aliases)
    const bundle = random.pick(bundles)
    const runId = random.chance(0.2) ? `run-${random.whole(1, 4)}` : null
    const outcome = runId === null ? null : { slug: 'report', runId, ceilingMicros: 1_000_000n }
    const request = world.request(caller, { input: 50, output: 50 }, { target, callId: newId(), outcome })
    const tags = random.chance(0.5) ? declaredTags.filter(() => random.chance(0.5)) : []
    const payerId = random.chance(0.5) ? random.pick(payerIds) : null
    const labeled = { ...(payerId !== null && { payerId }), ...(tags.length > 0 && { tags }) }
    const bounded = { ...request, bound: { ...request.bound, alias, ...labeled } }
    const atMs = clock.nowMs
    if (random.chance(0.2)) {
      const [httpStatus, errorCode] = random.pick(refusals)
      const isUnknown = errorCode === 'model_not_found'
      const record = {
        ...world.record(bounded, 'refused'),
        alias: isUnknown ? 'any text' : alias,
        target: isUnknown ? null : target,
        httpStatus,
        errorCode,
        latencyMs: random.whole(0, 90),
        firstByteMs: null,
      }
      await world.store.ledger.record(record)
      const { endUserId, keyId } = caller
      const endedAtMs = atMs + record.latencyMs
      const { latencyMs } = record
      const of = {
        endUserId,
        keyId,
        bundle,
        endedAtMs,
        latencyMs,
        httpStatus,
        errorCode,
        costMicros: 0n,
        tags,
        payerId,
        run: null,
      }
      known.push({
        ...of,
        alias: isUnknown ? null : alias,
        accountId: null,
        model: null,
        attempts: [],
        isCharged: false,
      })
      return
    }
    await world.reserve(bounded)
    const latencyMs = random.chance(0.1) ? 1_800_000 : random.whole(1, 5_000)
    const [httpStatus, errorCode] = random.pick(ends)
    // If the response of a call was interrupted, the stored trace is an object instead of a list
    // (explain/convert-trace-to-text.ts).
    const ofRun = outcome && { outcome: outcome.slug, run: outcome.runId }
    const broken = JSON.stringify({ auth: null, policy: { bundle, ...ofRun } })
    const went = {
      httpStatus,
      errorCode,
      latencyMs,
      atMs,
      trace: errorCode === null ? `["${bundle}",1]` : broken,
    }
    const { endUserId, keyId } = caller
    const { accountId, model } = target
    const endedAtMs = atMs + latencyMs
    // Move the clock to the end of the call. A real call is never stored before it has ended. The sums in memory would
    // otherwise be incomplete.
    clock.nowMs = endedAtMs
    const attempts = random.chance(0.3) ? failedAttempts(request, latencyMs) : []
    const of = {
      endUserId,
      keyId,
      alias,
      bundle,
      accountId,
      model,
      attempts,
      endedAtMs,
      latencyMs,
      httpStatus,
      errorCode,
      tags,
      payerId,
      run: runId === null ? null : `report/${runId}`,
    }
    if (errorCode !== null && random.chance(0.5)) {
      const record = { ...world.record(bounded, 'released'), ...went }
      // If no target answered, the attempts of the call also contain the attempt at the last target.
      const last = { ...attemptAt(request, target), code: errorCode, atMs: latencyMs, durationMs: 0 }
      const isTried = attempts.length > 0 && errorCode !== 'client_left'
      const all = isTried ? [...attempts, last] : attempts
      await world.store.ledger.release({
        callId: request.callId,
        nowMs: endedAtMs,
        record,
        ...(all.length > 0 && { attempts: all }),
      })
      const costMicros = attempts.reduce((sum, attempt) => sum + costOfAttempt(attempt), 0n)
      known.push({ ...of, isCharged: false, costMicros })
      return
    }
    const used = { input: random.whole(0, 50), output: random.whole(0, 60) }
    const record = { ...world.record(bounded, 'settled'), ...went }
    const result = await world.settle(bounded, used, {
      nowMs: endedAtMs,
      record,
      ...(attempts.length > 0 && { attempts }),
    })
    known.push({ ...of, isCharged: true, costMicros: result.costMicros })
  }

  /**
   * The date is close to now, and the end user may have calls. Some invoices are void, and some belong to the other
   * mode.
   */
  async function invoice(): Promise<void> {
    const { endUserId } = random.pick([...callers, ...others])
    const mode = random.chance(0.2) ? 'test' : 'live'
    const account = `${endUserId} ${mode}`
    const before = invoicesOf.get(account)
    const createdAtMs = Math.max(clock.nowMs - random.whole(0, 6 * dayMs), before?.createdAtMs ?? 0)
    const planMicros = BigInt(random.whole(1, 30_000_000))
    const isWithin = before !== undefined && before.periodEndMs > createdAtMs
    const unusedMicros = isWithin && random.chance(0.6) ? BigInt(random.whole(1, 40_000_000)) : 0n
    const owedMicros = planMicros - unusedMicros
    const hadMicros = before?.creditMicros ?? 0n
    // Below 0 if the invoice carries credit to later invoices.
    const creditMicros = owedMicros < 0n || owedMicros < hadMicros ? owedMicros : hadMicros
    const amountMicros = owedMicros - creditMicros
    const span = { startsAtMs: createdAtMs, endsAtMs: createdAtMs + random.whole(1, 40) * dayMs }
    // Null if the invoice was issued before invoice lines had a bundle.
    const bundle = random.pick(['pro', 'free', 'fees-only', null])
    const line = { bundle, name: 'Pro', ...span }
    const unusedUntilMs = before?.periodEndMs ?? 0
    const unused: InvoiceLine = {
      ...line,
      kind: 'unused',
      endsAtMs: unusedUntilMs,
      amountMicros: -unusedMicros,
    }
    const lines: InvoiceLine[] = [
      { ...line, kind: 'plan', amountMicros: planMicros },
      ...(unusedMicros > 0n ? [unused] : []),
      { ...line, bundle: null, kind: creditMicros < 0n ? 'carried' : 'credit', amountMicros: -creditMicros },
    ]
    const isVoid = amountMicros > 0n && random.chance(0.5)
    const number = (before?.number ?? 0) + 1
    invoicesOf.set(account, {
      number,
      createdAtMs,
      periodEndMs: span.endsAtMs,
      creditMicros: hadMicros - creditMicros,
    })
    await opened.store.database.transaction(async (tx) => {
      await tx
        .insertInto('accounts')
        .values({ end_user_id: endUserId, mode, on_demand_enabled: 0, invoices: number })
        .onConflict((conflict) => conflict.columns(['end_user_id', 'mode']).doUpdateSet({ invoices: number }))
        .execute()
      await invoices(tx).insert([
        {
          id: `inv_${newId()}`,
          applicationId: world.applicationId,
          endUserId,
          mode,
          number,
          cause: 'plan_changed',
          amountMicros,
          periodStartMs: createdAtMs,
          periodEndMs: span.endsAtMs,
          createdAtMs,
          dueAtMs: createdAtMs + dayMs,
          paidAtMs: isVoid ? null : createdAtMs + 1,
          voidedAtMs: isVoid ? createdAtMs + 1 : null,
          lines,
        },
      ])
    })
    if (mode !== 'live') return
    const spanOf = (untilMs: number, amount: bigint): NaiveSpan => {
      const days = BigInt(Math.ceil((untilMs - createdAtMs) / dayMs))
      return { fromMs: createdAtMs, untilMs, days, bundle, amount }
    }
    invoiced.push({
      endUserId,
      createdAtMs,
      isVoid,
      amount: amountMicros,
      used: 0n,
      plan: spanOf(span.endsAtMs, planMicros),
      unused: unusedMicros > 0n ? spanOf(unusedUntilMs, unusedMicros) : null,
    })
  }

  function attemptAt(request: ReserveRequest, at: Target): FailedAttempt {
    const { quote } = request
    const none = { failure: null, firstByteMs: null, usage: null }
    return { target: at, status: 503, code: 'upstream_overloaded', atMs: 0, durationMs: 0, quote, ...none }
  }

  /** All attempts are within the first half of the call, one after the other. */
  function failedAttempts(request: ReserveRequest, latencyMs: number): FailedAttempt[] {
    const count = random.whole(1, 3)
    const eachMs = Math.floor(latencyMs / 2 / count)
    return Array.from({ length: count }, (_, i) => ({
      ...attemptAt(request, random.pick(targets)),
      usage: random.chance(0.5) ? { ...zeroUsage, input: random.whole(1, 40) } : null,
      atMs: i * eachMs,
      durationMs: eachMs,
    }))
  }

  async function fold(): Promise<void> {
    await foldUsageDays(opened.store.database, clock.nowMs)
    await foldCallHours(opened.store.database, clock.nowMs)
  }

  const read = () => reports(opened.store.database.read, opened.store.hours)

  async function allGroups(by: MarginBy, days: { fromDay: number; toDay: number }): Promise<MarginGroup[]> {
    const found: MarginGroup[] = []
    let after = null
    do {
      const page = { limit: random.whole(1, 3), after }
      const { groups, next } = await read().margin(world.applicationId, 'live', by, days, page)
      found.push(...groups)
      after = next
    } while (after !== null)
    return found
  }

  /** Groups by tag are tested separately, because a call counts in each of its tags. */
  const groupOf: Record<Exclude<MarginBy, 'tag'>, (of: Part) => string | null> = {
    endUser: ({ of }) => of.endUserId,
    model: ({ of }) => of.alias,
    bundle: ({ bundle }) => bundle,
    provider: ({ accountId }) => accountId,
    day: ({ of }) => String(Math.floor(of.endedAtMs / dayMs)),
    key: ({ of }) => of.keyId,
    run: ({ of }) => (of.run === null ? null : `${of.run}/${of.endUserId}`),
    team: ({ of }) => of.payerId,
  }

  interface NaiveGroup {
    calls: number
    costMicros: bigint
    subscriptionMicros: bigint
    invoicedMicros: bigint
  }

  /** Each whole day earns its share of the amount. */
  function earnedByDay({ amount, fromMs, untilMs }: NaiveEarned): Map<number, bigint> {
    const first = Math.floor(fromMs / dayMs)
    const days = Math.max(1, Math.floor(untilMs / dayMs) - first)
    const byDay = new Map<number, bigint>()
    let earned = 0n
    for (let day = 1; day <= days; day++) {
      const until = (amount * BigInt(day)) / BigInt(days)
      byDay.set(first + day - 1, until - earned)
      earned = until
    }
    return byDay
  }

  async function expectMargins(): Promise<void> {
    const today = Math.floor(clock.nowMs / dayMs)
    const fromDay = random.whole(today - 5, today)
    const toDay = random.whole(fromDay + 1, today + 2)
    const isCounted = (day: number): boolean => day >= fromDay && day < toDay
    const counted = known.filter(
      ({ costMicros, endedAtMs, isCharged }) =>
        (isCharged || costMicros > 0n) && isCounted(Math.floor(endedAtMs / dayMs)),
    )
    const why = `SEED=${seed} days ${fromDay} to ${toDay}`
    const rows = await opened.store.database.read.selectFrom('usage_records').selectAll().execute()
    let whole = no
    for (const row of rows) {
      if (isCounted(Math.floor(row.settled_at_ms / dayMs)))
        whole = plus(whole, { calls: 1, ...moneyOf(fieldsOf(row) as Money) })
    }
    for (const { costMicros, isCharged } of counted) if (!isCharged) whole = plus(whole, { costMicros })
    const subscribed: {
      endUserId: string
      bundle: string | null
      day: number
      subscriptionMicros: bigint
      invoicedMicros: bigint
    }[] = []
    for (const [endUserId, issued] of Map.groupBy(invoiced, (one) => one.endUserId)) {
      for (const part of naiveAfterVoids(issued).earned) {
        for (const [day, subscriptionMicros] of earnedByDay(part))
          subscribed.push({ endUserId, bundle: part.bundle, day, subscriptionMicros, invoicedMicros: 0n })
      }
      for (const { amount, createdAtMs, isVoid } of issued) {
        const day = Math.floor(createdAtMs / dayMs)
        const invoicedMicros = isVoid ? 0n : amount
        if (!isVoid) subscribed.push({ endUserId, bundle: null, day, subscriptionMicros: 0n, invoicedMicros })
      }
    }
    const within = subscribed.filter(({ day }) => isCounted(day))
    for (const one of within) whole = plus(whole, one)
    const totals = await read().marginTotals(world.applicationId, 'live', { fromDay, toDay })
    expect(totals, why).toEqual(whole)
    expect(unattributedMicros(totals), why).toBe(0n)
    for (const by of [
      'endUser',
      'model',
      'bundle',
      'provider',
      'day',
      'key',
      'run',
      'tag',
      'team',
    ] as const) {
      const groups = await allGroups(by, { fromDay, toDay })
      let sum = no
      for (const group of groups) sum = plus(sum, group)
      if (by !== 'tag') expect(sum, `${why} by ${by}`).toEqual(whole)
      const naive = new Map<string | null, NaiveGroup>()
      const add = (name: string | null, more: Partial<NaiveGroup>): void => {
        const of = naive.get(name) ?? { calls: 0, costMicros: 0n, subscriptionMicros: 0n, invoicedMicros: 0n }
        of.calls += more.calls ?? 0
        of.costMicros += more.costMicros ?? 0n
        of.subscriptionMicros += more.subscriptionMicros ?? 0n
        of.invoicedMicros += more.invoicedMicros ?? 0n
        naive.set(name, of)
      }
      for (const one of counted)
        for (const part of naiveParts(one)) {
          const { costMicros, isCall } = part
          const calls = isCall && one.isCharged ? 1 : 0
          if (calls === 0 && costMicros === 0n) continue
          const ofTags = one.tags.length > 0 ? one.tags : [null]
          for (const name of by === 'tag' ? ofTags : [groupOf[by](part)]) add(name, { calls, costMicros })
        }
      for (const one of within) {
        if (by === 'endUser') add(one.endUserId, one)
        else if (by === 'day') add(String(one.day), one)
        else if (by === 'bundle') add(one.bundle, one)
        else if (one.subscriptionMicros !== 0n || one.invoicedMicros > 0n) add(null, one)
      }
      // The report may omit a bundle whose fee for the days of the range is 0.
      const isNothing = (amounts: object): boolean =>
        Object.values(amounts).every((value) => value === 0 || value === 0n)
      for (const [name, amounts] of naive)
        if ((name === null || by === 'bundle') && isNothing(amounts)) naive.delete(name)
      const names = [...naive.keys()].filter((name) => name !== null).toSorted()
      const inOrder = by === 'day' ? names.toReversed() : names
      expect(
        groups
          .map(({ calls, costMicros, group, invoicedMicros, subscriptionMicros }) => {
            const amounts = { calls, costMicros, subscriptionMicros, invoicedMicros }
            return [group, amounts] as const
          })
          .filter(([, amounts]) => by !== 'bundle' || !isNothing(amounts)),
        `${why} by ${by}`,
      ).toEqual([...inOrder, ...(naive.has(null) ? [null] : [])].map((name) => [name, naive.get(name)]))
    }
  }

  /**
   * Each attempt counts for its own account. The end of a call counts for the account that answered or was last tried.
   */
  function expectTargets(found: readonly TargetFigures[], counted: readonly Known[], why: string): void {
    const naive = new Map<string, { latencies: number[]; provider: number; calls: number }>()
    const add = (name: string, latencyMs: number, failure: string | null): void => {
      const of = naive.get(name) ?? { latencies: [], provider: 0, calls: 0 }
      of.latencies.push(latencyMs)
      of.calls += 1
      if (failure === 'provider') of.provider += 1
      naive.set(name, of)
    }
    for (const one of counted) {
      let beforeMs = 0
      for (const { atMs, durationMs, target } of one.attempts) {
        add(`${target.accountId} ${target.model}`, durationMs, 'provider')
        beforeMs = atMs + durationMs
      }
      if (one.accountId === null) continue
      const isTried = one.attempts.length > 0 && !one.isCharged && one.errorCode !== 'client_left'
      add(`${one.accountId} ${one.model}`, isTried ? 0 : one.latencyMs - beforeMs, failureClassOf(one))
    }
    const shown = found.map(({ accountId, calls, failed, latencyMs, model }) => {
      const percentiles = [50, 95, 99].map((percent) => latencyMs.percentile(percent))
      return [`${accountId} ${model}`, calls, failed.provider, ...percentiles]
    })
    const wanted = [...naive].map(([name, { calls, latencies, provider }]) => {
      const durations = new Histogram()
      for (const ms of latencies) durations.add(ms)
      return [name, calls, provider, ...[50, 95, 99].map((percent) => durations.percentile(percent))]
    })
    const inOrder = (rows: (string | number | null)[][]) =>
      rows.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))
    expect(inOrder(shown), why).toEqual(inOrder(wanted))
  }

  async function expectHealth(): Promise<void> {
    const { nowMs } = clock
    const why = `SEED=${seed} now ${nowMs}`
    const spans = await read().health(world.applicationId, 'live', nowMs, [300_000, 3_600_000, dayMs])
    for (const [i, spanMs] of [300_000, 3_600_000, dayMs].entries()) {
      const span = spans[i]
      const fromMs = spanMs === dayMs ? Math.floor((nowMs - spanMs) / 3_600_000) * 3_600_000 : nowMs - spanMs
      expect(span, why).toMatchObject({ fromMs, isWhole: true })
      const counted = known.filter(({ endedAtMs }) => endedAtMs >= fromMs && endedAtMs <= nowMs)
      const naive = new Map<string, Known[]>()
      for (const one of counted) {
        const key = `${one.accountId} ${one.alias}`
        naive.set(key, [...(naive.get(key) ?? []), one])
      }
      const rows = span?.rows ?? []
      expect(rows.map(({ accountId, alias }) => `${accountId} ${alias}`).toSorted(), why).toEqual(
        [...naive.keys()].toSorted(),
      )
      for (const { accountId, alias, calls, failed, latencyMs } of rows) {
        const ones = naive.get(`${accountId} ${alias}`) ?? []
        const durations = new Histogram()
        const failures = { client: 0, limit: 0, provider: 0, ours: 0 }
        for (const one of ones) {
          durations.add(one.latencyMs)
          const failure = failureClassOf(one)
          if (failure !== null) failures[failure] += 1
        }
        expect(calls, why).toBe(ones.length)
        for (const name of failureClasses) expect(failed[name], why).toBe(failures[name])
        for (const percent of [50, 95, 99])
          expect(latencyMs.percentile(percent), why).toBe(durations.percentile(percent))
      }
      expectTargets(span?.targets ?? [], counted, why)
      if (spanMs > 3_600_000) continue
      expect(span?.failures, why).toBe(counted.filter(({ httpStatus }) => httpStatus >= 500).length)
      const refused = counted.filter(({ httpStatus }) => httpStatus >= 400 && httpStatus < 500)
      expect(span?.refusals, why).toBe(refused.length)
    }
  }

  const seriesGroupOf: Record<Exclude<SeriesBy, 'tag'>, (of: Part) => string | null> = {
    model: ({ of }) => of.alias,
    provider: ({ accountId }) => accountId,
    bundle: ({ bundle }) => bundle,
    endUser: ({ of }) => of.endUserId,
    key: ({ of }) => of.keyId,
    team: ({ of }) => of.payerId,
  }
  const bucketsMs = { minute: 60_000, hour: 3_600_000, day: dayMs } as const

  function seriesAsked(over: Partial<SeriesAsked>): SeriesAsked {
    return {
      applicationId: world.applicationId,
      mode: 'live',
      bucket: 'day',
      by: null,
      fromMs: 0,
      toMs: 0,
      alias: null,
      accountId: null,
      bundle: null,
      tag: null,
      payerId: null,
      endUserId: null,
      keyId: null,
      hasLatency: false,
      groupsMax: 20,
      order: 'costMicros',
      ...over,
    }
  }

  const everyBy = [null, 'model', 'provider', 'bundle', 'endUser', 'key', 'tag', 'team'] as const

  /** Each bucket of each group is compared with a sum over the known calls. */
  async function expectSeries(): Promise<void> {
    for (const by of everyBy) {
      const isOfPeople = by === 'endUser' || by === 'key'
      const bucket = isOfPeople ? 'day' : random.pick(['minute', 'hour', 'day'] as const)
      const eachMs = bucketsMs[bucket]
      const toMs = Math.floor(clock.nowMs / eachMs) * eachMs + eachMs
      const fromMs = toMs - random.whole(1, 80) * eachMs
      const isFree = !isOfPeople && by !== 'tag' && by !== 'team'
      const filtered = isFree && random.chance(0.4) ? random.pick(['tag', 'team'] as const) : null
      const filter = {
        alias: random.chance(0.2) ? random.pick(aliases) : null,
        accountId: !isOfPeople && random.chance(0.2) ? random.pick(targets).accountId : null,
        bundle: !isOfPeople && random.chance(0.2) ? random.pick(bundles) : null,
        tag: filtered === 'tag' ? random.pick(declaredTags) : null,
        payerId: filtered === 'team' ? random.pick(payerIds) : null,
        keyId: isOfPeople && random.chance(0.2) ? random.pick(callers).keyId : null,
      }
      const hasLatency = !isOfPeople
      const asked = seriesAsked({ bucket, by, fromMs, toMs, hasLatency, ...filter })
      const why = `SEED=${seed} ${JSON.stringify(asked)}`
      const naive = new Map<string, Part[]>()
      for (const one of known.flatMap(naiveParts)) {
        const { of } = one
        if (of.endedAtMs < fromMs || of.endedAtMs >= toMs) continue
        if (isOfPeople && !of.isCharged && one.costMicros === 0n) continue
        if (filter.alias !== null && of.alias !== filter.alias) continue
        if (filter.accountId !== null && one.accountId !== filter.accountId) continue
        if (filter.bundle !== null && one.bundle !== filter.bundle) continue
        if (filter.tag !== null && !of.tags.includes(filter.tag)) continue
        if (filter.payerId !== null && of.payerId !== filter.payerId) continue
        if (filter.keyId !== null && of.keyId !== filter.keyId) continue
        const at = Math.floor(of.endedAtMs / eachMs) * eachMs
        const isInNone = by === null || (by === 'team' && of.payerId === null)
        const groups = isInNone ? [] : by === 'tag' ? of.tags : [seriesGroupOf[by](one)]
        for (const key of [`all ${at}`, ...groups.map((group) => `${group} ${at}`)])
          naive.set(key, [...(naive.get(key) ?? []), one])
      }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const series = await usageSeries(opened.store.database.read, opened.store.hours, asked)
      expect(series, why).toMatchObject({ fromMs, isWhole: true })
      const shown = new Map(series.all.map((one) => [`all ${one.atMs}`, one]))
      for (const { group, points } of series.groups)
        for (const one of points) shown.set(`${group} ${one.atMs}`, one)
      expect([...shown.keys()].toSorted(), why).toEqual([...naive.keys()].toSorted())
      for (const [key, point] of shown) {
        const parts = naive.get(key) ?? []
        const ones = parts.filter(({ isCall }) => isCall).map(({ of }) => of)
        const charged = ones.filter(({ isCharged }) => isCharged)
        const failed = { client: 0, limit: 0, provider: 0, ours: 0 }
        const durations = new Histogram()
        for (const one of ones) {
          const failure = failureClassOf(one)
          if (failure !== null) failed[failure] += 1
          durations.add(one.latencyMs)
        }
        expect(point, `${why} ${key}`).toMatchObject({
          calls: isOfPeople ? null : ones.length,
          failed: isOfPeople ? null : failed,
          charged: charged.length,
          costMicros: parts.reduce((sum, { costMicros }) => sum + costMicros, 0n),
        })
        if (hasLatency && key.startsWith('all '))
          expect(point.latencyMs?.percentile(95) ?? null, `${why} ${key}`).toBe(durations.percentile(95))
      }
    }
  }

  /** A series with latencies reads calls one by one. A series without latencies reads groups of calls. */
  async function expectGroupedMinutes(): Promise<void> {
    for (const by of [null, 'model', 'provider', 'bundle', 'tag', 'team'] as const) {
      const toMs = Math.floor(clock.nowMs / 60_000) * 60_000 + 60_000
      const asked = seriesAsked({
        bucket: 'minute',
        by,
        fromMs: toMs - random.whole(1, 600) * 60_000,
        toMs,
        alias: random.chance(0.2) ? random.pick(aliases) : null,
        accountId: random.chance(0.2) ? random.pick(targets).accountId : null,
        bundle: random.chance(0.2) ? random.pick(bundles) : null,
        tag: by !== 'team' && random.chance(0.2) ? random.pick(declaredTags) : null,
      })
      const { read: query } = opened.store.database
      const single = await usageSeries(query, null, { ...asked, hasLatency: true })
      const all = single.all.map((point) => ({ ...point, latencyMs: null, firstByteMs: null }))
      const why = `SEED=${seed} ${JSON.stringify(asked)}`
      expect(await usageSeries(query, null, asked), why).toEqual({ ...single, all })
    }
  }

  /** With many names, a series reads only the largest groups over time. The result must be the same. */
  async function expectLargestGroups(): Promise<void> {
    const { hours, database } = opened.store
    for (const by of ['model', 'provider', 'bundle', 'tag', 'team'] as const) {
      for (const bucket of ['hour', 'day'] as const) {
        const eachMs = bucket === 'day' ? dayMs : 3_600_000
        const toMs = Math.floor(clock.nowMs / eachMs) * eachMs + eachMs
        const asked = seriesAsked({
          bucket,
          by,
          fromMs: toMs - random.whole(1, 30) * eachMs,
          toMs,
          groupsMax: random.whole(1, 4),
          order: random.pick(['chargeMicros', 'costMicros', 'calls'] as const),
          alias: random.chance(0.2) ? random.pick(aliases) : null,
          accountId: random.chance(0.2) ? random.pick(targets).accountId : null,
          bundle: random.chance(0.2) ? random.pick(bundles) : null,
        })
        const every = await usageSeries(database.read, hours, asked, { ...seriesBounds, namesMax: 1_000_000 })
        const largest = await usageSeries(database.read, hours, asked, { ...seriesBounds, namesMax: -1 })
        expect(largest, `SEED=${seed} ${JSON.stringify(asked)}`).toEqual(every)
      }
    }
  }

  /** Each group is divided into its calls, so that the groups can be compared with calls that are read one by one. */
  async function expectGroupsOfCalls(): Promise<void> {
    const { read: query } = opened.store.database
    const span = {
      applicationId: world.applicationId,
      mode: 'live',
      fromMs: clock.nowMs - random.whole(1, 2 * dayMs),
      toMs: clock.nowMs,
    } as const
    const single: string[] = []
    const textOf = (calls: EndedCalls): string =>
      JSON.stringify([
        Math.floor(calls.endedAtMs / 60_000),
        calls.isCharged,
        calls.accountId,
        calls.model,
        calls.attempts.map(({ atMs, code, durationMs, target }) => [atMs, code, durationMs, target]),
        calls.alias,
        calls.httpStatus,
        calls.errorCode,
      ])
    let firstBytes = 0
    await eachEndedCall(
      query,
      span,
      (one) => {
        single.push(`${textOf(one)} ${one.latencyMs}`)
        if (one.firstByteMs !== null) firstBytes += one.firstByteMs + 1
      },
      { hasMoney: false },
    )
    for (const rowsMax of [1, 2, 3, 7, 5_000]) {
      const grouped: string[] = []
      let rows = 0
      let found = 0
      await eachEndedGroup(
        query,
        span,
        (group) => {
          rows += 1
          expect(group.latenciesMs).toHaveLength(group.count)
          for (const latencyMs of group.latenciesMs) grouped.push(`${textOf(group)} ${latencyMs}`)
          for (const ms of group.firstBytesMs) found += ms + 1
        },
        {
          by: ['account', 'alias'],
          figure: 'durations',
          period: sql`ended_at_ms / 60000`,
          startOf: (minute) => minute * 60_000,
          rowsMax,
        },
      )
      const why = `SEED=${seed} ${JSON.stringify(span)} ${rowsMax}`
      expect(grouped.toSorted(), why).toEqual(single.toSorted())
      expect(found, why).toBe(firstBytes)
      expect(rows, why).toBeLessThanOrEqual(single.length)
    }
  }

  test('groups of calls contain each call once, however many calls a statement reads', async () => {
    for (let n = 0; n < 40; n++) {
      clock.nowMs += random.chance(0.7) ? random.whole(0, 10_000) : random.whole(0, 7_200_000)
      await call()
      if (n % 8 === 7) {
        await expectGroupsOfCalls()
        await expectGroupedMinutes()
        await expectLargestGroups()
      }
    }
  })

  test('the database returns one row for all equal calls of a health report', async () => {
    const [caller] = callers
    if (caller === undefined) throw new Error('there are people')
    const calls = 30
    for (let n = 0; n < calls; n++) {
      const request = world.request(caller, { input: 50, output: 50 }, { callId: newId() })
      await world.reserve(request)
      clock.nowMs += 10 + n
      await world.settle(
        request,
        { input: 10, output: 10 },
        { nowMs: clock.nowMs, record: { ...world.record(request, 'settled'), latencyMs: 10 + n } },
      )
    }
    let rows = 0
    const counted = opened.store.database.read.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        rows += result.rows.filter((row) => 'http_status' in row).length
        return result
      },
    })
    const spansMs = [300_000, 3_600_000, dayMs]
    const spans = await reports(counted, null).health(world.applicationId, 'live', clock.nowMs, spansMs)
    for (const { rows: groups } of spans) expect(groups.map((group) => group.calls)).toEqual([calls])
    expect(rows).toBe(1)
  })

  /** Every series must contain the same money as the margin report, and tokens if their sums exist. */
  async function expectWholeSeries(): Promise<void> {
    const toDay = Math.floor(clock.nowMs / dayMs) + 1
    const days = { fromDay: toDay - 30, toDay }
    const whole = await read().marginTotals(world.applicationId, 'live', days)
    for (const by of everyBy) {
      const asked = seriesAsked({ by, fromMs: days.fromDay * dayMs, toMs: toDay * dayMs })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { all, groups } = await usageSeries(opened.store.database.read, opened.store.hours, asked)
      const isWholeGroups = by !== null && by !== 'tag' && by !== 'team'
      for (const points of isWholeGroups ? [all, groups.flatMap((group) => group.points)] : [all]) {
        let sum = no
        for (const point of points) sum = plus(sum, { calls: point.charged, ...moneyOf(point) })
        expect(sum, `SEED=${seed} by ${by}`).toEqual({ ...whole, subscriptionMicros: 0n, invoicedMicros: 0n })
      }
      const isOfDays = by !== 'provider' && by !== 'bundle'
      expect(all.every(({ inputTokens }) => (inputTokens !== null) === isOfDays)).toBe(true)
    }
  }

  test('if a store has too much data, a series returns only the newest part, from the start time that the response states', async () => {
    for (let n = 0; n < 60; n++) {
      clock.nowMs += random.whole(0, 3_600_000)
      await call()
    }
    clock.nowMs += 1_800_001
    const { read: query } = opened.store.database
    const toMs = Math.floor(clock.nowMs / dayMs) * dayMs + dayMs
    const days = seriesAsked({ by: 'endUser', fromMs: toMs - 30 * dayMs, toMs })
    const every = await usageSeries(query, null, days)
    const some = await usageSeries(query, null, days, { ...seriesBounds, rowsMax: 8 })
    expect(some.isWhole).toBe(false)
    expect(some.fromMs).toBeGreaterThan(days.fromMs)
    expect(some.all).toEqual(every.all.filter(({ atMs }) => atMs >= some.fromMs))
    const endMs = Math.floor(clock.nowMs / 60_000) * 60_000 + 60_000
    const minutes = seriesAsked({ bucket: 'minute', fromMs: endMs - 30 * dayMs, toMs: endMs })
    const all = await usageSeries(query, null, minutes)
    const newest = await usageSeries(query, null, minutes, { ...seriesBounds, callsMax: 10 })
    expect(newest.isWhole).toBe(false)
    expect(newest.all.length).toBeGreaterThan(0)
    expect(newest.all).toEqual(all.all.filter(({ atMs }) => atMs >= newest.fromMs))
  })

  test(
    'for every group, the sums equal the sums of the records to the micro, and health counts each call once',
    { timeout: 300_000 },
    async () => {
      for (let n = 0; n < 90; n++) {
        clock.nowMs += random.chance(0.1) ? random.whole(0, dayMs) : random.whole(0, 900_000)
        await call()
        if (random.chance(0.2)) await invoice()
        if (random.chance(0.1)) await fold()
        if (n % 15 === 14) {
          clock.nowMs += 1_800_001
          await expectMargins()
          await expectHealth()
          await expectSeries()
          await expectWholeSeries()
          await fold()
          await expectMargins()
          await expectHealth()
          await expectSeries()
          await expectWholeSeries()
        }
      }
    },
  )

  test('a call that ends after its hour was summed up is in the totals immediately, and in its group after the next run', async () => {
    const caller = callers[0]
    if (caller === undefined) throw new Error('there are people')
    const request = world.request(caller, { input: 50, output: 50 }, { callId: newId() })
    await world.reserve(request)
    clock.nowMs += 2 * 3_600_000
    await fold()
    const record = { ...world.record(request, 'settled'), trace: '["free",1]' }
    await world.settle(request, { input: 10, output: 10 }, { nowMs: startMs + 1_000, record })
    const day = Math.floor(startMs / dayMs)
    const days = { fromDay: day, toDay: day + 1 }
    const paid = { chargeMicros: 20n, paidPlanMicros: 20n }
    const sums = { ...no, calls: 1, costMicros: 20n, billedMicros: 20n, ...paid }
    expect(await read().marginTotals(world.applicationId, 'live', days)).toEqual(sums)
    expect(await allGroups('bundle', days)).toEqual([{ group: null, ...sums }])
    clock.nowMs += 3_600_000
    await fold()
    expect(await allGroups('bundle', days)).toEqual([{ group: 'free', ...sums }])
  })

  test('the provider cost of a failed request counts on the day on which the request ended, in every grouping', async () => {
    const [caller] = callers
    const [target] = targets
    if (caller === undefined || target === undefined) throw new Error('there are people and targets')
    const day = Math.floor(startMs / dayMs) + 1
    clock.nowMs = day * dayMs - 60_000
    const run = { slug: 'report', runId: 'run-1', ceilingMicros: 1_000_000n }
    const request = world.request(
      caller,
      { input: 50, output: 50 },
      { callId: newId(), target, outcome: run },
    )
    const { callId } = request
    const labeled = { ...request, bound: { ...request.bound, tags: ['batch'], payerId: payerIds[0] ?? '' } }
    await world.reserve(labeled)
    const attempts = [{ ...attemptAt(request, target), usage: { ...zeroUsage, input: 7 } }]
    const policy = { bundle: 'pro', outcome: 'report', run: 'run-1' }
    const record = {
      ...world.record(labeled, 'released'),
      httpStatus: 502,
      errorCode: 'upstream_error',
      atMs: clock.nowMs,
      latencyMs: 120_000,
      trace: JSON.stringify({ auth: null, policy }),
    }
    clock.nowMs += 120_000
    await world.store.ledger.release({ callId, nowMs: clock.nowMs, record, attempts })
    for (const by of [
      'day',
      'endUser',
      'model',
      'bundle',
      'provider',
      'key',
      'run',
      'tag',
      'team',
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await allGroups(by, { fromDay: day - 1, toDay: day }), by).toEqual([])
      // oxlint-disable-next-line no-await-in-loop -- as above
      const groups = await allGroups(by, { fromDay: day, toDay: day + 1 })
      expect(
        groups.map(({ costMicros, group }) => [group === null, costMicros]),
        by,
      ).toEqual([[false, 7n]])
    }
  })

  test('a failed request that took hours, such as a background response, is in the sums of the hour in which it ended', async () => {
    const [caller] = callers
    const [target] = targets
    if (caller === undefined || target === undefined) throw new Error('there are people and targets')
    const request = world.request(caller, { input: 50, output: 50 }, { callId: newId(), target })
    await world.reserve(request)
    await fold()
    const latencyMs = 5 * 3_600_000
    const attempts = [{ ...attemptAt(request, target), usage: { ...zeroUsage, input: 7 } }]
    const record = {
      ...world.record(request, 'released'),
      httpStatus: 200,
      errorCode: 'upstream_error',
      atMs: clock.nowMs,
      latencyMs,
      trace: JSON.stringify({ auth: null, policy: { bundle: 'pro' } }),
    }
    clock.nowMs += latencyMs
    await world.store.ledger.release({ callId: request.callId, nowMs: clock.nowMs, record, attempts })
    const day = Math.floor(clock.nowMs / dayMs)
    const fromMs = Math.floor(clock.nowMs / 3_600_000) * 3_600_000
    for (const isStored of [false, true]) {
      if (isStored) {
        clock.nowMs += 2 * 3_600_000
        // oxlint-disable-next-line no-await-in-loop -- the first round is before the hour is stored
        await fold()
      }
      // Without memory, the calls are read from their rows, as after a restart or with several processes.
      const query = opened.store.database.read
      for (const bucket of ['minute', 'hour', 'day'] as const) {
        const startsAtMs = bucket === 'day' ? day * dayMs : fromMs
        const toMs = bucket === 'day' ? startsAtMs + dayMs : startsAtMs + 3_600_000
        const asked = seriesAsked({ bucket, by: 'provider', fromMs: startsAtMs, toMs })
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { groups } = await usageSeries(query, null, asked)
        const points = groups.map(({ group, points: [point] }) => [group, point?.calls, point?.costMicros])
        expect(points, bucket).toEqual([['pa_1', 1, 7n]])
      }
      const page = { limit: 10, after: null }
      const days = { fromDay: day, toDay: day + 1 }
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { groups } = await reports(query, null).margin(
        world.applicationId,
        'live',
        'provider',
        days,
        page,
      )
      expect(groups.map(({ costMicros, group }) => [group, costMicros])).toEqual([['pa_1', 7n]])
    }
  })
})
