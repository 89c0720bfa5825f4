import { Failure } from '#domain/errors.ts'
import { modelFacts } from '#domain/accounts/provider-kinds.ts'
import type { Uses } from '#money/price.ts'
import { basisPrice } from '#money/worst-case.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { mayDraw } from './dimensions-that-provider-may-report.ts'

/**
 * Fails if Gemini may generate images and a price has no rate for them. Gemini's images cost up to twelve times the
 * rate of its text, and the operator of this gateway would pay the difference.
 */
export function unpricedImagesFault(request: WireRequest, plan: Plan): Failure | null {
  const { quote } = plan
  const isPriced = quote.cost.imageOutput !== undefined && basisPrice(quote).imageOutput !== undefined
  if (isPriced || !mayGeminiDraw(request, plan)) return null
  const unpriced = 'this model has no price for generated images. Set its rate imageOutput'
  const [param, reason] =
    request.wire === 'generate'
      ? ['generationConfig.responseModalities', `${unpriced}, or request only TEXT`]
      : ['model', unpriced]
  return new Failure('unsupported_for_route', { reason }, { param })
}

/** Undefined if the request causes neither tool uses nor images. */
export function usesAt(request: WireRequest, plan: Plan): Uses | undefined {
  if (!mayGeminiDraw(request, plan)) return request.uses
  return { ...request.uses, imageOutput: imageTokensMax * request.choices }
}

/**
 * Tokens of the largest image (docs/reference/tokens.md "Generated images of Gemini"). The hold covers one image in
 * addition to the maximum, because a model may not count its last image toward the maximum.
 */
const imageTokensMax = 2_520

/** Images are possible only if the target gets the request in Gemini's format. */
function mayGeminiDraw(request: WireRequest, plan: Plan): boolean {
  if (!mayDraw(request, plan)) return false
  const { wires } = modelFacts(plan.account.kind, plan.target.model)
  return (wires.find((wire) => wire === request.wire) ?? wires[0]) === 'generate'
}
