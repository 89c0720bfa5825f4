import type { WireRequest } from '#wire/wire-request.ts'

/**
 * Whether the hold of a call can be extended while the response is streamed, so that the first hold may be smaller. A
 * response in the background is generated even if no stream of it is open, so its hold covers all of it.
 */
export function isExtendable({ isBackground, isStream }: WireRequest): boolean {
  return isStream && isBackground !== true
}
