/**
 * Runs ten years of a test clock on a real store. The invoiced amount must equal the amount of an oracle that shares
 * no code with the product.
 */
import assert from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import {
  naiveBill,
  type NaiveBill,
  type NaiveEvent,
  type NaiveMonth,
  type NaivePlan,
} from '../oracle/naive-subscription-invoices.ts'
import { naiveAfterVoids } from '../oracle/naive-void-invoices.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { isLong, type TestedEngine } from '../support/reduced-suite.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { type Random, randomFrom, seedOfRun } from '../support/seeded-random.ts'
import { NotReserved, reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

const dayMs = 86_400_000
const anchors = [
  '2028-02-29T23:30:00Z',
  '2027-01-29T00:00:00Z',
  '2027-01-30T12:00:00Z',
  '2027-01-31T06:00:00.001Z',
]

interface Plan {
  readonly slug: string
  readonly naive: NaivePlan | null
  readonly granted: bigint
}

const plans: readonly Plan[] = [
  { slug: 'free', naive: null, granted: 0n },
  { slug: 'small', naive: { price: 9_990_001n, interval: 'month' }, granted: 1_000n },
  { slug: 'large', naive: { price: 31_000_000n, interval: 'month' }, granted: 3_000n },
  { slug: 'small-year', naive: { price: 99_000_000n, interval: 'year' }, granted: 1_200n },
  { slug: 'large-year', naive: { price: 333_333_333n, interval: 'year' }, granted: 3_000n },
]

const seed = seedOfRun()

const engines: readonly TestedEngine[] = isLong && hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite']

/**
 * A history of four years contains a leap day. On PostgreSQL, the history is short, because each month of the test
 * clock requires a new partition, which takes most of the time.
 */
const histories = engines.flatMap((engine) => {
  const [first = ''] = anchors
  const some = engine === 'SQLite' ? anchors : [first]
  return some.map((anchor) => ({ engine, anchor, years: engine === 'PostgreSQL' ? 2 : isLong ? 10 : 4 }))
})

describe.each(histories)('$years years on $engine from $anchor', ({ anchor, engine, years }) => {
  it(`plan changes are invoiced as in the oracle, and changing back and forth saves no money (SEED=${seed})`, async () => {
    const control = await openControl({ engine })
    try {
      await play(control, randomFrom(seed), Date.parse(anchor), years)
      if (engine === 'SQLite') await assertVerified(control)
    } finally {
      await control.close()
    }
  })
})

async function play(control: Control, random: Random, anchorMs: number, years: number): Promise<void> {
  control.clock.nowMs = anchorMs
  await ready(control)
  const ok = async (method: string, path: string, body?: unknown, mode: 'live' | 'test' = 'test') => {
    const answer = await control.call(method, path, { body, mode })
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  for (const { granted, naive, slug } of plans.slice(1)) {
    await ok('PUT', `/v1/bundles/${slug}`, {
      displayName: slug,
      priceMicros: String(naive?.price),
      interval: naive?.interval,
    })
    await ok('POST', `/v1/bundles/${slug}/allow`, { models: ['acme/*'] })
    const include = { slug: 'tokens', displayName: 'Tokens', unit: 'micros', amount: String(granted) }
    await ok('POST', `/v1/bundles/${slug}/include`, include)
  }
  const keyId: string = (await ok('POST', '/v1/keys', { endUserId: 'user-1', livemode: false })).id
  await ok('POST', '/v1/subscription/on-demand', {
    endUserId: 'user-1',
    enabled: true,
    limitMicros: '100000',
  })

  const { latest } = await ok('GET', '/v1/test-clock')
  const latestMs = Math.min(Date.parse(latest), anchorMs + years * 366 * dayMs)
  let nowMs = anchorMs
  const events: NaiveEvent[] = []
  let on: Plan | undefined = plans[0]

  while (nowMs < latestMs) {
    const hasEnded = naiveBill(anchorMs, events, nowMs).endedMs !== null
    const action = random.pick([
      'plan',
      'plan',
      'plan',
      'cancel',
      'resume',
      'pay',
      'pay',
      'void',
      'call',
      'call',
      'call',
    ] as const)
    if (action === 'plan') {
      on = random.pick(plans)
      events.push({ kind: 'plan', atMs: nowMs, plan: on.naive })
      await ok('PUT', '/v1/end-users/user-1/subscription', { bundle: on.slug })
    } else if (action === 'cancel' || action === 'resume') {
      // The oracle does not cover the cancellation of free plans.
      if (on?.naive && !hasEnded) {
        events.push({ kind: action, atMs: nowMs })
        await ok('POST', `/v1/end-users/user-1/subscription/${action}`, action === 'cancel' ? {} : undefined)
      }
    } else if (action === 'void') {
      const { data } = await ok('GET', '/v1/invoices?endUserId=user-1&limit=200')
      const owed = data.filter(({ status }: { status: string }) => ['open', 'past_due'].includes(status))
      if (owed.length > 0) {
        const { id, number } = random.pick<{ readonly id: string; readonly number: number }>(owed)
        await ok('POST', `/v1/invoices/${id}/void`)
        events.push({ kind: 'void', atMs: nowMs, number })
      }
    } else if (action === 'pay') {
      const { data } = await ok('GET', '/v1/invoices?endUserId=user-1&limit=200')
      for (const { id, status } of data) {
        if (['open', 'past_due'].includes(status) && random.chance(0.7))
          await ok('POST', `/v1/invoices/${id}/pay`)
      }
    } else if (on !== undefined && !hasEnded) {
      await callUntilRefused(control, keyId, random.whole(1, 9))
    }
    const step = random.chance(0.1) ? 500 * dayMs : random.chance(0.4) ? dayMs : 45 * dayMs
    const to = Math.min(latestMs, nowMs + random.whole(1, step))
    await ok('POST', '/v1/test-clock/advance', { to: new Date(to).toISOString() })
    nowMs = to
    if (random.chance(0.3)) await expectBlockedAsUnpaid(ok)
  }
  const used = await usedMonths(control)
  const naive = naiveBill(anchorMs, events, nowMs, used)
  await expectInvoices(control, 'test', naive.invoices)
  await expectMargin(control, naive)
  // The end user has a separate plan in test mode.
  await expectInvoices(control, 'live', [])
  await expectPoolsBounded(control, years)
}

async function callUntilRefused(control: Control, keyId: string, calls: number): Promise<void> {
  try {
    for (let i = 0; i < calls; i++) {
      await settleCall(control, 'acme', await reserveCall(control, 'acme', keyId, null), {}, 'test')
    }
  } catch (error) {
    if (!(error instanceof NotReserved)) throw error
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
type Ok = (method: string, path: string) => Promise<any>

/** On-demand is blocked starting at the due date of the earliest unpaid invoice, if any. */
async function expectBlockedAsUnpaid(ok: Ok): Promise<void> {
  const answer = await ok('GET', '/v1/invoices?endUserId=user-1&status=past_due&limit=200')
  const dues: string[] = answer.data.map(({ dueAt }: { dueAt: string }) => dueAt)
  const { data } = await ok('GET', '/v1/end-users?limit=1')
  if (data[0].bundle === null) return
  const { onDemandBlockedSince } = await ok('GET', '/v1/subscription?endUserId=user-1')
  expect(onDemandBlockedSince).toBe(dues.toSorted()[0] ?? null)
}

async function expectInvoices(
  control: Control,
  mode: 'live' | 'test',
  naive: ReturnType<typeof naiveBill>['invoices'],
): Promise<void> {
  await control.call('GET', '/v1/invoices?endUserId=user-1', { mode })
  const rows = await control.database.read
    .selectFrom('invoices')
    .selectAll()
    .where('mode', '=', mode)
    .orderBy('number')
    .execute()
  expect(
    rows.map((row) => ({ atMs: row.created_at_ms, endMs: row.period_end_ms, amount: row.amount_micros })),
  ).toEqual(naive)
}

/** The revenue of plans, by year of the history. */
async function expectMargin(control: Control, { credit, invoices, issued }: NaiveBill): Promise<void> {
  const { data } = (await control.call('GET', '/v1/end-users?limit=1', { mode: 'test' })).body
  if (data[0].bundle !== null) {
    const { body } = await control.call('GET', '/v1/subscription?endUserId=user-1', { mode: 'test' })
    expect(body.creditMicros).toBe(String(credit))
  }
  const { earned } = naiveAfterVoids(issued)
  const lastMs = Math.max(...invoices.map(({ endMs }) => endMs))
  for (let fromMs = invoices[0]?.atMs ?? Infinity; fromMs < lastMs; fromMs += 300 * dayMs) {
    const [from, to] = [fromMs, fromMs + 300 * dayMs].map((ms) => Math.floor(ms / dayMs))
    const dates = [from, to].map((day) => new Date((day ?? 0) * dayMs).toISOString().slice(0, 10))
    // oxlint-disable-next-line no-await-in-loop -- one report after the other
    const { body } = await control.call('GET', `/v1/margin?by=bundle&from=${dates[0]}&to=${dates[1]}`, {
      mode: 'test',
    })
    let sum = 0n
    for (const { amount, fromMs: startsAtMs, untilMs } of earned) {
      const start = Math.floor(startsAtMs / dayMs)
      const days = Math.max(1, Math.floor(untilMs / dayMs) - start)
      const until = (day: number): bigint =>
        (amount * BigInt(Math.min(days, Math.max(0, day - start)))) / BigInt(days)
      sum += until(to ?? 0) - until(from ?? 0)
    }
    expect(body.totals.subscriptionMicros, dates.join(' to ')).toBe(String(sum))
  }
}

/** The usage is computed only from the debits of calls. */
async function usedMonths(control: Control): Promise<NaiveMonth[]> {
  const debits = await control.database.read
    .selectFrom('ledger')
    .select(['source_id', 'amount'])
    .where('kind', '=', 'usage_debit')
    .where('source_id', 'like', 'on_demand/%')
    .where('mode', '=', 'test')
    .execute()
  const months = new Map<string, bigint>()
  for (const { amount, source_id: id } of debits) months.set(id, (months.get(id) ?? 0n) - amount)
  return [...months]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, amount]) => {
      const start = new Date(`${id.replace('on_demand/', '')}-01T00:00:00Z`)
      return { endMs: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1), amount }
    })
}

/** In one period, calls may take at most the grant of the largest plan from the pools of all plans together. */
async function expectPoolsBounded(control: Control, years: number): Promise<void> {
  const pools = await control.database.read
    .selectFrom('sources')
    .selectAll()
    .where('kind', '=', 'pool')
    .execute()
  const used = new Map<number | null, { used: bigint; largest: bigint }>()
  for (const { expired, granted, posted, starts_at_ms, withheld } of pools) {
    const before = used.get(starts_at_ms) ?? { used: 0n, largest: 0n }
    const grant = granted ?? 0n
    const taken = grant - posted - (withheld ?? 0n) - (expired ?? 0n)
    used.set(starts_at_ms, {
      used: before.used + taken,
      largest: grant > before.largest ? grant : before.largest,
    })
  }
  // A short history may contain only plans without a pool.
  if (years >= 10) expect(pools.length).toBeGreaterThan(0)
  for (const { largest, used: taken } of used.values()) expect(taken <= largest).toBe(true)
}

async function assertVerified(control: Control): Promise<void> {
  const found = await verifySqlite(sqlitePath(control.folder))
  assert.deepEqual(
    found.filter(({ difference }) => difference !== null),
    [],
  )
}
