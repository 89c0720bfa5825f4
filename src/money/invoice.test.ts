import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  daysMultiple,
  naiveBill,
  naiveLeast,
  type NaiveEvent,
  type NaivePlan,
} from '#tests/oracles/naive-invoices.ts'
import {
  changePlan,
  endOfCancelled,
  graceMs,
  type InvoiceDraft,
  onDemandUntilMs,
  type PaidPlan,
  renewal,
  renewalsUntil,
  type Subscription,
  withoutInvoice,
} from './invoice.ts'
import { boundary, dayMs } from './period.ts'

const at = (text: string): number => Date.parse(text)
const pro: PaidPlan = { name: 'Pro', priceMicros: 31_000_000n, interval: 'month' }
const max: PaidPlan = { name: 'Max', priceMicros: 62_000_000n, interval: 'month' }
const anchorMs = at('2027-01-01T09:00:00Z')
const nothing: Subscription = { anchorMs, plan: null, covered: null, creditMicros: 0n, endsAtMs: null }

const linesOf = ({ lines }: InvoiceDraft) => lines.map(({ amountMicros, kind }) => [kind, amountMicros])

function on(plan: PaidPlan, atMs = anchorMs): Subscription {
  return changePlan(nothing, plan, atMs).after
}

describe('an invoice', () => {
  it('is issued at the start of each period, for the whole of it, and due after seven days', () => {
    const { after, invoice } = changePlan(nothing, pro, anchorMs)
    expect(invoice).toEqual({
      cause: 'plan_changed',
      issuedAtMs: anchorMs,
      dueAtMs: anchorMs + graceMs,
      periodStartMs: anchorMs,
      periodEndMs: at('2027-02-01T09:00:00Z'),
      amountMicros: 31_000_000n,
      lines: [
        {
          kind: 'plan',
          name: 'Pro',
          startsAtMs: anchorMs,
          endsAtMs: at('2027-02-01T09:00:00Z'),
          amountMicros: 31_000_000n,
        },
      ],
    })
    const due = renewalsUntil(after, at('2027-04-01T09:00:00Z')).map((one) => one.invoice)
    expect(due.map(({ issuedAtMs }) => new Date(issuedAtMs).toISOString().slice(0, 10))).toEqual([
      '2027-02-01',
      '2027-03-01',
      '2027-04-01',
    ])
    expect(due.map(({ amountMicros }) => amountMicros)).toEqual([31_000_000n, 31_000_000n, 31_000_000n])
    expect(renewalsUntil(after, at('2027-02-01T08:59:59.999Z'))).toEqual([])
  })

  it('for days that are left of a period counts the started one, of the days of the full period', () => {
    const { invoice } = changePlan(nothing, pro, at('2027-01-30T21:00:00Z'))
    expect(invoice).toMatchObject({ amountMicros: 2_000_000n, dueAtMs: at('2027-02-01T09:00:00Z') })
  })

  it('of an upgrade charges the days that are left, less those of the plan before', () => {
    const { after, invoice } = changePlan(on(pro), max, at('2027-01-11T09:00:00Z'))
    expect(invoice && linesOf(invoice)).toEqual([
      ['plan', 42_000_000n],
      ['unused', -21_000_000n],
    ])
    expect(invoice?.amountMicros).toBe(21_000_000n)
    expect(renewal(after)?.invoice).toMatchObject({
      issuedAtMs: at('2027-02-01T09:00:00Z'),
      amountMicros: 62_000_000n,
    })
  })

  it('of a downgrade comes at the end of what is invoiced, and coming back before costs nothing', () => {
    const down = changePlan(on(max), pro, at('2027-01-05T00:00:00Z'))
    expect(down.invoice).toBeNull()
    expect(renewal(down.after)?.invoice).toMatchObject({
      issuedAtMs: at('2027-02-01T09:00:00Z'),
      amountMicros: 31_000_000n,
    })
    const back = changePlan(down.after, max, at('2027-01-06T00:00:00Z'))
    expect(back.invoice).toBeNull()
    expect(renewal(back.after)?.invoice.amountMicros).toBe(62_000_000n)
    const gone = changePlan(on(max), null, at('2027-01-06T00:00:00Z'))
    expect([gone.invoice, renewal(gone.after)]).toEqual([null, null])
    expect(changePlan(gone.after, max, at('2027-01-07T00:00:00Z')).invoice).toBeNull()
    expect(changePlan(gone.after, max, at('2027-02-01T09:00:00Z')).invoice?.amountMicros).toBe(62_000_000n)
  })

  it('that unused days of a year make less than nothing leaves credit, which pays the next ones', () => {
    const yearly: PaidPlan = { name: 'Year', priceMicros: 365_000_000n, interval: 'year' }
    const { after, invoice } = changePlan(on(yearly), max, anchorMs + 10 * dayMs)
    expect(invoice && linesOf(invoice)).toEqual([
      ['plan', 42_000_000n],
      ['unused', -355_000_000n],
      ['carried', 313_000_000n],
    ])
    expect([invoice?.amountMicros, after.creditMicros]).toEqual([0n, 313_000_000n])
    const later = renewalsUntil(after, at('2027-08-01T09:00:00Z'))
    expect(later.map((one) => one.invoice.amountMicros)).toEqual([
      0n,
      0n,
      0n,
      0n,
      0n,
      59_000_000n,
      62_000_000n,
    ])
    expect(later.map((one) => linesOf(one.invoice).at(-1)?.[0])).toEqual([
      ...Array.from({ length: 6 }, () => 'credit'),
      'plan',
    ])
    expect(later.at(-1)?.after.creditMicros).toBe(0n)
    // The first that credit does not pay is July's.
    expect(onDemandUntilMs(after)).toBe(at('2027-07-08T09:00:00Z'))
  })

  it('threat 72: of a yearly plan on a leap day covers the year, on the days that years have', () => {
    const leapMs = at('2028-02-29T00:00:00Z')
    const yearly: PaidPlan = { name: 'Year', priceMicros: 366_000_000n, interval: 'year' }
    const { after, invoice } = changePlan({ ...nothing, anchorMs: leapMs }, yearly, leapMs)
    expect(invoice?.periodEndMs).toBe(at('2029-02-28T00:00:00Z'))
    const due = renewalsUntil(after, at('2032-02-29T00:00:00Z')).map((one) => one.invoice.issuedAtMs)
    expect(due.map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ])
  })

  it('before the anchor, by a process whose clock is behind, is that of the anchor', () => {
    expect(changePlan(nothing, pro, anchorMs - 1000).invoice).toMatchObject({
      issuedAtMs: anchorMs,
      amountMicros: 31_000_000n,
    })
  })
})

describe('a cancelled subscription', () => {
  it('ends with what is invoiced, or else with the period, and has no invoice from then on', () => {
    const nowMs = anchorMs + 3 * dayMs
    const endsAtMs = endOfCancelled(on(pro), 'month', nowMs)
    expect(endsAtMs).toBe(at('2027-02-01T09:00:00Z'))
    expect(endOfCancelled(nothing, 'year', nowMs)).toBe(at('2028-01-01T09:00:00Z'))
    const ended = { ...on(pro), endsAtMs }
    expect(renewal(ended)).toBeNull()
    expect(onDemandUntilMs(ended)).toBeNull()
    expect(changePlan(ended, pro, endsAtMs + 1).after.endsAtMs).toBeNull()
  })
})

describe('a void invoice', () => {
  it('gives back the credit that it used, and its unused days give none', () => {
    const before = { ...nothing, creditMicros: 1_000_000n }
    const { after, invoice } = changePlan(before, pro, anchorMs)
    if (invoice === null) throw new Error('an invoice is due at once')
    expect(invoice.amountMicros).toBe(30_000_000n)
    const without = withoutInvoice(after, invoice, null)
    expect(without).toMatchObject({ creditMicros: 1_000_000n, covered: { priceMicros: 0n } })
    expect(linesOf(changePlan(without, max, anchorMs + dayMs).invoice ?? invoice)).toEqual([
      ['plan', 60_000_000n],
      ['credit', -1_000_000n],
    ])
  })

  it('takes back the credit for its unused days, and no other credit', () => {
    const yearly: PaidPlan = { name: 'Year', priceMicros: 365_000_000n, interval: 'year' }
    const first = changePlan({ ...nothing, creditMicros: 5_000_000n }, yearly, anchorMs)
    const second = changePlan(first.after, max, anchorMs + dayMs)
    if (first.invoice === null || second.invoice === null) throw new Error('both are invoiced at once')
    expect(second.after.creditMicros).toBe(304_000_000n)
    const without = withoutInvoice(second.after, first.invoice, second.invoice)
    expect(without).toMatchObject({ creditMicros: 5_000_000n, covered: second.after.covered })
    const richer = { ...second.after, creditMicros: 400_000_000n }
    expect(withoutInvoice(richer, first.invoice, second.invoice).creditMicros).toBe(41_000_000n)
    const third = renewal(second.after)?.invoice ?? null
    expect(withoutInvoice(richer, second.invoice, third).creditMicros).toBe(400_000_000n)
  })
})

describe('on-demand', () => {
  it('is open until the next invoice is past due, however long no one looks', () => {
    expect(onDemandUntilMs(on(pro))).toBe(at('2027-02-08T09:00:00Z'))
    expect(onDemandUntilMs(nothing)).toBeNull()
    // Credit for more than ten years of months: as if it ended then.
    const rich = { ...on(pro), creditMicros: 10n ** 12n }
    expect(onDemandUntilMs(rich)).toBe(boundary(anchorMs, 'month', 121) + graceMs)
  })
})

const plans: readonly (NaivePlan | null)[] = [
  null,
  { price: 1n, interval: 'month' },
  { price: 9_990_000n, interval: 'month' },
  { price: 30_500_000n, interval: 'month' },
  { price: 100_000_007n, interval: 'month' },
  { price: 99_000_001n, interval: 'year' },
  { price: 365_000_000n, interval: 'year' },
]
const anchors = ['2028-02-29', '2026-01-29', '2026-01-30', '2026-01-31', '2026-12-31', '2027-06-15']

const history = fc.record({
  anchor: fc.tuple(fc.constantFrom(...anchors), fc.integer({ min: 0, max: dayMs - 1 })),
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom(
        'plan' as const,
        'plan' as const,
        'plan' as const,
        'cancel' as const,
        'resume' as const,
      ),
      plan: fc.integer({ min: 0, max: plans.length - 1 }),
      // Often within a day, now and then years later.
      afterMs: fc.oneof(
        fc.integer({ min: 0, max: dayMs }),
        fc.integer({ min: 0, max: 40 * dayMs }),
        fc.integer({ min: 0, max: 500 * dayMs }),
      ),
    }),
    { minLength: 1, maxLength: 14 },
  ),
  restMs: fc.integer({ min: 0, max: 800 * dayMs }),
})

interface History {
  readonly startMs: number
  readonly events: readonly NaiveEvent[]
  readonly nowMs: number
}

function historyOf({
  anchor: [day, timeMs],
  restMs,
  steps,
}: typeof history extends fc.Arbitrary<infer T> ? T : never): History {
  const startMs = Date.parse(`${day}T00:00:00Z`) + timeMs
  let nowMs = startMs
  const events = steps.map(({ afterMs, kind, plan }): NaiveEvent => {
    nowMs += afterMs
    return kind === 'plan' ? { kind, atMs: nowMs, plan: plans[plan] ?? null } : { kind, atMs: nowMs }
  })
  return { startMs, events, nowMs: nowMs + restMs }
}

/** The same history by the module, as billing.ts uses it. */
function billOf({ events, nowMs, startMs }: History): {
  invoices: InvoiceDraft[]
  subscription: Subscription
} {
  const invoices: InvoiceDraft[] = []
  let subscription: Subscription = { ...nothing, anchorMs: startMs }
  let last: NaivePlan | null = null
  const until = (untilMs: number): void => {
    for (const { after, invoice } of renewalsUntil(subscription, untilMs)) {
      invoices.push(invoice)
      subscription = after
    }
  }
  for (const event of events) {
    until(event.atMs)
    const isOver = subscription.endsAtMs !== null && subscription.endsAtMs <= event.atMs
    if (event.kind === 'plan') {
      if (event.plan === last && !isOver) {
        subscription = { ...subscription, endsAtMs: null }
      } else {
        const plan = event.plan && { name: 'a', priceMicros: event.plan.price, interval: event.plan.interval }
        const changed = changePlan(subscription, plan, event.atMs)
        if (changed.invoice) invoices.push(changed.invoice)
        subscription = changed.after
      }
      last = event.plan
    } else if (event.kind === 'resume' && !isOver) {
      subscription = { ...subscription, endsAtMs: null }
    } else if (event.kind === 'cancel' && !isOver && last !== null) {
      const endsAtMs = subscription.endsAtMs ?? endOfCancelled(subscription, last.interval, event.atMs)
      subscription = { ...subscription, endsAtMs }
    }
  }
  until(nowMs)
  return { invoices, subscription }
}

describe('any history of plans over the years', () => {
  it('is invoiced as the oracle says, to the micro', () => {
    fc.assert(
      fc.property(history, (drawn) => {
        const told = historyOf(drawn)
        const { invoices, subscription } = billOf(told)
        const naive = naiveBill(told.startMs, told.events, told.nowMs)
        expect(
          invoices.map(({ amountMicros, issuedAtMs, periodEndMs }) => ({
            atMs: issuedAtMs,
            endMs: periodEndMs,
            amount: amountMicros,
          })),
        ).toEqual(naive.invoices)
        expect(subscription.creditMicros).toBe(naive.credit)
        for (const { amountMicros, dueAtMs, issuedAtMs, lines, periodEndMs } of invoices) {
          expect(lines.reduce((sum, line) => sum + line.amountMicros, 0n)).toBe(amountMicros)
          expect(dueAtMs).toBe(Math.min(issuedAtMs + 7 * dayMs, periodEndMs))
        }
      }),
      { numRuns: 1500 },
    )
  })

  it('costs each day at least the dearest plan held on it: no toggling gains money', () => {
    fc.assert(
      fc.property(history, (drawn) => {
        const told = historyOf(drawn)
        const { invoices, subscription } = billOf(told)
        const cost = invoices.reduce(
          (sum, { amountMicros }) => sum + amountMicros,
          -subscription.creditMicros,
        )
        expect(cost * daysMultiple >= naiveLeast(told.startMs, told.events, told.nowMs)).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  it('is invoiced alike however often and late it is asked', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 400 }), (drawn, stepDays) => {
        const told = historyOf(drawn)
        const { subscription } = billOf({ ...told, nowMs: told.events.at(-1)?.atMs ?? told.startMs })
        const atOnce = renewalsUntil(subscription, told.nowMs)
        const bySteps: ReturnType<typeof renewalsUntil>[number][] = []
        let now = subscription
        for (
          let ms = told.events.at(-1)?.atMs ?? told.startMs;
          ;
          ms = Math.min(told.nowMs, ms + stepDays * dayMs)
        ) {
          const due = renewalsUntil(now, ms)
          bySteps.push(...due)
          now = due.at(-1)?.after ?? now
          if (ms === told.nowMs) break
        }
        expect(bySteps).toEqual(atOnce)
      }),
      { numRuns: 300 },
    )
  })
})
