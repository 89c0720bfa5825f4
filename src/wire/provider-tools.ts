import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keyOf, memberOf } from '#wire/text/object-members.ts'
import { removals } from '#wire/text/removals.ts'
import {
  isFault,
  isGiven,
  mustBe,
  refuse,
  refuseForRoute,
  requestIn,
  requestLimits,
  unlessRefused,
} from './wire-request.ts'
import type { RequestBody, RequestFault, WireRequest } from './wire-request.ts'
import { splice, type Edit } from '#wire/text/splice.ts'

/**
 * Tools that a provider runs have no bound before the request, so they are never sent. A tool that the client merely
 * offers is removed and reported to the client. A tool that the model is forced to call is rejected, because the
 * request would mean something else without it.
 */
export interface WithoutOffers {
  readonly edits: readonly Edit[]
  /** The removed tools, as reported to the client. */
  readonly lost: readonly string[]
}

/** Rejects a tool that a provider runs. If the client merely offers the tool, it can be removed. */
export function refuseProviderTool(param: string, type: string): never {
  const reason = `the provider runs ${type} itself, at a cost that is not known before the request. Send a tool that you run`
  refuse('unsupported_for_route', param, reason, { isOffer: true })
}

/** Rejects a choice that forces the model to call such a tool. */
export function refuseForcedTool(param: string): never {
  const reason =
    'it makes the model call a tool that the provider runs by itself, at a cost that cannot be bounded before the call; leave it out, or choose a tool that you run'
  refuseForRoute(param, reason)
}

/**
 * Reads a request without the tools that its provider would run. A request without such tools has no extra cost,
 * because its first reading finds no such tools.
 */
export function readWithoutOffers(
  body: RequestBody,
  read: (json: Json) => WireRequest,
  withoutOffers: (json: Json) => WithoutOffers,
): WireRequest | RequestFault {
  const first = requestIn(body, read)
  if (!isFault(first) || first.isOffer !== true) return first
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return first
  const found = unlessRefused(() => withoutOffers(json))
  if (isFault(found)) return found
  const text = splice(json.text, found.edits)
  if (typeof body !== 'string') return { ...first, instead: { text, lost: found.lost } }
  const request = requestIn(text, read)
  return isFault(request) ? request : { ...request, lost: found.lost }
}

/** The text as in the header and in explain. */
export function lostTool(type: string): string {
  return `tools.${type.slice(0, 64)}`
}

/** Returns the tools of a list that may be absent or null. @param param the list's name in an error */
export function toolsOf(json: Json, list: Node, param: string): readonly Node[] {
  return isGiven(json, list) && kindOf(json, list) !== kinds.array
    ? mustBe(param, 'a list')
    : itemsOf(json, list)
}

/** Splits the tools of a list into removed and kept tools. */
export interface Sifted {
  readonly gone: readonly Node[]
  readonly kept: readonly Node[]
  readonly isEmpty: boolean
}

/** The tools of the body's `tools`. */
export function sift(json: Json, isKept: (tool: Node) => boolean): Sifted {
  const tools = itemsOf(json, memberOf(json, 0, 'tools'))
  const kept = tools.filter(isKept)
  return { kept, gone: tools.filter((tool) => !kept.includes(tool)), isEmpty: kept.length === 0 }
}

/**
 * Removes tools from the body's `tools`. If no tool remains, the list itself is removed, with the fields that need it.
 * @param dependents names of those fields
 */
export function withoutTools(
  json: Json,
  { gone, isEmpty }: Sifted,
  dependents: readonly string[],
): readonly Edit[] {
  if (!isEmpty) return removals(json, memberOf(json, 0, 'tools'), gone)
  const keys = ['tools', ...dependents].map((name) => keyOf(json, 0, name)).filter((key) => key >= 0)
  return removals(json, 0, keys)
}

/** Removes references of kept tools to removed ones. Such references are errors, or hide the tool from the model. */
export function withoutReferences(json: Json, kept: readonly Node[], field: string): WithoutOffers {
  const edits = kept.flatMap((tool) => {
    const key = keyOf(json, tool, field)
    return key < 0 ? [] : removals(json, tool, [key])
  })
  return { edits, lost: edits.length > 0 ? [`tools.${field}`] : [] }
}
