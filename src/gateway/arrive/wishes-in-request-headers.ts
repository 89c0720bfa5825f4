import type { IncomingHttpHeaders } from 'node:http'
import type { WireRequest } from '#wire/wire-request.ts'
import { isMistralClient } from './recognize-mistral-client.ts'

/** Adds to the request what the client requests, or needs, by its headers. */
export function withWishesOfHeaders(request: WireRequest, headers: IncomingHttpHeaders): WireRequest {
  const { wantsReport, wantsUsage } = request
  const usageWish = wantsUsage || (isChatStreamOfMistral(request, headers) && 'withChoice')
  // In a chat stream, the usage chunk contains the report.
  if (wantsReport || headers['x-svc-report'] === '1')
    return { ...request, wantsReport: true, wantsUsage: usageWish || true }
  return usageWish === wantsUsage ? request : { ...request, wantsUsage: usageWish }
}

/**
 * Mistral's SDKs have no option for usage, because Mistral always returns the usage at the end of a stream
 * (docs/reference/wires.md "Mistral").
 */
function isChatStreamOfMistral({ isStream, wire }: WireRequest, headers: IncomingHttpHeaders): boolean {
  return wire === 'chat' && isStream && isMistralClient(headers)
}
