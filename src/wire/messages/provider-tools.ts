import type { Json, Node } from '#wire/text/json-tape.ts'
import { memberOf, typeOf } from '#wire/text/object-members.ts'
import { lostTool, refuseForcedTool, refuseProviderTool, sift, toolsOf } from '#wire/provider-tools.ts'
import { withoutReferences, withoutTools, type WithoutOffers } from '#wire/provider-tools.ts'
import { textAt } from '#wire/wire-request.ts'

/**
 * Only tools that the caller runs are supported. A tool that a provider runs has no bound (docs/reference/tokens.md
 * "Features without a bound").
 */
export function refuseProviderTools(json: Json, tools: Node): void {
  for (const [i, tool] of toolsOf(json, tools, 'tools').entries())
    if (!isRunByCaller(json, tool)) refuseProviderTool(`tools.${i}`, toolTypeOf(json, tool))
}

/**
 * Returns the request without the tools that the provider runs. Rejects a request that forces the model to call one.
 */
export function withoutProviderTools(json: Json): WithoutOffers {
  const sifted = sift(json, (tool) => isRunByCaller(json, tool))
  const { gone, kept, isEmpty } = sifted
  const choice = memberOf(json, 0, 'tool_choice')
  const chosen = typeOf(json, choice, 'auto')
  const name = textAt(json, memberOf(json, choice, 'name'))
  const isGone = gone.some((tool) => name !== null && textAt(json, memberOf(json, tool, 'name')) === name)
  if ((chosen === 'any' && isEmpty) || (chosen === 'tool' && isGone)) refuseForcedTool('tool_choice')

  const types = gone.map((tool) => toolTypeOf(json, tool))
  const references = Object.entries(referencesTo)
    .filter(([type]) => types.some((each) => each.startsWith(type)))
    .map(([, field]) => withoutReferences(json, kept, field))
  return {
    edits: [...withoutTools(json, sifted, ['tool_choice']), ...references.flatMap(({ edits }) => edits)],
    lost: [...types.map(lostTool), ...references.flatMap(({ lost }) => lost)],
  }
}

/** Maps the type of a removed tool to the field with which other tools refer to it. */
const referencesTo: Readonly<Record<string, string>> = {
  tool_search_tool: 'defer_loading',
  code_execution: 'allowed_callers',
}

/** Whether the caller runs the tool. The provider runs all other tools. */
export function isRunByCaller(json: Json, tool: Node): boolean {
  const type = toolTypeOf(json, tool)
  return type === 'custom' || hiddenTokensOf(type) > 0
}

/** Tokens of a tool's definition at the provider, in addition to the bytes of the request. */
export function hiddenTokensOfTool(json: Json, tool: Node): number {
  return hiddenTokensOf(toolTypeOf(json, tool))
}

/** A tool without a type is a custom tool. */
function toolTypeOf(json: Json, tool: Node): string {
  return typeOf(json, tool, 'custom')
}

function hiddenTokensOf(type: string): number {
  return vendorTools.find(([name]) => type.startsWith(name))?.[1] ?? 0
}

/**
 * Tools that the vendor defines and the caller runs. The vendor documents 245 tokens for a shell, 700 for an editor,
 * and 735 plus a prompt of 499 for a computer. A toolset is one definition for each of its up to 31 members. These
 * values include room to grow.
 */
const vendorTools: readonly (readonly [string, number])[] = [
  ['bash_', 1_024],
  ['text_editor_', 2_048],
  ['memory_', 2_048],
  ['computer_toolset_', 16_384],
  ['computer_', 2_048],
  ['browser_toolset_', 16_384],
]
