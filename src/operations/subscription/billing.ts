/**
 * Keeps the stored subscription of a person in step with money/invoice.ts. Each function takes part in the caller's
 * transaction: a subscription and its invoices change together, and of two processes that issue the same invoices
 * the second finds nothing to do.
 */
import {
  changePlan,
  endOfCancelled,
  type InvoiceDraft,
  onDemandUntilMs,
  renewal,
  renewalsUntil,
  type Subscription,
  withoutInvoice,
} from '#money/invoice.ts'
import { dayMs, periodAt } from '#money/period.ts'
import { idOf, type IdSource } from '#domain/id.ts'
import type { Mode } from '#domain/account.ts'
import { type InvoiceShown, invoiceStatus } from '#domain/invoices.ts'
import type { BundleRecord, EndUser } from '#domain/records.ts'
import type { Nouns } from '#domain/store.ts'
import { bundleIdIn, type StoredSubscription, type SubscriptionTerms } from '#domain/subscriptions.ts'

/** A person in one mode, at the time there. */
export interface Subscriber {
  readonly endUser: EndUser
  readonly mode: Mode
  readonly nowMs: number
}

export interface Billing {
  readonly store: Nouns
  readonly newId: IdSource
}

/** Whether the subscription must be brought up to date before it is shown. */
export async function isBehind(store: Nouns, { endUser, mode, nowMs }: Subscriber): Promise<boolean> {
  const stored = await store.subscriptions.of(endUser.id, mode)
  if (stored?.terms) return stored.nextInvoiceAtMs !== null && stored.nextInvoiceAtMs <= nowMs
  return priceOf(await bundleOf(store, endUser, stored)) !== null
}

/** Issues the invoices that the clock has brought, each as of its own time. Repeating it changes nothing. */
export async function bringUp(billing: Billing, who: Subscriber): Promise<void> {
  await write(billing, who, await current(billing, who))
}

/**
 * Puts the person on the plan in that mode, and issues the invoice where one is due at once. A cancellation is taken
 * back. Being on the plan at its present price already changes nothing else.
 * @param isOwn whether it is a plan of that mode alone, which live mode does not share
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
  const changed = { stored, terms, subscription: after, due: [...before.due, ...(invoice ? [invoice] : [])] }
  await write(billing, who, changed)
}

/**
 * When the end user comes to the plan: now. Another process with a faster clock may have dated the includes of the
 * bundle a little later than that, and whoever joins now is granted those.
 */
async function joinedMs(store: Nouns, { id }: BundleRecord, { mode, nowMs }: Subscriber): Promise<number> {
  let sinceMs = nowMs
  for (const { fromMs, isUndated, untilMs } of await store.bundles.datedIncludes(id, mode)) {
    if (untilMs === null && !isUndated) sinceMs = Math.max(sinceMs, fromMs)
  }
  return sinceMs
}

/** Ends the subscription with what is covered, or else with its period. One that is cancelled already stays so. */
export async function cancelAtPeriodEnd(billing: Billing, who: Subscriber): Promise<void> {
  const state = await current(billing, who)
  const { subscription, terms } = state
  const endsAtMs = subscription.endsAtMs ?? endOfCancelled(subscription, terms.interval, who.nowMs)
  await write(billing, who, { ...state, subscription: { ...subscription, endsAtMs } })
}

/** Ends the subscription now. Invoices that are not due yet are void; those that are remain owed. */
export async function endNow(billing: Billing, who: Subscriber): Promise<void> {
  const { endUser, mode, nowMs } = who
  const { store } = billing
  const state = await current(billing, who)
  const { endsAtMs } = state.subscription
  if (endsAtMs !== null && endsAtMs <= nowMs) return
  await write(billing, who, { ...state, subscription: { ...state.subscription, endsAtMs: nowMs } })
  for (const invoice of (await store.invoices.unpaid(endUser.id, mode)).toReversed()) {
    if (invoiceStatus(invoice, nowMs) === 'open') await voidInvoice(billing, who, invoice)
  }
}

/** Takes a cancellation back that has not come into effect. */
export async function resume(billing: Billing, who: Subscriber): Promise<void> {
  const state = await current(billing, who)
  await write(billing, who, { ...state, subscription: { ...state.subscription, endsAtMs: null } })
}

/** Notes that an open invoice was paid: on-demand is to be had again once none is past due. */
export async function payInvoice(billing: Billing, who: Subscriber, { id }: InvoiceShown): Promise<void> {
  await billing.store.invoices.setPaid(id, who.nowMs)
  await bringUp(billing, who)
}

/** Waives an invoice that was not paid. */
export async function voidInvoice(billing: Billing, who: Subscriber, invoice: InvoiceShown): Promise<void> {
  const state = await current(billing, who)
  await billing.store.invoices.setVoid(invoice.id, who.nowMs)
  const next =
    (await billing.store.invoices.byNumber(invoice.endUserId, invoice.mode, invoice.number + 1)) ??
    state.due.at(0) ??
    null
  const subscription = withoutInvoice(state.subscription, invoice, next)
  await write(billing, who, { ...state, subscription })
}

interface State {
  readonly stored: StoredSubscription
  readonly terms: SubscriptionTerms
  readonly subscription: Subscription
  /** To be issued, oldest first. */
  readonly due: readonly InvoiceDraft[]
}

/** The subscription by now: the stored one, and the invoices that it lacks. */
async function current({ store }: Billing, who: Subscriber): Promise<State> {
  const { endUser, mode, nowMs } = who
  const stored = (await store.subscriptions.of(endUser.id, mode)) ?? nothingStored
  const bundle = await bundleOf(store, endUser, stored)
  const anchorMs = stored.subscribedAtMs ?? endUser.subscribedAtMs
  const terms = stored.terms ?? termsOf(bundle)
  const plan = planOf(bundle, terms)
  const subscription: Subscription = {
    anchorMs,
    plan,
    covered: stored.covered,
    creditMicros: stored.creditMicros,
    endsAtMs: stored.planEndsAtMs,
  }
  if (stored.terms === null && plan !== null) {
    // They came before there were invoices, so the period under way has none.
    const { endsAtMs, startsAtMs } = periodAt(anchorMs, plan.interval, Math.max(nowMs, anchorMs))
    const days = Math.round((endsAtMs - startsAtMs) / dayMs)
    const covered = { name: plan.name, priceMicros: plan.priceMicros, days, untilMs: endsAtMs }
    return { stored, terms, subscription: { ...subscription, covered }, due: [] }
  }
  const renewals = renewalsUntil(subscription, nowMs)
  const after = renewals.at(-1)?.after ?? subscription
  return { stored, terms, subscription: after, due: renewals.map(({ invoice }) => invoice) }
}

async function write({ newId, store }: Billing, { endUser, mode }: Subscriber, state: State): Promise<void> {
  const { due, stored, subscription, terms } = state
  const issued = due.map(({ issuedAtMs, ...draft }, i) => ({
    ...draft,
    id: idOf('inv', newId()),
    applicationId: endUser.applicationId,
    endUserId: endUser.id,
    mode,
    number: stored.invoices + i + 1,
    createdAtMs: issuedAtMs,
    // Where nothing is left to pay.
    paidAtMs: draft.amountMicros === 0n ? issuedAtMs : null,
    voidedAtMs: null,
  }))
  await store.invoices.insert(issued)
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
}

/** The bundle that the person was put on last; null: none, or it was removed. */
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
  return bundle === null || priceMicros === null ? null : { name: bundle.displayName, priceMicros, interval }
}
