import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  daysMultiple,
  naiveBill,
  naiveLeast,
  type NaiveEvent,
  type NaiveMonth,
  type NaivePlan,
} from '#tests/oracle/naive-subscription-invoices.ts'
import { naiveAfterVoids } from '#tests/oracle/naive-void-invoices.ts'
import {
  changePlan,
  creditAfter,
  endOfCancelled,
  graceMs,
  type InvoiceDraft,
  type InvoiceLine,
  type Issued,
  invoicesUntil,
  type OnDemandMonth,
  onDemandMonthsOf,
  onDemandPartOf,
  onDemandUntilMs,
  type PaidPlan,
  renewal,
  type RevenueChange,
  revenueChanges,
  type Subscription,
  withoutInvoice,
} from './invoice.ts'
import { daysOfLine, earnedWithin } from './earned-revenue.ts'
import { boundary, dayMs } from './periods-and-windows.ts'

const at = (text: string): number => Date.parse(text)
const pro: PaidPlan = { bundle: 'pro', name: 'Pro', priceMicros: 31_000_000n, interval: 'month' }
const max: PaidPlan = { bundle: 'max', name: 'Max', priceMicros: 62_000_000n, interval: 'month' }
const anchorMs = at('2027-01-01T09:00:00Z')
const nothing: Subscription = {
  anchorMs,
  plan: null,
  covered: null,
  creditMicros: 0n,
  endsAtMs: null,
  onDemand: [],
}

function issuedNow(invoice: InvoiceDraft | null): InvoiceDraft {
  if (invoice === null) throw new Error('an invoice is due at once')
  return invoice
}

const linesOf = ({ lines }: InvoiceDraft) => lines.map(({ amountMicros, kind }) => [kind, amountMicros])

const asOf = (nowMs: number) => ({ nowMs, sinceMs: -Infinity })

function used(name: string, amountMicros: bigint): OnDemandMonth {
  const startsAtMs = at(`${name}-01T00:00:00Z`)
  return { name, startsAtMs, endsAtMs: boundary(startsAtMs, 'month', 1), amountMicros }
}

function on(plan: PaidPlan, atMs = anchorMs): Subscription {
  return changePlan(nothing, plan, atMs).after
}

describe('an invoice', () => {
  it('an invoice is issued at the start of each period, for the whole period, and is due after seven days', () => {
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
          bundle: 'pro',
          name: 'Pro',
          startsAtMs: anchorMs,
          endsAtMs: at('2027-02-01T09:00:00Z'),
          amountMicros: 31_000_000n,
        },
      ],
    })
    const due = invoicesUntil(after, asOf(at('2027-04-01T09:00:00Z'))).map((one) => one.invoice)
    expect(due.map(({ issuedAtMs }) => new Date(issuedAtMs).toISOString().slice(0, 10))).toEqual([
      '2027-02-01',
      '2027-03-01',
      '2027-04-01',
    ])
    expect(due.map(({ amountMicros }) => amountMicros)).toEqual([31_000_000n, 31_000_000n, 31_000_000n])
    expect(invoicesUntil(after, asOf(at('2027-02-01T08:59:59.999Z')))).toEqual([])
  })

  it('an invoice for the remaining days of a period includes the current day, and each day costs its share of the period', () => {
    const { invoice } = changePlan(nothing, pro, at('2027-01-30T21:00:00Z'))
    expect(invoice).toMatchObject({ amountMicros: 2_000_000n, dueAtMs: at('2027-02-06T21:00:00Z') })
  })

  it('the invoice for an upgrade charges the remaining days, minus the remaining days of the previous plan', () => {
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

  it('a downgrade is invoiced at the end of the invoiced period, and a return to the old plan before then costs nothing', () => {
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

  it('if the unused days of a yearly plan are worth more than the new invoice, the difference becomes credit for later invoices', () => {
    const yearly: PaidPlan = { bundle: 'year', name: 'Year', priceMicros: 365_000_000n, interval: 'year' }
    const { after, invoice } = changePlan(on(yearly), max, anchorMs + 10 * dayMs)
    expect(invoice && linesOf(invoice)).toEqual([
      ['plan', 42_000_000n],
      ['unused', -355_000_000n],
      ['carried', 313_000_000n],
    ])
    expect([invoice?.amountMicros, after.creditMicros]).toEqual([0n, 313_000_000n])
    const later = invoicesUntil(after, asOf(at('2027-08-01T09:00:00Z')))
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
    // July’s invoice is the first invoice that credit does not pay.
    expect(onDemandUntilMs(after)).toBe(at('2027-07-08T09:00:00Z'))
  })

  it('threat 72: an invoice for a yearly plan that starts on a leap day covers the actual days of the year', () => {
    const leapMs = at('2028-02-29T00:00:00Z')
    const yearly: PaidPlan = { bundle: 'year', name: 'Year', priceMicros: 366_000_000n, interval: 'year' }
    const { after, invoice } = changePlan({ ...nothing, anchorMs: leapMs }, yearly, leapMs)
    expect(invoice?.periodEndMs).toBe(at('2029-02-28T00:00:00Z'))
    const due = invoicesUntil(after, asOf(at('2032-02-29T00:00:00Z'))).map((one) => one.invoice.issuedAtMs)
    expect(due.map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ])
  })

  it('a process whose slow clock is still before the start of the subscription issues the invoice that is due at the start', () => {
    expect(changePlan(nothing, pro, anchorMs - 1000).invoice).toMatchObject({
      issuedAtMs: anchorMs,
      amountMicros: 31_000_000n,
    })
  })
})

describe('a canceled subscription', () => {
  it('a canceled subscription ends with the invoiced time range, or with the period if nothing was invoiced, and is not invoiced again', () => {
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

describe('a voided invoice', () => {
  const yearly: PaidPlan = { bundle: 'year', name: 'Year', priceMicros: 365_000_000n, interval: 'year' }
  const line = (kind: InvoiceLine['kind'], amountMicros: bigint, day = 0): InvoiceLine => {
    return {
      kind,
      bundle: null,
      name: '',
      startsAtMs: day * dayMs,
      endsAtMs: (day + 1) * dayMs,
      amountMicros,
    }
  }
  const change = (amounts: Partial<Record<InvoiceLine['kind'], bigint>>, day = 0): Issued => {
    const lines = Object.entries(amounts).map(([kind, micros]) =>
      line(kind === 'plan' || kind === 'unused' || kind === 'carried' ? kind : 'credit', micros, day),
    )
    return { cause: 'plan_changed', lines, isVoid: false }
  }
  const voided = (invoices: readonly Issued[], ...indices: readonly number[]): Issued[] =>
    invoices.map((one, i) => (indices.includes(i) ? { ...one, isVoid: true } : one))

  it('a voided invoice returns the credit that it used, and its unused days create no credit', () => {
    const before = { ...nothing, creditMicros: 1_000_000n }
    const { after, invoice } = changePlan(before, pro, anchorMs)
    if (invoice === null) throw new Error('an invoice is due at once')
    expect(invoice.amountMicros).toBe(30_000_000n)
    const earlier = change({ unused: -1_000_000n, carried: 1_000_000n })
    const without = withoutInvoice(after, [earlier, { ...invoice, isVoid: false }], 1)
    expect(without).toMatchObject({ creditMicros: 1_000_000n, covered: { priceMicros: 0n } })
    expect(linesOf(changePlan(without, max, anchorMs + dayMs).invoice ?? invoice)).toEqual([
      ['plan', 60_000_000n],
      ['credit', -1_000_000n],
    ])
  })

  it.each([
    ['less than the next plan costs', 5_000_000n, 0n],
    ['more than the next plan costs', 75_000_000n, 15_000_000n],
  ])(
    'the returned credit pays for the next plan like without the void invoice: credit of %s',
    (_, creditMicros, rest) => {
      const first = changePlan({ ...nothing, creditMicros }, yearly, anchorMs)
      const second = changePlan(first.after, max, anchorMs + dayMs)
      if (first.invoice === null || second.invoice === null) throw new Error('both are invoiced at once')
      expect([first.invoice.amountMicros, second.invoice.amountMicros, second.after.creditMicros]).toEqual([
        365_000_000n - creditMicros,
        0n,
        304_000_000n,
      ])
      const issued = [
        change({ unused: -creditMicros, carried: creditMicros }),
        { ...first.invoice, isVoid: false },
        { ...second.invoice, isVoid: false },
      ]
      const without = withoutInvoice(second.after, issued, 1)
      expect(without).toEqual({ ...second.after, creditMicros: rest })
      const never = changePlan({ ...nothing, creditMicros }, max, anchorMs + dayMs)
      expect(never.after.creditMicros).toBe(rest)
    },
  )

  it('credit that paid invoices create after the void invoice is kept', () => {
    const issued = [change({ plan: 365n }), change({ plan: 60n, unused: -364n, carried: 304n })]
    const spent = [...issued, change({ plan: 304n, credit: -304n })]
    const later = [...spent, change({ plan: 10n, unused: -110n, carried: 100n })]
    const of = (creditMicros: bigint): Subscription => ({ ...nothing, creditMicros })
    expect(withoutInvoice(of(304n), issued, 0).creditMicros).toBe(0n)
    expect(withoutInvoice(of(0n), spent, 0).creditMicros).toBe(0n)
    expect(withoutInvoice(of(100n), later, 0).creditMicros).toBe(100n)
    // Earlier versions could leave more or less credit than the invoices explain.
    expect(withoutInvoice(of(404n), issued, 0).creditMicros).toBe(100n)
    expect(withoutInvoice(of(4n), issued, 0).creditMicros).toBe(0n)
  })

  it('an invoice for on-demand usage neither hides the next plan from a void invoice, nor counts as a plan', () => {
    const usage: Issued = { cause: 'on_demand', lines: [line('on_demand', 5n)], isVoid: false }
    const issued = [change({ plan: 365n }), usage, change({ plan: 60n, unused: -364n, carried: 304n }), usage]
    const rich = { ...on(max), creditMicros: 304n }
    expect(withoutInvoice(rich, issued, 0)).toEqual({ ...rich, creditMicros: 0n })
    expect(withoutInvoice(rich, issued, 3)).toEqual(rich)
    expect(withoutInvoice(rich, issued, 2).covered).toMatchObject({ priceMicros: 365n, days: 1 })
    expect(withoutInvoice(rich, voided(issued, 0), 2).covered).toMatchObject({ priceMicros: 0n, days: 1 })
    expect(withoutInvoice(rich, [usage], 0)).toEqual(rich)
  })

  it.each([
    ['whole micros', pro, 0n],
    ['a fraction of a micro', { ...pro, priceMicros: 9_990_001n }, 1n],
  ])(
    'paid days keep their value after the invoice of an upgrade is voided: a day costs %s',
    (_, cheap, roundedUp) => {
      const first = changePlan(nothing, cheap, anchorMs + dayMs)
      const second = changePlan(first.after, max, anchorMs + 10 * dayMs)
      const issued = [issuedNow(first.invoice), issuedNow(second.invoice)].map((one) => ({
        ...one,
        isVoid: false,
      }))
      const without = withoutInvoice(second.after, issued, 1)
      expect(changePlan(without, cheap, anchorMs + 11 * dayMs).invoice).toBeNull()
      expect(renewal(without)?.invoice.issuedAtMs).toBe(at('2027-02-01T09:00:00Z'))
      const dear = { ...max, priceMicros: 93_000_000n }
      const never = issuedNow(changePlan(first.after, dear, anchorMs + 15 * dayMs).invoice)
      const third = issuedNow(changePlan(without, dear, anchorMs + 15 * dayMs).invoice)
      expect(third.amountMicros).toBe(never.amountMicros - roundedUp)
      // The paid days reduce the revenue of the plan that was paid.
      expect(third.lines[1]).toMatchObject({ kind: 'unused', bundle: 'pro', name: 'Pro' })
      // The unused days on the third invoice are already reduced to the paid days.
      expect(creditAfter([...voided(issued, 1), { ...third, isVoid: false }])).toBe(0n)
    },
  )

  it('if the upgrade’s invoice is voided later, credit pays for its unused days, but not for the paid days', () => {
    const before = { ...on(pro), creditMicros: 20_000_000n }
    const second = changePlan(before, max, anchorMs + 10 * dayMs)
    const dear = { ...max, priceMicros: 124_000_000n }
    const third = changePlan(second.after, dear, anchorMs + 14 * dayMs)
    const given = [
      change({ unused: -20_000_000n, carried: 20_000_000n }),
      issuedNow(changePlan(nothing, pro, anchorMs).invoice),
    ]
    const issued = [...given, issuedNow(second.invoice), issuedNow(third.invoice)].map((one) => ({
      ...one,
      isVoid: false,
    }))
    expect([second.invoice?.amountMicros, third.invoice?.amountMicros]).toEqual([1_000_000n, 34_000_000n])
    const never = changePlan(before, dear, anchorMs + 14 * dayMs)
    expect(never.invoice?.amountMicros).toBe(31_000_000n)
    expect(withoutInvoice(third.after, issued, 2).creditMicros).toBe(3_000_000n)
  })

  it.each([
    ['earlier', [0, 1]],
    ['later', [1, 0]],
  ])(
    'if two invoices are void, days that were never paid have no value: the %s one is voided first',
    (_, order) => {
      const first = changePlan(nothing, pro, anchorMs)
      const second = changePlan(first.after, max, anchorMs + dayMs)
      const usage: Issued = { cause: 'on_demand', lines: [line('on_demand', 5n)], isVoid: false }
      const issued = [first, second].map(({ invoice }) => ({ ...issuedNow(invoice), isVoid: false }))
      const all: readonly Issued[] = [...issued, usage]
      let subscription = second.after
      for (const [n, index] of order.entries())
        subscription = withoutInvoice(subscription, voided(all, ...order.slice(0, n)), index)
      expect(subscription.covered?.priceMicros).toBe(0n)
      expect(linesOf(issuedNow(changePlan(subscription, pro, anchorMs + 2 * dayMs).invoice))).toEqual([
        ['plan', 29_000_000n],
      ])
    },
  )

  it('in any order of voiding, the remaining credit is the credit from invoices that are not void', () => {
    const issued = [
      change({ plan: 60n, unused: -90n, carried: 30n }),
      change({ plan: 99n, credit: -30n }, 1),
      change({ plan: 20n, unused: -80n, carried: 60n }, 2),
      change({ plan: 200n, unused: -15n, credit: -60n }, 3),
    ]
    const expected: readonly [indices: readonly number[], credit: bigint][] = [
      [[], 0n],
      // The second invoice returns 30 micros. The third one lacks 80 micros for unused days, but gave credit for 60.
      [[1], 0n],
      [[3], 60n],
      [[1, 3], 10n],
      [[1, 2], 0n],
      [[1, 2, 3], 30n],
    ]
    for (const [indices, credit] of expected) {
      for (const order of [indices, indices.toReversed()]) {
        let subscription: Subscription = { ...nothing, creditMicros: creditAfter(issued) }
        for (const [n, index] of order.entries())
          subscription = withoutInvoice(subscription, voided(issued, ...order.slice(0, n)), index)
        expect([order, subscription.creditMicros]).toEqual([order, credit])
      }
    }
  })

  const share = (changes: readonly RevenueChange[]) =>
    changes.map(({ amountMicros, bundle, startsAtMs }) => [
      bundle,
      new Date(startsAtMs).toISOString().slice(0, 10),
      amountMicros,
    ])
  const issuedOf = (...invoices: readonly (InvoiceDraft | null)[]): readonly Issued[] =>
    invoices.map((invoice) => ({ ...issuedNow(invoice), isVoid: false }))

  it('unused days of a void invoice do not reduce revenue, and the waived amount reduces the next plan', () => {
    const first = changePlan(nothing, pro, anchorMs)
    const second = changePlan(first.after, max, anchorMs + 10 * dayMs)
    const issued = issuedOf(first.invoice, second.invoice)
    expect(revenueChanges(issued)).toEqual([])
    expect(share(revenueChanges(voided(issued, 0)))).toEqual([
      ['pro', '2027-01-11', 21_000_000n],
      ['max', '2027-01-11', -21_000_000n],
    ])
    expect(revenueChanges(voided(issued, 0, 1))).toEqual([])
  })

  it('unused days that were paid reduce revenue, and credit that pays for other days waives nothing', () => {
    const before = { ...on(pro), creditMicros: 20_000_000n }
    const second = changePlan(before, max, anchorMs + 10 * dayMs)
    const third = changePlan(second.after, { ...max, priceMicros: 124_000_000n }, anchorMs + 14 * dayMs)
    const paid = issuedNow(changePlan(nothing, pro, anchorMs).invoice)
    const given = change({ unused: -20_000_000n, carried: 20_000_000n })
    const issued = [given, ...issuedOf(paid, second.invoice, third.invoice)]
    // 17 days cost $2 on the void invoice, and half of this was paid with the first plan.
    expect(share(revenueChanges(voided(issued, 2)))).toEqual([
      ['max', '2027-01-15', 34_000_000n],
      ['pro', '2027-01-15', -17_000_000n],
    ])
  })

  it('a plan that only credit for unpaid days paid for has no revenue, and neither reduces the revenue of usage', () => {
    const year = change({ plan: 365n })
    const month = change({ plan: 60n, unused: -364n, carried: 304n })
    const renewed = change({ plan: 300n, credit: -300n })
    const usage: Issued = { ...change({ credit: -4n }), cause: 'on_demand' }
    const issued = [year, month, renewed, { ...usage, lines: [...usage.lines, line('on_demand', 4n)] }]
    const changes = revenueChanges(voided(issued, 0))
    expect(changes.map(({ amountMicros }) => amountMicros)).toEqual([364n, -60n, -300n])
  })

  it('on an invoice with more unused days than plan days, only the usage is waived', () => {
    const given = change({ plan: 20n, unused: -30n, carried: 10n })
    const usage = change({ plan: 5n, unused: -6n, credit: -11n })
    const issued = [
      change({ plan: 9n }),
      { ...given, lines: given.lines },
      { ...usage, lines: [...usage.lines, line('on_demand', 12n)] },
    ]
    const changes = revenueChanges(voided(issued, 0))
    expect(changes.map(({ amountMicros }) => amountMicros)).toEqual([30n, -20n])
  })
})

describe('on-demand billing', () => {
  it('on-demand billing stops when the next invoice becomes past due, even if no operation runs at that time', () => {
    expect(onDemandUntilMs(on(pro))).toBe(at('2027-02-08T09:00:00Z'))
    expect(onDemandUntilMs(nothing)).toBeNull()
    // Credit that would last more than ten years counts as if it lasted ten years.
    const rich = { ...on(pro), creditMicros: 10n ** 12n }
    expect(onDemandUntilMs(rich)).toBe(boundary(anchorMs, 'month', 121) + graceMs)
  })
})

describe('a month of on-demand usage', () => {
  const january = used('2027-01', 7_000n)
  const february = used('2027-02', 500n)
  const february1 = january.endsAtMs
  const issuedBy = (subscription: Subscription, nowMs: number, sinceMs = -Infinity) =>
    invoicesUntil(subscription, { nowMs, sinceMs }).map(({ invoice }) => invoice)
  const shown = ({ amountMicros, cause, issuedAtMs, lines }: InvoiceDraft) => [
    cause,
    new Date(issuedAtMs).toISOString().slice(0, 10),
    amountMicros,
    lines.map(({ kind, name }) => `${kind} ${name}`.trim()),
  ]

  it('a month of on-demand usage is a line of the renewal in the following month', () => {
    const before = { ...on(pro, at('2027-01-20T09:00:00Z')), onDemand: [january] }
    expect(issuedBy(before, at('2027-02-01T08:59:59Z'))).toEqual([])
    const [renewed] = issuedBy(before, february1 + dayMs)
    expect(renewed && shown(renewed)).toEqual([
      'renewed',
      '2027-02-01',
      31_007_000n,
      ['plan Pro', 'on_demand 2027-01'],
    ])
    expect(renewed && onDemandMonthsOf(renewed)).toEqual([january])
    expect(renewed && onDemandPartOf(renewed)).toBe(7_000n)
  })

  it('without a plan, a month of on-demand usage has its own invoice, due after seven days', () => {
    const [own, ...more] = issuedBy({ ...nothing, onDemand: [january] }, february1)
    expect(more).toEqual([])
    expect(own).toEqual({
      cause: 'on_demand',
      issuedAtMs: february1,
      dueAtMs: february1 + graceMs,
      periodStartMs: january.startsAtMs,
      periodEndMs: january.endsAtMs,
      amountMicros: 7_000n,
      lines: [{ kind: 'on_demand', bundle: null, ...january }],
    })
  })

  it('a month of on-demand usage has its own invoice if the next renewal is more than a month away', () => {
    const yearly: PaidPlan = { bundle: 'year', name: 'Year', priceMicros: 365_000_000n, interval: 'year' }
    const before = { ...on(yearly), onDemand: [january, february] }
    expect(issuedBy(before, at('2027-03-05T00:00:00Z')).map(shown)).toEqual([
      ['on_demand', '2027-02-01', 7_000n, ['on_demand 2027-01']],
      ['on_demand', '2027-03-01', 500n, ['on_demand 2027-02']],
    ])
    const december = used('2027-12', 9n)
    expect(issuedBy({ ...on(yearly), onDemand: [december] }, at('2028-01-01T09:00:00Z')).map(shown)).toEqual([
      ['renewed', '2028-01-01', 365_000_009n, ['plan Year', 'on_demand 2027-12']],
    ])
  })

  it('a month that was not invoiced on time, because of a call in flight or a plan change, is invoiced now', () => {
    const nowMs = at('2027-03-05T00:00:00Z')
    const late = issuedBy({ ...nothing, onDemand: [january, february] }, nowMs, at('2027-03-04T00:00:00Z'))
    expect(late.map(shown)).toEqual([
      ['on_demand', '2027-03-05', 7_500n, ['on_demand 2027-01', 'on_demand 2027-02']],
    ])
    expect(late[0]).toMatchObject({ periodStartMs: january.startsAtMs, periodEndMs: february.endsAtMs })
  })

  it('a month of on-demand usage is a line of a renewal that is issued late because a call was in flight', () => {
    const yearly: PaidPlan = { bundle: 'year', name: 'Year', priceMicros: 365_000_000n, interval: 'year' }
    const nowMs = at('2028-01-05T00:00:00Z')
    const due = issuedBy({ ...on(yearly), onDemand: [january] }, nowMs, nowMs - dayMs)
    expect(due.map(shown)).toEqual([
      ['renewed', '2028-01-01', 365_007_000n, ['plan Year', 'on_demand 2027-01']],
    ])
  })

  it('a month of on-demand usage can be a line of an upgrade’s invoice, but only after the month has ended', () => {
    const before = { ...on(pro), onDemand: [january, february] }
    const { after, invoice } = changePlan(before, max, at('2027-02-01T08:00:00Z'))
    expect(invoice && shown(invoice)).toEqual([
      'plan_changed',
      '2027-02-01',
      1_007_000n,
      ['plan Max', 'unused Pro', 'on_demand 2027-01'],
    ])
    expect(after.onDemand).toEqual([february])
  })

  it('credit also pays for on-demand usage, and voiding the invoice returns only the credit', () => {
    const before = { ...on(pro), plan: null, creditMicros: 3_000n, onDemand: [january] }
    const [own] = invoicesUntil(before, asOf(february1))
    if (own === undefined) throw new Error('the month is invoiced')
    expect([own.invoice.amountMicros, own.after.creditMicros]).toEqual([4_000n, 0n])
    expect(onDemandPartOf(own.invoice)).toBe(4_000n)
    const earlier: Issued = {
      cause: 'plan_changed',
      lines: [{ ...january, kind: 'carried', bundle: null, amountMicros: 3_000n }],
      isVoid: false,
    }
    const without = withoutInvoice(own.after, [earlier, { ...own.invoice, isVoid: false }], 1)
    expect(without).toEqual({ ...own.after, creditMicros: 3_000n })
    const rich = issuedBy({ ...before, creditMicros: 9_000n }, february1)
    expect(rich.map(({ amountMicros }) => amountMicros)).toEqual([0n])
  })

  it('on-demand usage with an amount of 0 is never invoiced', () => {
    const none = { ...nothing, onDemand: [used('2027-01', 0n)] }
    expect(() => invoicesUntil(none, asOf(february1))).toThrow('with on-demand usage')
  })
})

const plans: readonly (NaivePlan | null)[] = [
  null,
  { price: 1n, interval: 'month', bundle: 'micro' },
  { price: 9_990_000n, interval: 'month', bundle: 'small' },
  { price: 30_500_000n, interval: 'month', bundle: 'medium' },
  { price: 100_000_007n, interval: 'month', bundle: 'large' },
  { price: 99_000_001n, interval: 'year', bundle: 'small-year' },
  { price: 365_000_000n, interval: 'year', bundle: 'large-year' },
]
const anchors = ['2028-02-29', '2026-01-29', '2026-01-30', '2026-01-31', '2026-12-31', '2027-06-15']

type StepKind = 'plan' | 'cancel' | 'resume' | 'void'

const historyOfSteps = (...kinds: readonly StepKind[]) =>
  fc.record({
    anchor: fc.tuple(fc.constantFrom(...anchors), fc.integer({ min: 0, max: dayMs - 1 })),
    steps: fc.array(
      fc.record({
        kind: fc.constantFrom(...kinds),
        plan: fc.integer({ min: 0, max: plans.length - 1 }),
        afterMs: fc.oneof(
          fc.integer({ min: 0, max: dayMs }),
          fc.integer({ min: 0, max: 40 * dayMs }),
          fc.integer({ min: 0, max: 500 * dayMs }),
        ),
      }),
      { minLength: 1, maxLength: 14 },
    ),
    restMs: fc.integer({ min: 0, max: 800 * dayMs }),
    used: fc.array(fc.oneof(fc.constant(0n), fc.constant(0n), fc.bigInt({ min: 0n, max: 50_000_000n })), {
      maxLength: 40,
    }),
  })

const history = historyOfSteps('plan', 'plan', 'plan', 'cancel', 'resume')
const historyWithVoids = historyOfSteps('plan', 'plan', 'plan', 'void', 'void', 'cancel', 'resume')

/** `pick` selects one of the invoices that can be voided at the time. */
type DrawnEvent =
  | Exclude<NaiveEvent, { kind: 'void' }>
  | { readonly kind: 'void'; readonly atMs: number; readonly pick: number }

interface History {
  readonly startMs: number
  readonly events: readonly DrawnEvent[]
  readonly nowMs: number
  readonly months: readonly OnDemandMonth[]
}

function naiveMonths({ months }: History): NaiveMonth[] {
  return months.map(({ amountMicros, endsAtMs }) => ({ endMs: endsAtMs, amount: amountMicros }))
}

function historyOf({
  anchor: [day, timeMs],
  restMs,
  steps,
  used: amounts,
}: typeof history extends fc.Arbitrary<infer T> ? T : never): History {
  const startMs = Date.parse(`${day}T00:00:00Z`) + timeMs
  let nowMs = startMs
  const events = steps.map(({ afterMs, kind, plan }): DrawnEvent => {
    nowMs += afterMs
    if (kind === 'plan') return { kind, atMs: nowMs, plan: plans[plan] ?? null }
    return kind === 'void' ? { kind, atMs: nowMs, pick: plan } : { kind, atMs: nowMs }
  })
  const first = new Date(startMs).toISOString().slice(0, 7)
  const months = amounts.flatMap((amountMicros, i): OnDemandMonth[] => {
    const startsAtMs = boundary(at(`${first}-01T00:00:00Z`), 'month', i)
    const name = new Date(startsAtMs).toISOString().slice(0, 7)
    return amountMicros === 0n ? [] : [used(name, amountMicros)]
  })
  return { startMs, events, nowMs: nowMs + restMs, months }
}

/** Uses the real functions in the same way as keep-subscription-current.ts. */
function billOf({ events, months, nowMs, startMs }: History): {
  invoices: InvoiceDraft[]
  voids: readonly number[]
  subscription: Subscription
  events: readonly NaiveEvent[]
} {
  const invoices: InvoiceDraft[] = []
  const voids: number[] = []
  const naive: NaiveEvent[] = []
  let subscription: Subscription = { ...nothing, anchorMs: startMs }
  let last: NaivePlan | null = null
  let lookedMs = startMs
  const until = (untilMs: number, sinceMs = lookedMs): void => {
    const onDemand = unbilled(months, invoices, untilMs)
    for (const { after, invoice } of invoicesUntil(
      { ...subscription, onDemand },
      { nowMs: untilMs, sinceMs },
    )) {
      invoices.push(invoice)
      subscription = after
    }
    subscription = { ...subscription, onDemand: unbilled(months, invoices, untilMs) }
    lookedMs = untilMs
  }
  for (const event of events) {
    until(event.atMs)
    if (event.kind === 'void') {
      const owed = invoices.flatMap(({ amountMicros }, i) =>
        amountMicros > 0n && !voids.includes(i) ? [i] : [],
      )
      const index = owed.at(-1 - (event.pick % Math.max(owed.length, 1)))
      if (index === undefined) continue
      const issued = invoices.map((invoice, i) => ({ ...invoice, isVoid: voids.includes(i) }))
      subscription = withoutInvoice(subscription, issued, index)
      voids.push(index)
      naive.push({ kind: 'void', atMs: event.atMs, number: index + 1 })
      continue
    }
    naive.push(event)
    const isOver = subscription.endsAtMs !== null && subscription.endsAtMs <= event.atMs
    if (event.kind === 'plan') {
      if (event.plan === last && !isOver) {
        subscription = { ...subscription, endsAtMs: null }
      } else {
        const plan = event.plan && {
          bundle: event.plan.bundle ?? '',
          name: event.plan.bundle ?? '',
          priceMicros: event.plan.price,
          interval: event.plan.interval,
        }
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
    until(event.atMs, Infinity)
  }
  until(nowMs)
  return { invoices, voids, subscription, events: naive }
}

function unbilled(
  months: readonly OnDemandMonth[],
  invoices: readonly InvoiceDraft[],
  nowMs: number,
): OnDemandMonth[] {
  const billed = new Set(invoices.flatMap(onDemandMonthsOf).map(({ name }) => name))
  return months.filter(({ endsAtMs, name }) => endsAtMs <= nowMs && !billed.has(name))
}

const sumOf = (parts: readonly { readonly amountMicros: bigint }[]): bigint =>
  parts.reduce((sum, { amountMicros }) => sum + amountMicros, 0n)

/** Days without revenue are omitted. */
function revenueByDay(lines: readonly RevenueChange[]): Readonly<Record<string, bigint>> {
  const byDay = new Map<string, bigint>()
  for (const { amountMicros, bundle, endsAtMs, startsAtMs } of lines) {
    const span = daysOfLine(startsAtMs, endsAtMs)
    for (let day = span.fromDay; day < span.toDay; day++) {
      const micros = earnedWithin(amountMicros, span, { fromDay: day, toDay: day + 1 })
      byDay.set(`${bundle} ${day}`, (byDay.get(`${bundle} ${day}`) ?? 0n) + micros)
    }
  }
  return Object.fromEntries([...byDay].filter(([, micros]) => micros !== 0n))
}

function revenueOf(issued: readonly Issued[]): readonly RevenueChange[] {
  const lines = issued.flatMap((one) => (one.isVoid ? [] : one.lines))
  return [...lines.filter(({ kind }) => kind === 'plan' || kind === 'unused'), ...revenueChanges(issued)]
}

describe('any history of plans over the years', () => {
  it.each([
    ['plans', history],
    ['plans and void invoices', historyWithVoids],
  ])('any history of %s results in the same invoices as a naive implementation', (_, histories) => {
    fc.assert(
      fc.property(histories, (drawn) => {
        const told = historyOf(drawn)
        const { events, invoices, subscription } = billOf(told)
        const naive = naiveBill(told.startMs, events, told.nowMs, naiveMonths(told))
        expect(
          invoices.map(({ amountMicros, issuedAtMs, periodEndMs }) => ({
            atMs: issuedAtMs,
            endMs: periodEndMs,
            amount: amountMicros,
          })),
        ).toEqual(naive.invoices)
        expect(subscription.creditMicros).toBe(naive.credit)
        for (const { amountMicros, dueAtMs, issuedAtMs, lines } of invoices) {
          expect(lines.reduce((sum, line) => sum + line.amountMicros, 0n)).toBe(amountMicros)
          expect(dueAtMs).toBe(issuedAtMs + 7 * dayMs)
        }
        const ended = told.months.filter(({ endsAtMs }) => endsAtMs <= told.nowMs)
        expect([...invoices.flatMap(onDemandMonthsOf), ...subscription.onDemand]).toEqual(ended)
      }),
      { numRuns: 1500 },
    )
  })

  it('in any history, the subscription does not depend on the order of voiding, and voiding gives back only used credit', () => {
    const order = fc.array(fc.nat({ max: 30 }), { maxLength: 6 })
    fc.assert(
      fc.property(history, order, (drawn, chosen) => {
        const { invoices, subscription } = billOf(historyOf(drawn))
        const issued = invoices.map((invoice) => ({ ...invoice, isVoid: false }))
        expect(creditAfter(issued)).toBe(subscription.creditMicros)
        // An invoice that nothing is owed for cannot be voided.
        const indices = [...new Set(chosen)].filter((index) => (issued[index]?.amountMicros ?? 0n) > 0n)
        const after = (some: readonly number[]): Subscription[] => {
          const steps: Subscription[] = []
          let now = subscription
          for (const [n, index] of some.entries()) {
            const before = issued.map((one, i) => ({ ...one, isVoid: some.slice(0, n).includes(i) }))
            now = withoutInvoice(now, before, index)
            steps.push(now)
          }
          return steps
        }
        const steps = after(indices)
        expect(after(indices.toReversed()).at(-1)).toEqual(steps.at(-1))
        const credits = steps.map(({ creditMicros }) => creditMicros)
        const given = issued.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'carried'))
        const most = given.reduce((sum, { amountMicros }) => sum + amountMicros, 0n)
        expect(credits.every((credit) => credit >= 0n && credit <= most)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('in any history with void invoices, each bundle has the same revenue on each day as in a naive implementation', () => {
    fc.assert(
      fc.property(historyWithVoids, (drawn) => {
        const told = historyOf(drawn)
        const { events, invoices, voids } = billOf(told)
        const issued = invoices.map((invoice, i) => ({ ...invoice, isVoid: voids.includes(i) }))
        const naive = naiveBill(told.startMs, events, told.nowMs, naiveMonths(told))
        const { credit, earned } = naiveAfterVoids(naive.issued)
        expect(creditAfter(issued)).toBe(credit)
        const expected = earned.map(({ amount, bundle, fromMs, untilMs }) => {
          return { bundle, startsAtMs: fromMs, endsAtMs: untilMs, amountMicros: amount }
        })
        expect(revenueByDay(revenueOf(issued))).toEqual(revenueByDay(expected))
      }),
      { numRuns: 600 },
    )
  })

  it('in any history with void invoices, the revenue of plans is the amount of the other invoices without credit and usage', () => {
    const order = fc.array(fc.nat({ max: 30 }), { maxLength: 6 })
    fc.assert(
      fc.property(history, order, fc.boolean(), (drawn, chosen, hasUsage) => {
        const told = historyOf(drawn)
        const { invoices } = billOf(hasUsage ? told : { ...told, months: [] })
        const voids = chosen.filter((index) => (invoices[index]?.amountMicros ?? 0n) > 0n)
        const issued = invoices.map((invoice, i) => ({ ...invoice, isVoid: voids.includes(i) }))
        const owed = issued.filter(({ isVoid }) => !isVoid)
        const received = sumOf(owed) - creditAfter(issued)
        const usage = sumOf(owed.flatMap(onDemandMonthsOf))
        const revenue = sumOf(revenueOf(issued))
        // On-demand usage is revenue of its requests, even if it is waived.
        expect(revenue >= received - usage && revenue <= received).toBe(true)
        if (!hasUsage) expect(revenue).toBe(received)
        if (voids.length === 0) expect(revenueChanges(issued)).toEqual([])
      }),
      { numRuns: 600 },
    )
  })

  it('in any history of monthly plans with void invoices, no day has negative revenue', () => {
    const monthly = plans.flatMap((plan, i) => (plan?.interval === 'year' ? [] : [i]))
    const steps = fc.array(
      fc.record({
        kind: fc.constant('plan' as const),
        plan: fc.constantFrom(...monthly),
        afterMs: fc.oneof(fc.integer({ min: 0, max: dayMs }), fc.integer({ min: 0, max: 40 * dayMs })),
      }),
      { minLength: 2, maxLength: 14 },
    )
    const order = fc.array(fc.nat({ max: 15 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(history, steps, order, (drawn, chosenPlans, chosen) => {
        const { invoices } = billOf(historyOf({ ...drawn, steps: chosenPlans, restMs: 40 * dayMs }))
        const issued = invoices.map((invoice, i) => ({
          ...invoice,
          isVoid: chosen.includes(i) && invoice.amountMicros > 0n,
        }))
        const lines = revenueOf(issued).map((line) => ({ ...line, bundle: null }))
        // Each line is rounded.
        for (const micros of Object.values(revenueByDay(lines)))
          expect(micros >= -BigInt(lines.length)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('each day costs at least as much as the most expensive plan of that day, so switching plans saves no money', () => {
    fc.assert(
      fc.property(history, (drawn) => {
        const told = { ...historyOf(drawn), months: [] }
        const { events, invoices, subscription } = billOf(told)
        const cost = invoices.reduce(
          (sum, { amountMicros }) => sum + amountMicros,
          -subscription.creditMicros,
        )
        expect(cost * daysMultiple >= naiveLeast(told.startMs, events, told.nowMs)).toBe(true)
      }),
      { numRuns: 400 },
    )
  })

  it('the invoices are the same, however often or late they are computed', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 400 }), (drawn, stepDays) => {
        const told = historyOf(drawn)
        const startMs = told.events.at(-1)?.atMs ?? told.startMs
        const { invoices, subscription } = billOf({ ...told, nowMs: startMs })
        const due = (
          from: Subscription,
          before: readonly InvoiceDraft[],
          nowMs: number,
          sinceMs: number,
        ): ReturnType<typeof invoicesUntil> =>
          invoicesUntil({ ...from, onDemand: unbilled(told.months, before, nowMs) }, { nowMs, sinceMs })
        const atOnce = due(subscription, invoices, told.nowMs, startMs).map(({ invoice }) => invoice)
        const bySteps: InvoiceDraft[] = []
        let now = subscription
        let sinceMs = startMs
        for (let ms = startMs; ; ms = Math.min(told.nowMs, ms + stepDays * dayMs)) {
          const some = due(now, [...invoices, ...bySteps], ms, sinceMs)
          bySteps.push(...some.map(({ invoice }) => invoice))
          now = some.at(-1)?.after ?? now
          sinceMs = ms
          if (ms === told.nowMs) break
        }
        expect(bySteps).toEqual(atOnce)
      }),
      { numRuns: 300 },
    )
  })
})
