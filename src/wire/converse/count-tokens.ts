import type { ByteText } from '#wire/text/byte-text.ts'
import { resultOf, type Steps } from '#wire/text/computation-with-pauses.ts'
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
 * The request whose tokens are counted is a Converse request, or a body of Claude in base64 (docs/reference/wires.md
 * "Bedrock"). If the body is large, that request is decoded and read separately, in steps.
 */
export function parseConverseCount(body: RequestBody, path: RequestPath): WireRequest | RequestFault {
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  const counted = unlessRefused(() => countedIn(json))
  if (isFault(counted)) return counted
  if (typeof body !== 'string') return { ...unread, instead: counted }
  const text = typeof counted.text === 'string' ? counted.text : resultOf(counted.text)
  return typeof text === 'string' ? counted.parse(text, path) : text
}

const unread = fault('invalid_request', 'input', 'the request in it is read separately')

interface Counted {
  readonly text: ByteText | Steps<ByteText | RequestFault>
  readonly parse: typeof parseConverseRequest
}

function countedIn(json: Json): Counted {
  const input = kindOf(json, 0) === kinds.object ? member(json, 0, 'input') : -1
  const converse = input < 0 ? -1 : member(json, input, 'converse')
  if (converse >= 0) return { text: sourceOf(json, converse), parse: parseConverseRequest }
  const invoke = input < 0 ? -1 : member(json, input, 'invokeModel')
  const data = invoke < 0 ? null : textAt(json, member(json, invoke, 'body'))
  if (data === null) return mustBe('input', forms)
  return {
    text: decoded(data),
    parse: (body, path) => parseCountRequest(body, { ...path, isInvoke: true }),
  }
}

const forms = '{"converse": {...}} or {"invokeModel": {"body": "<base64>"}}'

export function converseCountAnswer(tokens: number): ByteText {
  return JSON.stringify({ inputTokens: tokens })
}

/** Returns a fault if the text is not base64. */
function* decoded(data: string): Steps<ByteText | RequestFault> {
  let text = ''
  for (let at = 0; at < data.length; at += stepCharacters) {
    if (at > 0) yield
    const piece = data.slice(at, at + stepCharacters)
    // `atob` skips spaces, so base64 can be decoded in separate pieces only if no piece contains spaces.
    if (!isBase64.test(piece)) return notBase64
    try {
      text += atob(piece)
    } catch {
      return notBase64
    }
  }
  return text
}

/** A multiple of four, because four characters encode three bytes. */
const stepCharacters = 1024 * 1024
const isBase64 = /^[\w+/]*={0,2}$/
const notBase64 = fault('invalid_request', 'input', `The field input must be ${forms}.`)
