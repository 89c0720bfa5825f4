import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { isGiven, mustBe, textAt, type WireRequest } from '#wire/wire-request.ts'

/**
 * Reads the settings of a model that searches the web by itself (docs/reference/tokens.md "Models that search by
 * themselves"). Undefined if the field is absent, null or false.
 */
export function searchOptionsAt(json: Json, options: Node): WireRequest['searchOptions'] {
  if (!isGiven(json, options) || kindOf(json, options) === kinds.false) return undefined
  if (kindOf(json, options) !== kinds.object) mustBe('web_search_options', 'an object')
  const size = member(json, options, 'search_context_size')
  return { isSmallest: !isGiven(json, size) || textAt(json, size) === 'low' }
}
