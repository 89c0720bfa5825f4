import { Failure } from '#domain/errors.ts'
import type { ErrorDetails } from '#domain/errors.ts'
import { StoreUnavailable } from '#domain/ledger.ts'
import type { ReserveResult } from '#domain/ledger.ts'
import type { CallBound } from '#money/hold.ts'
import type { Refusal } from '#money/refusal.ts'
import type { ChatRequest } from '#wire/chat/request.ts'
import { loaded } from './open-call.ts'
import type { Call, Reserved } from './open-call.ts'
import type { Plan } from './configuration.ts'

/** Output of one answer when neither the request nor the alias says: held for, not imposed. */
const outputTokensDefault = 16_384

/** How often configuration may change under one call before it is told to come back. */
const staleTries = 4

/**
 * Resolves the name, checks the bundle and holds the worst case, all on one snapshot; if that was old,
 * again on the new one. @throws Failure
 */
export async function reserve(call: Call, request: ChatRequest): Promise<Reserved> {
  const { configuration, applicationId } = call
  for (let i = 0; i < staleTries; i++) {
    const { snapshot, caller } = call
    if (!snapshot || !caller) throw new Error('reserve before authenticate')
    const plan = configuration.plan(snapshot, request.model, caller.key.bundleId, caller.key.mode)
    call.plan = plan
    const asked = request.outputTokensMax ?? plan.alias.ceilings.outputTokens ?? outputTokensDefault
    const bound: CallBound = {
      alias: request.model,
      textTokens: request.textTokensMax,
      audioTokens: request.audioTokensMax,
      imageTokens: request.imageTokensMax,
      outputTokens: asked * request.choices,
      choices: request.choices,
      webSearches: 0,
      serviceTier: request.serviceTier,
    }
    const result = await reserveOnce(call, request, plan, bound)
    if (result.kind === 'reserved') {
      const isTold = result.isClamped || request.outputTokensMax !== null
      return {
        plan,
        reservation: result,
        hold: {
          callId: call.id,
          quote: plan.quote,
          bound,
          worstMicros: result.worstMicros,
          worstCredits: result.worstCredits,
          legs: result.legs,
          limits: [],
        },
        upstreamOutputMax: isTold ? result.outputTokensPerChoice * request.choices : null,
      }
    }
    if (result.kind === 'refused') throw failureOf(result, call)
    configuration.forget(applicationId, caller.keyHash)
    call.snapshot = await loaded(configuration, applicationId)
    const key = await configuration.key(applicationId, caller.keyHash)
    if (!key) throw new Failure('invalid_key')
    call.caller = { ...caller, key }
  }
  throw new Failure('store_unavailable', { retryAfterSeconds: 1 })
}

async function reserveOnce(
  call: Call,
  request: ChatRequest,
  plan: Plan,
  bound: CallBound,
): Promise<ReserveResult> {
  const { ports, caller, snapshot } = call
  if (!snapshot || !caller) throw new Error('reserve before authenticate')
  const { outcome } = request
  const defined = outcome && snapshot.outcomes.get(outcome.slug)
  if (outcome && !defined)
    throw new Failure('not_found', { resource: 'outcome', id: outcome.slug }, { param: 'svc.outcome' })
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
      outcome:
        outcome && defined
          ? { slug: outcome.slug, runId: outcome.runId, ceilingMicros: defined.ceilingMicros }
          : null,
      target: plan.target,
      inputEstimate: request.inputEstimate,
    })
  } catch (cause) {
    if (cause instanceof StoreUnavailable)
      throw new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    throw cause
  }
}

/** A refusal with its numbers, as decimal strings, and where the person can do something about it. */
function failureOf(refusal: Refusal & { runId: string | null; at: number | null }, call: Call): Failure {
  const { limit, used, held, requested, resetsAtMs } = refusal
  const details: Record<string, string | null> = {
    limitSource: refusal.limitSource,
    limit: text(limit),
    used: text(used),
    held: text(held),
    requested: text(requested),
    available: limit === null ? null : String(max0(limit - (used ?? 0n) - (held ?? 0n))),
    resetsAt: resetsAtMs === null ? 'never' : new Date(resetsAtMs).toISOString(),
    portalUrl: call.ports.portalUrl(call.snapshot?.slug ?? ''),
  }
  if (refusal.runId !== null) details.run = refusal.runId
  if (refusal.at !== null) details.at = new Date(refusal.at).toISOString()
  const shown: ErrorDetails = details
  return new Failure(refusal.code, shown)
}

function text(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}

function max0(amount: bigint): bigint {
  return amount < 0n ? 0n : amount
}
