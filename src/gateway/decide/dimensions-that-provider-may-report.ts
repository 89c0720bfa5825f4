import type { CanReport } from '#money/decision-types.ts'
import { modelFacts } from '#domain/accounts/provider-kinds.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'

/**
 * Returns which of the more expensive price dimensions, such as cache writes and images, the provider may report. The
 * hold covers only these dimensions.
 *
 * - Cache writes depend on the provider. Some providers write to the cache only if the request marks content for it.
 * - Speech and images are included if the request asks for them. If the request lists no modalities, the model's name
 *   decides.
 */
export function canReportOf(request: WireRequest, plan: Plan): CanReport {
  const { account, target } = plan
  const { cacheWrites } = modelFacts(account.kind, target.model)
  const isMarked = cacheWrites === 'marked'
  const cacheWrite = isMarked ? mayMarkCache(request.text) : cacheWrites === 'any'
  return {
    cacheWrite,
    cacheWriteLong: cacheWrite && (!isMarked || mayMarkLongCache(request.text)),
    audioOutput: request.asksForAudio ?? speaks.test(target.model),
    imageOutput: mayDraw(request, plan),
  }
}

/** If the request neither asks for images nor excludes them, the model decides. */
export function mayDraw({ asksForImages, wire }: WireRequest, { account, target }: Plan): boolean {
  if (asksForImages === null) return draws.test(target.model)
  // The conversion from chat to Gemini's format omits `modalities`.
  const isOmitted = wire === 'chat' && modelFacts(account.kind, target.model).wires[0] === 'generate'
  return isOmitted ? draws.test(target.model) : asksForImages
}

const speaks = /audio|omni|realtime|speech|tts|voice/i
const draws = /banana|dall-?e|diffusion|flux|image/i

/**
 * OpenAI's and Converse's marks are converted to Claude's marks. Searches the whole body, so text that only mentions a
 * mark also matches. A body with an escaped ASCII character also matches, because the escape may hide a mark.
 */
function mayMarkCache(body: ByteText): boolean {
  return cacheMarks.some((mark) => body.includes(mark)) || hasEscapedAscii(body)
}

const cacheMarks: readonly string[] = ['cache_control', 'prompt_cache_breakpoint', 'cachePoint']

/** Claude and Converse write `"ttl": "1h"`. Other lifetimes of OpenAI's wires are converted to `1h`. */
function mayMarkLongCache(body: ByteText): boolean {
  return longLifetimes.some((lifetime) => body.includes(lifetime)) || hasEscapedAscii(body)
}

const longLifetimes: readonly string[] = ['"1h"', '"12h"', '"24h"']

function hasEscapedAscii(body: ByteText): boolean {
  return body.includes('\\u00') && escapedAscii.test(body)
}

const escapedAscii = /\\u00[2-7]/
