import type { Json, Node } from '#wire/text/json-tape.ts'
import { itemsOf, memberOf, typeOf } from '#wire/text/object-members.ts'
import {
  lostTool,
  refuseForcedTool,
  refuseProviderTool,
  sift,
  toolsOf,
  unread,
  useLimitAt,
  withoutReferences,
  withoutTools,
} from '#wire/provider-tools.ts'
import type { KeptKinds, WithoutOffers } from '#wire/provider-tools.ts'
import type { ToolKind } from '#wire/tool-use-limits.ts'
import { textAt, type WireRequest } from '#wire/wire-request.ts'

/** Rejects each tool that the provider runs and whose kind is not kept. */
export function refuseProviderTools(json: Json, tools: Node, kept: KeptKinds): void {
  for (const [i, tool] of toolsOf(json, tools, 'tools').entries())
    if (!isSent(json, tool, kept)) refuseProviderTool(`tools.${i}`, toolTypeOf(json, tool))
}

/** Returns the kinds of the tools that the provider would run. */
export function toolKindsIn(json: Json): KeptKinds {
  const tools = itemsOf(json, memberOf(json, 0, 'tools'))
  return new Set(tools.map((tool) => kindOfType(toolTypeOf(json, tool))).filter((kind) => kind !== null))
}

/** Returns the kept tools that the provider runs, each with its own limit of uses. */
export function runTools(json: Json, tools: Node): Pick<WireRequest, 'run'> {
  const run = itemsOf(json, tools).flatMap((tool, i) => {
    const kind = kindOfType(toolTypeOf(json, tool))
    return kind === null ? [] : [{ kind, tool, param: `tools.${i}.max_uses` }]
  })
  const costly = run.filter(({ kind }) => kind !== 'toolSearch')
  return {
    run: {
      kinds: [...new Set(run.map(({ kind }) => kind))],
      isShared: false,
      limits: costly.map(({ kind, param, tool }) => ({ kind, ...useLimitAt(json, tool, 'max_uses', param) })),
      dropped: unread,
    },
  }
}

/**
 * Returns the request without the tools that the provider runs and whose kind is not kept. Rejects a request that
 * forces the model to call one.
 */
export function withoutProviderTools(json: Json, kept: KeptKinds): WithoutOffers {
  const sifted = sift(json, (tool) => isSent(json, tool, kept))
  const { gone, kept: left, isEmpty } = sifted
  const choice = memberOf(json, 0, 'tool_choice')
  const chosen = typeOf(json, choice, 'auto')
  const name = textAt(json, memberOf(json, choice, 'name'))
  const types = gone.map((tool) => toolTypeOf(json, tool))
  const kinds = types.map(kindOfType)
  const isGone = gone.some((tool) => name !== null && textAt(json, memberOf(json, tool, 'name')) === name)
  if ((chosen === 'any' && isEmpty) || (chosen === 'tool' && isGone)) refuseForcedTool('tool_choice', kinds)

  const references = Object.entries(referencesTo)
    .filter(([type]) => types.some((each) => each.startsWith(type)))
    .map(([, field]) => withoutReferences(json, left, field))
  const own = gone.length === 0 ? [] : withoutTools(json, sifted, ['tool_choice'])
  return {
    edits: [...own, ...references.flatMap(({ edits }) => edits)],
    lost: [...types.map(lostTool), ...references.flatMap(({ lost }) => lost)],
    kinds,
  }
}

/** Maps the type of a removed tool to the field with which other tools refer to it. */
const referencesTo: Readonly<Record<string, string>> = {
  tool_search_tool: 'defer_loading',
  code_execution: 'allowed_callers',
}

/** Whether the caller runs the tool. If not, the provider runs it. */
export function isRunByCaller(json: Json, tool: Node): boolean {
  const type = toolTypeOf(json, tool)
  return type === 'custom' || vendorTools.some(([name]) => type.startsWith(name))
}

function isSent(json: Json, tool: Node, kept: KeptKinds): boolean {
  if (isRunByCaller(json, tool)) return true
  const kind = kindOfType(toolTypeOf(json, tool))
  return kind !== null && kept.has(kind)
}

/** Null for a tool that the caller runs, and for a tool of the provider without a kind. */
function kindOfType(type: string): ToolKind | null {
  return kindsOfTypes.find(([name]) => type.startsWith(name))?.[1] ?? null
}

/** A date follows each of these names. */
const kindsOfTypes: readonly (readonly [string, ToolKind])[] = [
  ['web_search_', 'webSearch'],
  ['web_fetch_', 'webFetch'],
  ['code_execution_', 'codeExecution'],
  ['tool_search_tool_', 'toolSearch'],
]

/** Tokens of a tool's definition at the provider, in addition to the bytes of the request. */
export function hiddenTokensOfTool(json: Json, tool: Node): number {
  return hiddenTokensOf(toolTypeOf(json, tool))
}

/** A tool without a type is a custom tool. */
function toolTypeOf(json: Json, tool: Node): string {
  return typeOf(json, tool, 'custom')
}

/** The definition of a search for tools is about as long as that of an editor. */
function hiddenTokensOf(type: string): number {
  if (type.startsWith('tool_search_tool_')) return 2_048
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
