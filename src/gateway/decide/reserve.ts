import { Failure } from '#domain/errors.ts'
import {
  StoreUnavailable,
  type ReserveRequest,
  type ReserveResult,
  type TargetOffer,
} from '#domain/ledger.ts'
import type { ApplicationConfig } from '#domain/application-config.ts'
import type { CallBound, Quote } from '#money/hold.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import type { Skip } from '#routing/route.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { canReportOf } from './reportable-dimensions.ts'
import { authenticateAgain, callerFault, timeOf, type Caller } from '#gateway/arrive/authenticate.ts'
import { gatewayRulesFault } from '#gateway/arrive/gateway-rules.ts'
import type { Call, Reserved, TextBound } from '#gateway/open-call.ts'
import { coveredWays, holdOffers, type HoldOffer } from './hold-offers.ts'
import { routeCall, type Routed, type Way } from './route-call.ts'
import type { Plan } from './served-name.ts'
import type { DayShare } from './daily-use.ts'
import { outputTokensFirst } from '#gateway/ports.ts'
import { isTooMuch, type TextCounter, tokenizerBound } from './tokenizer-bound.ts'
import { wrappingTokens } from './wrapping-tokens.ts'
import { waitMsOf } from '#gateway/arrive/client-timeout.ts'
import { failureOfRefusal } from './refusal-failure.ts'
import { upstreamMaximum } from './upstream-maximum.ts'
import { isHeld, type Place } from './waiting-line.ts'

/**
 * Number of tries. If the configuration changes this often during one call, the call is rejected and can be retried.
 */
const staleTries = 4

/**
 * Resolves the name, checks the bundle and holds the worst-case cost. If only the calls in flight leave too little
 * room, waits for one of them to end.
 * @throws Failure
 * @throws ClientGone
 */
export async function reserve(call: Call, request: WireRequest): Promise<Reserved> {
  const { line } = call
  const known: Known = {
    textBound: { tokensMax: request.textTokensMax, by: 'bytes' },
    counted: undefined,
    config: null,
    planned: null,
  }
  const releasesSeen = line.releases
  let held = line.isEmpty ? null : line.failureBehind(placeOf(call, request))
  if (held === null) {
    try {
      return await reserveTight(call, request, known)
    } catch (cause) {
      if (!isHeld(cause)) throw cause
      held = cause
    }
  }
  const { clock, limits } = call.ports
  const waiting = line.wait(placeOf(call, request), held, () => reserveTight(call, request, known), {
    withinMs: waitMsOf(
      call.response.req.headers,
      callerOf(call).config.gateway?.holdWaitMs ?? limits.heldWaitMs,
    ),
    releasesSeen,
    response: call.response,
  })
  if (waiting === null) throw held
  const sinceMs = clock.monotonicMs()
  try {
    return await waiting
  } finally {
    call.waitedMs = Math.round(clock.monotonicMs() - sinceMs)
  }
}

function placeOf(call: Call, { model, outcome }: WireRequest): Place {
  const run = outcome && `${outcome.slug}\n${outcome.runId}`
  return { key: callerOf(call).key, alias: model, run }
}

function callerOf({ caller, id }: Call): Caller {
  if (!caller) throw new Error(`call ${id} reaches the reserve before it is authenticated`)
  return caller
}

/** Results that the tries of one call share. */
interface Known {
  textBound: TextBound
  /** The tokenizer's count. Undefined if it has not been requested. */
  counted: number | null | undefined
  /** The configuration that `planned` is based on. */
  config: ApplicationConfig | null
  planned: Planned | Failure | null
}

/** Makes one try. Uses the tokenizer's count of the text if the byte-based bound does not fit. */
async function reserveTight(call: Call, request: WireRequest, known: Known): Promise<Reserved> {
  try {
    return await reserveBounded(call, request, known)
  } catch (cause) {
    const { ports, routed } = call
    const isTightest = known.textBound.by === 'tokenizer'
    if (isTightest || !(cause instanceof Failure) || routed === null || !isTooMuch(cause)) throw cause
    const couldFit = (textTokens: number): boolean =>
      leastDemand(request, routed.ways, textTokens) <= availableIn(cause)
    const { organizationId } = callerOf(call).config
    const once: TextCounter = {
      async count(words) {
        if (known.counted === undefined) known.counted = await ports.tokens.count(words, organizationId)
        return known.counted
      },
    }
    const plans = routed.ways.map(({ plan }) => plan)
    const tokensMax = await tokenizerBound(request, plans, once, couldFit)
    if (tokensMax === null) throw cause
    known.textBound = { tokensMax, by: 'tokenizer' }
    return reserveBounded(call, request, known)
  }
}

/** Runs all checks on one configuration. If that configuration is stale, runs them again on the new one. */
async function reserveBounded(call: Call, request: WireRequest, known: Known): Promise<Reserved> {
  let isFresh = false
  for (let i = 0; i < staleTries; i++) {
    const caller = callerOf(call)
    if (known.planned === null || known.config !== caller.config) {
      known.planned = planOf(call, caller, request)
      known.config = caller.config
    }
    const { planned, textBound } = known
    if (planned instanceof Failure) {
      // The call does not reach the reserve, which detects stale entries. The cache may be older than this name, its
      // price, the outcome or the caller's bundle.
      if (isFresh) throw callerFault(caller.key, timeOf(caller, call.ports.clock.nowMs())) ?? planned
      call.caller = await authenticateAgain(call, caller)
      isFresh = true
      continue
    }
    const { routed } = planned
    call.routed = routed
    call.plan = routed.ways[0].plan
    const offers = holdOffers(routed.ways, ({ plan }) => boundOf(request, plan, textBound.tokensMax))
    const [{ bound, covers }] = offers
    call.textBound = { ...textBound, tokensMax: bound.textTokens }
    const asked = shareOf(call, caller, covers, bound)
    const share = asked === null ? null : await asked
    if (share instanceof Failure) {
      const isLatest = isFresh || (await call.configuration.current(call.applicationId)) === caller.config
      if (isLatest) throw share
    } else {
      const result = await reserveOnce(call, caller, request, planned, offers, share)
      if (result.kind !== 'stale') call.limits = result.limits
      if (result.kind === 'reserved') {
        const ways = coveredWays((offers[result.offer] ?? offers[0]).ways, result)
        if (ways.length < routed.ways.length) call.routed = withoutDear(routed, ways)
        return reservedAt(call, request, { ways, reservation: result, hold: result, share }, ways[0])
      }
      if (result.kind === 'refused') throw await refusedFailure(call, caller, result)
    }
    call.caller = await authenticateAgain(call, caller)
    isFresh = true
  }
  throw new Failure('store_unavailable', { retryAfterSeconds: 1 })
}

/** Names the invoice that prevents on-demand from paying. Only such a rejection reads the invoice. */
async function refusedFailure(
  { ports }: Call,
  { config, key }: Caller,
  refusal: Extract<ReserveResult, { readonly kind: 'refused' }>,
): Promise<Failure> {
  const { clock, directory, portalUrl } = ports
  const isUnpaid = refusal.limitSource === 'unpaid_invoice'
  const overdue = isUnpaid ? await directory.overdueInvoice(key, clock.nowMs()) : null
  return failureOfRefusal(refusal, { config, overdue, portalUrl: portalUrl(config.slug) })
}

/** Returns the hold of a call, for the current target. */
export function reservedAt(
  call: Call,
  request: WireRequest,
  held: Pick<Reserved, 'hold' | 'reservation' | 'share' | 'ways'>,
  { dispatch, plan }: Way,
): Reserved {
  call.plan = plan
  return { ...held, plan, dispatch, maximum: upstreamMaximum(held.reservation, request, dispatch, plan) }
}

/** Marks each target that the end user cannot pay for as skipped, with the reason. */
function withoutDear(routed: Routed, ways: HoldOffer['ways']): Routed {
  const skip: Skip = { code: 'too_dear', reason: 'the person can pay less than it may cost' }
  const order = routed.order?.map((target) =>
    target.skip === null && !ways.some(({ plan }) => plan === target.leaf.plan)
      ? { ...target, skip }
      : target,
  )
  return { ...routed, ways, order: order ?? null }
}

/** @param textTokens the tokens of the request alone */
export function boundOf(request: WireRequest, plan: Plan, textTokens: number): CallBound {
  const usual = plan.outputTokensDefault
  // A maximum of the alias or the application is held in full. Without one, the hold of a stream starts with a slice
  // and is extended.
  const isSliced = request.isStream && !plan.hasCeiling && !plan.isMaximumImposed
  const first = isSliced ? Math.min(outputTokensFirst, usual) : usual
  return {
    alias: request.model,
    textTokens: textTokens + wrappingTokens(request, plan),
    audioTokens: request.audioTokensMax,
    imageTokens: request.imageTokensMax,
    outputTokens: (request.outputTokensMax ?? first) * request.choices,
    choices: request.choices,
    serviceTier: request.serviceTier,
    canReport: canReportOf(request, plan),
  }
}

/** Returns the minimum amount that a call must hold, at the cheapest target: one output token for each choice. */
function leastDemand(request: WireRequest, ways: readonly Way[], textTokens: number): bigint {
  const demands = ways.map(({ plan }) => {
    const bound = boundOf(request, plan, textTokens)
    return demandAt(worstCase(plan.quote, bound), bound.choices).micros
  })
  return demands.reduce((least, one) => (one < least ? one : least))
}

/** Returns the amount that a rejection reports as available. Always present if `isTooMuch`. */
function availableIn({ details }: Failure): bigint {
  return typeof details['available'] === 'string' ? BigInt(details['available']) : 0n
}

type RunAsked = ReserveRequest['outcome']

interface Planned {
  readonly routed: Routed
  readonly outcome: RunAsked
}

/** Returns the plan of a call in the configuration, or the failure if no plan exists. */
function planOf(call: Call, caller: Caller, request: WireRequest): Planned | Failure {
  // These rules may be newer than the ones that admitted the call.
  const refused = gatewayRulesFault(call, caller) ?? offeredToolFault(caller, request)
  if (refused) return refused
  const name = call.configuration.served(caller, request.model)
  if (name instanceof Failure) return name
  // Check this before the reserve, so that a request that no provider can serve is rejected with nothing held.
  const routed = routeCall(call, caller, request, name)
  if (routed instanceof Failure) return routed
  if (!request.outcome) return { routed, outcome: null }
  const { slug, runId } = request.outcome
  const defined = caller.config.outcomes.get(slug)
  if (!defined) return new Failure('not_found', { resource: 'outcome', id: slug }, { param: 'svc.outcome' })
  if (defined.isArchived) return new Failure('outcome_archived', { outcome: slug }, { param: 'svc.outcome' })
  return { routed, outcome: { slug, runId, ceilingMicros: defined.ceilingMicros } }
}

/**
 * Tools that a provider would run are already removed from the request. An application can reject such requests
 * instead.
 */
export function offeredToolFault(
  { config: { gateway } }: Pick<Caller, 'config'>,
  { lost = [] }: WireRequest,
): Failure | null {
  const [first] = lost
  if (gateway?.providerTools !== 'refuse' || first === undefined) return null
  const reason = `its provider would run the tool at a cost that is not known before the request, and this application does not remove such tools. Omit ${lost.join(', ')}`
  return new Failure('unsupported_for_route', { reason }, { param: first })
}

/** Takes the call's share of its organization's daily limits, before money is held. Null if no limit applies. */
function shareOf(
  { dailyUse, id }: Call,
  { config, key }: Caller,
  covers: Quote,
  bound: CallBound,
): Promise<DayShare | Failure> | null {
  if (config.dailyLimits.length === 0 || key.mode === 'test') return null
  const worstMicros = demandAt(worstCase(covers, bound), bound.outputTokens).micros
  return dailyUse.admit(config.dailyLimits, {
    callId: id,
    organizationId: config.organizationId,
    worstMicros,
  })
}

/** Returns the offer without the ways, because the store receives only data. */
function offerOf({ bound, covers, mayClamp, quote, target }: HoldOffer): TargetOffer {
  return { bound, covers, mayClamp, quote, target }
}

async function reserveOnce(
  { applicationId, id, ports }: Call,
  caller: Caller,
  request: WireRequest,
  { outcome, routed }: Planned,
  offers: readonly [HoldOffer, ...HoldOffer[]],
  share: DayShare | null,
): Promise<ReserveResult> {
  const { config, key } = caller
  const [{ bound, quote, target }] = offers
  try {
    const result = await ports.ledger.reserve({
      callId: id,
      applicationId,
      configVersion: config.version,
      keyId: key.keyId,
      endUserId: key.endUserId,
      bundleId: routed.name.bundle.id,
      mode: key.mode,
      nowMs: timeOf(caller, ports.clock.nowMs()),
      quote,
      bound,
      outcome,
      target,
      ...(offers.length > 1 && { offers: offers.map(offerOf) }),
      inputEstimate: request.inputEstimate,
    })
    if (result.kind === 'reserved') share?.holds(result.worstMicros)
    else share?.released()
    return result
  } catch (cause) {
    share?.released()
    if (cause instanceof StoreUnavailable)
      throw new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    throw cause
  }
}
