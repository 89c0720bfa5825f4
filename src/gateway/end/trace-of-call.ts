import type { Failure } from '#domain/errors.ts'
import { textOfTrace } from '#explain/convert-trace-to-text.ts'
import type { LimitTrace, Trace, WorstTrace } from '#explain/sections-of-trace.ts'
import { toolTokensOf } from '#money/cost.ts'
import type { CallBound, Limit } from '#money/decision-types.ts'
import { basisPrice, worstCase } from '#money/worst-case.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { PlannedTarget } from '#routing/route-tree-types.ts'
import type { Plan, RouteLeaf } from '#gateway/call/targets-of-model-name.ts'
import type { Call, Reserved } from '#gateway/call/call-state-types.ts'
import type { CallEnd } from '#gateway/relay/end-of-call-at-provider.ts'
import type { Routed } from '#gateway/call/routed-target-types.ts'
import { boundOf } from '#gateway/decide/maximum-usage-of-call.ts'

/** Returns the steps of a call for `requests.explain`. Contains no message text, key or provider credential. */
export function traceText(
  call: Call,
  reserved: Reserved | null,
  end: CallEnd | null,
  failure: Failure | null = end?.kind === 'failed' ? end.failure : null,
): string {
  return textOfTrace(
    traceOf(call, reserved, end, failure),
    reserved !== null && failure === null && Boolean(end?.used),
  )
}

export function traceOf(
  call: Call,
  reserved: Reserved | null,
  end: Pick<CallEnd, 'kind'> | null,
  failure: Failure | null,
): Trace {
  const { caller, plan, request, routed } = call
  return {
    auth: caller && { keyId: caller.key.keyId, endUserId: caller.key.endUserId, mode: caller.key.mode },
    policy: plan && {
      bundle: plan.bundle.slug,
      terminationPolicy: plan.quote.policy,
      debitBasis: plan.quote.basis,
      configVersion: caller?.config.version ?? null,
      // The usage record of a charged call already names its run.
      ...(request?.outcome && { outcome: request.outcome.slug, run: request.outcome.runId }),
      ...(call.limits.length > 0 && { limits: call.limits.map(limitSection) }),
    },
    quote: request && quoteSection(call, request, reserved),
    reserve: reserved && reserveSection(call, reserved),
    route: plan && {
      provider: plan.target.provider,
      accountId: plan.target.accountId,
      model: plan.target.model,
      ...(reserved && conversionOf(reserved, request)),
      ...(call.answeredBy !== null && { answeredBy: call.answeredBy }),
      ...(routed?.order && routeSection(call, routed, routed.order, reserved)),
    },
    attempts: call.attempts,
    stream: end && {
      end: end.kind,
      firstByteMs: call.firstByteMs,
      ...call.pace,
      clientLeftAtMs: call.leftAtMs,
      ...(call.stream && call.stream.droppedFrames > 0 && { droppedFrames: call.stream.droppedFrames }),
    },
    refusal: failure && {
      code: failure.code,
      ...failure.details,
      ...failure.operatorDetails,
      ...(reserved === null && { waitedMs: call.waitedMs }),
    },
  }
}

function quoteSection(
  { plan, textBound }: Call,
  request: WireRequest,
  reserved: Reserved | null,
): NonNullable<Trace['quote']> {
  const { tools: held, uses } = reserved?.reservation.bound ?? {}
  return {
    quoteId: plan?.quote.id ?? null,
    textTokensMax: textBound?.tokensMax ?? request.textTokensMax,
    textTokensBy: textBound?.by ?? 'bytes',
    audioTokensMax: reserved?.hold.bound.audioTokens ?? request.audioTokensMax,
    imageTokensMax: reserved?.hold.bound.imageTokens ?? request.images?.any ?? 0,
    inputTokensEstimated: request.inputEstimate,
    outputTokensAsked: request.outputTokensMax,
    choices: request.choices,
    serviceTier: request.serviceTier,
    ...(reserved && { canReport: reserved.hold.bound.canReport }),
    ...(held !== undefined && { tools: { kinds: request.run?.kinds ?? ownKinds(plan), ...held } }),
    ...(uses !== undefined && { uses }),
  }
}

/** Kinds of tools that the model uses although the request does not offer them. */
function ownKinds(plan: Plan | null): readonly ToolKind[] {
  return plan === null || plan.ownSearches === null ? [] : ['webSearch']
}

function reserveSection({ waitedMs }: Call, { hold, reservation }: Reserved): NonNullable<Trace['reserve']> {
  return {
    worstMicros: String(hold.worstMicros),
    firstWorstMicros: String(reservation.worstMicros),
    worstCredits: String(reservation.worstCredits),
    outputTokensPerChoice: reservation.outputTokensPerChoice,
    isClamped: reservation.isClamped,
    waitedMs,
    legs: reservation.legs.map(({ sourceId, kind, unit, amount, micros }) => ({
      sourceId,
      kind,
      unit,
      amount: String(amount),
      micros: String(micros),
    })),
    walletPostedMicros: String(reservation.wallet.posted),
    walletHeldMicros: String(reservation.wallet.held),
  }
}

function limitSection({ heldMicros, id, kind, limitMicros, resetsAtMs, spentMicros }: Limit): LimitTrace {
  return {
    name: kind,
    scope: id,
    limitMicros: String(limitMicros),
    usedMicros: String(spentMicros),
    heldMicros: String(heldMicros),
    resetsAtMs,
  }
}

function routeSection(
  { request }: Call,
  { name }: Routed,
  order: readonly PlannedTarget<RouteLeaf>[],
  reserved: Reserved | null,
): Pick<NonNullable<Trace['route']>, 'router' | 'policy' | 'targets'> {
  return {
    ...(name.router && { router: name.name, policy: name.router.policy }),
    targets: order.map(({ leaf, path, skip }) => ({
      path,
      accountId: leaf.source.account.id,
      provider: leaf.source.account.kind,
      model: leaf.source.model,
      skip,
      worst:
        leaf.plan &&
        request &&
        worstOf(leaf.plan, reserved?.reservation.bound ?? ownBound(request, leaf.plan)),
    })),
  }
}

/** The maximum usage of a rejected call at one target. A rejected call has no hold that covers all targets. */
function ownBound(request: WireRequest, plan: Plan): CallBound {
  return boundOf(request, plan, request.textTokensMax)
}

function worstOf({ quote }: Plan, bound: CallBound): WorstTrace {
  const { fees, fixed, multiplier, outputRate } = worstCase(quote, bound).micros
  const { input, output } = basisPrice(quote)
  return {
    inputPrice: input === undefined ? null : String(input),
    outputPrice: output === undefined ? null : String(output),
    inputTokensMax: bound.textTokens + bound.audioTokens + bound.imageTokens + toolTokensOf(bound),
    outputTokensMax: bound.outputTokens,
    fixed: String(fixed),
    outputRate: String(outputRate),
    multiplier: String(multiplier),
    ...(fees > 0n && { fees: String(fees) }),
  }
}

function conversionOf(
  { dispatch: { wire, lost } }: Reserved,
  request: WireRequest | null,
): Pick<NonNullable<Trace['route']>, 'upstreamWire' | 'lost'> {
  return wire === request?.wire && lost.length === 0 ? {} : { upstreamWire: wire, lost }
}
