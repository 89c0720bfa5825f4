import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { readWithoutOffers, type KeptKinds } from '#wire/remove-provider-tools.ts'
import { nothingSaid } from '#wire/svc-settings-in-requests.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { isGiven, spanOf } from '#wire/wire-request.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from '#wire/wire-request.ts'
import { withoutProviderTools } from './remove-provider-tools.ts'
import { Fields } from './fields-in-either-spelling.ts'
import { readBody } from './parse-request.ts'

/**
 * Reads a countTokens request (docs/reference/wires.md "Token counts and model lists on the generate wire"). The body
 * has either `contents`, or a whole request with its model in `generateContentRequest`.
 */
export function parseGenerateCount(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  return readWithoutOffers(body, {
    read: (json, kept) => parse(json, path, kept),
    withoutOffers: (json, kept) => withoutProviderTools(json, kept, rootOf(json)),
  })
}

function rootOf(json: Json): Node {
  const whole = new Fields(json, 0).at('generateContentRequest')
  return isGiven(json, whole) ? whole : 0
}

function parse(json: Json, path: RequestPath, kept: KeptKinds): WireRequest {
  const { fields, config: _, ...request } = readBody(json, rootOf(json), path.model ?? '', kept)
  const named = fields.at('model')
  return {
    wire: 'generate',
    text: json.text,
    isStream: false,
    wantsUsage: false,
    isJsonArray: false,
    ...nothingSaid,
    ...request,
    places: {
      model: named < 0 ? null : spanOf(json, named),
      modelPrefix: 'models/',
      maxima: [],
      newMaximum: { at: startOf(json, 0) + 1, before: '', after: '' },
      always: [],
    },
  }
}

export function generateCountAnswer(tokens: number): ByteText {
  return byteTextOf(JSON.stringify({ totalTokens: tokens }))
}

export function readGenerateCount(text: ByteText): number | null {
  const tokens = parseObject(textOf(text))?.totalTokens
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
}
