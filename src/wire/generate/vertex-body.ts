import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { camelCase, entriesOf, fieldAt } from './fields-in-either-spelling.ts'
import { endOf, kindOf, kinds, startOf, stringAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { requestLimits } from '#wire/wire-request.ts'

/**
 * Converts a body of Gemini's own API to the spelling of Vertex AI (docs/reference/wires.md "Vertex AI").
 *
 * - A content without `role` gets the role `user`, the default of Gemini's own API.
 * - For models before Gemini 3, `id` is removed from function calls and responses, which Vertex AI matches by their
 *   order.
 */
export function vertexBody(body: ByteText, model: string): ByteText {
  const json = parseJson(body, requestLimits)
  if ('reason' in json) return body
  return splice(body, contentEdits(json, 0, model))
}

/**
 * Vertex AI expects the fields at the top level instead of in `generateContentRequest`. Fields that Vertex AI does not
 * count are removed.
 */
export function vertexCountBody(body: ByteText, model: string): ByteText {
  const json = parseJson(body, requestLimits)
  if ('reason' in json) return body
  const whole = fieldAt(json, 0, 'generateContentRequest')
  const root = whole < 0 ? 0 : whole
  const uncounted = keysOf(json, root).filter((key) => !counted.has(camelCase(stringAt(json, key))))
  const edits = [...contentEdits(json, root, model), ...removals(json, root, uncounted)]
  const outside = [
    { start: 0, end: startOf(json, root), text: '' },
    { start: endOf(json, root), end: body.length, text: '' },
  ]
  return splice(body, [...outside, ...edits])
}

/** For Vertex AI, only the path names the model. */
export function vertexEmbedBody(body: ByteText): ByteText {
  const json = parseJson(body, requestLimits)
  if ('reason' in json) return body
  const model = keysOf(json, 0).filter((key) => stringAt(json, key) === 'model')
  return splice(body, removals(json, 0, model))
}

/** Fields of Vertex AI's countTokens request that also occur in Gemini's own API. */
const counted: ReadonlySet<string> = new Set(['contents', 'systemInstruction', 'tools', 'generationConfig'])

function contentEdits(json: Json, root: Node, model: string): readonly Edit[] {
  const contents = fieldAt(json, root, 'contents')
  if (contents < 0) return []
  const edits: Edit[] = []
  for (const content of entriesOf(json, contents)) {
    if (kindOf(json, content) !== kinds.object) continue
    if (fieldAt(json, content, 'role') < 0) edits.push(roleOf(json, content))
    if (!beforeGemini3.test(model)) continue
    const parts = fieldAt(json, content, 'parts')
    if (parts >= 0) for (const part of entriesOf(json, parts)) edits.push(...idRemovals(json, part))
  }
  return edits
}

const beforeGemini3 = /gemini-(?:[a-z]+-)?[12](?!\d)/i

function roleOf(json: Json, content: Node): Edit {
  const at = startOf(json, content) + 1
  return { start: at, end: at, text: keysOf(json, content).length === 0 ? '"role":"user"' : '"role":"user",' }
}

function idRemovals(json: Json, part: Node): readonly Edit[] {
  return ['functionCall', 'functionResponse'].flatMap((name) => {
    const call = fieldAt(json, part, name)
    const ids = keysOf(json, call).filter((key) => stringAt(json, key) === 'id')
    return removals(json, call, ids)
  })
}
