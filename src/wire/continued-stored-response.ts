import { byteTextOf } from '#wire/text/byte-text.ts'
import type { StoredResponse } from './types-of-replaced-ids.ts'
import { isFault } from './wire-request.ts'
import type { RequestFault, WireRequest } from './wire-request.ts'

/** Tokens that a template adds around a stored response. The usage of the response does not include these tokens. */
const framingTokens = 64

/**
 * Returns the request with the provider's ID of the stored response. The bounds of the request include the length of
 * the response.
 */
export function continuing(request: WireRequest, stored: StoredResponse): WireRequest {
  const { places, previous, run } = request
  if (previous === undefined) return request
  const more = stored.tokens + framingTokens
  return {
    ...request,
    previous: { ...previous, stored },
    textTokensMax: request.textTokensMax + more,
    inputEstimate: request.inputEstimate + more,
    // Only the provider has the stored response, so no count of a tokenizer can replace this part of the estimate.
    mediaEstimate: request.mediaEstimate + more,
    places: {
      ...places,
      always: [...places.always, { ...previous.place, text: byteTextOf(JSON.stringify(stored.id)) }],
    },
    ...(run !== undefined && { run: { ...run, dropped: continuingOrFault(run.dropped, stored) } }),
  }
}

function continuingOrFault(
  request: WireRequest | RequestFault,
  stored: StoredResponse,
): WireRequest | RequestFault {
  return isFault(request) ? request : continuing(request, stored)
}
