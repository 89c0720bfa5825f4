import { kindOf, kinds, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import {
  forcedTool,
  itemsOf,
  keyOf,
  lostTool,
  memberOf,
  providerTool,
  typeOf,
  withoutTools,
} from '#wire/offered-tools.ts'
import type { WithoutOffers } from '#wire/offered-tools.ts'
import { fault, isNull, textAt, type RequestFault } from '#wire/request.ts'

/** Only tools that the caller runs: what a provider runs by itself has no bound (tokens.md 1.4). */
export function faultOfTools(json: Json, tools: Node): RequestFault | null {
  if (isNull(json, tools)) return null
  if (kindOf(json, tools) !== kinds.array)
    return fault('invalid_request', 'tools', 'The field tools must be a list.')
  for (const [i, tool] of itemsOf(json, tools).entries())
    if (!isRunByCaller(json, tool)) return providerTool(`tools.${i}`, typeOf(json, tool, 'function'))
  return null
}

/** The request without those that the provider runs; a fault where the model is made to call one. */
export function withoutProviderTools(json: Json): WithoutOffers | RequestFault {
  const list = keyOf(json, 0, 'tools')
  const tools = itemsOf(json, list < 0 ? -1 : valueOf(list))
  const gone = tools.filter((tool) => !isRunByCaller(json, tool))
  const isEmpty = gone.length === tools.length
  if (isForced(json, memberOf(json, 0, 'tool_choice'), gone, isEmpty)) return forcedTool('tool_choice')
  return {
    edits: withoutTools(json, list, { gone, isEmpty }, ['tool_choice', 'parallel_tool_calls']),
    lost: gone.map((tool) => lostTool(nameOf(json, tool) ?? typeOf(json, tool, 'function'))),
  }
}

function isRunByCaller(json: Json, tool: Node): boolean {
  const type = typeOf(json, tool, 'function')
  return type === 'function' || type === 'custom'
}

function isForced(json: Json, choice: Node, gone: readonly Node[], isEmpty: boolean): boolean {
  if (choice < 0 || isNull(json, choice)) return false
  const word = textAt(json, choice)
  if (word !== null) return isEmpty && (word === 'required' || word === 'any')
  const type = typeOf(json, choice, 'function')
  if (type === 'allowed_tools') return isEmpty
  if (type !== 'function' && type !== 'custom') return true
  const name = nameOf(json, choice)
  return name !== null && gone.some((tool) => nameOf(json, tool) === name)
}

/** Moonshot's own tools are named as functions are: `{type: builtin_function, function: {name}}`. */
function nameOf(json: Json, tool: Node): string | null {
  return textAt(json, memberOf(json, memberOf(json, tool, 'function'), 'name'))
}
