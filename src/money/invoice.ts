/**
 * What a subscription costs, and when. Nothing here knows whether an invoice was paid.
 *
 * A plan with a price is invoiced ahead: at the start of each of its periods for the whole of it, and when a
 * person comes to it within a period for the days that are left (a started day is a day). What has been invoiced
 * is **covered**, at a daily rate: the price of a whole period, divided by the days of that whole period.
 *
 *     the plan that the person comes to costs
 *       more a day than what is covered    invoiced at once: its days that are left, less the unused days of what
 *                                          was covered; what that leaves below 0 is credit for the next invoices
 *       no more                            nothing: it is invoiced from the end of what is covered
 *
 * So the rate of what is covered never falls before its end, and a day costs at least the dearest plan that was
 * held on it: going to and fro gains nothing. No money is given back, only credit towards later invoices. Charges
 * are rounded up and what was unused is rounded down, once each.
 *
 * On-demand usage is invoiced in arrears. A calendar month (UTC) that has ended is a line of the next invoice, whatever
 * that invoice is for. If no renewal comes within the month after it, the month gets an invoice of its own:
 *
 *     monthly plan          on the renewal of the following month
 *     yearly, free, no plan on an invoice of its own, at the end of the month
 *
 * Credit reduces an invoice as a whole, so it pays for on-demand usage as well.
 */
import { assertMoney, ceilDiv } from './amount.ts'
import { dayMs, type Interval, periodAt } from './period.ts'

/** A plan that costs money, as it was agreed when the person came to it. */
export interface PaidPlan {
  /** Slug of the bundle, by which reports group what it earns. */
  readonly bundle: string
  /** For people. */
  readonly name: string
  /** Per interval, above 0. */
  readonly priceMicros: bigint
  readonly interval: Interval
}

/** The end of what has been invoiced, and its rate: `priceMicros` for `days` days. */
export interface Covered {
  /** Null if it was invoiced before invoices named their bundle. */
  readonly bundle: string | null
  readonly name: string
  /** 0 where the invoice is void. */
  readonly priceMicros: bigint
  /** Of the whole period. */
  readonly days: number
  readonly untilMs: number
}

export interface Subscription {
  /** When its periods began; they never move. */
  readonly anchorMs: number
  /** Null: none, or one without a price. */
  readonly plan: PaidPlan | null
  /** Null: nothing was invoiced yet. */
  readonly covered: Covered | null
  /** What later invoices are reduced by. */
  readonly creditMicros: bigint
  /** When it ends; null: it goes on. */
  readonly endsAtMs: number | null
  /** Months of on-demand usage that have ended and are on no invoice, oldest first. */
  readonly onDemand: readonly OnDemandMonth[]
}

/** A calendar month (UTC) of on-demand usage. Its amount is final: nothing is debited to it any more. */
export interface OnDemandMonth {
  /** `2026-11`. */
  readonly name: string
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** Above 0. */
  readonly amountMicros: bigint
}

export interface InvoiceLine {
  /**
   * `plan`: a charge; `unused`: of the plan before; `on_demand`: usage of a month beyond the plan; `credit`: of earlier
   * invoices; `carried`: to later ones.
   */
  readonly kind: 'plan' | 'unused' | 'on_demand' | 'credit' | 'carried'
  /** Slug of the bundle of `plan` and `unused` lines. Null for other lines, and for lines from before it was stored. */
  readonly bundle: string | null
  /** The name of the plan; `2026-11` for on-demand; empty for credit. */
  readonly name: string
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** Below 0 where it reduces the invoice. */
  readonly amountMicros: bigint
}

export interface InvoiceDraft {
  /** `on_demand`: for months of on-demand usage alone. */
  readonly cause: 'renewed' | 'plan_changed' | 'on_demand'
  readonly issuedAtMs: number
  readonly dueAtMs: number
  readonly periodStartMs: number
  readonly periodEndMs: number
  /** The sum of the lines, never below 0. */
  readonly amountMicros: bigint
  readonly lines: readonly InvoiceLine[]
}

export interface Invoiced {
  readonly invoice: InvoiceDraft
  /** The subscription once that invoice is issued. */
  readonly after: Subscription
}

/** An invoice is due this long after it is issued, however short the span is that it pays for. */
export const graceMs = 7 * dayMs

/** Renewals that `onDemandUntilMs` looks through for one that credit does not pay: ten years of months. */
const renewalsMax = 120

/** The next invoice for the plan, at the end of what is covered; null: none will come. */
export function renewal(subscription: Subscription): Invoiced | null {
  const { covered, endsAtMs, plan } = subscription
  if (plan === null || covered === null) return null
  const atMs = covered.untilMs
  return endsAtMs !== null && endsAtMs <= atMs ? null : invoiced(subscription, plan, atMs, 'renewed', [])
}

/**
 * The invoices that are due by now, oldest first. Each is issued at its own time, however late this is asked.
 * @param sinceMs the last time this was asked with the same plan. A month that had ended by then and is still on no
 *   invoice gets its own one now: a change of plan, or the end of a call in flight, has only now made it due.
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

/** The invoice for ended months alone; null: there are none, or a renewal comes soon enough to carry them. */
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

/** The end of the calendar month of that instant. */
export function monthEndMs(atMs: number): number {
  return periodAt(0, 'month', atMs).endsAtMs
}

/**
 * Puts the person on another plan, or on none that costs. A cancellation is forgotten.
 * @param subscription with its renewals until now
 * @returns the subscription, and the invoice if one is due at once
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
  const isDearer =
    plan.priceMicros * BigInt(covered.days) > covered.priceMicros * days(period.startsAtMs, period.endsAtMs)
  if (!isDearer) return { invoice: null, after }
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

/** When a subscription ends that is cancelled now: with what is covered, else with the period. */
export function endOfCancelled(
  { anchorMs, covered }: Subscription,
  interval: Interval,
  nowMs: number,
): number {
  if (covered !== null && covered.untilMs > nowMs) return covered.untilMs
  return periodAt(anchorMs, interval, Math.max(nowMs, anchorMs)).endsAtMs
}

/**
 * The subscription once an unpaid invoice is void. The credit that it used is there again. Its unused days give none,
 * since nobody has paid for them: what the next invoice has credited for them is taken back.
 * @param next the invoice for a plan after it; null: it is the newest, and what it covers costs nothing from now on
 */
export function withoutInvoice(
  subscription: Subscription,
  { cause, lines }: Pick<InvoiceDraft, 'cause' | 'lines'>,
  next: Pick<InvoiceDraft, 'lines'> | null,
): Subscription {
  const { covered, creditMicros } = subscription
  if (cause === 'on_demand') return withCredit(subscription, -sumOf(lines, 'credit'))
  const unused = next === null ? 0n : sumOf(next.lines, 'unused')
  const kept = creditMicros + unused
  return {
    ...subscription,
    creditMicros: (kept > 0n ? kept : 0n) - sumOf(lines, 'credit'),
    covered: next === null && covered !== null ? { ...covered, priceMicros: 0n } : covered,
  }
}

/** The subscription once later invoices are reduced by so much more. Also for a refund to a month that is closed. */
export function withCredit(subscription: Subscription, micros: bigint): Subscription {
  assertMoney(micros >= 0n, 'credit is added, and only invoices use it')
  return { ...subscription, creditMicros: subscription.creditMicros + micros }
}

/** The months of an invoice. */
export function onDemandMonthsOf({ lines }: Pick<InvoiceDraft, 'lines'>): readonly OnDemandMonth[] {
  return lines
    .filter(({ kind }) => kind === 'on_demand')
    .map(({ bundle: _bundle, kind: _kind, ...month }) => month)
}

/** The part of an unpaid invoice that is owed for on-demand usage. Credit pays for the other lines first. */
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

/** When the first invoice that is not issued yet will be past due if it is not paid; null: there will be none. */
export function onDemandUntilMs(subscription: Subscription): number | null {
  let next = renewal(subscription)
  for (let i = 0; next !== null && i < renewalsMax; i++) {
    if (next.invoice.amountMicros > 0n) return next.invoice.dueAtMs
    next = renewal(next.after)
  }
  return next?.invoice.dueAtMs ?? null
}

/** The invoice for the days of a plan from `atMs` to the end of its period. */
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

/** The invoice of these lines, of the months that have ended, and of the credit that they leave or use. */
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

/** Days of a span; a started one counts. */
function days(fromMs: number, toMs: number): bigint {
  return BigInt(Math.ceil((toMs - fromMs) / dayMs))
}
