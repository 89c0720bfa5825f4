import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Whether the hold of a call can be extended while the response is streamed. If so, the first hold may be smaller than
 * the worst-case cost. The provider generates a response in the background even if no client reads it, so its hold
 * covers the whole response.
 */
export function isExtendable({ isBackground, isStream }: WireRequest): boolean {
  return isStream && isBackground !== true
}
