/** Margin and health against naive sums over random calls, whatever is summed up already. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failureClasses, failureClassOf } from '#domain/failure-class.ts'
import { Histogram } from '#domain/histogram.ts'
import { idSource } from '#domain/id.ts'
import type { FailedAttempt, ReserveRequest, Target } from '#domain/ledger.ts'
import type { SeriesAsked, SeriesBy } from '#domain/usage-series.ts'
import type { MarginBy, MarginGroup, MarginSums, TargetFigures } from '#domain/reports.ts'
import { invoices } from '#store/nouns/invoices.ts'
import { reports } from '#store/nouns/reports.ts'
import { seriesBounds, usageSeries } from '#store/nouns/usage-series.ts'
import { foldCallHours } from '#store/call-fold.ts'
import { foldUsageDays } from '#store/usage-fold.ts'
import { randomFrom, seedOfRun, type Random } from '../support/random.ts'
import { engines, type Opened } from './engines.ts'
import { dayMs, startMs, World, type Caller } from './world.ts'

const aliases = ['acme/fast', 'acme/smart']
const bundles = ['free', 'pro', 'team-2']
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

/** What a test knows of a call that ended. */
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
  readonly costMicros: bigint
}

/** What a test knows of an invoice that is not void. */
interface KnownInvoice {
  readonly endUserId: string
  readonly createdAtMs: number
  readonly amountMicros: bigint
}

const no: MarginSums = {
  calls: 0,
  costMicros: 0n,
  billedMicros: 0n,
  chargeMicros: 0n,
  overHoldMicros: 0n,
  subscriptionMicros: 0n,
}

function plus(one: MarginSums, other: MarginSums): MarginSums {
  return {
    calls: one.calls + other.calls,
    costMicros: one.costMicros + other.costMicros,
    billedMicros: one.billedMicros + other.billedMicros,
    chargeMicros: one.chargeMicros + other.chargeMicros,
    overHoldMicros: one.overHoldMicros + other.overHoldMicros,
    subscriptionMicros: one.subscriptionMicros + other.subscriptionMicros,
  }
}

describe.each(engines)('reports on $name', ({ open }) => {
  const clock = { nowMs: startMs }
  let opened: Opened
  let world: World
  let callers: Caller[]
  /** Who call nothing. */
  let others: Caller[]
  let known: Known[]
  let invoiced: KnownInvoice[]
  let random: Random
  let seed: number
  /** Of invoices, by person and mode. */
  let numbers: Map<string, number>
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
    numbers = new Map()
    callers = []
    others = []
    for (let n = 0; n < 5; n++) callers.push(await world.person(1_000_000n))
    for (let n = 0; n < 3; n++) others.push(await world.person(0n))
  })
  afterEach(() => opened.closeSound())

  /** A call from now on, which ends after a second or after half an hour. */
  async function call(): Promise<void> {
    const caller = random.pick(callers)
    const target = random.pick(targets)
    const alias = random.pick(aliases)
    const bundle = random.pick(bundles)
    const request = world.request(caller, { input: 50, output: 50 }, { target, callId: newId() })
    const bounded = { ...request, bound: { ...request.bound, alias } }
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
      const of = { endUserId, keyId, bundle, endedAtMs, latencyMs, httpStatus, errorCode, costMicros: 0n }
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
    const went = { httpStatus, errorCode, latencyMs, atMs, trace: `["${bundle}",1]` }
    const { endUserId, keyId } = caller
    const { accountId, model } = target
    const endedAtMs = atMs + latencyMs
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
    }
    if (errorCode !== null && random.chance(0.5)) {
      const record = { ...world.record(bounded, 'released'), ...went, trace: '{}' }
      // Where several were tried and none answered, the last one is among them.
      const last = { ...attemptAt(request, target), code: errorCode, atMs: latencyMs, durationMs: 0 }
      const isTried = attempts.length > 0 && errorCode !== 'client_left'
      const all = isTried ? [...attempts, last] : attempts
      await world.store.ledger.release({
        callId: request.callId,
        nowMs: endedAtMs,
        record,
        ...(all.length > 0 && { attempts: all }),
      })
      known.push({ ...of, isCharged: false, costMicros: 0n })
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

  /** An invoice of any day around now, of who calls or of who does not; some are void, and some of the other mode. */
  async function invoice(): Promise<void> {
    const { endUserId } = random.pick([...callers, ...others])
    const createdAtMs = clock.nowMs - random.whole(0, 6 * dayMs)
    const amountMicros = BigInt(random.whole(0, 30_000_000))
    const isVoid = random.chance(0.2)
    const mode = random.chance(0.2) ? 'test' : 'live'
    const account = `${endUserId} ${mode}`
    const number = (numbers.get(account) ?? 0) + 1
    numbers.set(account, number)
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
          periodEndMs: createdAtMs + dayMs,
          createdAtMs,
          dueAtMs: createdAtMs + dayMs,
          paidAtMs: isVoid ? null : createdAtMs + 1,
          voidedAtMs: isVoid ? createdAtMs + 1 : null,
          lines: [
            {
              kind: 'plan',
              name: 'Pro',
              startsAtMs: createdAtMs,
              endsAtMs: createdAtMs + dayMs,
              amountMicros,
            },
          ],
        },
      ])
    })
    if (!isVoid && mode === 'live') invoiced.push({ endUserId, createdAtMs, amountMicros })
  }

  function attemptAt(request: ReserveRequest, at: Target): FailedAttempt {
    const { quote } = request
    const none = { failure: null, firstByteMs: null, usage: null }
    return { target: at, status: 503, code: 'upstream_overloaded', atMs: 0, durationMs: 0, quote, ...none }
  }

  /** One after the other, in the first half of the call. */
  function failedAttempts(request: ReserveRequest, latencyMs: number): FailedAttempt[] {
    const count = random.whole(1, 3)
    const eachMs = Math.floor(latencyMs / 2 / count)
    return Array.from({ length: count }, (_, i) => ({
      ...attemptAt(request, random.pick(targets)),
      atMs: i * eachMs,
      durationMs: eachMs,
    }))
  }

  async function fold(): Promise<void> {
    await foldUsageDays(opened.store.database, clock.nowMs)
    await foldCallHours(opened.store.database, clock.nowMs)
  }

  const read = () => reports(opened.store.database.read)

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

  const groupOf: Record<MarginBy, (of: Known) => string> = {
    endUser: ({ endUserId }) => endUserId,
    model: ({ alias }) => alias ?? '',
    bundle: ({ bundle }) => bundle,
    provider: ({ accountId }) => accountId ?? '',
    day: ({ endedAtMs }) => String(Math.floor(endedAtMs / dayMs)),
  }

  /** Where a group has invoices of its own. */
  const invoiceGroupOf: Partial<Record<MarginBy, (of: KnownInvoice) => string>> = {
    endUser: ({ endUserId }) => endUserId,
    day: ({ createdAtMs }) => String(Math.floor(createdAtMs / dayMs)),
  }

  async function expectMargins(): Promise<void> {
    const today = Math.floor(clock.nowMs / dayMs)
    const fromDay = random.whole(today - 5, today)
    const toDay = random.whole(fromDay + 1, today + 2)
    const counted = known.filter(({ endedAtMs, isCharged }) => {
      const day = Math.floor(endedAtMs / dayMs)
      return isCharged && day >= fromDay && day < toDay
    })
    const why = `SEED=${seed} days ${fromDay} to ${toDay}`
    const { rows } = {
      rows: await opened.store.database.read.selectFrom('usage_records').selectAll().execute(),
    }
    let whole = no
    for (const row of rows) {
      const day = Math.floor(row.settled_at_ms / dayMs)
      if (day < fromDay || day >= toDay) continue
      const { billed_micros, charge_micros, cost_micros, over_hold_micros } = row
      whole = plus(whole, {
        calls: 1,
        costMicros: cost_micros,
        billedMicros: billed_micros,
        chargeMicros: charge_micros,
        overHoldMicros: over_hold_micros,
        subscriptionMicros: 0n,
      })
    }
    const subscribed = invoiced.filter(({ createdAtMs }) => {
      const day = Math.floor(createdAtMs / dayMs)
      return day >= fromDay && day < toDay
    })
    for (const { amountMicros } of subscribed)
      whole = plus(whole, { ...no, subscriptionMicros: amountMicros })
    const totals = await read().marginTotals(world.applicationId, 'live', { fromDay, toDay })
    expect(totals, why).toEqual(whole)
    for (const by of ['endUser', 'model', 'bundle', 'provider', 'day'] as const) {
      const groups = await allGroups(by, { fromDay, toDay })
      let sum = no
      for (const group of groups) sum = plus(sum, group)
      expect(sum, `${why} by ${by}`).toEqual(whole)
      const naive = new Map<
        string | null,
        { calls: number; costMicros: bigint; subscriptionMicros: bigint }
      >()
      const add = (
        name: string | null,
        calls: number,
        costMicros: bigint,
        subscriptionMicros: bigint,
      ): void => {
        const of = naive.get(name) ?? { calls: 0, costMicros: 0n, subscriptionMicros: 0n }
        naive.set(name, {
          calls: of.calls + calls,
          costMicros: of.costMicros + costMicros,
          subscriptionMicros: of.subscriptionMicros + subscriptionMicros,
        })
      }
      for (const one of counted) add(groupOf[by](one), 1, one.costMicros, 0n)
      for (const one of subscribed) {
        // An invoice of nothing is a row of who got it, and no reason for one of nobody.
        const name = invoiceGroupOf[by]?.(one) ?? null
        if (name !== null || one.amountMicros > 0n) add(name, 0, 0n, one.amountMicros)
      }
      const names = [...naive.keys()].filter((name) => name !== null).toSorted()
      const inOrder = by === 'day' ? names.toReversed() : names
      expect(
        groups.map(({ calls, costMicros, group, subscriptionMicros }) => [
          group,
          calls,
          costMicros,
          subscriptionMicros,
        ]),
        `${why} by ${by}`,
      ).toEqual(
        [...inOrder, ...(naive.has(null) ? [null] : [])].map((name) => {
          const of = naive.get(name)
          return [name, of?.calls, of?.costMicros, of?.subscriptionMicros]
        }),
      )
    }
  }

  /** Each attempt counts where it was made, and the end of a call where it was answered or last tried. */
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

  const seriesGroupOf: Record<SeriesBy, (of: Known) => string | null> = {
    model: ({ alias }) => alias,
    provider: ({ accountId }) => accountId,
    bundle: ({ bundle, isCharged }) => (isCharged ? bundle : null),
    endUser: ({ endUserId }) => endUserId,
    key: ({ keyId }) => keyId,
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
      endUserId: null,
      keyId: null,
      hasLatency: false,
      groupsMax: 20,
      order: 'costMicros',
      ...over,
    }
  }

  const everyBy = [null, 'model', 'provider', 'bundle', 'endUser', 'key'] as const

  /** Each bucket of each group against a sum over the calls that are known. */
  async function expectSeries(): Promise<void> {
    for (const by of everyBy) {
      const isOfPeople = by === 'endUser' || by === 'key'
      const bucket = isOfPeople ? 'day' : random.pick(['minute', 'hour', 'day'] as const)
      const eachMs = bucketsMs[bucket]
      const toMs = Math.floor(clock.nowMs / eachMs) * eachMs + eachMs
      const fromMs = toMs - random.whole(1, 80) * eachMs
      const filter = {
        alias: random.chance(0.2) ? random.pick(aliases) : null,
        accountId: !isOfPeople && random.chance(0.2) ? random.pick(targets).accountId : null,
        bundle: !isOfPeople && random.chance(0.2) ? random.pick(bundles) : null,
        keyId: isOfPeople && random.chance(0.2) ? random.pick(callers).keyId : null,
      }
      const hasLatency = !isOfPeople
      const asked = seriesAsked({ bucket, by, fromMs, toMs, hasLatency, ...filter })
      const why = `SEED=${seed} ${JSON.stringify(asked)}`
      const naive = new Map<string, Known[]>()
      for (const one of known) {
        if (one.endedAtMs < fromMs || one.endedAtMs >= toMs || (isOfPeople && !one.isCharged)) continue
        if (filter.alias !== null && one.alias !== filter.alias) continue
        if (filter.accountId !== null && one.accountId !== filter.accountId) continue
        if (filter.bundle !== null && seriesGroupOf.bundle(one) !== filter.bundle) continue
        if (filter.keyId !== null && one.keyId !== filter.keyId) continue
        const at = Math.floor(one.endedAtMs / eachMs) * eachMs
        for (const key of [`all ${at}`, ...(by === null ? [] : [`${seriesGroupOf[by](one)} ${at}`])])
          naive.set(key, [...(naive.get(key) ?? []), one])
      }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const series = await usageSeries(opened.store.database.read, asked)
      expect(series, why).toMatchObject({ fromMs, isWhole: true })
      const shown = new Map(series.all.map((one) => [`all ${one.atMs}`, one]))
      for (const { group, points } of series.groups)
        for (const one of points) shown.set(`${group} ${one.atMs}`, one)
      expect([...shown.keys()].toSorted(), why).toEqual([...naive.keys()].toSorted())
      for (const [key, point] of shown) {
        const ones = naive.get(key) ?? []
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
          costMicros: charged.reduce((sum, { costMicros }) => sum + costMicros, 0n),
        })
        if (hasLatency && key.startsWith('all '))
          expect(point.latencyMs?.percentile(95), `${why} ${key}`).toBe(durations.percentile(95))
      }
    }
  }

  /** Every series has the money of the margin, and tokens where there are sums of them. */
  async function expectWholeSeries(): Promise<void> {
    const toDay = Math.floor(clock.nowMs / dayMs) + 1
    const days = { fromDay: toDay - 30, toDay }
    const whole = await read().marginTotals(world.applicationId, 'live', days)
    for (const by of everyBy) {
      const asked = seriesAsked({ by, fromMs: days.fromDay * dayMs, toMs: toDay * dayMs })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { all, groups } = await usageSeries(opened.store.database.read, asked)
      for (const points of by === null ? [all] : [all, groups.flatMap((group) => group.points)]) {
        let sum = no
        for (const { billedMicros, charged, chargeMicros, costMicros, overHoldMicros } of points)
          sum = plus(sum, {
            calls: charged,
            billedMicros,
            chargeMicros,
            costMicros,
            overHoldMicros,
            subscriptionMicros: 0n,
          })
        expect(sum, `SEED=${seed} by ${by}`).toEqual({ ...whole, subscriptionMicros: 0n })
      }
      const isOfDays = by !== 'provider' && by !== 'bundle'
      expect(all.every(({ inputTokens }) => (inputTokens !== null) === isOfDays)).toBe(true)
    }
  }

  test('a series of a store with too much to read has the newest, whole from the time that it tells', async () => {
    for (let n = 0; n < 60; n++) {
      clock.nowMs += random.whole(0, 3_600_000)
      await call()
    }
    clock.nowMs += 1_800_001
    const { read: query } = opened.store.database
    const toMs = Math.floor(clock.nowMs / dayMs) * dayMs + dayMs
    const days = seriesAsked({ by: 'endUser', fromMs: toMs - 30 * dayMs, toMs })
    const every = await usageSeries(query, days)
    const some = await usageSeries(query, days, { ...seriesBounds, rowsMax: 8 })
    expect(some.isWhole).toBe(false)
    expect(some.fromMs).toBeGreaterThan(days.fromMs)
    expect(some.all).toEqual(every.all.filter(({ atMs }) => atMs >= some.fromMs))
    const endMs = Math.floor(clock.nowMs / 60_000) * 60_000 + 60_000
    const minutes = seriesAsked({ bucket: 'minute', fromMs: endMs - 30 * dayMs, toMs: endMs })
    const all = await usageSeries(query, minutes)
    const newest = await usageSeries(query, minutes, { ...seriesBounds, callsMax: 10 })
    expect(newest.isWhole).toBe(false)
    expect(newest.all.length).toBeGreaterThan(0)
    expect(newest.all).toEqual(all.all.filter(({ atMs }) => atMs >= newest.fromMs))
  })

  test(
    'by every group the sums are those of the records, to the micro, and health counts each call once',
    { timeout: 300_000 },
    async () => {
      for (let n = 0; n < 90; n++) {
        clock.nowMs += random.chance(0.1) ? random.whole(0, dayMs) : random.whole(0, 900_000)
        await call()
        if (random.chance(0.2)) await invoice()
        if (random.chance(0.1)) await fold()
        if (n % 15 === 14) {
          // Later than the end of every call: none is in flight.
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

  test('a call that ends after its hour was summed up is in the totals at once, and in its group after the next sums', async () => {
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
    const sums = { ...no, calls: 1, costMicros: 20n, billedMicros: 20n, chargeMicros: 20n }
    expect(await read().marginTotals(world.applicationId, 'live', days)).toEqual(sums)
    expect(await allGroups('bundle', days)).toEqual([{ group: null, ...sums }])
    clock.nowMs += 3_600_000
    await fold()
    expect(await allGroups('bundle', days)).toEqual([{ group: 'free', ...sums }])
  })
})
