import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import {
  lostTool,
  refuseForcedTool,
  refuseProviderTool,
  toolsOf,
  unread,
  useLimitAt,
  withoutReferences,
  withoutTools,
  mcpServerTokens,
} from '#wire/remove-provider-tools.ts'
import type { KeptKinds, Sifted, WithoutOffers } from '#wire/remove-provider-tools.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { isGiven, spanOf, textAt, type WireRequest } from '#wire/wire-request.ts'
import type { Edit } from '#wire/text/apply-edits.ts'

/** @param param name of the list in error messages */
export function refuseProviderTools(json: Json, tools: Node, param: string, kept: KeptKinds): void {
  for (const [i, tool] of toolsOf(json, tools, param).entries()) {
    const type = toolTypeOf(json, tool)
    if (type === 'namespace')
      refuseProviderTools(json, member(json, tool, 'tools'), `${param}.${i}.tools`, kept)
    else if (!isSent(json, tool, type, kept)) refuseProviderTool(`${param}.${i}`, type)
  }
}

export function toolKindsIn(json: Json): KeptKinds {
  const kinds = toolsIn(json).flatMap((tool) => {
    const type = toolTypeOf(json, tool)
    return isRunByProvider(json, tool, type) ? (kindOfTool(json, tool, type) ?? []) : []
  })
  return new Set(kinds)
}

/** Includes tools in namespaces and in input items. */
export function toolsIn(json: Json): readonly Node[] {
  const items = itemsOf(json, member(json, 0, 'input'))
  const lists = [member(json, 0, 'tools'), ...items.map((item) => toolsOfItem(json, item))]
  return lists.flatMap((list) => toolsInList(json, list))
}

/** The limit applies to the uses of all kept tools together. */
export function runTools(json: Json): Pick<WireRequest, 'run'> {
  const kinds = [...toolKindsIn(json)]
  const isCostly = kinds.some((kind) => kind !== 'toolSearch')
  const limits = isCostly ? [{ kind: null, ...useLimitAt(json, 0, 'max_tool_calls', 'max_tool_calls') }] : []
  return { run: { kinds, isShared: true, limits, dropped: unread } }
}

function toolsInList(json: Json, list: Node): readonly Node[] {
  return itemsOf(json, list).flatMap((tool) =>
    toolTypeOf(json, tool) === 'namespace' ? toolsInList(json, member(json, tool, 'tools')) : tool,
  )
}

/** Returns the list of tools in an item that adds tools, or -1. */
function toolsOfItem(json: Json, item: Node): Node {
  const type = typeOf(json, item, 'message')
  return type === 'additional_tools' || type === 'tool_search_output' ? member(json, item, 'tools') : -1
}

function isSent(json: Json, tool: Node, type: string, kept: KeptKinds): boolean {
  if (!isRunByProvider(json, tool, type)) return true
  const kind = kindOfTool(json, tool, type)
  return kind !== null && kept.has(kind)
}

/** An MCP tool without a URL has no kind, because its server is stored at the provider. */
function kindOfTool(json: Json, tool: Node, type: string): ToolKind | null {
  if (type === 'mcp') return textAt(json, member(json, tool, 'server_url')) === null ? null : 'mcp'
  return kindOfType(type)
}

function kindOfType(type: string): ToolKind | null {
  if (type === 'web_search' || /^web_search_(?:preview(?:_|$)|\d)/.test(type)) return 'webSearch'
  return kindsOfTypes.get(type) ?? null
}

const kindsOfTypes: ReadonlyMap<string, ToolKind> = new Map([
  ['file_search', 'fileSearch'],
  ['code_interpreter', 'codeExecution'],
  ['image_generation', 'imageGeneration'],
  ['mcp', 'mcp'],
  ['tool_search', 'toolSearch'],
])

/** Tokens that the vendor adds for tools of which the request states only the type. */
export function hiddenTokensOfTools(json: Json, tools: Node): number {
  let tokens = 0
  for (const tool of itemsOf(json, tools)) {
    const type = toolTypeOf(json, tool)
    if (isVendorTool(type)) tokens += vendorToolTokens
    else if (type === 'tool_search') tokens += searchToolTokens
    else if (type === 'mcp') tokens += mcpServerTokens
  }
  return tokens
}

export function withoutProviderTools(json: Json, kept: KeptKinds): WithoutOffers {
  const listed = sifted(json, member(json, 0, 'tools'), kept)
  const choice = chosen(json, listed, kept)
  const input = itemsOf(json, member(json, 0, 'input')).map((item) => {
    const list = toolsOfItem(json, item)
    if (list < 0) return { ...nothing, kinds: [] }
    const { edits, gone, kinds, lost } = sifted(json, list, kept)
    return { edits: [...edits, ...removals(json, list, gone)], lost, kinds }
  })
  // Without the provider's search for tools, the model cannot find deferred tools, so load them immediately.
  const waiting = listed.lost.includes(lostTool('tool_search'))
    ? withoutReferences(json, listed.kept, 'defer_loading')
    : nothing
  const { gone, isEmpty } = listed
  return {
    edits: [
      ...(gone.length === 0 ? [] : withoutTools(json, listed, ['tool_choice', 'parallel_tool_calls'])),
      ...listed.edits,
      ...(isEmpty && gone.length > 0 ? [] : choice),
      ...waiting.edits,
      ...input.flatMap(({ edits }) => edits),
    ],
    lost: [...listed.lost, ...input.flatMap(({ lost }) => lost), ...waiting.lost],
    kinds: [...listed.kinds, ...input.flatMap(({ kinds }) => kinds)],
  }
}

const nothing: WithoutOffers = { edits: [], lost: [] }

type SiftedKinds = Sifted & WithoutOffers & { readonly kinds: readonly (ToolKind | null)[] }

function sifted(json: Json, list: Node, keptKinds: KeptKinds): SiftedKinds {
  const gone: Node[] = []
  const kept: Node[] = []
  const edits: Edit[] = []
  const lost: string[] = []
  const goneKinds: (ToolKind | null)[] = []
  for (const tool of itemsOf(json, list)) {
    const type = toolTypeOf(json, tool)
    if (type === 'namespace') {
      const tools = member(json, tool, 'tools')
      const within = sifted(json, tools, keptKinds)
      lost.push(...within.lost)
      goneKinds.push(...within.kinds)
      if (within.gone.length > 0 && within.isEmpty) gone.push(tool)
      else {
        kept.push(tool)
        edits.push(...within.edits, ...removals(json, tools, within.gone))
      }
    } else if (isSent(json, tool, type, keptKinds)) kept.push(tool)
    else {
      gone.push(tool)
      lost.push(lostTool(type))
      goneKinds.push(kindOfTool(json, tool, type))
    }
  }
  return { gone, kept, edits, lost, kinds: goneKinds, isEmpty: kept.length === 0 }
}

function chosen(json: Json, { isEmpty, kinds }: SiftedKinds, kept: KeptKinds): readonly Edit[] {
  const choice = member(json, 0, 'tool_choice')
  if (!isGiven(json, choice)) return []
  const refuseChoice = (): never => refuseForcedTool('tool_choice', kinds)
  const word = textAt(json, choice)
  if (word !== null) return word === 'required' && isEmpty ? refuseChoice() : []
  const type = typeOf(json, choice, '')
  if (type !== 'allowed_tools') return isSentChoice(type, kept) ? [] : refuseChoice()
  const list = member(json, choice, 'tools')
  const allowed = itemsOf(json, list)
  const gone = allowed.filter((one) => !isSentChoice(typeOf(json, one, 'function'), kept))
  if (gone.length < allowed.length) return removals(json, list, gone)
  return textAt(json, member(json, choice, 'mode')) === 'required'
    ? refuseChoice()
    : [{ ...spanOf(json, choice), text: '"none"' }]
}

const callersChoices: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'local_shell',
  'shell',
  'apply_patch',
])

function isSentChoice(type: string, kept: KeptKinds): boolean {
  if (callersChoices.has(type) || type.startsWith('computer')) return true
  const kind = kindOfType(type)
  return kind !== null && kept.has(kind)
}

function isVendorTool(type: string): boolean {
  return vendorTools.has(type) || type.startsWith('computer')
}

/**
 * A tool of an unknown type counts as run by the provider. The caller runs a computer tool, and sends its screenshots
 * as images in later requests.
 */
function isRunByProvider(json: Json, tool: Node, type: string): boolean {
  if (type === 'tool_search') return textAt(json, member(json, tool, 'execution')) !== 'client'
  if (type === 'shell') return typeOf(json, member(json, tool, 'environment'), '') !== 'local'
  return !callersTools.has(type) && !type.startsWith('computer')
}

const callersTools: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'local_shell',
  'apply_patch',
  'namespace',
])

/** Compatible servers treat a tool without a type as a function. */
function toolTypeOf(json: Json, tool: Node): string {
  return typeOf(json, tool, 'function')
}

/**
 * The request does not contain the definitions of these tools, because the vendor defines them. In recorded requests,
 * the definition of the code tool has about 700 tokens.
 */
const vendorTools: ReadonlySet<string> = new Set([
  'local_shell',
  'shell',
  'apply_patch',
  'code_interpreter',
  'image_generation',
])
/**
 * The published definitions of two similar tools, a shell and an editor, have 245 and 700 tokens. The value here
 * includes room for longer definitions.
 */
const vendorToolTokens = 2_048
/** Recorded searches for tools added up to 80 tokens (docs/reference/tokens.md "Tokens that providers add"). */
const searchToolTokens = 416
