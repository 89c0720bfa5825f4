import type { CanReport } from '#money/hold.ts'
import { mayMarkCache, mayMarkLongCache } from '#wire/bound/cache-marks.ts'
import type { WireRequest } from '#wire/request.ts'
import type { Plan } from './configuration.ts'

/**
 * Which of the dearer dimensions the provider can report of a call: a call is held for no other.
 *
 * - Anthropic writes to its cache only what is marked in the request. Google bills no writes on this wire.
 *   OpenAI writes by itself, and servers that follow it may.
 * - Speech and pictures come where the request asks for them; where it does not say, only from models that
 *   are made for them, and those have it in their names.
 */
export function canReportOf(request: WireRequest, { account, target }: Plan): CanReport {
  const { kind } = account
  const isAnthropic = kind === 'anthropic'
  const cacheWrite = isAnthropic ? mayMarkCache(request.text) : kind !== 'google'
  return {
    cacheWrite,
    cacheWriteLong: isAnthropic ? cacheWrite && mayMarkLongCache(request.text) : kind !== 'google',
    audioOutput: request.asksForAudio ?? speaks.test(target.model),
    imageOutput: request.asksForImages ?? draws.test(target.model),
  }
}

const speaks = /audio|omni|realtime|speech|tts|voice/i
const draws = /banana|dall-?e|diffusion|flux|image/i
