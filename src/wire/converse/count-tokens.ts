import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, sourceOf } from '#wire/text/json-tape.ts'
import { parseCountRequest } from '#wire/messages/parse-request.ts'
import { faultOfJson, mustBe, requestLimits, textAt, unlessRefused } from '#wire/wire-request.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from '#wire/wire-request.ts'
import { parseConverseRequest } from './parse-request.ts'

/**
 * Reads a request for the number of tokens of another request: one of Converse, or a body of Claude in base64
 * (docs/reference/wires.md "Bedrock").
 */
export function parseConverseCount(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  return unlessRefused(() => {
    const input = kindOf(json, 0) === kinds.object ? member(json, 0, 'input') : -1
    const converse = input < 0 ? -1 : member(json, input, 'converse')
    if (converse >= 0) return parseConverseRequest(sourceOf(json, converse), path)
    const invoke = input < 0 ? -1 : member(json, input, 'invokeModel')
    const data = invoke < 0 ? null : textAt(json, member(json, invoke, 'body'))
    const inner = data === null ? null : decoded(data)
    return inner === null
      ? mustBe('input', '{"converse": {...}} or {"invokeModel": {"body": "<base64>"}}')
      : parseCountRequest(inner, { ...path, isInvoke: true })
  })
}

export function converseCountAnswer(tokens: number): ByteText {
  return JSON.stringify({ inputTokens: tokens })
}

/** Returns the bytes of base64. Null if the text is not base64. */
function decoded(data: string): ByteText | null {
  try {
    return atob(data)
  } catch {
    return null
  }
}
