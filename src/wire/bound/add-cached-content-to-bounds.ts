import type { StoredCache } from '#wire/cached-content-use-types.ts'
import { placesWith } from '#wire/positions-to-edit.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { countedAlike, sumOfImages } from './image-bounds.ts'

/**
 * Returns the request with the provider's own name of the cached content. The bounds of the request include the tokens
 * of this content.
 */
export function withCache(request: WireRequest, stored: StoredCache): WireRequest {
  const { audioTokensMax, cache, images, inputEstimate, mediaEstimate, places, run, textTokensMax } = request
  if (cache === undefined) return request
  const { audioTokens, imageTokens, name, tokens } = stored
  const dropped = run && !isFault(run.dropped) ? withCache(run.dropped, stored) : run?.dropped
  return {
    ...request,
    cache: { ...cache, stored },
    textTokensMax: textTokensMax + tokens - audioTokens - imageTokens,
    audioTokensMax: audioTokensMax + audioTokens,
    images: imageTokens === 0 ? images : sumOfImages(images, countedAlike(imageTokens)),
    inputEstimate: inputEstimate + tokens,
    // Only the provider has the content, so no count of a tokenizer can replace this part of the estimate.
    mediaEstimate: mediaEstimate + tokens,
    places: placesWith(places, [{ ...cache.place, text: byteTextOf(JSON.stringify(name)) }]),
    ...(run !== undefined && dropped !== undefined && { run: { ...run, dropped } }),
  }
}
