import type { CanReport } from '#money/hold.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from './served-name.ts'

/**
 * The dearer dimensions that the provider can report for a call: a call is held for no other.
 *
 * - Cache writes depend on the provider (`cacheWrites`); where the request has to mark them, a request without a mark
 *   writes nothing.
 * - Speech and pictures come where the request asks for them; where it does not say, only from models made for them,
 *   which have it in their names.
 */
export function canReportOf(request: WireRequest, { account, target }: Plan): CanReport {
  const { cacheWrites } = kindFacts(account.kind)
  const isMarked = cacheWrites === 'marked'
  const cacheWrite = isMarked ? mayMarkCache(request.text) : cacheWrites === 'any'
  return {
    cacheWrite,
    cacheWriteLong: cacheWrite && (!isMarked || mayMarkLongCache(request.text)),
    audioOutput: request.asksForAudio ?? speaks.test(target.model),
    imageOutput: request.asksForImages ?? draws.test(target.model),
  }
}

const speaks = /audio|omni|realtime|speech|tts|voice/i
const draws = /banana|dall-?e|diffusion|flux|image/i

/**
 * Whether a body of any wire may mark content for the cache. Searches the bytes of the whole body, so a text
 * that only mentions the mark counts too, and so does any escape.
 */
function mayMarkCache(body: ByteText): boolean {
  return body.includes('cache_control') || hasEscapedAscii(body)
}

/** Whether a body may ask for the long lifetime: `"ttl": "1h"`. */
function mayMarkLongCache(body: ByteText): boolean {
  return body.includes('"1h"') || hasEscapedAscii(body)
}

function hasEscapedAscii(body: ByteText): boolean {
  return body.includes('\\u00') && escapedAscii.test(body)
}

const escapedAscii = /\\u00[2-7]/
