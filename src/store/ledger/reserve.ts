import type {
  RefusedPlan,
  Reservation,
  ReserveRequest,
  ReserveResult,
  Target,
  TargetOffer,
} from '#domain/ledger-interface.ts'
import { admitOffer, type AdmittedOffer } from '#money/admit-hold-for-several-targets.ts'
import type { CallBound, Limit } from '#money/decision-types.ts'
import type { Refusal } from '#money/refusal-types.ts'
import { isCappedBy, statusOfRun } from '#money/outcome-run-status.ts'
import type { Book } from './ledger-state-in-memory.ts'
import type { BundleCell, KeyCell, OpenHold, Person, RunCell } from './state-types.ts'
import { targetToText } from '#store/rows/json-columns.ts'
import { completeSources } from './add-due-sources.ts'
import { assertCounts, OperationFault } from './operation-fault.ts'
import { countRates, limitsOf, ratesOf, withShared } from './spend-limits.ts'
import { admittedAmounts } from '#money/rate-limit.ts'
import { rateRooms } from '#domain/limits/remaining-rate-limit.ts'
import { causeOfCall, postAll } from './apply-posting.ts'

const stale: ReserveResult = { kind: 'stale' }

/**
 * The hold also marks the call as dispatched (docs/reference/rules.md "A process that dies"). The gateway sends the
 * request as soon as the hold is durable. A second commit for this mark would cost an fsync for every call. It would
 * only detect a crash in the microseconds between the commits. A call that is lost in these microseconds is charged at
 * most for its input.
 */
export function reserve(book: Book, request: ReserveRequest): ReserveResult {
  assertRequest(book, request)
  const caller = callerOf(book, request)
  if (caller === null) return stale
  const { person, key, bundle } = caller
  const { callId, nowMs, outcome } = request
  completeSources(book, person, nowMs)

  const run = outcome === null ? null : book.run(person, outcome.slug, outcome.runId)
  const rates = ratesOf(book, caller, request.bound.alias, nowMs)
  const state = {
    nowMs,
    isFrozen: person.isFrozen,
    key,
    run: outcome && { status: run === null ? ('running' as const) : statusOfRun(run, outcome.ceilingMicros) },
    sources: person.sources,
    limits: limitsOf(book, person, key, bundle, outcome, run, nowMs),
    rates: withShared(rates, request),
  }
  const offers = offersOf(book, request)
  const decision = admitOffer(state, offers, callId)
  book.useKey(key, nowMs)
  if (decision.kind === 'refused') {
    if (run !== null && outcome !== null && isCappedBy(decision)) {
      capRun(run, outcome.ceilingMicros)
      run.lastCallAtMs = nowMs
      book.changeRun(person, run)
    }
    const refusal = refused(decision, caller, outcome, state.limits)
    return rates.length === 0 ? refusal : { ...refusal, rates: rateRooms(rates, null, nowMs) }
  }
  const target = offers[decision.offer]?.target ?? request.target
  // Compute the remaining amounts before `reserved` counts the request, because counting changes `rates`.
  const rooms = rates.length === 0 ? null : rateRooms(rates, decision.hold, nowMs)
  const reservation = reserved(book, caller, request, target, run, decision, state.limits)
  return rooms === null ? reservation : Object.assign(reservation, { rates: rooms })
}

/** Equal quotes share one object in memory. The row of a quote is written before any hold refers to it. */
function offersOf(book: Book, { bound, offers, quote, target }: ReserveRequest): readonly TargetOffer[] {
  if (offers === undefined) {
    const one = book.quote(quote)
    return [{ covers: one, quote: one, bound, mayClamp: true, target }]
  }
  return offers.map((offer) => ({
    ...offer,
    covers: book.quote(offer.covers),
    quote: book.quote(offer.quote),
  }))
}

interface StoredCaller {
  readonly person: Person
  readonly key: KeyCell
  readonly bundle: BundleCell
}

/** Returns null if the store's configuration, key or end user differs from the data that priced the request. */
function callerOf(book: Book, request: ReserveRequest): StoredCaller | null {
  const { applicationId, configVersion, endUserId, mode } = request
  const application = book.application(applicationId)
  if (application === null || application.isArchived) return null
  if (configVersion !== null && configVersion !== application.configVersion) return null
  const key = book.key(request, request.keyId)
  if (key === null || key.applicationId !== applicationId) return null
  if (key.endUserId !== endUserId || key.mode !== mode) return null
  const person = book.person(endUserId, mode, request.nowMs)
  if (person === null || person.isRemoved || person.applicationId !== applicationId) return null
  if (person.payer?.id !== request.payerId) return null
  const bundle = person.bundleId === request.bundleId ? book.bundle(request.bundleId) : null
  return bundle === null ? null : { person, key, bundle }
}

function reserved(
  book: Book,
  caller: StoredCaller,
  request: ReserveRequest,
  target: Target,
  run: RunCell | null,
  { hold, postings, outputTokensPerChoice, isClamped, offer }: AdmittedOffer,
  limits: readonly Limit[],
): { readonly kind: 'reserved' } & Reservation {
  const { callId, nowMs, outcome } = request
  const { key, person } = caller
  const cause = causeOfCall(callId, nowMs)
  postAll(book, person, postings, cause)
  countRates(book, caller, hold.bound.alias, admittedAmounts, nowMs)
  if (outcome !== null) {
    const cell = run ?? newRun(outcome, nowMs)
    // A run that was stopped at its ceiling runs again only if its ceiling was raised.
    cell.status = 'running'
    cell.cappedAtMicros = null
    cell.calls += 1
    cell.lastCallAtMs = nowMs
    book.changeRun(person, cell)
  }
  book.addHold({
    hold,
    person,
    applicationId: request.applicationId,
    keyId: request.keyId,
    lineId: key.lineId,
    isPortalLine: key.isPortalLine,
    outcome,
    targetText: targetToText(target),
    background: null,
    attempts: null,
    inputEstimate: request.inputEstimate,
    epoch: book.epoch,
    reservedAtMs: nowMs,
    dispatchedAtMs: nowMs,
    checkpoint: null,
    slot: null,
  })
  const wallet = walletBalance(person)
  return { ...hold, kind: 'reserved', offer, outputTokensPerChoice, isClamped, wallet, limits }
}

function walletBalance(person: Person): Reservation['wallet'] {
  for (const source of person.sources) {
    if (source.kind === 'wallet') return { posted: source.posted, held: source.held }
  }
  return { posted: 0n, held: 0n }
}

function refused(
  decision: Refusal,
  { bundle, key, person }: StoredCaller,
  outcome: OpenHold['outcome'],
  limits: readonly Limit[],
): Extract<ReserveResult, { readonly kind: 'refused' }> {
  const { code, limitSource } = decision
  let at: number | null = null
  if (code === 'key_revoked') at = key.revokedAtMs
  if (code === 'key_expired') at = key.expiresAtMs
  const plan = planOf(decision, person, bundle)
  return {
    ...decision,
    ...(limitSource === 'pool' && plan !== null && { resetsAtMs: plan.renewsAtMs }),
    runId: limitSource === 'outcome_run' ? (outcome?.runId ?? null) : null,
    at,
    limits,
    plan,
  }
}

function planOf({ pool }: Refusal, person: Person, bundle: BundleCell): RefusedPlan | null {
  const cell = pool && person.cells.find(({ source }) => source.id === pool.id)
  if (pool === undefined || cell === undefined || cell.pool === null) return null
  const { displayName, recurring } = cell.pool
  const { endsAtMs, slug } = pool
  const isNext =
    recurring &&
    endsAtMs !== null &&
    endsAtMs < person.bundleUntilMs &&
    bundle.includes[person.mode].some(
      (include) => include.slug === slug && include.recurring && (include.untilMs ?? Infinity) > endsAtMs,
    )
  return {
    poolName: displayName,
    renewsAtMs: isNext ? endsAtMs : null,
    isOnDemandOff: pool.thenOnDemand && !person.onDemand.isEnabled,
  }
}

/** Stops the run until its ceiling is raised. */
export function capRun(run: RunCell, ceilingMicros: bigint): void {
  run.status = 'capped'
  run.cappedAtMicros = ceilingMicros
}

function newRun({ slug, runId }: NonNullable<OpenHold['outcome']>, nowMs: number): RunCell {
  return {
    slug,
    runId,
    status: 'running',
    cappedAtMicros: null,
    spentMicros: 0n,
    calls: 0,
    startedAtMs: nowMs,
    lastCallAtMs: nowMs,
    isNew: true,
    isDirty: false,
  }
}

function assertRequest(book: Book, request: ReserveRequest): void {
  const { bound, callId, inputEstimate, nowMs, offers } = request
  if (book.open(callId) !== null) throw new OperationFault(`call ${callId} has a hold already`)
  if (offers === undefined) assertBound(callId, bound, nowMs, inputEstimate)
  else if (offers.at(-1)?.mayClamp !== true)
    throw new OperationFault(`the last offer for call ${callId} may not be shortened`)
  else for (const offer of offers) assertBound(callId, offer.bound, nowMs, inputEstimate)
}

function assertBound(callId: string, bound: CallBound, nowMs: number, inputEstimate: number): void {
  const { textTokens, audioTokens, imageTokens, outputTokens, choices, tools } = bound
  assertCounts('reserve of call', callId, [
    nowMs,
    inputEstimate,
    textTokens,
    audioTokens,
    imageTokens,
    outputTokens,
    // Subtract 1, so that `assertCounts` rejects a request with less than one choice.
    choices - 1,
    ...(tools === undefined
      ? []
      : [tools.uses - 1, tools.usesMax - tools.uses, tools.tokensPerUse, tools.searchesPerUse]),
  ])
}
