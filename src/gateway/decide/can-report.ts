import type { CanReport } from '#money/hold.ts'
import { kindFacts } from '#domain/provider-kinds.ts'
import { mayMarkCache, mayMarkLongCache } from '#wire/bound/cache-marks.ts'
import type { WireRequest } from '#wire/request.ts'
import type { Plan } from './configuration.ts'

/**
 * Which of the dearer dimensions the provider can report of a call: a call is held for no other.
 *
 * - What is written to a cache is the provider's to say (`cacheWrites`); where it is what the request marks, one that
 *   marks nothing writes nothing.
 * - Speech and pictures come where the request asks for them; where it does not say, only from models that
 *   are made for them, and those have it in their names.
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
