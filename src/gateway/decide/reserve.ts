import { Failure } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import type { ReserveRequest, ReserveResult } from '#domain/ledger.ts'
import type { Snapshot } from '#domain/application-config.ts'
import type { CallBound } from '#money/hold.ts'
import { demandAt, worstCase } from '#money/worst-case.ts'
import type { WireRequest } from '#wire/request.ts'
import { canReportOf } from './can-report.ts'
import { callerFault } from '#gateway/arrive/authenticate.ts'
import { loaded } from '#gateway/open-call.ts'
import type { Call, Reserved, TextBound } from '#gateway/open-call.ts'
import type { Plan } from './configuration.ts'
import { outputTokensFirst } from '#gateway/ports.ts'
import type { TokenCounter } from '#gateway/ports.ts'
import { tierFault } from './service-tier.ts'
import { isTooMuch, tightened } from './exact-count.ts'
import { wrappingTokens } from './wrapping-tokens.ts'
import { dispatchOf } from './dispatch.ts'
import type { Dispatch } from './dispatch.ts'
import { waitMsOf } from '#gateway/arrive/client-timeout.ts'
import { failureOfRefusal } from './refusal-failure.ts'
import { isHeld } from './waiting-line.ts'
import type { Place } from './waiting-line.ts'

/** How often configuration may change under one call before it is told to come back. */
const staleTries = 4

/**
 * Resolves the name, checks the bundle and holds the worst case. Where only calls in flight leave no room
 * for it, it waits for one of them to end.
 * @throws Failure
 * @throws ClientGone
 */
export async function reserve(call: Call, request: WireRequest): Promise<Reserved> {
  const { line } = call
  const known: Known = {
    textBound: { tokensMax: request.textTokensMax, by: 'bytes' },
    counted: undefined,
    snapshot: null,
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
    withinMs: waitMsOf(call.response.req.headers, limits.heldWaitMs),
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

function placeOf({ caller }: Call, { model, outcome }: WireRequest): Place {
  if (!caller) throw new Error('placeOf before authenticate')
  const run = outcome && `${outcome.slug}\n${outcome.runId}`
  return { key: caller.key, alias: model, run }
}

/** What the tries of one call have found out. */
interface Known {
  textBound: TextBound
  /** What the tokenizer said; undefined: it was not asked. */
  counted: number | null | undefined
  /** What `planned` was decided on. */
  snapshot: Snapshot | null
  planned: Planned | Failure | null
}

/** One try; by the tokenizer's count of the text if it does not fit by its bytes. */
async function reserveTight(call: Call, request: WireRequest, known: Known): Promise<Reserved> {
  try {
    return await reserveBounded(call, request, known)
  } catch (cause) {
    const { plan, ports } = call
    const isTightest = known.textBound.by === 'tokenizer'
    if (isTightest || !(cause instanceof Failure) || plan === null || !isTooMuch(cause)) throw cause
    const couldFit = (textTokens: number): boolean =>
      leastDemand(plan, boundOf(request, plan, textTokens)) <= availableIn(cause)
    const once: TokenCounter = {
      async count(words) {
        if (known.counted === undefined) known.counted = await ports.tokens.count(words)
        return known.counted
      },
    }
    const tokensMax = await tightened(request, plan, once, couldFit)
    if (tokensMax === null) throw cause
    known.textBound = { tokensMax, by: 'tokenizer' }
    return reserveBounded(call, request, known)
  }
}

/** All on one snapshot; if that was old, again on the new one. */
async function reserveBounded(call: Call, request: WireRequest, known: Known): Promise<Reserved> {
  let isFresh = false
  for (let i = 0; i < staleTries; i++) {
    if (known.planned === null || known.snapshot !== call.snapshot) {
      known.planned = planOf(call, request)
      known.snapshot = call.snapshot
    }
    const { planned, textBound } = known
    if (planned instanceof Failure) {
      // The reserve, which would have noticed, is not reached: what is remembered here may be older than
      // this name, its price, the outcome or the caller's bundle.
      if (isFresh) {
        const { caller, ports } = call
        throw (caller && callerFault(caller.key, ports.clock.nowMs())) ?? planned
      }
      await reload(call)
      isFresh = true
      continue
    }
    const { plan, outcome, dispatch } = planned
    call.plan = plan
    const bound = boundOf(request, plan, textBound.tokensMax)
    call.textBound = { ...textBound, tokensMax: bound.textTokens }
    const result = await reserveOnce(call, request, plan, bound, outcome)
    if (result.kind === 'reserved') {
      const { isClamped, outputTokensPerChoice } = result
      const needed = dispatch.needsMaximum ? plan.outputTokensDefault : null
      const imposedMaximum = isClamped ? outputTokensPerChoice : needed
      const told = imposedMaximum ?? request.outputTokensMax
      return {
        plan,
        dispatch,
        reservation: result,
        hold: {
          callId: call.id,
          quote: plan.quote,
          bound: isClamped ? { ...bound, outputTokens: outputTokensPerChoice * request.choices } : bound,
          worstMicros: result.worstMicros,
          worstCredits: result.worstCredits,
          legs: result.legs,
          limits: [],
        },
        imposedMaximum,
        upstreamOutputMax: told === null ? null : told * request.choices,
      }
    }
    if (result.kind === 'refused')
      throw failureOfRefusal(result, call.ports.portalUrl(call.snapshot?.slug ?? ''))
    await reload(call)
    isFresh = true
  }
  throw new Failure('store_unavailable', { retryAfterSeconds: 1 })
}

/** @param textTokens of the request alone */
function boundOf(request: WireRequest, plan: Plan, textTokens: number): CallBound {
  const usual = plan.outputTokensDefault
  // What the alias sets is held whole; without it a stream begins with a slice, and grows.
  const isSliced = request.isStream && plan.alias.ceilings.outputTokens === undefined
  const first = isSliced ? Math.min(outputTokensFirst, usual) : usual
  return {
    alias: request.model,
    textTokens: textTokens + wrappingTokens(request, plan),
    audioTokens: request.audioTokensMax,
    imageTokens: request.imageTokensMax,
    outputTokens: (request.outputTokensMax ?? first) * request.choices,
    choices: request.choices,
    webSearches: 0,
    serviceTier: request.serviceTier,
    canReport: canReportOf(request, plan),
  }
}

/** What a call must hold at least: a token of output for each of its answers. */
function leastDemand({ quote }: Plan, bound: CallBound): bigint {
  return demandAt(worstCase(quote, bound), bound.choices).micros
}

/** What a refusal says is left of what bound; it always says so where `isTooMuch`. */
function availableIn({ details }: Failure): bigint {
  return typeof details['available'] === 'string' ? BigInt(details['available']) : 0n
}

type RunAsked = ReserveRequest['outcome']

interface Planned {
  readonly plan: Plan
  readonly outcome: RunAsked
  readonly dispatch: Dispatch
}

/** What the call's snapshot says of it; the failure that it means where it says no. */
function planOf(call: Call, request: WireRequest): Planned | Failure {
  const { configuration, snapshot, caller } = call
  if (!snapshot || !caller) throw new Error('reserve before authenticate')
  const { bundleId, mode } = caller.key
  let plan: Plan
  let dispatch: Dispatch
  try {
    plan = configuration.plan(snapshot, request.model, bundleId, mode)
    // Before the reserve: what its provider cannot be asked is refused with nothing held.
    dispatch = dispatchOf(call, request, plan)
  } catch (cause) {
    if (cause instanceof Failure) return cause
    throw cause
  }
  const fault = tierFault(request, plan)
  if (fault) return fault
  if (!request.outcome) return { plan, outcome: null, dispatch }
  const { slug, runId } = request.outcome
  const defined = snapshot.outcomes.get(slug)
  if (!defined) return new Failure('not_found', { resource: 'outcome', id: slug }, { param: 'svc.outcome' })
  return { plan, dispatch, outcome: { slug, runId, ceilingMicros: defined.ceilingMicros } }
}

/** Whether, by what is known now, the request goes to a provider of another wire. */
export function isConverted({ configuration, snapshot, caller }: Call, request: WireRequest): boolean {
  if (!snapshot || !caller) return false
  try {
    const plan = configuration.plan(snapshot, request.model, caller.key.bundleId, caller.key.mode)
    return !kindFacts(plan.account.kind).wires.includes(request.wire)
  } catch (cause) {
    // The reserve decides that again, and says so.
    if (cause instanceof Failure) return false
    throw cause
  }
}

/** Forgets what this call was decided on and loads what is stored now. */
async function reload(call: Call): Promise<void> {
  const { configuration, applicationId, caller } = call
  if (!caller) throw new Error('reload before authenticate')
  configuration.forget(applicationId, caller.keyHash)
  call.snapshot = await loaded(configuration, applicationId)
  const key = await configuration.key(applicationId, caller.keyHash)
  if (!key) throw new Failure('invalid_key')
  call.caller = { ...caller, key }
}

async function reserveOnce(
  call: Call,
  request: WireRequest,
  plan: Plan,
  bound: CallBound,
  outcome: RunAsked,
): Promise<ReserveResult> {
  const { ports, caller, snapshot } = call
  if (!snapshot || !caller) throw new Error('reserve before authenticate')
  try {
    return await ports.ledger.reserve({
      callId: call.id,
      applicationId: call.applicationId,
      configVersion: snapshot.version,
      keyId: caller.key.keyId,
      endUserId: caller.key.endUserId,
      bundleId: plan.bundle.id,
      mode: caller.key.mode,
      nowMs: ports.clock.nowMs(),
      quote: plan.quote,
      bound,
      canClamp: true,
      outcome,
      target: plan.target,
      inputEstimate: request.inputEstimate,
    })
  } catch (cause) {
    if (cause instanceof StoreUnavailable)
      throw new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    throw cause
  }
}
