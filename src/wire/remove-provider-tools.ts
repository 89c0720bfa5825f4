import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, startOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keyOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import {
  countAt,
  isFault,
  isGiven,
  mustBe,
  refuse,
  refuseForRoute,
  requestIn,
  requestLimits,
  spanOf,
  textAt,
  unlessRefused,
} from './wire-request.ts'
import type { ToolKind, UseLimit } from './kinds-of-provider-tools.ts'
import type { RequestBody, RequestFault, WireRequest } from './wire-request.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'

export type KeptKinds = ReadonlySet<ToolKind>

/**
 * Decides which of the offered kinds are sent.
 * @param isLarge whether the body is too large to be read again
 */
export type KeepTools = (model: string, offered: KeptKinds, isLarge: boolean) => KeptKinds

const noKinds: KeptKinds = new Set()

/**
 * `RunTools.dropped` before the request without the tools has been read. Final for a large body, which is read only
 * once.
 */
export const unread: RequestFault = {
  kind: 'fault',
  code: 'unsupported_for_route',
  param: 'tools',
  reason: 'the request cannot be sent without the tools that the provider runs',
}

/** Returns the client's limit on tool uses, which must be a whole number of at least 1. */
export function useLimitAt(json: Json, object: Node, name: string, param: string): Omit<UseLimit, 'kind'> {
  const field = member(json, object, name)
  const asked = countAt(json, param, field, usesLimit)
  if (field >= 0) return { asked, place: { span: spanOf(json, field) } }
  return { asked, place: { at: startOf(json, object) + 1, before: `"${name}":`, after: ',' } }
}

const usesLimit = 1_000

/**
 * How often a provider uses a tool is known only after the request. The gateway therefore sends only tools whose number
 * of uses can be limited (gateway/call/apply-provider-tool-rules.ts). All others are removed and reported to the
 * client. If the model is forced to call a removed tool, the request is rejected, because removing the tool would
 * change its meaning.
 */
export interface WithoutOffers {
  readonly edits: readonly Edit[]
  readonly lost: readonly string[]
  /** In the order of `lost`. Null for a tool without a kind. */
  readonly kinds?: readonly (ToolKind | null)[]
}

/** If the model is not forced to call the tool, the gateway may remove the tool and send the request. */
export function refuseProviderTool(param: string, type: string): never {
  const reason = `the provider runs ${type} itself, at a cost that is not known before the request. Send a tool that you run`
  refuse('unsupported_for_route', param, reason, { isOffer: true })
}

/**
 * Rejects a tool choice that forces a removed tool.
 * @param lostKinds kinds of the tools that are not sent
 */
export function refuseForcedTool(param: string, lostKinds: readonly (ToolKind | null)[] = []): never {
  const price = pricesOfKinds.find(([kind]) => lostKinds.includes(kind))?.[1]
  const remedy =
    price === undefined
      ? 'omit it, or choose a tool that you run'
      : `set the price ${price} of the model, or choose a tool that you run`
  const reason = `it makes the model call a tool that the provider runs by itself, at a cost that is not known before the request; ${remedy}`
  refuseForRoute(param, reason)
}

/** A tool is sent only if the model has a price for this kind of tool. */
const pricesOfKinds: readonly (readonly [ToolKind, string])[] = [
  ['webSearch', 'webSearch'],
  ['codeExecution', 'codeSession'],
  ['imageGeneration', 'imageOutput'],
]

export interface ToolReading {
  readonly read: (json: Json, kept: KeptKinds) => WireRequest
  readonly withoutOffers: (json: Json, kept: KeptKinds) => WithoutOffers
  /** Absent if the wire never sends tools that the provider runs. */
  readonly kindsIn?: (json: Json) => KeptKinds
  /** Set on wires that name the model in the path. */
  readonly model?: string
}

/**
 * Decides which of the provider's tools are sent. A request without such tools is read only once.
 * @param keep absent if no tool of the provider is sent
 */
export function readWithoutOffers(
  body: RequestBody,
  { kindsIn, model, read, withoutOffers }: ToolReading,
  keep?: KeepTools,
): WireRequest | RequestFault {
  const first = requestIn(body, (json) => read(json, noKinds))
  if (!isFault(first) || first.isOffer !== true) return first
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return first
  const isLarge = typeof body !== 'string'
  const kept = kindsIn && keep ? keep(model ?? modelIn(json), kindsIn(json), isLarge) : noKinds
  const found = unlessRefused(() => withoutOffers(json, kept))
  if (isFault(found)) return found
  const { edits, kinds: lostKinds = [], lost } = found
  if (isLarge && edits.length > 0)
    return { ...first, instead: { text: splice(json.text, edits), lost, lostKinds } }
  const request = requestIn(isLarge ? json : splice(json.text, edits), (inner) => read(inner, kept))
  if (isFault(request)) return request
  const told = lost.length > 0 ? { ...request, lost, lostKinds } : request
  if (request.run === undefined) return told
  const dropped = isLarge ? unread : readWithoutOffers(body, { read, withoutOffers })
  return { ...told, run: { ...request.run, dropped } }
}

function modelIn(json: Json): string {
  return textAt(json, member(json, 0, 'model')) ?? ''
}

/** The response header and `requests.explain` show this description. */
export function lostTool(type: string): string {
  return `tools.${type.slice(0, 64)}`
}

/** The list may be absent or null. @param param name of the list in error messages */
export function toolsOf(json: Json, list: Node, param: string): readonly Node[] {
  return isGiven(json, list) && kindOf(json, list) !== kinds.array
    ? mustBe(param, 'a list')
    : itemsOf(json, list)
}

export interface Sifted {
  readonly gone: readonly Node[]
  readonly kept: readonly Node[]
  readonly isEmpty: boolean
}

export function sift(json: Json, isKept: (tool: Node) => boolean): Sifted {
  const kept: Node[] = []
  const gone: Node[] = []
  for (const tool of itemsOf(json, member(json, 0, 'tools'))) (isKept(tool) ? kept : gone).push(tool)
  return { kept, gone, isEmpty: kept.length === 0 }
}

/**
 * If no tool remains, the list itself is removed, with the fields that need a list of tools.
 * @param dependents fields that need a list of tools
 */
export function withoutTools(
  json: Json,
  { gone, isEmpty }: Sifted,
  dependents: readonly string[],
): readonly Edit[] {
  if (!isEmpty) return removals(json, member(json, 0, 'tools'), gone)
  const keys = ['tools', ...dependents].map((name) => keyOf(json, 0, name)).filter((key) => key >= 0)
  return removals(json, 0, keys)
}

/** Removes references to removed tools, which would cause an error or hide the kept tool from the model. */
export function withoutReferences(json: Json, kept: readonly Node[], field: string): WithoutOffers {
  const edits = kept.flatMap((tool) => {
    const key = keyOf(json, tool, field)
    return key < 0 ? [] : removals(json, tool, [key])
  })
  return { edits, lost: edits.length > 0 ? [`tools.${field}`] : [] }
}

/**
 * Held for the definitions of an MCP server's tools, which the provider requests from the server. The definitions of 40
 * tools of a recorded server had 5,200 tokens.
 */
export const mcpServerTokens = 8_192
