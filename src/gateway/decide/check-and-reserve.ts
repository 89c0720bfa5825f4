import { Failure } from '#domain/errors.ts'
import {
  StoreUnavailable,
  type ReserveRequest,
  type ReserveResult,
  type TargetOffer,
} from '#domain/ledger-interface.ts'
import type { OverdueInvoice } from '#domain/gateway-directory-interface.ts'
import type { CallBound, Quote, RateMeasure, RateRule } from '#money/decision-types.ts'
import { neededAmount } from '#money/rate-limit.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import type { Skip } from '#routing/route-tree-types.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { callerFault } from '#gateway/arrive/authenticate.ts'
import { planned, reservedFor } from '#gateway/call/call-state-types.ts'
import type {
  ParsedCall,
  PlannedCall,
  Reserved,
  ReservedCall,
  TextBound,
} from '#gateway/call/call-state-types.ts'
import { type Caller, timeOf } from '#gateway/call/caller-of-request.ts'
import type { SharedRules, SharedShare } from '#gateway/call/enforce-shared-limits.ts'
import type { DayShare } from '#gateway/call/count-daily-limit-use.ts'
import { failureOfRefusal } from '#gateway/call/failure-of-money-rejection.ts'
import type { Routed, Way } from '#gateway/call/routed-target-types.ts'
import { boundOf } from './maximum-usage-of-call.ts'
import { coveredWays, possibleHolds, type PossibleHold } from './possible-holds-by-targets.ts'
import { planOf, type CallPlan } from './choose-route-outcome-and-tags.ts'
import { upstreamMaximum } from './output-maximum-sent-to-provider.ts'

export interface Known {
  textBound: TextBound
  /** The tokenizer's count of the text. Undefined if not requested yet, null if the tokenizer gave none. */
  counted: number | null | undefined
  /** Null if the plan must be made again, because the caller or the request has changed. */
  plan: CallPlan | Failure | null
}

/**
 * Runs all checks with one configuration, and holds the worst-case cost. Returns `stale` if the configuration, key or
 * end user has changed.
 * @param isFresh whether the caller was just read from the store, so that no rejection can be the result of an outdated
 *   cache
 * @throws Failure `store_unavailable`
 */
export async function decideOnce(
  parsed: ParsedCall,
  known: Known,
  isFresh: boolean,
): Promise<ReservedCall | Failure | 'stale'> {
  const { caller, request } = parsed
  const plan = (known.plan ??= planOf(parsed))
  const { textBound } = known
  if (plan instanceof Failure) {
    // The cache may lack a new model name, price, outcome or bundle, and only the reserve would detect this. Decide
    // again with the stored configuration before a rejection.
    if (!isFresh) return 'stale'
    return callerFault(caller.key, timeOf(caller, parsed.ports.clock.nowMs())) ?? plan
  }
  const { routed } = plan
  const offers = possibleHolds(routed.ways, ({ dispatch, plan: target }) => {
    const bound = boundOf(request, target, textBound.tokensMax, dispatch.outputTokensRaised)
    return labeled(bound, plan.tags, caller.key.payerId)
  })
  const [{ bound, covers }] = offers
  const call = planned(parsed, routed, { ...textBound, tokensMax: bound.textTokens })
  call.tags = plan.tags
  const asked = shareOf(call, covers, bound)
  const share = asked === null ? null : await asked
  if (share instanceof Failure) {
    const isLatest = isFresh || (await call.configuration.current(call.applicationId)) === caller.config
    return isLatest ? share : 'stale'
  }
  let shared: SharedShare | null = null
  let result: ReserveResult
  try {
    const rules = sharedRules(caller, plan.tags)
    if (rules.length > 0) {
      const setAside = sharedOf(call, rules, { bound, covers, isFresh })
      shared = setAside instanceof Promise ? await setAside : setAside
    }
    result = await call.ports.ledger.reserve(reserveRequest(call, plan, { isFresh, offers, shared }))
  } catch (cause) {
    share?.released()
    if (cause instanceof StoreUnavailable) {
      shared?.refused()
      throw new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    }
    // The store may have created the hold despite the error, so the request still counts toward the limits.
    shared?.released()
    throw cause
  }
  if (result.kind === 'reserved') {
    share?.holds(result.worstMicros)
    shared?.holds(result)
  } else {
    share?.released()
    shared?.refused()
  }
  if (result.kind === 'stale') return 'stale'
  call.limits = result.limits
  call.rates = result.rates ?? null
  if (result.kind === 'refused') return refusedFailure(call, result)
  const ways = coveredWays((offers[result.offer] ?? offers[0]).ways, result)
  if (ways.length < routed.ways.length) call.routed = withoutDear(routed, ways)
  const held = { ways, reservation: result, hold: result, share, shared }
  return reservedFor(call, reservedAt(request, held, ways[0]))
}

/** Reports group calls by tag and by team. */
function labeled(bound: CallBound, tags: readonly string[], payerId: string | undefined): CallBound {
  if (tags.length === 0 && payerId === undefined) return bound
  return { ...bound, ...(payerId !== undefined && { payerId }), ...(tags.length > 0 && { tags }) }
}

/** Counts the call before money is held. Null if no daily limit applies. */
function shareOf(
  { caller: { config, key }, dailyUse, id }: PlannedCall,
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

function sharedRules(
  { config: { gateway, limitedTeams }, key: { payerId = '' } }: Caller,
  tags: readonly string[],
): readonly SharedRules[] {
  const all: SharedRules[] = []
  const ofApplication = gateway?.limits ?? noRules
  if (ofApplication.length > 0) all.push({ tag: null, rules: ofApplication })
  for (const tag of tags) {
    const rules = gateway?.tags.get(tag) ?? noRules
    if (rules.length > 0) all.push({ tag, rules })
  }
  const team = limitedTeams?.get(payerId)
  if (team !== undefined) all.push({ tag: null, team, rules: team.limits })
  return all
}

const noRules: readonly RateRule[] = []

function sharedOf(
  { applicationId, caller, ports, sharedLimits }: PlannedCall,
  rules: readonly SharedRules[],
  { bound, covers, isFresh }: Pick<PossibleHold, 'bound' | 'covers'> & { readonly isFresh: boolean },
): SharedShare | null | Promise<SharedShare> {
  const needsAt = (measure: RateMeasure, outputTokens: number): bigint => {
    const micros = measure === 'micros' ? demandAt(worstCase(covers, bound), outputTokens).micros : 0n
    return neededAmount(
      measure,
      micros,
      outputTokens === bound.outputTokens ? bound : { ...bound, outputTokens },
    )
  }
  const share = sharedLimits.admit({ applicationId, mode: caller.key.mode }, rules, {
    alias: bound.alias,
    needs: (measure) => needsAt(measure, bound.outputTokens),
    needsAtLeast: (measure) => needsAt(measure, Math.min(bound.outputTokens, bound.choices)),
    version: caller.config.version,
    isFresh,
    nowMs: timeOf(caller, ports.clock.nowMs()),
  })
  if (!(share instanceof Promise)) return share
  return share.catch((cause: unknown) => {
    throw new StoreUnavailable('the store takes no slices', { cause })
  })
}

function reserveRequest(
  { applicationId, caller, id, ports, request }: PlannedCall,
  { outcome, routed }: CallPlan,
  {
    isFresh,
    offers,
    shared,
  }: {
    readonly isFresh: boolean
    readonly offers: readonly [PossibleHold, ...PossibleHold[]]
    readonly shared: SharedShare | null
  },
): ReserveRequest {
  const { config, key } = caller
  const [{ bound, quote, target }] = offers
  return {
    callId: id,
    applicationId,
    configVersion: isFresh ? null : config.version,
    keyId: key.keyId,
    endUserId: key.endUserId,
    bundleId: routed.name.bundle.id,
    mode: key.mode,
    nowMs: timeOf(caller, ports.clock.nowMs()),
    quote,
    bound,
    outcome,
    target,
    inputEstimate: request.inputEstimate,
    ...(key.payerId !== undefined && { payerId: key.payerId }),
    ...(offers.length > 1 && { offers: offers.map(offerOf) }),
    ...(shared !== null && { sharedRates: shared.limits() }),
  }
}

/** Omits the functions of the offer, because the store accepts only plain data. */
function offerOf({ bound, covers, mayClamp, quote, target }: PossibleHold): TargetOffer {
  return { bound, covers, mayClamp, quote, target }
}

/** If an unpaid invoice blocks on-demand billing, the failure names the invoice. */
function refusedFailure(
  { caller, ports }: PlannedCall,
  refusal: Extract<ReserveResult, { readonly kind: 'refused' }>,
): Failure | Promise<Failure> {
  const { clock, directory, portalUrl } = ports
  const { config, key } = caller
  const nowMs = clock.nowMs()
  const failure = (overdue: OverdueInvoice | null): Failure =>
    failureOfRefusal(refusal, { config, overdue, portalUrl: portalUrl(config.slug) }, timeOf(caller, nowMs))
  return refusal.limitSource === 'unpaid_invoice'
    ? directory.overdueInvoice(key, nowMs).then(failure)
    : failure(null)
}

function withoutDear(routed: Routed, ways: PossibleHold['ways']): Routed {
  const skip: Skip = {
    code: 'too_dear',
    reason: 'the balance of the end user does not cover the maximum cost at this target',
  }
  const order = routed.order?.map((target) =>
    target.skip === null && !ways.some(({ plan }) => plan === target.leaf.plan)
      ? { ...target, skip }
      : target,
  )
  return { ...routed, ways, order: order ?? null }
}

export function reservedAt(
  request: WireRequest,
  held: Pick<Reserved, 'hold' | 'reservation' | 'share' | 'shared' | 'ways'>,
  { dispatch, plan }: Way,
): Reserved {
  return { ...held, plan, dispatch, maximum: upstreamMaximum(held.reservation, request, dispatch, plan) }
}
