import type { WireRequest } from '#wire/wire-request.ts'

/**
 * If the hold can be extended during the stream, the first hold may be smaller than the worst-case cost. A background
 * response continues even if no client reads it, so its hold must cover the whole response.
 */
export function isExtendable({ isBackground, isStream }: WireRequest): boolean {
  return isStream && isBackground !== true
}
