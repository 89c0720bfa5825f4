import type { Failure } from '#domain/errors.ts'
import type { Call } from './open-call.ts'
import type { Outcome } from './outcome.ts'
import type { Reserved } from './open-call.ts'

/**
 * The steps of a call as JSON text, for requests.explain: what was decided, on which numbers. It has no
 * place for a message, a key or a provider's credential.
 */
export function traceOf(
  call: Call,
  reserved: Reserved | null,
  outcome: Outcome | null,
  failure?: Failure,
): string {
  const { caller, snapshot, request, plan } = call
  const shown = failure ?? (outcome?.kind === 'failed' ? outcome.failure : null)
  return JSON.stringify({
    auth: caller && { keyId: caller.key.keyId, endUserId: caller.key.endUserId, mode: caller.key.mode },
    policy: plan && {
      bundle: plan.bundle.slug,
      terminationPolicy: plan.quote.policy,
      debitBasis: plan.quote.basis,
      configVersion: snapshot?.version ?? null,
    },
    quote: request && {
      quoteId: plan?.quote.id ?? null,
      textTokensMax: request.textTokensMax,
      audioTokensMax: request.audioTokensMax,
      imageTokensMax: request.imageTokensMax,
      inputTokensEstimated: request.inputEstimate,
      outputTokensAsked: request.outputTokensMax,
      choices: request.choices,
      serviceTier: request.serviceTier,
    },
    reserve: reserved && {
      worstMicros: String(reserved.hold.worstMicros),
      firstWorstMicros: String(reserved.reservation.worstMicros),
      worstCredits: String(reserved.reservation.worstCredits),
      outputTokensPerChoice: reserved.reservation.outputTokensPerChoice,
      isClamped: reserved.reservation.isClamped,
      legs: reserved.reservation.legs.map(({ sourceId, kind, unit, amount, micros }) => ({
        sourceId,
        kind,
        unit,
        amount: String(amount),
        micros: String(micros),
      })),
      walletPostedMicros: String(reserved.reservation.wallet.posted),
      walletHeldMicros: String(reserved.reservation.wallet.held),
    },
    route: plan && {
      provider: plan.target.provider,
      accountId: plan.target.accountId,
      model: plan.target.model,
    },
    attempts: call.attempts,
    stream: outcome && { end: outcome.kind, firstByteMs: call.firstByteMs },
    refusal: shown && { code: shown.code, ...keepable(shown) },
  })
}

/** A provider's own words may quote the request: they go to who made it, and are not kept. */
function keepable({ code, details }: Failure): Failure['details'] {
  if (code !== 'upstream_rejected') return details
  const { reason: _, ...others } = details
  return others
}
