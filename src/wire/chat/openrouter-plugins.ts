/**
 * Plugins of OpenRouter (docs/reference/wires.md "Requests on the chat wire"). The plugin `web` searches once before
 * the model responds, and costs at most as much as a search by a tool. All other plugins are rejected.
 */
import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { refuseProviderTool, type KeptKinds } from '#wire/remove-provider-tools.ts'
import { countAt, isGiven, mustBe, refuseForRoute, textAt } from '#wire/wire-request.ts'

export function refusePlugins(json: Json, plugins: Node, kept: KeptKinds): void {
  if (!isGiven(json, plugins) || kindOf(json, plugins) === kinds.false) return
  if (kindOf(json, plugins) !== kinds.array) mustBe('plugins', 'a list')
  const all = itemsOf(json, plugins)
  for (const [i, plugin] of all.entries()) {
    if (textAt(json, member(json, plugin, 'id')) !== 'web') refuseForRoute(`plugins.${i}`, unknownPlugin)
    refuseManyResults(json, plugin, `plugins.${i}`)
  }
  if (all.length > 1)
    refuseForRoute('plugins.1', 'the plugin web can be sent only once. Omit the second plugin')
  if (all.length === 1 && !kept.has('webSearch')) refuseProviderTool('plugins.0', 'the plugin web')
}

const unknownPlugin = 'the cost of a plugin of the provider is not known before the request. Omit the field'

/**
 * Rejects a number of results that costs more than one search.
 * @param object a plugin, or the parameters of a tool
 */
export function refuseManyResults(json: Json, object: Node, param: string): void {
  countAt(json, `${param}.max_results`, member(json, object, 'max_results'), resultsMax)
}

/** The price of a search includes this many results (docs/reference/wires.md "Requests on the chat wire"). */
const resultsMax = 10

export function hasPlugin(json: Json): boolean {
  return itemsOf(json, member(json, 0, 'plugins')).length > 0
}
