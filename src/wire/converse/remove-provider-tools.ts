import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keyOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { nameAt } from '#wire/text/json-tape.ts'
import {
  lostTool,
  refuseForcedTool,
  refuseProviderTool,
  toolsOf,
  type WithoutOffers,
} from '#wire/remove-provider-tools.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { textAt } from '#wire/wire-request.ts'

export function refuseProviderTools(json: Json, config: Node): void {
  for (const [i, tool] of toolsOf(json, member(json, config, 'tools'), 'toolConfig.tools').entries())
    if (!isRunByCaller(json, tool)) refuseProviderTool(`toolConfig.tools.${i}`, nameOf(json, tool))
}

/** Rejects a tool choice that forces the model to call a removed tool. */
export function withoutProviderTools(json: Json): WithoutOffers {
  const config = member(json, 0, 'toolConfig')
  const list = member(json, config, 'tools')
  const tools = itemsOf(json, list)
  const gone = tools.filter((tool) => !isRunByCaller(json, tool))
  const isEmpty = !tools.some((tool) => keyOf(json, tool, 'toolSpec') >= 0)
  const choice = member(json, config, 'toolChoice')
  const chosen = textAt(json, member(json, member(json, choice, 'tool'), 'name'))
  const isGone = gone.some((tool) => chosen === nameOf(json, tool))
  if (isGone || (isEmpty && member(json, choice, 'any') >= 0)) refuseForcedTool('toolConfig.toolChoice')
  const edits = isEmpty
    ? removals(
        json,
        0,
        [keyOf(json, 0, 'toolConfig')].filter((key) => key >= 0),
      )
    : removals(json, list, gone)
  return { edits, lost: gone.map((tool) => lostTool(nameOf(json, tool))), kinds: gone.map(() => null) }
}

/** The provider runs every tool that is neither the definition of a function nor a cache point. */
function isRunByCaller(json: Json, tool: Node): boolean {
  return (
    kindOf(json, tool) === kinds.object && keysOf(json, tool).every((key) => ofCaller.has(nameAt(json, key)))
  )
}

const ofCaller: ReadonlySet<string> = new Set(['toolSpec', 'cachePoint', 'type'])

function nameOf(json: Json, tool: Node): string {
  const named = textAt(json, member(json, member(json, tool, 'systemTool'), 'name'))
  const [key] = keysOf(json, tool)
  return named ?? (key === undefined ? 'unknown' : nameAt(json, key))
}
