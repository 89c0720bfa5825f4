/**
 * Writes the model name of a path into the body of a request to Azure. Azure ignores a model in the body, and clients
 * of Azure may omit the model.
 */
import { formParts, partText } from './text/form-parts.ts'
import { parseJson } from './text/json-parser.ts'
import { after, inside, kindOf, kinds, member, startOf, type Json } from './text/json-tape.ts'
import { byteTextOf, type ByteText } from './text/byte-text.ts'
import { splice } from './text/apply-edits.ts'
import { fault, faultOfJson, requestLimits, spanOf, type RequestPath } from './wire-request.ts'
import type { Wire } from './wire.ts'

/** @param parse parser that reads the model from the body */
export function withModelInPath(parse: Wire['parseRequest']): Wire['parseRequest'] {
  return (body, path, keep) => {
    const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
    if ('reason' in json) return faultOfJson(json)
    const text = jsonWithModel(json, path.model ?? '')
    if (typeof body === 'string') return parse(text, path, keep)
    return { ...fault('invalid_request', 'model', 'The body is parsed again.'), instead: { text, parse } }
  }
}

function jsonWithModel(json: Json, model: string): ByteText {
  const { text } = json
  if (kindOf(json, 0) !== kinds.object) return text
  const name = byteTextOf(JSON.stringify(model))
  const written = member(json, 0, 'model')
  if (written >= 0) return splice(text, [{ ...spanOf(json, written), text: name }])
  const at = startOf(json, 0) + 1
  const comma = inside(0) < after(json, 0) ? ',' : ''
  return splice(text, [{ start: at, end: at, text: `"model":${name}${comma}` }])
}

/** Returns a text that is not a form unchanged. */
export function formWithModelInPath(text: ByteText, { boundary, model }: RequestPath): ByteText {
  const parts = boundary === undefined ? null : formParts(text, boundary)
  if (boundary === undefined || parts === null) return text
  const value = byteTextOf(model ?? '')
  const written = parts.find(({ name }) => name === 'model')
  return written === undefined
    ? partText(boundary, { name: 'model', value }) + text
    : splice(text, [{ start: written.start, end: written.end, text: value }])
}
