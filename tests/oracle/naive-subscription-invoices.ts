/**
 * Computes the invoices of a subscription independently of the product and as simply as possible. It counts months in
 * the calendar, and visits days one by one. Each query computes the whole history again.
 */
import { naiveAfterVoids, type NaiveIssued, type NaiveSpan } from './naive-void-invoices.ts'

export interface NaivePlan {
  readonly price: bigint
  readonly interval: 'month' | 'year'
  readonly bundle?: string
}

/** In the order of time. */
export type NaiveEvent =
  | { readonly kind: 'plan'; readonly atMs: number; readonly plan: NaivePlan | null }
  | { readonly kind: 'cancel' | 'resume'; readonly atMs: number }
  /** The first invoice has the number 1. */
  | { readonly kind: 'void'; readonly atMs: number; readonly number: number }

export interface NaiveInvoice {
  readonly atMs: number
  readonly endMs: number
  readonly amount: bigint
}

export interface NaiveBill {
  readonly invoices: readonly NaiveInvoice[]
  readonly issued: readonly NaiveIssued[]
  readonly credit: bigint
  /** Null if a plan exists, or if no plan ever existed. */
  readonly endedMs: number | null
}

export interface NaiveMonth {
  readonly endMs: number
  readonly amount: bigint
}

const dayMs = 24 * 60 * 60 * 1000

/** @param used the months with on-demand usage, in the order of time */
export function naiveBill(
  anchorMs: number,
  events: readonly NaiveEvent[],
  nowMs: number,
  used: readonly NaiveMonth[] = [],
): NaiveBill {
  const unbilled = [...used]
  let lastEventMs = anchorMs
  const invoices: NaiveInvoice[] = []
  const issued: NaiveIssued[] = []
  let plan = null as NaivePlan | null
  let paid = null as { price: bigint; days: bigint; untilMs: number; bundle: string | null } | null
  let credit = 0n
  let cancelMs = null as number | null

  const charge = (of: NaivePlan, atMs: number): void => {
    const period = naivePeriod(anchorMs, of.interval, atMs)
    const whole = daysBetween(period.startMs, period.endMs)
    const bundle = of.bundle ?? null
    const spanOf = (untilMs: number, owner: string | null, price: bigint): NaiveSpan => {
      return { fromMs: atMs, untilMs, days: daysBetween(atMs, untilMs), bundle: owner, amount: price }
    }
    const price = roundedUp(of.price * daysBetween(atMs, period.endMs), whole)
    let unused = null as NaiveSpan | null
    if (paid !== null && paid.untilMs > atMs) {
      const micros = (paid.price * daysBetween(atMs, paid.untilMs)) / paid.days
      unused = spanOf(paid.untilMs, paid.bundle, micros)
    }
    let usage = 0n
    for (; unbilled[0] !== undefined && unbilled[0].endMs <= atMs; unbilled.shift())
      usage += unbilled[0].amount
    let amount = price - (unused?.amount ?? 0n) + usage - credit
    credit = 0n
    if (amount < 0n) {
      credit = -amount
      amount = 0n
    }
    invoices.push({ atMs, endMs: period.endMs, amount })
    issued.push({ isVoid: false, amount, used: usage, plan: spanOf(period.endMs, bundle, price), unused })
    paid = { price: of.price, days: whole, untilMs: period.endMs, bundle }
  }
  const chargeMonths = (atMs: number): void => {
    let amount = 0n
    let endMs = 0
    for (; unbilled[0] !== undefined && unbilled[0].endMs <= atMs; unbilled.shift()) {
      amount += unbilled[0].amount
      endMs = unbilled[0].endMs
    }
    const fromCredit = credit < amount ? credit : amount
    credit -= fromCredit
    invoices.push({ atMs, endMs, amount: amount - fromCredit })
    issued.push({ isVoid: false, amount: amount - fromCredit, used: amount, plan: null, unused: null })
  }
  const renewUntil = (untilMs: number): void => {
    for (;;) {
      const renewsMs =
        plan === null || paid === null || (cancelMs !== null && cancelMs <= paid.untilMs)
          ? Infinity
          : paid.untilMs
      const [month] = unbilled
      // If the plan renews within a month after the end of the month with usage, the renewal's invoice includes the
      // usage.
      const aloneMs =
        month === undefined || renewsMs < monthsAfter(month.endMs, 1)
          ? Infinity
          : Math.max(month.endMs, lastEventMs)
      if (Math.min(renewsMs, aloneMs) > untilMs) return
      if (renewsMs > aloneMs) chargeMonths(aloneMs)
      else if (plan !== null) charge(plan, renewsMs)
    }
  }

  for (const event of events) {
    const { atMs } = event
    renewUntil(atMs)
    lastEventMs = atMs
    if (event.kind === 'void') {
      const index = event.number - 1
      for (const [i, one] of issued.entries()) if (i === index) issued[i] = { ...one, isVoid: true }
      const { credit: left, last } = naiveAfterVoids(issued)
      credit = left
      if (last.isVoid && paid !== null)
        paid = { price: last.amount, days: last.days, untilMs: paid.untilMs, bundle: last.bundle }
      continue
    }
    const isOver = cancelMs !== null && cancelMs <= atMs
    if (event.kind === 'cancel' && !isOver && plan !== null) {
      cancelMs ??=
        paid !== null && paid.untilMs > atMs ? paid.untilMs : naivePeriod(anchorMs, plan.interval, atMs).endMs
    }
    if (event.kind === 'resume' && !isOver) cancelMs = null
    if (event.kind !== 'plan') continue
    const isSame = plan !== null && event.plan !== null && isSamePlan(plan, event.plan) && !isOver
    cancelMs = null
    plan = event.plan
    if (isSame || plan === null) continue
    const period = naivePeriod(anchorMs, plan.interval, atMs)
    const whole = daysBetween(period.startMs, period.endMs)
    const isPaid = paid !== null && paid.untilMs > atMs
    if (!isPaid || (paid !== null && plan.price * paid.days > paid.price * whole)) charge(plan, atMs)
  }
  renewUntil(nowMs)
  return { invoices, issued, credit, endedMs: cancelMs !== null && cancelMs <= nowMs ? cancelMs : null }
}

function naivePeriod(
  anchorMs: number,
  interval: 'month' | 'year',
  atMs: number,
): { readonly startMs: number; readonly endMs: number } {
  const step = interval === 'month' ? 1 : 12
  let n = 0
  while (monthsAfter(anchorMs, (n + 1) * step) <= atMs) n++
  return { startMs: monthsAfter(anchorMs, n * step), endMs: monthsAfter(anchorMs, (n + 1) * step) }
}

/** In a month without that day, the last day is used. */
function monthsAfter(anchorMs: number, months: number): number {
  const anchor = new Date(anchorMs)
  const month = (anchor.getUTCMonth() + months) % 12
  for (let day = anchor.getUTCDate(); ; day--) {
    const date = new Date(anchorMs)
    date.setUTCFullYear(anchor.getUTCFullYear(), anchor.getUTCMonth() + months, day)
    if (date.getUTCMonth() === month) return date.getTime()
  }
}

/** Each started day counts as a whole day. */
function daysBetween(fromMs: number, toMs: number): bigint {
  let days = 0n
  for (let ms = fromMs; ms < toMs; ms += dayMs) days++
  return days
}

function roundedUp(amount: bigint, by: bigint): bigint {
  return amount % by === 0n ? amount / by : amount / by + 1n
}

function isSamePlan(one: NaivePlan, other: NaivePlan): boolean {
  return one === other
}

/** Days of the longest month times days of the longest year. */
export const daysMultiple = 31n * 366n

/**
 * The minimum cost until `nowMs`, times `daysMultiple`. Each day costs the daily price of that day's most expensive
 * plan.
 */
export function naiveLeast(anchorMs: number, events: readonly NaiveEvent[], nowMs: number): bigint {
  let least = 0n
  const held = heldPlans(anchorMs, events, nowMs)
  for (let ms = anchorMs; ms < nowMs; ms += dayMs) {
    let dearest = 0n
    for (const { fromMs, plan, toMs } of held) {
      if (plan === null || fromMs >= Math.min(ms + dayMs, nowMs) || toMs <= ms) continue
      const rate = plan.price * (plan.interval === 'month' ? 366n : 31n)
      if (rate > dearest) dearest = rate
    }
    least += dearest
  }
  return least
}

/** In the order of time. A cancellation ends the plan that is current at the time. */
function heldPlans(anchorMs: number, events: readonly NaiveEvent[], nowMs: number) {
  const held: { plan: NaivePlan | null; fromMs: number; toMs: number }[] = []
  for (const [i, event] of events.entries()) {
    const before = naiveBill(anchorMs, events.slice(0, i), event.atMs)
    const last = held.at(-1)
    if (last !== undefined && before.endedMs !== null) last.toMs = Math.min(last.toMs, before.endedMs)
    if (event.kind !== 'plan') continue
    if (last !== undefined) last.toMs = Math.min(last.toMs, event.atMs)
    held.push({ plan: event.plan, fromMs: event.atMs, toMs: nowMs })
  }
  const { endedMs } = naiveBill(anchorMs, events, nowMs)
  const last = held.at(-1)
  if (last !== undefined && endedMs !== null) last.toMs = Math.min(last.toMs, endedMs)
  return held
}
