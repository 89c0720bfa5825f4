import { Failure } from '#domain/errors.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Returns a failure for a request for images if the price has no rate for them. Gemini's images cost up to twelve times
 * the rate of its text, and the operator of this gateway would pay the difference.
 */
export function unpricedImagesFault({ asksForImages, wire }: WireRequest, { quote }: Plan): Failure | null {
  if (wire !== 'generate' || asksForImages !== true || quote.cost.imageOutput !== undefined) return null
  const reason =
    'this model has no price for generated images. Set its rate imageOutput, or request only TEXT'
  return new Failure('unsupported_for_route', { reason }, { param: 'generationConfig.responseModalities' })
}
