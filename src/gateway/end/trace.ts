import type { Failure } from '#domain/errors.ts'
import type { ApplicationConfig } from '#domain/application-config.ts'
import { settledNoteText } from '#domain/trace.ts'
import type { SettledNote } from '#domain/trace.ts'
import { namesOfCanReport, numberOfCanReport } from '#money/can-report.ts'
import type { Leg } from '#money/hold.ts'
import type { WireRequest } from '#wire/request.ts'
import type { Dispatch } from '#gateway/decide/dispatch.ts'
import type { Plan } from '#gateway/decide/configuration.ts'
import type { Call, Reserved } from '#gateway/open-call.ts'
import type { Outcome } from './call-end.ts'

/**
 * The steps of a call as text, for requests.explain: what was decided, on which numbers. It has no
 * place for a message, a key or a provider's credential.
 */
export function traceText(
  call: Call,
  reserved: Reserved | null,
  outcome: Outcome | null,
  failure?: Failure,
): string {
  const { config, request, plan } = call
  const isPlain = reserved && outcome?.used && outcome.kind !== 'failed'
  return isPlain && config && request && plan
    ? settledNoteText(settledNote(call, reserved, outcome, config, request, plan))
    : JSON.stringify(sectionsOf(call, reserved, outcome, failure))
}

function settledNote(
  call: Call,
  { reservation, dispatch, hold }: Reserved,
  outcome: Outcome,
  config: ApplicationConfig,
  request: WireRequest,
  plan: Plan,
): SettledNote {
  const { legs, wallet } = reservation
  return {
    bundle: plan.bundle.slug,
    configVersion: config.version,
    textTokensMax: hold.bound.textTokens,
    isTextCounted: call.textBound?.by === 'tokenizer' ? 1 : 0,
    canReport: numberOfCanReport(hold.bound.canReport),
    audioTokensMax: request.audioTokensMax,
    imageTokensMax: request.imageTokensMax,
    inputTokensEstimated: request.inputEstimate,
    outputTokensAsked: request.outputTokensMax,
    choices: request.choices,
    serviceTier: request.serviceTier,
    firstWorstMicros: String(reservation.worstMicros),
    outputTokensPerChoice: reservation.outputTokensPerChoice,
    isClamped: reservation.isClamped,
    legs: legs.length === 1 && legs[0]?.kind === 'wallet' ? null : legs.map(legRow),
    walletPostedMicros: String(wallet.posted),
    walletHeldMicros: String(wallet.held),
    attempts: call.attempts.map(({ status, failure, durationMs }) => [status, failure, durationMs]),
    end: outcome.kind,
    firstByteMs: call.firstByteMs,
    conversion:
      dispatch.wire === request.wire && dispatch.lost.length === 0 ? null : [dispatch.wire, ...dispatch.lost],
    waitedMs: call.waitedMs,
  }
}

function legRow({
  sourceId,
  kind,
  unit,
  amount,
  micros,
}: Leg): readonly [string, string, string, string, string] {
  return [sourceId, kind, unit, String(amount), String(micros)]
}

function sectionsOf(
  call: Call,
  reserved: Reserved | null,
  outcome: Outcome | null,
  failure?: Failure,
): object {
  const { caller, config, request, plan, textBound } = call
  const shown = failure ?? (outcome?.kind === 'failed' ? outcome.failure : null)
  return {
    auth: caller && { keyId: caller.key.keyId, endUserId: caller.key.endUserId, mode: caller.key.mode },
    policy: plan && {
      bundle: plan.bundle.slug,
      terminationPolicy: plan.quote.policy,
      debitBasis: plan.quote.basis,
      configVersion: config?.version ?? null,
    },
    quote: request && {
      quoteId: plan?.quote.id ?? null,
      textTokensMax: textBound?.tokensMax ?? request.textTokensMax,
      textTokensBy: textBound?.by ?? 'bytes',
      audioTokensMax: request.audioTokensMax,
      imageTokensMax: request.imageTokensMax,
      inputTokensEstimated: request.inputEstimate,
      outputTokensAsked: request.outputTokensMax,
      choices: request.choices,
      serviceTier: request.serviceTier,
      ...(reserved && { canReport: namesOfCanReport(reserved.hold.bound.canReport) }),
    },
    reserve: reserved && {
      worstMicros: String(reserved.hold.worstMicros),
      firstWorstMicros: String(reserved.reservation.worstMicros),
      worstCredits: String(reserved.reservation.worstCredits),
      outputTokensPerChoice: reserved.reservation.outputTokensPerChoice,
      isClamped: reserved.reservation.isClamped,
      waitedMs: call.waitedMs,
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
      ...(reserved && conversionOf(reserved.dispatch, request)),
    },
    attempts: call.attempts,
    stream: outcome && { end: outcome.kind, firstByteMs: call.firstByteMs },
    refusal: shown && {
      code: shown.code,
      ...shown.details,
      ...shown.operatorDetails,
      ...(reserved === null && { waitedMs: call.waitedMs }),
    },
  }
}

function conversionOf({ wire, lost }: Dispatch, request: WireRequest | null): object {
  return wire === request?.wire && lost.length === 0 ? {} : { upstreamWire: wire, lost }
}
