import type { Json, Node } from '#wire/text/json-tape.ts'
import { memberOf, typeOf } from '#wire/text/object-members.ts'
import {
  lostTool,
  refuseForcedTool,
  refuseProviderTool,
  sift,
  toolsOf,
  withoutTools,
} from '#wire/provider-tools.ts'
import type { WithoutOffers } from '#wire/provider-tools.ts'
import { isGiven, textAt } from '#wire/wire-request.ts'

/**
 * Only tools that the caller runs are supported. A tool that a provider runs has no bound (docs/reference/tokens.md
 * "Features without a bound").
 */
export function refuseProviderTools(json: Json, tools: Node): void {
  for (const [i, tool] of toolsOf(json, tools, 'tools').entries())
    if (!isRunByCaller(json, tool)) refuseProviderTool(`tools.${i}`, typeOf(json, tool, 'function'))
}

/**
 * Returns the request without the tools that the provider runs. Rejects a request that forces the model to call one.
 */
export function withoutProviderTools(json: Json): WithoutOffers {
  const sifted = sift(json, (tool) => isRunByCaller(json, tool))
  const { gone, isEmpty } = sifted
  if (isForced(json, memberOf(json, 0, 'tool_choice'), gone, isEmpty)) refuseForcedTool('tool_choice')
  return {
    edits: withoutTools(json, sifted, ['tool_choice', 'parallel_tool_calls']),
    lost: gone.map((tool) => lostTool(nameOf(json, tool) ?? typeOf(json, tool, 'function'))),
  }
}

function isRunByCaller(json: Json, tool: Node): boolean {
  const type = typeOf(json, tool, 'function')
  return type === 'function' || type === 'custom'
}

function isForced(json: Json, choice: Node, gone: readonly Node[], isEmpty: boolean): boolean {
  if (!isGiven(json, choice)) return false
  const word = textAt(json, choice)
  if (word !== null) return isEmpty && (word === 'required' || word === 'any')
  const type = typeOf(json, choice, 'function')
  if (type === 'allowed_tools') return isEmpty
  if (type !== 'function' && type !== 'custom') return true
  const name = nameOf(json, choice)
  return name !== null && gone.some((tool) => nameOf(json, tool) === name)
}

/** Moonshot names its own tools in the same way as functions: `{type: builtin_function, function: {name}}`. */
function nameOf(json: Json, tool: Node): string | null {
  return textAt(json, memberOf(json, memberOf(json, tool, 'function'), 'name'))
}
