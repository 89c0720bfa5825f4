import { valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { lostTool, refuseForcedTool, refuseProviderTool, type WithoutOffers } from '#wire/provider-tools.ts'
import { removals } from '#wire/text/removals.ts'
import { isGiven, isNull, textAt } from '#wire/wire-request.ts'
import type { Edit } from '#wire/text/splice.ts'
import { entriesOf, fieldAt, Fields } from './either-spelling.ts'

/**
 * Only functions, which the caller runs, are supported. Tools that the provider runs have no bound
 * (docs/reference/tokens.md "Features without a bound").
 */
export function refuseProviderTools(json: Json, tools: Node): void {
  if (!isGiven(json, tools)) return
  for (const [i, tool] of entriesOf(json, tools).entries()) {
    for (const [name, key] of new Fields(json, tool, `tools.${i}`).keys) {
      const param = `tools.${i}.${name}`
      if (isRunByProvider(json, name, key)) refuseProviderTool(param, name)
    }
  }
}

/**
 * Tokens of functions that the vendor defines and the caller runs. No byte of the request contains these definitions.
 */
export function hiddenTokensOfTools(json: Json, tools: Node): number {
  if (!isGiven(json, tools)) return 0
  const computers = entriesOf(json, tools).filter((tool) => isGiven(json, fieldAt(json, tool, 'computerUse')))
  return computers.length * computerTokens
}

/** About fifteen functions (open a page, click, type, scroll), with room to grow. */
const computerTokens = 8_192

/**
 * Returns the request without the tools that the provider runs. An object may contain several tools. A mode forces only
 * functions, so no other tool is ever forced. A forcing mode is rejected if no function remains.
 * @param root the request itself, which may be inside a counting request
 */
export function withoutProviderTools(json: Json, root: Node = 0): WithoutOffers {
  const fields = new Fields(json, root)
  const list = fields.at('tools')
  const edits: Edit[] = []
  const lost: string[] = []
  const gone: Node[] = []
  const tools = entriesOf(json, list)
  for (const [i, tool] of tools.entries()) {
    const { keys } = new Fields(json, tool, `tools.${i}`)
    const run = [...keys].filter(([name, key]) => isRunByProvider(json, name, key))
    const runKeys = run.map(([, key]) => key)
    lost.push(...run.map(([name]) => lostTool(name)))
    if (run.length > 0 && run.length === keys.size) gone.push(tool)
    else edits.push(...removals(json, tool, runKeys))
  }
  if (gone.length < tools.length) return { edits: [...edits, ...removals(json, list, gone)], lost }
  if (isForced(json, fields.at('toolConfig'))) refuseForcedTool('toolConfig')
  const keys = ['tools', 'toolConfig'].flatMap((name) => fields.keys.get(name) ?? [])
  return { edits: removals(json, root, keys), lost }
}

function isRunByProvider(json: Json, name: string, key: Node): boolean {
  return name !== 'functionDeclarations' && name !== 'computerUse' && !isNull(json, valueOf(key))
}

function isForced(json: Json, config: Node): boolean {
  const mode = fieldAt(json, fieldAt(json, config, 'functionCallingConfig'), 'mode')
  return textAt(json, mode)?.toUpperCase() === 'ANY'
}
