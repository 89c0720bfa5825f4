import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, sourceOf, type Json } from '#wire/text/json-tape.ts'
import { parseCountRequest } from '#wire/messages/parse-request.ts'
import {
  fault,
  faultOfJson,
  isFault,
  mustBe,
  requestLimits,
  textAt,
  unlessRefused,
  type RequestBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { parseConverseRequest } from './parse-request.ts'

/**
 * Reads a request for the number of tokens of another request: one of Converse, or a body of Claude in base64
 * (docs/reference/wires.md "Bedrock"). In a large body, the other request is read in steps too (`instead`).
 */
export function parseConverseCount(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  const counted = unlessRefused(() => countedIn(json))
  if (isFault(counted)) return counted
  return typeof body === 'string' ? counted.parse(counted.text, path) : { ...unread, instead: counted }
}

const unread = fault('invalid_request', 'input', 'the request in it is read separately')

/** The request whose tokens are counted, and its reader. */
interface Counted {
  readonly text: ByteText
  readonly parse: typeof parseConverseRequest
}

function countedIn(json: Json): Counted {
  const input = kindOf(json, 0) === kinds.object ? member(json, 0, 'input') : -1
  const converse = input < 0 ? -1 : member(json, input, 'converse')
  if (converse >= 0) return { text: sourceOf(json, converse), parse: parseConverseRequest }
  const invoke = input < 0 ? -1 : member(json, input, 'invokeModel')
  const data = invoke < 0 ? null : textAt(json, member(json, invoke, 'body'))
  const text = data === null ? null : decoded(data)
  return text === null
    ? mustBe('input', '{"converse": {...}} or {"invokeModel": {"body": "<base64>"}}')
    : { text, parse: (body, path) => parseCountRequest(body, { ...path, isInvoke: true }) }
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
