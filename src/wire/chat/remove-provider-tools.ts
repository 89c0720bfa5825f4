import { kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keyOf, keysOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import {
  lostTool,
  refuseForcedTool,
  refuseProviderTool,
  sift,
  toolsOf,
  unread,
  useLimitAt,
} from '#wire/remove-provider-tools.ts'
import type { KeptKinds, Sifted, WithoutOffers } from '#wire/remove-provider-tools.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { UseLimit } from '#wire/kinds-of-provider-tools.ts'
import { isGiven, mustBe, refuseForRoute, textAt, type WireRequest } from '#wire/wire-request.ts'
import { hasPlugin, refuseManyResults } from './openrouter-plugins.ts'

/** All other tools that a provider runs have no bound (docs/reference/tokens.md). */
const searchTool = 'openrouter:web_search'

export function refuseProviderTools(json: Json, tools: Node, kept: KeptKinds): void {
  for (const [i, tool] of toolsOf(json, tools, 'tools').entries())
    if (!isSent(json, tool, kept)) refuseProviderTool(`tools.${i}`, toolTypeOf(json, tool))
}

export function toolKindsIn(json: Json): KeptKinds {
  const isOffered = hasPlugin(json) || searchesIn(json).length > 0
  return new Set(isOffered ? ['webSearch'] : [])
}

/** A plugin searches once for each request. */
export function runTools(json: Json): Pick<WireRequest, 'run'> {
  const limits = searchesIn(json).map((tool): UseLimit => {
    const parameters = member(json, tool, 'parameters')
    const isObject = parameters >= 0 && kindOf(json, parameters) === kinds.object
    if (!isObject) return { kind: 'webSearch', asked: null, place: limitOfAbsent(json, tool, parameters) }
    refuseManyResults(json, parameters, 'tools.parameters')
    const limit = useLimitAt(json, parameters, 'max_uses', 'tools.parameters.max_uses')
    const isEmpty = keysOf(json, parameters).length === 0
    const place = limit.place && 'at' in limit.place && isEmpty ? { ...limit.place, after: '' } : limit.place
    return { kind: 'webSearch', ...limit, place }
  })
  const isPlugged = hasPlugin(json)
  if (isPlugged && limits.length > 0)
    refuseForRoute('plugins', 'the request also has a search tool. Omit the plugin or the tool')
  return {
    run: {
      kinds: ['webSearch'],
      isShared: false,
      limits: isPlugged ? [{ kind: 'webSearch', asked: 1, place: null }] : limits,
      dropped: unread,
    },
  }
}

/** Returns where to insert a limit if the tool has no parameters. */
function limitOfAbsent(json: Json, tool: Node, parameters: Node): UseLimit['place'] {
  if (isGiven(json, parameters)) mustBe('tools.parameters', 'an object')
  if (parameters >= 0) refuseForRoute('tools.parameters', 'the value is null. Omit the field')
  return { at: startOf(json, tool) + 1, before: '"parameters":{"max_uses":', after: '},' }
}

function searchesIn(json: Json): readonly Node[] {
  return itemsOf(json, member(json, 0, 'tools')).filter((tool) => toolTypeOf(json, tool) === searchTool)
}

/** The bytes of the request do not include the definitions of OpenRouter's tools. */
export function hiddenTokensOfTools(json: Json, tools: Node): number {
  return isGiven(json, tools) ? searchesIn(json).length * searchToolTokens : 0
}

const searchToolTokens = 1_024

export function withoutProviderTools(json: Json, kept: KeptKinds): WithoutOffers {
  const sifted = sift(json, (tool) => isSent(json, tool, kept))
  const { gone, isEmpty } = sifted
  const goneKinds = gone.map((tool) => (toolTypeOf(json, tool) === searchTool ? 'webSearch' : null))
  if (isForced(json, member(json, 0, 'tool_choice'), sifted, kept)) refuseForcedTool('tool_choice', goneKinds)
  const losesPlugin = hasPlugin(json) && !kept.has('webSearch')
  const plugins = losesPlugin ? ['plugins'] : []
  // Remove the fields together, because each edit also removes a comma.
  const fields =
    gone.length > 0 && isEmpty ? ['tools', 'tool_choice', 'parallel_tool_calls', ...plugins] : plugins
  const keys = fields.map((field) => keyOf(json, 0, field)).filter((key) => key >= 0)
  return {
    edits: [...(isEmpty ? [] : removals(json, member(json, 0, 'tools'), gone)), ...removals(json, 0, keys)],
    lost: [
      ...gone.map((tool) => lostTool(nameOf(json, tool) ?? toolTypeOf(json, tool))),
      ...(losesPlugin ? ['plugins.web'] : []),
    ],
    kinds: [...goneKinds, ...(losesPlugin ? (['webSearch'] as const) : [])],
  }
}

function isSent(json: Json, tool: Node, kept: KeptKinds): boolean {
  const type = toolTypeOf(json, tool)
  return type === 'function' || type === 'custom' || (type === searchTool && kept.has('webSearch'))
}

function toolTypeOf(json: Json, tool: Node): string {
  return typeOf(json, tool, 'function')
}

function isForced(json: Json, choice: Node, { gone, isEmpty }: Sifted, kept: KeptKinds): boolean {
  if (!isGiven(json, choice)) return false
  const word = textAt(json, choice)
  if (word !== null) return isEmpty && (word === 'required' || word === 'any')
  const type = typeOf(json, choice, 'function')
  if (type === 'allowed_tools') return isEmpty
  if (type !== 'function' && type !== 'custom') return type !== searchTool || !kept.has('webSearch')
  const name = nameOf(json, choice)
  return name !== null && gone.some((tool) => nameOf(json, tool) === name)
}

/** Moonshot declares its own tools in the same way as functions: `{type: builtin_function, function: {name}}`. */
function nameOf(json: Json, tool: Node): string | null {
  return textAt(json, member(json, member(json, tool, 'function'), 'name'))
}
