/**
 * Computes how much a subscription costs and when it is invoiced, regardless of whether invoices are paid.
 *
 * A plan with a price is invoiced in advance. At the start of each period, the whole period is invoiced. If an end user
 * joins the plan within a period, the remaining days are invoiced, including the day of joining. The invoiced time
 * range is called the covered range. The daily rate of this range is the price of a whole period, divided by the number
 * of days in that period.
 *
 *     the new plan costs
 *       more per day than the covered rate     invoiced immediately: its remaining days, minus the unused days of the
 *                                              covered range; a result below 0 becomes credit for the next invoices
 *       the same or less                       nothing now: it is invoiced from the end of the covered range
 *
 * The daily rate therefore never decreases within the covered range. Each day costs at least as much as the most
 * expensive plan of that day. An end user saves no money by switching between plans. Money for unused days is not paid
 * back, but becomes credit for later invoices. On an invoice, charges are rounded up once, and unused amounts are
 * rounded down once.
 *
 * On-demand usage is invoiced in arrears. When a calendar month (UTC) has ended, its usage becomes a line of the next
 * invoice. If no renewal is due in the following month, the on-demand usage gets its own invoice:
 *
 *     monthly plan          on the renewal of the following month
 *     yearly, free, no plan on an invoice of its own, at the end of the month
 *
 * Credit reduces the total of an invoice, and therefore also pays for on-demand usage.
 */
import { assertMoney, ceilDiv, maxOf } from './amount.ts'
import { dayMs, type Interval, periodAt } from './periods-and-windows.ts'

/** The terms that applied when the end user joined the plan. */
export interface PaidPlan {
  /** Slug of the bundle, by which reports group revenue. */
  readonly bundle: string
  readonly name: string
  /** Price per interval, above 0. */
  readonly priceMicros: bigint
  readonly interval: Interval
}

/** The covered range: its end, and its daily rate (`priceMicros` divided by `days`). */
export interface Covered {
  /** Null for an invoice from before invoices stored the bundle. */
  readonly bundle: string | null
  readonly name: string
  /** If the invoice is void, the value of the paid days that it replaced. Bundle and name are then of these days. */
  readonly priceMicros: bigint
  /** Number of days in the whole billing period, of which the covered range may be only a part. */
  readonly days: number
  readonly untilMs: number
}

export interface Subscription {
  /** The start of the subscription's first period, which never changes. */
  readonly anchorMs: number
  /** Null without a plan, or if the plan has no price. */
  readonly plan: PaidPlan | null
  /** Null if nothing has been invoiced. */
  readonly covered: Covered | null
  readonly creditMicros: bigint
  /** Null means that the subscription renews. */
  readonly endsAtMs: number | null
  /** Ended months whose on-demand usage is not on an invoice yet, oldest first. */
  readonly onDemand: readonly OnDemandMonth[]
}

/** A calendar month (UTC) of on-demand usage. The amount is final, because the month no longer accepts debits. */
export interface OnDemandMonth {
  /** Format: `2026-11`. */
  readonly name: string
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** Above 0. */
  readonly amountMicros: bigint
}

export interface InvoiceLine {
  /**
   * - `plan`: the price of the plan for the line's days
   * - `unused`: unused days of the previous plan
   * - `on_demand`: usage of a month beyond the plan
   * - `credit`: credit from earlier invoices
   * - `carried`: credit carried to later invoices
   */
  readonly kind: 'plan' | 'unused' | 'on_demand' | 'credit' | 'carried'
  /**
   * Slug of the bundle of `plan` and `unused` lines. Null for other lines, and for lines from before invoices stored
   * the bundle.
   */
  readonly bundle: string | null
  /** For on-demand, a month such as `2026-11`. Empty for credit. */
  readonly name: string
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** Below 0 if the line reduces the invoice. */
  readonly amountMicros: bigint
}

export interface InvoiceDraft {
  /** `on_demand` means that the invoice contains only months of on-demand usage. */
  readonly cause: 'renewed' | 'plan_changed' | 'on_demand'
  readonly issuedAtMs: number
  readonly dueAtMs: number
  readonly periodStartMs: number
  readonly periodEndMs: number
  /** Never below 0. */
  readonly amountMicros: bigint
  readonly lines: readonly InvoiceLine[]
}

export interface Invoiced {
  readonly invoice: InvoiceDraft
  readonly after: Subscription
}

/** Time from the issue of an invoice to its due date, whatever time range the invoice covers. */
export const graceMs = 7 * dayMs

/** Maximum number of renewals in which `onDemandUntilMs` looks for an amount that credit does not pay. */
const renewalsMax = 120

/**
 * Returns the next invoice for the plan, which is issued when the covered range ends. Null if the plan does not renew.
 */
export function renewal(subscription: Subscription): Invoiced | null {
  const { covered, endsAtMs, plan } = subscription
  if (plan === null || covered === null) return null
  const atMs = covered.untilMs
  return endsAtMs !== null && endsAtMs <= atMs ? null : invoiced(subscription, plan, atMs, 'renewed', [])
}

/**
 * Returns the invoices that are due by now, oldest first. Each invoice has its own issue time, even if this function is
 * called late.
 * @param sinceMs a month of on-demand usage that ended at or after this time is invoiced as of its end. A month that
 *   ended earlier and is not on an invoice is invoiced as of now. Such a month became due late, after a plan change or
 *   because a request was in flight.
 */
export function invoicesUntil(
  subscription: Subscription,
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
): readonly Invoiced[] {
  const due: Invoiced[] = []
  for (let state = subscription; ;) {
    const next = earlier(renewal(state), ofOnDemand(state, { nowMs, sinceMs }))
    if (next === null || next.invoice.issuedAtMs > nowMs) return due
    due.push(next)
    state = next.after
  }
}

function earlier(one: Invoiced | null, other: Invoiced | null): Invoiced | null {
  if (one === null || other === null) return one ?? other
  return other.invoice.issuedAtMs < one.invoice.issuedAtMs ? other : one
}

/** Null if no month has ended, or if a renewal that is due soon will include the ended months. */
function ofOnDemand(
  subscription: Subscription,
  { nowMs, sinceMs }: { readonly nowMs: number; readonly sinceMs: number },
): Invoiced | null {
  const [first] = subscription.onDemand
  if (first === undefined) return null
  const { endsAtMs } = first
  const renewsAtMs = renewal(subscription)?.invoice.issuedAtMs ?? Infinity
  if (renewsAtMs < monthEndMs(endsAtMs)) return null
  const atMs = endsAtMs >= sinceMs ? endsAtMs : nowMs
  const ends = subscription.onDemand.map((month) => month.endsAtMs).filter((ms) => ms <= atMs)
  const span = { startsAtMs: first.startsAtMs, endsAtMs: Math.max(...ends) }
  return issued(subscription, 'on_demand', atMs, span, [])
}

export function monthEndMs(atMs: number): number {
  return periodAt(0, 'month', atMs).endsAtMs
}

/**
 * Moves the end user to another plan, or from a paid plan to no plan. Removes a scheduled cancellation.
 * @param subscription the subscription, after its renewals up to now
 * @returns the subscription, and the invoice if one is due immediately
 */
export function changePlan(
  subscription: Subscription,
  plan: PaidPlan | null,
  nowMs: number,
): { readonly invoice: InvoiceDraft | null; readonly after: Subscription } {
  const after = { ...subscription, plan, endsAtMs: null }
  const { anchorMs, covered } = subscription
  const atMs = Math.max(nowMs, anchorMs)
  if (plan === null) return { invoice: null, after }
  if (covered === null || covered.untilMs <= atMs) return invoiced(after, plan, atMs, 'plan_changed', [])
  const period = periodAt(anchorMs, plan.interval, atMs)
  const isMoreExpensive =
    plan.priceMicros * BigInt(covered.days) > covered.priceMicros * days(period.startsAtMs, period.endsAtMs)
  if (!isMoreExpensive) return { invoice: null, after }
  const unused = (covered.priceMicros * days(atMs, covered.untilMs)) / BigInt(covered.days)
  const line: InvoiceLine = {
    kind: 'unused',
    bundle: covered.bundle,
    name: covered.name,
    startsAtMs: atMs,
    endsAtMs: covered.untilMs,
    amountMicros: -unused,
  }
  return invoiced(after, plan, atMs, 'plan_changed', unused > 0n ? [line] : [])
}

/**
 * Returns the end time of a subscription that is canceled now: the end of the covered range, or else the end of the
 * period.
 */
export function endOfCancelled(
  { anchorMs, covered }: Subscription,
  interval: Interval,
  nowMs: number,
): number {
  if (covered !== null && covered.untilMs > nowMs) return covered.untilMs
  return periodAt(anchorMs, interval, Math.max(nowMs, anchorMs)).endsAtMs
}

/** An issued invoice, as far as it decides how much credit remains. */
export interface Issued extends Pick<InvoiceDraft, 'cause' | 'lines'> {
  readonly isVoid: boolean
}

/**
 * Voids the invoice at `index`. The credit then is as if that invoice had never been issued, and all other invoices
 * keep their amounts. If no later invoice for a plan is left, the covered range is worth only the paid days that the void
 * invoices replaced.
 * @param invoices all invoices of the end user in the mode, oldest first; the invoice at `index` is not void yet
 */
export function withoutInvoice(
  subscription: Subscription,
  invoices: readonly Issued[],
  index: number,
): Subscription {
  const without = invoices.map((one, i) => (i === index ? { ...one, isVoid: true } : one))
  // Earlier versions could leave more credit than the invoices explain. Voiding another invoice removes none of it.
  const micros = subscription.creditMicros + creditAfter(without) - creditAfter(invoices)
  const creditMicros = micros > 0n ? micros : 0n
  const { covered } = subscription
  const isOfPlan = invoices[index]?.cause !== 'on_demand'
  const isLast =
    isOfPlan && without.slice(index).every(({ cause, isVoid }) => isVoid || cause === 'on_demand')
  if (!isLast || covered === null) return { ...subscription, creditMicros }
  const worth = without.reduce(worthAfter, nothingInvoiced)
  return { ...subscription, creditMicros, covered: { ...worth, untilMs: covered.untilMs } }
}

/**
 * Returns the credit that remains of all invoices of an end user. Void invoices neither use nor give credit. If unused
 * days of a void invoice reduced the next invoice by more than these days are worth, credit pays for the difference. An
 * amount that the credit of that time cannot pay is waived: later credit does not pay for it.
 * @param invoices oldest first
 */
export function creditAfter(invoices: readonly Issued[]): bigint {
  return creditSteps(invoices).at(-1)?.creditMicros ?? 0n
}

/** Revenue that is added to the days of an invoice line, or subtracted from them. */
export type RevenueChange = Pick<InvoiceLine, 'bundle' | 'startsAtMs' | 'endsAtMs' | 'amountMicros'>

/**
 * Returns what void invoices change in the revenue of the other invoices. Without these changes, the revenue is the sum
 * of the `plan` and `unused` lines. Unused days of a void invoice reduce the revenue only by their worth, and only the
 * revenue of the plan that was paid. A waived amount reduces the revenue of the plan that the end user got for it.
 * On-demand usage is revenue of its requests, even if it is waived.
 * @param invoices oldest first
 */
export function revenueChanges(invoices: readonly Issued[]): readonly RevenueChange[] {
  const changes: RevenueChange[] = []
  for (const { lines, unpaidMicros, waivedMicros, worthOfVoid } of creditSteps(invoices)) {
    const change = (kind: 'plan' | 'unused', amountMicros: bigint, owner?: Covered): void => {
      const line = lines.find((one) => one.kind === kind)
      if (line === undefined || amountMicros === 0n) return
      const { bundle, endsAtMs, startsAtMs } = line
      changes.push({ bundle: owner ? owner.bundle : bundle, startsAtMs, endsAtMs, amountMicros })
    }
    const unused = sumOf(lines, 'unused')
    const earned = sumOf(lines, 'plan') + unused + unpaidMicros
    if (worthOfVoid !== null) {
      change('unused', -unused)
      change('unused', unused + unpaidMicros, worthOfVoid)
    }
    if (earned > 0n) change('plan', waivedMicros < earned ? -waivedMicros : -earned)
  }
  return changes
}

interface CreditStep {
  readonly lines: readonly InvoiceLine[]
  /** Credit after the invoice. */
  readonly creditMicros: bigint
  /** Null if the previous invoice for a plan is not void. */
  readonly worthOfVoid: Covered | null
  /** The part of the `unused` line that exceeds the worth of these days. */
  readonly unpaidMicros: bigint
  /** The part of the invoice that no credit can pay. */
  readonly waivedMicros: bigint
}

/** Returns a step for each invoice that is not void. */
function creditSteps(invoices: readonly Issued[]): readonly CreditStep[] {
  const steps: CreditStep[] = []
  let creditMicros = 0n
  let wasVoid = false
  let worth = nothingInvoiced
  for (const invoice of invoices) {
    const { cause, isVoid, lines } = invoice
    if (!isVoid) {
      const worthOfVoid = wasVoid ? worth : null
      const unpaidMicros = worthOfVoid === null ? 0n : unpaidReduction(lines, worthOfVoid)
      const rest = creditMicros + sumOf(lines, 'carried') + sumOf(lines, 'credit') - unpaidMicros
      creditMicros = maxOf(rest, 0n)
      steps.push({ lines, creditMicros, worthOfVoid, unpaidMicros, waivedMicros: creditMicros - rest })
    }
    if (cause !== 'on_demand') wasVoid = isVoid
    worth = worthAfter(worth, invoice)
  }
  return steps
}

/** A covered range without the part of its price that is waived. */
const nothingInvoiced: Covered = { bundle: null, name: '', priceMicros: 0n, days: 1, untilMs: -Infinity }

/**
 * A void invoice is worth the unused days of the range before it, because the end user paid for these days. The value
 * is rounded up, so that a return to the earlier plan costs nothing. The value still belongs to the earlier plan, in
 * whose revenue it was counted.
 */
function worthAfter(before: Covered, { isVoid, lines }: Issued): Covered {
  const line = lines.find(({ kind }) => kind === 'plan')
  if (line === undefined) return before
  const { amountMicros, bundle, endsAtMs: untilMs, name, startsAtMs } = line
  const range = { bundle, name, days: Number(days(startsAtMs, untilMs)), untilMs }
  if (!isVoid) return { ...range, priceMicros: amountMicros }
  if (before.untilMs <= startsAtMs) return { ...range, priceMicros: 0n }
  const micros = ceilDiv(before.priceMicros * days(startsAtMs, before.untilMs), BigInt(before.days))
  return { ...range, bundle: before.bundle, name: before.name, priceMicros: micros }
}

/** Returns by how much an invoice is reduced for unused days beyond the worth of these days. */
function unpaidReduction(lines: readonly InvoiceLine[], worth: Covered): bigint {
  const line = lines.find(({ kind }) => kind === 'unused')
  if (line === undefined) return 0n
  const paid = (worth.priceMicros * days(line.startsAtMs, line.endsAtMs)) / BigInt(worth.days)
  const unpaid = -line.amountMicros - paid
  return unpaid > 0n ? unpaid : 0n
}

export function onDemandMonthsOf({ lines }: Pick<InvoiceDraft, 'lines'>): readonly OnDemandMonth[] {
  return lines
    .filter(({ kind }) => kind === 'on_demand')
    .map(({ bundle: _bundle, kind: _kind, ...month }) => month)
}

/** Returns the part of an unpaid invoice that is owed for on-demand usage. Credit first pays for the other lines. */
export function onDemandPartOf({
  amountMicros,
  lines,
}: Pick<InvoiceDraft, 'amountMicros' | 'lines'>): bigint {
  const used = sumOf(lines, 'on_demand')
  return used < amountMicros ? used : amountMicros
}

function sumOf(lines: readonly InvoiceLine[], kind: InvoiceLine['kind']): bigint {
  return lines.reduce((sum, line) => (line.kind === kind ? sum + line.amountMicros : sum), 0n)
}

/**
 * Returns the due time of the next renewal invoice that credit does not pay in full. An unpaid renewal invoice is past
 * due from this time on. Null if the plan does not renew.
 */
export function onDemandUntilMs(subscription: Subscription): number | null {
  let next = renewal(subscription)
  for (let i = 0; next !== null && i < renewalsMax; i++) {
    if (next.invoice.amountMicros > 0n) return next.invoice.dueAtMs
    next = renewal(next.after)
  }
  return next?.invoice.dueAtMs ?? null
}

/** Invoices the days from `atMs` to the end of the plan's period. */
function invoiced(
  subscription: Subscription,
  plan: PaidPlan,
  atMs: number,
  cause: InvoiceDraft['cause'],
  before: readonly InvoiceLine[],
): Invoiced {
  const { bundle, name, priceMicros } = plan
  assertMoney(priceMicros > 0n, 'an invoice is for a plan with a price')
  const { endsAtMs, startsAtMs } = periodAt(subscription.anchorMs, plan.interval, atMs)
  const whole = days(startsAtMs, endsAtMs)
  const charge = ceilDiv(priceMicros * days(atMs, endsAtMs), whole)
  const span = { startsAtMs: atMs, endsAtMs }
  const line: InvoiceLine = { kind: 'plan', bundle, name, ...span, amountMicros: charge }
  const covered = { bundle, name, priceMicros, days: Number(whole), untilMs: endsAtMs }
  return issued({ ...subscription, covered }, cause, atMs, span, [line, ...before])
}

function issued(
  subscription: Subscription,
  cause: InvoiceDraft['cause'],
  atMs: number,
  span: { readonly startsAtMs: number; readonly endsAtMs: number },
  ofPlan: readonly InvoiceLine[],
): Invoiced {
  const ended = subscription.onDemand.filter(({ endsAtMs }) => endsAtMs <= atMs)
  const lines: InvoiceLine[] = [...ofPlan]
  for (const month of ended) {
    assertMoney(month.amountMicros > 0n, 'an invoice is for a month with on-demand usage')
    lines.push({ kind: 'on_demand', bundle: null, ...month })
  }
  let creditMicros = subscription.creditMicros
  let amountMicros = lines.reduce((sum, line) => sum + line.amountMicros, 0n)
  const add = (kind: 'credit' | 'carried', micros: bigint): void => {
    lines.push({ kind, bundle: null, name: '', ...span, amountMicros: micros })
    amountMicros += micros
    creditMicros += micros
  }
  if (amountMicros < 0n) add('carried', -amountMicros)
  else if (amountMicros > 0n && creditMicros > 0n) {
    add('credit', creditMicros < amountMicros ? -creditMicros : -amountMicros)
  }
  assertMoney(amountMicros >= 0n && creditMicros >= 0n, 'neither an invoice nor credit is below 0')
  return {
    invoice: {
      cause,
      issuedAtMs: atMs,
      dueAtMs: atMs + graceMs,
      periodStartMs: span.startsAtMs,
      periodEndMs: span.endsAtMs,
      amountMicros,
      lines,
    },
    after: { ...subscription, creditMicros, onDemand: subscription.onDemand.slice(ended.length) },
  }
}

/** A part of a day counts as a whole day. */
function days(fromMs: number, toMs: number): bigint {
  return BigInt(Math.ceil((toMs - fromMs) / dayMs))
}
