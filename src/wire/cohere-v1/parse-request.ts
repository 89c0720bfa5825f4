import { factsInBody } from '#wire/facts-in-request-path.ts'
import { cohere } from '#wire/cohere/wire.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, nameAt, sourceOf, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import {
  isAbsent,
  isObject,
  parseValue,
  printValue,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import type { Wire } from '#wire/wire.ts'
import {
  fault,
  faultOfJson,
  isFault,
  isNull,
  mustBe,
  refuse,
  refuseForRoute,
  refuseTwice,
  requestLimits,
  unboundable,
  unlessRefused,
  type WireRequest,
} from '#wire/wire-request.ts'
import { entriesIn, messagesOf, objectIn, resultsIn } from './messages-of-chat-history.ts'
import { toolsOf } from './convert-tools-to-json-schema.ts'
import type { Entry } from './turn-types.ts'

/**
 * Rewrites the body to version 2, which the wire `cohere` reads (docs/reference/wires.md "Version 1 of Cohere's chat").
 */
export const parseCohereV1: Wire['parseRequest'] = (body) => {
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  const rewritten = unlessRefused(() => rewrittenBody(json))
  if (isFault(rewritten)) return rewritten
  const { facts, text } = rewritten
  const parse: Wire['parseRequest'] = (written, path) => {
    const request = cohere.parseRequest(written, path)
    return isFault(request) ? request : { ...request, ...facts }
  }
  if (typeof body === 'string') return parse(text, factsInBody)
  return { ...fault('invalid_request', null, 'The body is parsed again.'), instead: { text, parse } }
}

interface Rewritten {
  readonly text: ByteText
  readonly facts: Pick<WireRequest, 'chatHistory' | 'lost'>
}

function rewrittenBody(json: Json): Rewritten {
  if (kindOf(json, 0) !== kinds.object) refuse('invalid_request', null, 'The body must be a JSON object.')
  const names = new Set<string>()
  const members: ByteText[] = []
  const body: Record<string, JsonValue> = {}
  for (const key of keysOf(json, 0)) {
    const name = nameAt(json, key)
    const value = valueOf(key)
    if (names.has(name)) refuseTwice(name)
    names.add(name)
    if (unchanged.has(name)) {
      if (!isNull(json, value)) members.push(`"${name}":${sourceOf(json, value)}`)
    } else if (rewritable.has(name)) body[name] = valueIn(json, value)
    else if (!asksForNothing(name, valueIn(json, value)))
      refuseForRoute(name, refused.get(name) ?? unknownField)
  }
  const entries = entriesOf(body)
  const preamble = isAbsent(body.preamble) ? '' : textIn(body, 'preamble')
  const messages = messagesOf(entries)
  const rewritten = {
    messages: preamble === '' ? messages : [{ role: 'system', content: preamble }, ...messages],
    ...toolFields(body),
    ...documentFields(body.documents),
    ...optionFields(body),
  }
  members.push(byteTextOf(printValue(rewritten)).slice(1, -1))
  return {
    text: `{${members.join(',')}}`,
    facts: { chatHistory: entries, ...(dropsTurns(body) && { lost: ['prompt_truncation'] }) },
  }
}

/** Reads lists item by item, because only items with exact numbers need the slower parser. */
function valueIn(json: Json, node: Node): JsonValue {
  if (kindOf(json, node) === kinds.array) return itemsOf(json, node).map((item) => valueIn(json, item))
  return parseValue(textOf(sourceOf(json, node)))
}

/** Fields that mean the same in version 2. */
const unchanged = nameSet(`
  model stream max_tokens temperature p k seed stop_sequences frequency_penalty presence_penalty svc
`)

/** Fields that have another form in version 2, or whose values are checked. */
const rewritable = nameSet(`
  message chat_history preamble tools tool_results force_single_step documents response_format
  citation_quality prompt_truncation safety_mode
`)

const refused: ReadonlyMap<string, string> = new Map(
  Object.entries({
    connectors: `${unboundable}. Send the documents in the field documents`,
    conversation_id:
      'the size of a conversation that is stored at the provider is not known before the request. Send the messages in the field chat_history',
    search_queries_only: 'version 2 of Cohere’s chat returns no search queries. Omit the field',
    max_input_tokens: 'version 2 of Cohere’s chat does not shorten prompts. Omit the field',
    raw_prompting: 'version 2 of Cohere’s chat has no raw prompts. Omit the field',
    num_generations: 'version 2 of Cohere’s chat generates one answer. Omit the field',
  }),
)

const unknownField = 'version 2 of Cohere’s chat has no such field. Omit the field'

/** Whether the field with this value has the same effect as an omitted field. */
function asksForNothing(name: string, value: JsonValue): boolean {
  return (
    isAbsent(value) ||
    value === false ||
    (Array.isArray(value) && value.length === 0) ||
    (name === 'num_generations' && value === 1)
  )
}

/** Tool results follow the calls that they answer: the last calls of the history, or calls that the results contain. */
function entriesOf(body: JsonObject): readonly Entry[] {
  const history = entriesIn(body.chat_history)
  const message = textIn(body, 'message')
  const results = resultsIn(body.tool_results, 'tool_results')
  const asked: readonly Entry[] = message === '' && results.length > 0 ? [] : [{ role: 'USER', message }]
  const told: readonly Entry[] = results.length === 0 ? [] : [{ role: 'TOOL', tool_results: results }]
  const last = history.at(-1)
  const isAwaited = last?.role === 'CHATBOT' && last.tool_calls !== undefined
  return isAwaited ? [...history, ...told, ...asked] : [...history, ...asked, ...told]
}

function textIn(body: JsonObject, name: string): string {
  return textOrNull(body[name]) ?? mustBe(name, 'a string')
}

/** With `force_single_step`, the model answers from the results and calls no further tools. */
function toolFields(body: JsonObject): JsonObject {
  const tools = toolsOf(body.tools)
  if (tools.length === 0) return {}
  const isStepForced = oneOf(body, 'force_single_step', [true, false]) === true
  const isLastStep = isStepForced && !asksForNothing('tool_results', body.tool_results)
  return { tools, ...(isLastStep && { tool_choice: 'NONE' }) }
}

/** Documents without an ID get the ID that Cohere would give them. */
function documentFields(documents: JsonValue): JsonObject {
  if (isAbsent(documents)) return {}
  if (!Array.isArray(documents)) return mustBe('documents', 'a list')
  if (documents.length === 0) return {}
  return {
    documents: documents.map((item: JsonValue, i) => {
      const { id, _excludes: excluded, ...data } = objectIn(item, `documents.${i}`)
      if (!isAbsent(excluded)) refuseForRoute(`documents.${i}._excludes`, unknownField)
      return { id: isAbsent(id) ? `doc_${i}` : id, data }
    }),
  }
}

function optionFields(body: JsonObject): JsonObject {
  const quality = body.citation_quality
  const mode = typeof quality === 'string' ? quality.toUpperCase() : quality
  const citations = oneOf({ citation_quality: mode }, 'citation_quality', citationModes)
  const safety = oneOf(body, 'safety_mode', ['CONTEXTUAL', 'STRICT', 'NONE'])
  return {
    ...(citations !== null && { citation_options: { mode: citations } }),
    ...(safety !== null && { safety_mode: safety === 'NONE' ? 'OFF' : safety }),
    ...formatField(body.response_format),
  }
}

const citationModes = ['ENABLED', 'DISABLED', 'FAST', 'ACCURATE', 'OFF']

function formatField(format: JsonValue): JsonObject {
  if (isAbsent(format)) return {}
  const { schema, ...others } = objectIn(format, 'response_format')
  return { response_format: { ...others, ...(isObject(schema) && { json_schema: schema }) } }
}

/** Whether the provider should drop old turns from a prompt that is too long. */
function dropsTurns(body: JsonObject): boolean {
  const asked = oneOf(body, 'prompt_truncation', ['OFF', 'AUTO', 'AUTO_PRESERVE_ORDER'])
  return asked !== null && asked !== 'OFF'
}

function oneOf(
  body: JsonObject,
  name: string,
  values: readonly (string | boolean)[],
): string | boolean | null {
  const value = body[name]
  if (isAbsent(value)) return null
  return values.find((accepted) => accepted === value) ?? mustBe(name, `one of ${values.join(', ')}`)
}
