import { whyUnbounded } from '#wire/bound/bound-of-unknown-content.ts'
import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { modelAt } from '#wire/model-name.ts'
import { placesIn } from '#wire/positions-to-edit.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { toolsOf } from '#wire/remove-provider-tools.ts'
import {
  countAt,
  detours,
  fieldsIn,
  flagAt,
  isGiven,
  knownFields,
  mustBe,
  oneAnswer,
  outputTokensLimit,
  refuseForRoute,
  requestIn,
  textAt,
  turnsAt,
  unboundable,
  type Fields,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'

/** Reads a request of Cohere's chat (docs/reference/wires.md "Cohere's chat"). */
export function parseCohereRequest(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known)
  const { max_tokens: max } = fields
  refuseOtherTools(json, fields.tools)
  return {
    ...oneAnswer,
    wire: 'cohere',
    text: json.text,
    model: modelAt(json, fields.model),
    isStream: flagAt(json, 'stream', fields.stream),
    outputTokensMax: countAt(json, 'max_tokens', max, outputTokensLimit),
    serviceTier: null,
    ...svcAt(json, fields.svc),
    ...boundInput(json, fields),
    places: placesIn(json, fields, [max], 'max_tokens', []),
  }
}

const known = knownFields(['model', 'messages', 'max_tokens', 'stream', 'tools', 'response_format', 'svc'], {
  connectors: `${unboundable}. Send the documents in the field documents`,
  conversation_id:
    'the size of a conversation that is stored at the provider is not known before the request. Send the messages',
  ...detours,
})

export const settings = nameSet(`
  model max_tokens stream svc temperature p k seed stop_sequences frequency_penalty presence_penalty
  logprobs safety_mode citation_options thinking priority strict_tools raw_prompting
`)

/** Cohere runs no tools in its chat, so a tool that is not a function could not run. */
function refuseOtherTools(json: Json, tools: Node): void {
  for (const [i, tool] of toolsOf(json, tools, 'tools').entries())
    if ((textAt(json, member(json, tool, 'type')) ?? 'function') !== 'function')
      refuseForRoute(`tools.${i}.type`, 'Cohere’s chat accepts only tools of the type function')
}

/** Documents count as text, because a model reads their names and values. */
function boundInput(
  json: Json,
  { messages, response_format: format, tools }: Fields<'messages' | 'response_format' | 'tools'>,
): InputTotal {
  const turns = itemsOf(json, turnsAt(json, 'messages', messages, 'message'))
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  for (const [i, message] of turns.entries()) {
    if (kindOf(json, message) !== kinds.object) mustBe(`messages.${i}`, 'an object')
    bound.addTurn(json, message)
    for (const [j, part] of itemsOf(json, member(json, message, 'content')).entries()) {
      const reason = boundPart(json, part, bound)
      if (reason !== null) refuseForRoute(`messages.${i}.content.${j}`, reason)
    }
  }
  return bound.total(json, {
    messages: turns.length,
    hasTools: itemsOf(json, tools).length > 0,
    hasSchema: isGiven(json, format),
  })
}

/** @returns why the tokens of the part have no limit, or null */
function boundPart(json: Json, part: Node, bound: InputBound): string | null {
  if (kindOf(json, part) !== kinds.object) return null
  const type = textAt(json, member(json, part, 'type')) ?? ''
  if (isText.has(type)) return null
  if (type !== 'image_url') return whyUnbounded(json, part, type)
  const image = member(json, part, 'image_url')
  bound.addImage(json, member(json, image, 'url'), textAt(json, member(json, image, 'detail')) === 'low')
  return null
}

const isText = nameSet('text thinking document')
