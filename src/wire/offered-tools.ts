import { after, inside, kindOf, kinds, parseJson, stringAt, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { removals } from '#wire/text/removals.ts'
import { fault, isFault, requestIn, requestLimits, textAt } from './request.ts'
import type { RequestBody, RequestFault, WireRequest } from './request.ts'
import { splice, type Edit } from '#wire/text/splice.ts'

/**
 * Tools that a provider runs by itself cost what nobody can bound before the call, so they are never sent.
 * One that the client merely offers is taken out, and the client is told; the call does without it. One that
 * the model is made to call is refused, since without it the call would be another.
 */
export interface WithoutOffers {
  readonly edits: readonly Edit[]
  /** The tools that are gone, as the client is told of them. */
  readonly lost: readonly string[]
}

/** The fault of a tool that a provider runs: where the client only offers it, it can be taken out. */
export function providerTool(param: string, type: string): RequestFault {
  const reason = `the provider runs ${type} by itself, at a cost that cannot be bounded before the call; send a tool that you run`
  return { ...fault('unsupported_for_route', param, reason), isOffer: true }
}

/** The fault of a choice that makes the model call such a tool. */
export function forcedTool(param: string): RequestFault {
  const reason =
    'it makes the model call a tool that the provider runs by itself, at a cost that cannot be bounded before the call; leave it out, or choose a tool that you run'
  return fault('unsupported_for_route', param, reason)
}

/**
 * A request, read without the tools that its provider would run. Whoever offers none pays nothing for this:
 * the first reading finds the first of them.
 */
export function readWithoutOffers(
  body: RequestBody,
  read: (json: Json) => WireRequest | RequestFault,
  withoutOffers: (json: Json) => WithoutOffers | RequestFault,
): WireRequest | RequestFault {
  const first = requestIn(body, read)
  if (!isFault(first) || first.isOffer !== true) return first
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return first
  const found = withoutOffers(json)
  if (isFault(found)) return found
  const text = splice(json.text, found.edits)
  if (typeof body !== 'string') return { ...first, instead: { text, lost: found.lost } }
  const request = requestIn(text, read)
  return isFault(request) ? request : { ...request, lost: found.lost }
}

/** As it stands in the header and in explain. */
export function lostTool(type: string): string {
  return `tools.${type.slice(0, 64)}`
}

/** The entries of a list; none of what is no list. */
export function itemsOf(json: Json, list: Node): readonly Node[] {
  const items: Node[] = []
  if (list < 0 || kindOf(json, list) !== kinds.array) return items
  for (let item = inside(list), end = after(json, list); item < end; item = after(json, item))
    items.push(item)
  return items
}

/** A member's key; -1 where there is none. */
export function keyOf(json: Json, object: Node, name: string): Node {
  if (object < 0 || kindOf(json, object) !== kinds.object) return -1
  for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key)))
    if (stringAt(json, key) === name) return key
  return -1
}

export function memberOf(json: Json, object: Node, name: string): Node {
  const key = keyOf(json, object, name)
  return key < 0 ? -1 : valueOf(key)
}

/**
 * Takes tools out of a list of the request; where none is left, the list itself goes, and what has a meaning
 * only beside it.
 * @param list its key
 * @param dependents names of such fields of the body
 */
export function withoutTools(
  json: Json,
  list: Node,
  { gone, isEmpty }: { readonly gone: readonly Node[]; readonly isEmpty: boolean },
  dependents: readonly string[],
): readonly Edit[] {
  if (!isEmpty) return removals(json, valueOf(list), gone)
  const keys = dependents.map((name) => keyOf(json, 0, name)).filter((key) => key >= 0)
  return removals(json, 0, [list, ...keys])
}

/** What kept tools say of those that are gone: without them it is an error, or the tool is never found. */
export function withoutReferences(json: Json, kept: readonly Node[], field: string): WithoutOffers {
  const edits: Edit[] = []
  for (const tool of kept) {
    const key = keyOf(json, tool, field)
    if (key >= 0) edits.push(...removals(json, tool, [key]))
  }
  return { edits, lost: edits.length > 0 ? [`tools.${field}`] : [] }
}

export function typeOf(json: Json, object: Node, otherwise: string): string {
  return textAt(json, memberOf(json, object, 'type')) ?? otherwise
}
