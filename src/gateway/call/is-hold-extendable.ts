import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Whether the hold of a call can be extended while the response is streamed. If the hold can be extended, the first
 * hold may be smaller than the worst-case cost. The provider generates a response in the background even if no client
 * reads it, so the hold of such a response covers the whole response.
 */
export function isExtendable({ isBackground, isStream }: WireRequest): boolean {
  return isStream && isBackground !== true
}
