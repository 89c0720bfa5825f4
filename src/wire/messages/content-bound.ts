import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { endOf, kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/object-members.ts'
import { mustBe, refuseForRoute, textAt, turnsAt } from '#wire/wire-request.ts'
import { hiddenTokensOfTool } from './provider-tools.ts'
import { nameSet } from '#wire/text/name-set.ts'

/** Nodes of a request's input; -1 for an absent one. */
interface Input {
  readonly messages: Node
  readonly system: Node
  readonly tools: Node
  readonly hasSchema: boolean
}

/** Bounds all content of the input, results of tools included. */
export function boundMessages(json: Json, { messages, system, tools, hasSchema }: Input): InputTotal {
  const turns = itemsOf(json, turnsAt(json, 'messages', messages, 'message'))
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const largestTool = boundTools(json, tools, bound)
  const refused = boundBlocks(json, system, bound, largestTool)
  if (refused !== null) refuseForRoute('system', refused)
  for (const [i, message] of turns.entries()) {
    if (kindOf(json, message) !== kinds.object) mustBe(`messages.${i}`, 'an object')
    bound.addTurn(json, message)
    const reason = boundBlocks(json, member(json, message, 'content'), bound, largestTool)
    if (reason !== null) refuseForRoute(`messages.${i}.content`, reason)
  }
  return bound.total(json, { messages: turns.length, hasTools: largestTool > 0, hasSchema })
}

/** Fields that no model reads. */
export const settings = nameSet(`
  model max_tokens stream temperature top_p top_k stop_sequences metadata service_tier speed svc thinking
`)

/** @returns the bytes of the largest definition; 0: the request has no tools */
function boundTools(json: Json, tools: Node, bound: InputBound): number {
  let largest = 0
  for (const tool of itemsOf(json, tools)) {
    largest = Math.max(largest, endOf(json, tool) - startOf(json, tool))
    bound.addHidden(hiddenTokensOfTool(json, tool))
  }
  return largest
}

/** Content is a text or a list of blocks. @returns why it cannot be bounded, or null */
function boundBlocks(json: Json, content: Node, bound: InputBound, largestTool: number): string | null {
  for (const block of itemsOf(json, content)) {
    const refused = boundBlock(json, block, bound, largestTool)
    if (refused !== null) return refused
  }
  return null
}

function boundBlock(json: Json, block: Node, bound: InputBound, largestTool: number): string | null {
  if (kindOf(json, block) !== kinds.object) return null
  const type = textAt(json, member(json, block, 'type')) ?? ''
  switch (type) {
    case 'text':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
      return null
    case 'tool_result':
    case 'search_result':
      return boundBlocks(json, member(json, block, 'content'), bound, largestTool)
    case 'tool_reference':
      // The provider inserts the definition that it names, each time it is named.
      bound.addHidden(largestTool)
      return null
    case 'image':
      return boundImage(json, member(json, block, 'source'), bound)
    case 'document':
      return boundDocument(json, member(json, block, 'source'), bound, largestTool)
    default:
      return `content of type ${type || 'unknown'} cannot be bounded before the call; leave it out`
  }
}

function boundImage(json: Json, source: Node, bound: InputBound): string | null {
  const type = textAt(json, member(json, source, 'type')) ?? 'unknown'
  // A picture has a largest size, whether it comes as data or by address.
  if (type !== 'base64' && type !== 'url')
    return `an image of source ${type} is stored at the provider; send it as base64`
  bound.addImage(json, type === 'base64' ? member(json, source, 'data') : -1, false)
  return null
}

function boundDocument(json: Json, source: Node, bound: InputBound, largestTool: number): string | null {
  const type = textAt(json, member(json, source, 'type')) ?? 'unknown'
  if (type === 'text') return null
  if (type === 'content') return boundBlocks(json, member(json, source, 'content'), bound, largestTool)
  if (type !== 'base64')
    return `the size of a document of source ${type} cannot be known before the call; send it as base64`
  bound.addDocument(
    json,
    member(json, source, 'data'),
    textAt(json, member(json, source, 'media_type')) ?? '',
  )
  return null
}
