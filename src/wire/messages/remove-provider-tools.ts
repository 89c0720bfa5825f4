import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keyOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import {
  lostTool,
  refuseForcedTool,
  refuseProviderTool,
  sift,
  toolsOf,
  unread,
  useLimitAt,
  withoutReferences,
} from '#wire/remove-provider-tools.ts'
import type { KeptKinds, WithoutOffers } from '#wire/remove-provider-tools.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import { refuseForRoute, textAt, type WireRequest } from '#wire/wire-request.ts'

export function refuseProviderTools(json: Json, tools: Node, kept: KeptKinds): void {
  for (const [i, tool] of toolsOf(json, tools, 'tools').entries()) {
    const type = toolTypeOf(json, tool)
    if (type.startsWith('advisor_')) refuseForRoute(`tools.${i}`, advisorRuns)
    if (!isSent(json, tool, kept)) refuseProviderTool(`tools.${i}`, type)
  }
  const servers = toolsOf(json, member(json, 0, serversField), serversField)
  if (servers.length > 0 && !kept.has('mcp')) refuseProviderTool(serversField, 'the tools of MCP servers')
}

/** Do not remove an advisor: the model would then answer without it, and the client would not notice. */
const advisorRuns =
  'a second model responds to each use of the tool, at its own price, which the hold does not cover. Omit the tool, or send the question to that model in another request'

export function toolKindsIn(json: Json): KeptKinds {
  const tools = itemsOf(json, member(json, 0, 'tools'))
  const kinds = tools.map((tool) => kindOfType(toolTypeOf(json, tool))).filter((kind) => kind !== null)
  return new Set(serversIn(json).length > 0 ? [...kinds, 'mcp'] : kinds)
}

/** Searches and fetches have a field that limits their uses. No field limits the uses of code and of MCP servers. */
export function runTools(json: Json, tools: Node): Pick<WireRequest, 'run' | 'uses'> {
  const kinds = [...toolKindsIn(json)]
  const limits = itemsOf(json, tools).flatMap((tool, i) => {
    const kind = kindOfType(toolTypeOf(json, tool))
    if (kind === null || !limitedKinds.has(kind)) return []
    return [{ kind, ...useLimitAt(json, tool, 'max_uses', `tools.${i}.max_uses`) }]
  })
  const unlimited = kinds.filter((kind) => unlimitedKinds.has(kind))
  return {
    run: {
      kinds,
      isShared: false,
      limits: [...limits, ...unlimited.map((kind) => ({ kind, asked: null, place: null }))],
      dropped: unread,
    },
    ...(isCodeBilled(json, tools) && { uses: { codeSessions: 1 } }),
  }
}

const limitedKinds: ReadonlySet<ToolKind> = new Set(['webSearch', 'webFetch'])
const unlimitedKinds: ReadonlySet<ToolKind> = new Set(['codeExecution', 'mcp'])

/** The container is free if the same request has a tool that filters with code. */
function isCodeBilled(json: Json, tools: Node): boolean {
  const types = itemsOf(json, tools).map((tool) => toolTypeOf(json, tool))
  const isFree = types.some(
    (type) => Number(/^web_(?:search|fetch)_(\d{8})$/.exec(type)?.[1] ?? 0) >= filtersSince,
  )
  return !isFree && types.some((type) => kindOfType(type) === 'codeExecution')
}

/** Date of the first search and fetch tools that filter their results with code. */
const filtersSince = 20_260_209

export function withoutProviderTools(json: Json, kept: KeptKinds): WithoutOffers {
  const { gone, kept: left, isEmpty: hasNoTool } = sift(json, (tool) => isSent(json, tool, kept))
  const hasServers = serversIn(json).length > 0
  const dropsServers = hasServers && !kept.has('mcp')
  const isEmpty = hasNoTool && (!hasServers || dropsServers)
  const choice = member(json, 0, 'tool_choice')
  const chosen = typeOf(json, choice, 'auto')
  const name = textAt(json, member(json, choice, 'name'))
  const types = gone.map((tool) => toolTypeOf(json, tool))
  const kinds = [...types.map(kindOfType), ...(dropsServers ? (['mcp'] as const) : [])]
  const isGone = gone.some((tool) => name !== null && textAt(json, member(json, tool, 'name')) === name)
  if ((chosen === 'any' && isEmpty) || (chosen === 'tool' && isGone)) refuseForcedTool('tool_choice', kinds)

  const references = Object.entries(referencesTo)
    .filter(([type]) => types.some((each) => each.startsWith(type)))
    .map(([, field]) => withoutReferences(json, left, field))
  // Remove the fields together, because each edit also removes a comma.
  const fields = [
    ...(gone.length > 0 && hasNoTool ? ['tools'] : []),
    ...(kinds.length > 0 && isEmpty ? ['tool_choice'] : []),
    ...(dropsServers ? [serversField] : []),
  ]
  const keys = fields.map((field) => keyOf(json, 0, field)).filter((key) => key >= 0)
  return {
    edits: [
      ...(hasNoTool ? [] : removals(json, member(json, 0, 'tools'), gone)),
      ...removals(json, 0, keys),
      ...references.flatMap(({ edits }) => edits),
    ],
    lost: [
      ...types.map(lostTool),
      ...(dropsServers ? [lostTool(serversField)] : []),
      ...references.flatMap(({ lost }) => lost),
    ],
    kinds,
  }
}

const serversField = 'mcp_servers'

export function serversIn(json: Json): readonly Node[] {
  return itemsOf(json, member(json, 0, serversField))
}

/** Maps the type of a removed tool to the field with which other tools refer to it. */
const referencesTo: Readonly<Record<string, string>> = {
  tool_search_tool: 'defer_loading',
  code_execution: 'allowed_callers',
}

export function isRunByCaller(json: Json, tool: Node): boolean {
  const type = toolTypeOf(json, tool)
  return type === 'custom' || vendorTools.some(([name]) => type.startsWith(name))
}

function isSent(json: Json, tool: Node, kept: KeptKinds): boolean {
  if (isRunByCaller(json, tool)) return true
  const kind = kindOfType(toolTypeOf(json, tool))
  return kind !== null && kept.has(kind)
}

/** Null for a tool that the caller runs, and for a provider's tool without a kind. */
function kindOfType(type: string): ToolKind | null {
  return kindsOfTypes.find(([name]) => type.startsWith(name))?.[1] ?? null
}

/** A date follows each of these names, except the name of a set of MCP tools. */
const kindsOfTypes: readonly (readonly [string, ToolKind])[] = [
  ['web_search_', 'webSearch'],
  ['web_fetch_', 'webFetch'],
  ['code_execution_', 'codeExecution'],
  ['tool_search_tool_', 'toolSearch'],
  ['mcp_toolset', 'mcp'],
]

/** Tokens that a tool's definition has at the provider, in addition to the bytes of the request. */
export function hiddenTokensOfTool(json: Json, tool: Node): number {
  return hiddenTokensOf(toolTypeOf(json, tool))
}

/** A tool without a type is a custom tool. */
function toolTypeOf(json: Json, tool: Node): string {
  return typeOf(json, tool, 'custom')
}

/**
 * The definition of a search for tools is about as long as the definition of an editor. In recorded requests, the
 * definition of the code tool has 2,300 tokens, and 4,400 with a newer tokenizer.
 */
function hiddenTokensOf(type: string): number {
  if (type.startsWith('tool_search_tool_')) return 2_048
  if (type.startsWith('code_execution_')) return 6_144
  return vendorTools.find(([name]) => type.startsWith(name))?.[1] ?? 0
}

/**
 * Vendor-defined tools that the caller runs. The vendor documents 245 tokens for a shell, 700 for an editor, and 735
 * plus a prompt of 499 for a computer. A toolset contains up to 31 members, each of which counts as one definition.
 */
const vendorTools: readonly (readonly [string, number])[] = [
  ['bash_', 1_024],
  ['text_editor_', 2_048],
  ['memory_', 2_048],
  ['computer_toolset_', 16_384],
  ['computer_', 2_048],
  ['browser_toolset_', 16_384],
]
