/**
 * Keeps the stored subscription of an end user consistent with money/invoice.ts. Each function runs in the caller's
 * transaction, so a subscription and its invoices change together. If two processes issue the same invoices, the second
 * finds that nothing is due.
 */
import {
  changePlan,
  endOfCancelled,
  type InvoiceDraft,
  invoicesUntil,
  monthEndMs,
  type OnDemandMonth,
  onDemandMonthsOf,
  onDemandUntilMs,
  renewal,
  type Subscription,
  withoutInvoice,
} from '#money/invoice.ts'
import { dayMs, periodAt } from '#money/periods-and-windows.ts'
import { idOf, type IdSource } from '#domain/ids-sorted-by-time.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import { type InvoiceShown, invoiceStatus } from '#domain/billing/invoice-records.ts'
import type { UsedMonth } from '#domain/billing/on-demand-months.ts'
import type { OnDemandSetting } from '#domain/billing/balances-and-ledger-entries.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Nouns } from '#domain/store-interface.ts'
import {
  bundleIdIn,
  type StoredSubscription,
  type SubscriptionTerms,
} from '#domain/billing/subscription-records.ts'

export interface Subscriber {
  readonly endUser: EndUser
  readonly mode: Mode
  readonly nowMs: number
}

export interface Billing {
  readonly store: Nouns
  readonly newId: IdSource
}

/** Whether an invoice must be issued before the subscription is shown. */
export async function isBehind(store: Nouns, { endUser, mode, nowMs }: Subscriber): Promise<boolean> {
  const stored = await store.subscriptions.of(endUser.id, mode)
  if (stored !== null && isMonthOver(stored, nowMs)) return true
  if (stored?.terms) return stored.nextInvoiceAtMs !== null && stored.nextInvoiceAtMs <= nowMs
  return priceOf(await bundleOf(store, endUser, stored)) !== null
}

function isMonthOver({ onDemandClosesAtMs, onDemandEnabled }: StoredSubscription, nowMs: number): boolean {
  return onDemandClosesAtMs === null ? onDemandEnabled : onDemandClosesAtMs <= nowMs
}

/** The time of issue is the time at which the invoice was due. A repeated run changes nothing. */
export async function bringUp(billing: Billing, who: Subscriber): Promise<void> {
  await write(billing, who, await current(billing, who))
}

/**
 * Puts the end user on the plan in that mode, issues an invoice that is due immediately, and withdraws a pending
 * cancellation. If the end user is already on the plan at its current price, nothing else changes.
 */
export async function putOnPlan(
  billing: Billing,
  who: Subscriber,
  bundle: BundleRecord,
  { isOwn = false }: { readonly isOwn?: boolean } = {},
): Promise<void> {
  const { endUser, nowMs } = who
  const before = await current(billing, who)
  const { endsAtMs } = before.subscription
  const hasEnded = endsAtMs !== null && endsAtMs <= nowMs
  const isNew = hasEnded || bundleIdIn(endUser, before.stored) !== bundle.id
  const bundleId = isOwn ? bundle.id : before.stored.bundleId
  const terms = termsOf(bundle)
  const isAsAgreed =
    !isNew && before.terms.priceMicros === terms.priceMicros && before.terms.interval === terms.interval
  if (isAsAgreed) {
    const kept = { ...before.stored, bundleId }
    await write(billing, who, {
      ...before,
      stored: kept,
      subscription: { ...before.subscription, endsAtMs: null },
    })
    return
  }
  const { after, invoice } = changePlan(before.subscription, planOf(bundle, terms), nowMs)
  const bundleSinceMs = isNew ? await joinedMs(billing.store, bundle, who) : before.stored.bundleSinceMs
  const stored = { ...before.stored, bundleId, bundleSinceMs }
  const { used } = before
  const changed = {
    stored,
    terms,
    used,
    subscription: after,
    due: [...before.due, ...(invoice ? [invoice] : [])],
  }
  await write(billing, who, changed)
}

/**
 * Returns the time at which the end user joins the plan, which is normally now. If another process with a faster clock
 * has set a later start for the bundle's pools, returns that start, so that the end user is granted these pools.
 */
async function joinedMs(store: Nouns, { id }: BundleRecord, { mode, nowMs }: Subscriber): Promise<number> {
  let sinceMs = nowMs
  for (const { fromMs, isUndated, untilMs } of await store.bundles.datedIncludes(id, mode)) {
    if (untilMs === null && !isUndated) sinceMs = Math.max(sinceMs, fromMs)
  }
  return sinceMs
}

/**
 * The subscription ends when the paid time ends or, if nothing is paid, when the period ends. A subscription that is
 * already canceled is unchanged.
 */
export async function cancelAtPeriodEnd(billing: Billing, who: Subscriber): Promise<void> {
  const state = await current(billing, who)
  const { subscription, terms } = state
  const endsAtMs = subscription.endsAtMs ?? endOfCancelled(subscription, terms.interval, who.nowMs)
  await write(billing, who, { ...state, subscription: { ...subscription, endsAtMs } })
}

/** Also sets when to check whether an on-demand month has ended. */
export async function setOnDemand(
  billing: Billing,
  who: Subscriber,
  setting: OnDemandSetting,
): Promise<void> {
  const state = await current(billing, who)
  await billing.store.balances.setOnDemand(who.endUser.id, who.mode, setting)
  const stored = { ...state.stored, onDemandEnabled: setting.isEnabled }
  await write(billing, who, { ...state, stored })
}

/**
 * Voids unpaid invoices for periods that end later, unless they are due. All other invoices, and the on-demand usage,
 * must still be paid. An on-demand month on a voided invoice moves to a new invoice.
 */
export async function endNow(billing: Billing, who: Subscriber): Promise<void> {
  const { endUser, mode, nowMs } = who
  const { store } = billing
  const state = await current(billing, who)
  const { endsAtMs } = state.subscription
  if (endsAtMs !== null && endsAtMs <= nowMs) return
  await write(billing, who, { ...state, subscription: { ...state.subscription, endsAtMs: nowMs } })
  for (const invoice of (await store.invoices.unpaid(endUser.id, mode)).toReversed()) {
    const isToCome = invoice.cause !== 'on_demand' && invoice.periodEndMs > nowMs
    if (isToCome && invoiceStatus(invoice, nowMs) === 'open') await takeBack(billing, who, invoice)
  }
}

/** The caller must have checked that the subscription has not ended. */
export async function resume(billing: Billing, who: Subscriber): Promise<void> {
  const state = await current(billing, who)
  await write(billing, who, { ...state, subscription: { ...state.subscription, endsAtMs: null } })
}

/** On-demand billing is available again once no invoice is past due. */
export async function payInvoice(billing: Billing, who: Subscriber, { id }: InvoiceShown): Promise<void> {
  await billing.store.invoices.setPaid(id, who.nowMs)
  await billing.store.onDemandMonths.setCleared(id, 'on_demand_paid')
  await bringUp(billing, who)
}

export async function voidInvoice(billing: Billing, who: Subscriber, invoice: InvoiceShown): Promise<void> {
  const state = await current(billing, who)
  await billing.store.onDemandMonths.setCleared(invoice.id, 'on_demand_waived')
  await write(billing, who, await withoutIt(billing, who, state, invoice))
}

/** Voids an invoice of a plan that has ended. The on-demand months on that invoice are invoiced again. */
async function takeBack(billing: Billing, who: Subscriber, invoice: InvoiceShown): Promise<void> {
  const state = await withoutIt(billing, who, await current(billing, who), invoice)
  const onDemand = [...onDemandMonthsOf(invoice).map(monthOf), ...state.subscription.onDemand]
  await write(billing, who, { ...state, subscription: { ...state.subscription, onDemand } })
}

function monthOf({ amountMicros, endsAtMs, name, startsAtMs }: OnDemandMonth): OnDemandMonth {
  return { name, startsAtMs, endsAtMs, amountMicros }
}

async function withoutIt(
  { store }: Billing,
  { nowMs }: Subscriber,
  state: State,
  invoice: InvoiceShown,
): Promise<State> {
  const issued = await store.invoices.all(invoice.endUserId, invoice.mode)
  await store.invoices.setVoid(invoice.id, nowMs)
  const all = [
    ...issued.map(({ cause, lines, voidedAtMs }) => ({ cause, lines, isVoid: voidedAtMs !== null })),
    ...state.due.map(({ cause, lines }) => ({ cause, lines, isVoid: false })),
  ]
  const index = issued.findIndex(({ id }) => id === invoice.id)
  return { ...state, subscription: withoutInvoice(state.subscription, all, index) }
}

interface State {
  readonly stored: StoredSubscription
  readonly terms: SubscriptionTerms
  readonly subscription: Subscription
  readonly due: readonly InvoiceDraft[]
  /** Open months of on-demand usage, oldest first, including the current month. */
  readonly used: readonly UsedMonth[]
}

/** If a request in flight keeps an ended month open, the month is checked again after this time. */
const lookAgainMs = 60_000

/** The stored subscription plus the invoices that are due but not issued yet. */
async function current({ store }: Billing, who: Subscriber): Promise<State> {
  const { endUser, mode, nowMs } = who
  const stored = (await store.subscriptions.of(endUser.id, mode)) ?? nothingStored
  const bundle = await bundleOf(store, endUser, stored)
  const anchorMs = stored.subscribedAtMs ?? endUser.subscribedAtMs
  const terms = stored.terms ?? termsOf(bundle)
  const plan = planOf(bundle, terms)
  const used = await unclosedMonths(store, who, stored)
  const subscription: Subscription = {
    anchorMs,
    plan,
    covered: stored.covered,
    creditMicros: stored.creditMicros,
    endsAtMs: stored.planEndsAtMs,
    onDemand: endedMonths(used, nowMs),
  }
  if (stored.terms === null && plan !== null) {
    // Without stored terms, the subscription began before this program had invoices, so its current period has no
    // invoice.
    const { endsAtMs, startsAtMs } = periodAt(anchorMs, plan.interval, Math.max(nowMs, anchorMs))
    const days = Math.round((endsAtMs - startsAtMs) / dayMs)
    const covered = {
      bundle: plan.bundle,
      name: plan.name,
      priceMicros: plan.priceMicros,
      days,
      untilMs: endsAtMs,
    }
    return { stored, terms, subscription: { ...subscription, covered }, due: [], used }
  }
  // If `onDemandClosesAtMs` is 0 or null, the on-demand months have not been checked yet.
  const invoiced = invoicesUntil(subscription, { nowMs, sinceMs: stored.onDemandClosesAtMs || Infinity })
  const after = invoiced.at(-1)?.after ?? subscription
  return { stored, terms, subscription: after, due: invoiced.map(({ invoice }) => invoice), used }
}

/**
 * After this read, the usage of an ended month cannot change. The ledger waits for this transaction and then finds the
 * month closed.
 */
async function unclosedMonths(
  { onDemandMonths }: Nouns,
  { endUser, mode, nowMs }: Subscriber,
  { onDemandClosedUntilMs, onDemandClosesAtMs, onDemandEnabled }: StoredSubscription,
): Promise<readonly UsedMonth[]> {
  if (onDemandClosesAtMs === null && !onDemandEnabled) return []
  const used = await onDemandMonths.unclosed(endUser.id, mode, onDemandClosedUntilMs)
  if (!used.some(({ endsAtMs }) => endsAtMs <= nowMs)) return used
  await onDemandMonths.lock(endUser.id)
  return onDemandMonths.unclosed(endUser.id, mode, onDemandClosedUntilMs)
}

/**
 * Returns the months that can be invoiced, in order. Stops at the first month to which a request in flight may still be
 * debited.
 */
function endedMonths(used: readonly UsedMonth[], nowMs: number): OnDemandMonth[] {
  const open = used.findIndex(({ endsAtMs, heldMicros }) => endsAtMs > nowMs || heldMicros > 0n)
  return used
    .slice(0, open === -1 ? used.length : open)
    .filter(({ amountMicros }) => amountMicros > 0n)
    .map(monthOf)
}

/**
 * Returns the end of the last closed on-demand month, and the time of the next check whether a month has ended.
 * @param pending ended months that will be on the invoice of a renewal
 */
function monthsAfter(
  { stored, used }: State,
  pending: readonly OnDemandMonth[],
  nowMs: number,
): Pick<StoredSubscription, 'onDemandClosedUntilMs' | 'onDemandClosesAtMs'> {
  const isPending = (month: UsedMonth): boolean => pending.some(({ name }) => name === month.name)
  const open = used.find((month) => month.endsAtMs > nowMs || month.heldMicros > 0n || isPending(month))
  const closedUntilMs = open?.startsAtMs ?? used.at(-1)?.endsAtMs ?? 0
  const isHeld = used.some(({ endsAtMs, heldMicros }) => endsAtMs <= nowMs && heldMicros > 0n)
  const isWatched = stored.onDemandEnabled || open !== undefined
  return {
    onDemandClosedUntilMs: Math.max(stored.onDemandClosedUntilMs, closedUntilMs),
    onDemandClosesAtMs: isHeld ? nowMs + lookAgainMs : isWatched ? monthEndMs(nowMs) : null,
  }
}

async function write({ newId, store }: Billing, who: Subscriber, state: State): Promise<void> {
  const { endUser, mode, nowMs } = who
  const { stored, terms } = state
  // Without a renewal, no later invoice would contain the remaining on-demand months.
  const left = invoicesUntil(state.subscription, { nowMs, sinceMs: Infinity })
  const subscription = left.at(-1)?.after ?? state.subscription
  const due = [...state.due, ...left.map(({ invoice }) => invoice)]
  const issued = due.map(({ issuedAtMs, ...draft }, i) => ({
    ...draft,
    id: idOf('inv', newId()),
    applicationId: endUser.applicationId,
    endUserId: endUser.id,
    mode,
    number: stored.invoices + i + 1,
    createdAtMs: issuedAtMs,
    paidAtMs: draft.amountMicros === 0n ? issuedAtMs : null,
    voidedAtMs: null,
  }))
  await store.invoices.insert(issued)
  for (const invoice of issued) {
    const months = onDemandMonthsOf(invoice)
    // oxlint-disable-next-line no-await-in-loop -- one transaction is one connection
    await store.onDemandMonths.put({ endUserId: endUser.id, mode }, invoice.id, months)
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (invoice.paidAtMs !== null) await store.onDemandMonths.setCleared(invoice.id, 'on_demand_paid')
  }
  const invoices = stored.invoices + issued.length
  const unpaid = invoices === 0 ? [] : await store.invoices.unpaid(endUser.id, mode)
  const dues = unpaid.map(({ dueAtMs }) => dueAtMs)
  const toCome = onDemandUntilMs(subscription)
  if (toCome !== null) dues.push(toCome)
  await store.subscriptions.put(endUser.id, mode, {
    ...stored,
    subscribedAtMs: subscription.anchorMs,
    bundleSinceMs: stored.bundleSinceMs ?? endUser.bundleSinceMs,
    planEndsAtMs: subscription.endsAtMs,
    onDemandUntilMs: dues.length === 0 ? null : Math.min(...dues),
    terms,
    covered: subscription.covered,
    creditMicros: subscription.creditMicros,
    invoices,
    nextInvoiceAtMs: renewal(subscription)?.invoice.issuedAtMs ?? null,
    ...monthsAfter(state, subscription.onDemand, nowMs),
  })
}

const nothingStored: StoredSubscription = {
  bundleId: null,
  subscribedAtMs: null,
  bundleSinceMs: null,
  planEndsAtMs: null,
  onDemandUntilMs: null,
  terms: null,
  covered: null,
  creditMicros: 0n,
  invoices: 0,
  nextInvoiceAtMs: null,
  onDemandEnabled: false,
  onDemandClosedUntilMs: 0,
  onDemandClosesAtMs: null,
}

/** The bundle that was most recently assigned to the end user. */
async function bundleOf(
  store: Nouns,
  endUser: EndUser,
  stored: StoredSubscription | null,
): Promise<BundleRecord | null> {
  const bundleId = bundleIdIn(endUser, stored)
  return bundleId === null ? null : store.bundles.byId(endUser.applicationId, bundleId)
}

function priceOf(bundle: BundleRecord | null): bigint | null {
  return bundle !== null && bundle.priceMicros !== null && bundle.priceMicros > 0n ? bundle.priceMicros : null
}

function termsOf(bundle: BundleRecord | null): SubscriptionTerms {
  return { priceMicros: priceOf(bundle), interval: bundle?.interval ?? 'month' }
}

function planOf(bundle: BundleRecord | null, { interval, priceMicros }: SubscriptionTerms) {
  return bundle === null || priceMicros === null
    ? null
    : { bundle: bundle.slug, name: bundle.displayName, priceMicros, interval }
}
