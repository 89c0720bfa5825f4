import { kindOf, kinds, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import {
  forcedTool,
  itemsOf,
  keyOf,
  lostTool,
  memberOf,
  providerTool,
  typeOf,
  withoutReferences,
  withoutTools,
} from '#wire/offered-tools.ts'
import type { WithoutOffers } from '#wire/offered-tools.ts'
import { fault, isNull, textAt, type RequestFault } from '#wire/request.ts'

/** Only tools that the caller runs: what a provider runs by itself has no bound (tokens.md 1.4). */
export function faultOfTools(json: Json, tools: Node): RequestFault | null {
  if (tools < 0 || isNull(json, tools)) return null
  if (kindOf(json, tools) !== kinds.array)
    return fault('invalid_request', 'tools', 'The field tools must be a list.')
  for (const [i, tool] of itemsOf(json, tools).entries())
    if (!isRunByCaller(json, tool)) return providerTool(`tools.${i}`, toolTypeOf(json, tool))
  return null
}

/** The request without those that the provider runs; a fault where the model is made to call one. */
export function withoutProviderTools(json: Json): WithoutOffers | RequestFault {
  const list = keyOf(json, 0, 'tools')
  const tools = itemsOf(json, list < 0 ? -1 : valueOf(list))
  const gone = tools.filter((tool) => !isRunByCaller(json, tool))
  const kept = tools.filter((tool) => !gone.includes(tool))
  const isEmpty = kept.length === 0
  const choice = memberOf(json, 0, 'tool_choice')
  const chosen = typeOf(json, choice, 'auto')
  const name = textAt(json, memberOf(json, choice, 'name'))
  const isGone = gone.some((tool) => name !== null && textAt(json, memberOf(json, tool, 'name')) === name)
  if ((chosen === 'any' && isEmpty) || (chosen === 'tool' && isGone)) return forcedTool('tool_choice')

  const types = gone.map((tool) => toolTypeOf(json, tool))
  const references = Object.entries(referencesTo)
    .filter(([type]) => types.some((each) => each.startsWith(type)))
    .map(([, field]) => withoutReferences(json, kept, field))
  return {
    edits: [
      ...withoutTools(json, list, { gone, isEmpty }, ['tool_choice']),
      ...references.flatMap(({ edits }) => edits),
    ],
    lost: [...types.map(lostTool), ...references.flatMap(({ lost }) => lost)],
  }
}

/** Tools of a kind that is gone -> the field by which others wait for it. */
const referencesTo: Readonly<Record<string, string>> = {
  tool_search_tool: 'defer_loading',
  code_execution: 'allowed_callers',
}

function isRunByCaller(json: Json, tool: Node): boolean {
  const type = toolTypeOf(json, tool)
  return type === 'custom' || hiddenTokensOf(type) > 0
}

/** What a tool's definition is to the provider beyond the bytes of the request. */
export function hiddenTokensOfTool(json: Json, tool: Node): number {
  return hiddenTokensOf(toolTypeOf(json, tool))
}

/** A tool without a type is a custom one. */
function toolTypeOf(json: Json, tool: Node): string {
  return typeOf(json, tool, 'custom')
}

function hiddenTokensOf(type: string): number {
  return vendorTools.find(([name]) => type.startsWith(name))?.[1] ?? 0
}

/**
 * Tools with a definition of the vendor's that the caller runs, as it runs its own. Its documents have 245
 * tokens for a shell, 700 for an editor and 735 beside a prompt of 499 for a computer; a toolset is one
 * definition for each of its up to 31 members. With room to grow.
 */
const vendorTools: readonly (readonly [string, number])[] = [
  ['bash_', 1_024],
  ['text_editor_', 2_048],
  ['memory_', 2_048],
  ['computer_toolset_', 16_384],
  ['computer_', 2_048],
  ['browser_toolset_', 16_384],
]
