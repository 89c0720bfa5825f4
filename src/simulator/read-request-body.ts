import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import { formValues } from './parse-multipart-bodies.ts'
import { cacheNameIn, missingCache } from './cached-contents-in-memory.ts'
import { isObject, type JsonObject } from './read-values-of-any-shape.ts'
import { rejection, type Rejection } from './simulated-rejection.ts'
import type { SimulatedCall } from './simulated-call-types.ts'
import { fileIdsIn, missingGoogleFile } from './files-in-memory.ts'
import type { KeptResponses } from './responses-in-memory.ts'
import type { CallFacts } from './wire-simulator-interface.ts'

const forms: ReadonlySet<UpstreamFormat> = new Set(['image_edits', 'transcriptions', 'translations'])

export function readBody<Request extends { readonly inputTokens: number }>(
  vendor: Reader<Request>,
  call: SimulatedCall,
  kept: KeptResponses | null,
): Request | Rejection {
  const value = bodyOf(call)
  if (value === undefined) return rejection('We could not parse the JSON body of your request.')
  if (!isObject(value)) return rejection('The body must be a JSON object.')
  const request = vendor.read(value, call, kept)
  if ('fault' in request) return request
  const cache = call.wire === 'generate' ? cacheNameIn(value) : null
  if (cache !== null) {
    const tokens = kept?.caches.tokensOf(cache, call.model) ?? null
    return tokens === null
      ? missingCache()
      : { ...request, inputTokens: request.inputTokens + tokens, cachedTokens: tokens }
  }
  const ids = fileIdsIn(value)
  if (ids.length === 0) return request
  const tokens = kept?.files.tokensOf(ids) ?? null
  if (tokens === null)
    return call.wire === 'generate'
      ? missingGoogleFile(ids)
      : rejection(`No such File object: ${ids.join(', ')}`, 'file_id')
  return { ...request, inputTokens: request.inputTokens + tokens }
}

/** Null or undefined if the body is invalid. */
export function bodyOf({ body, wire }: Pick<SimulatedCall, 'body' | 'wire'>): unknown {
  try {
    return forms.has(wire) ? formValues(body) : JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

interface Reader<Request> {
  read(body: JsonObject, call: CallFacts, kept: KeptResponses | null): Request | Rejection
}
