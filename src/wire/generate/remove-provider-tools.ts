import { valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import {
  lostTool,
  refuseForcedTool,
  refuseProviderTool,
  unread,
  type KeptKinds,
  type WithoutOffers,
} from '#wire/remove-provider-tools.ts'
import type { ToolKind } from '#wire/kinds-of-provider-tools.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { isGiven, isNull, textAt, type WireRequest } from '#wire/wire-request.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import { entriesOf, fieldAt, Fields } from './fields-in-either-spelling.ts'

/** Google's other tools, such as maps, have prices of their own. */
const kindsOfTools: ReadonlyMap<string, ToolKind> = new Map([
  ['googleSearch', 'webSearch'],
  ['googleSearchRetrieval', 'webSearch'],
  ['urlContext', 'webFetch'],
  ['codeExecution', 'codeExecution'],
  ['fileSearch', 'fileSearch'],
])

export function toolKindsIn(json: Json): KeptKinds {
  const found = new Set<ToolKind>()
  for (const [i, tool] of entriesOf(json, new Fields(json, 0).at('tools')).entries()) {
    for (const [name, key] of new Fields(json, tool, `tools.${i}`).keys) {
      const kind = kindsOfTools.get(name)
      if (kind !== undefined && isRunByProvider(json, name, key)) found.add(kind)
    }
  }
  return found
}

/** No field of the generate wire limits the uses of these tools. */
export function runTools(json: Json): Pick<WireRequest, 'run'> {
  const limits = [{ kind: null, asked: null, place: null }]
  return { run: { kinds: [...toolKindsIn(json)], isShared: true, limits, dropped: unread } }
}

export function refuseProviderTools(json: Json, tools: Node, kept: KeptKinds): void {
  if (!isGiven(json, tools)) return
  for (const [i, tool] of entriesOf(json, tools).entries()) {
    for (const [name, key] of new Fields(json, tool, `tools.${i}`).keys) {
      const param = `tools.${i}.${name}`
      if (isRunByProvider(json, name, key) && !isKept(name, kept)) refuseProviderTool(param, name)
    }
  }
}

/** The request does not contain the definitions of these functions, because the vendor defines them. */
export function hiddenTokensOfTools(json: Json, tools: Node): number {
  if (!isGiven(json, tools)) return 0
  const computers = entriesOf(json, tools).filter((tool) => isGiven(json, fieldAt(json, tool, 'computerUse')))
  return computers.length * computerTokens
}

/** Tokens of about fifteen functions (open a page, click, type, scroll), with room for more functions. */
const computerTokens = 8_192

/**
 * Removes the tools that the provider runs, except kept kinds. The calling mode can force the model to call a function,
 * but no other tool. A calling mode that forces a call is rejected if no function remains.
 * @param root the request, which may be inside a countTokens request
 */
export function withoutProviderTools(json: Json, kept: KeptKinds, root: Node = 0): WithoutOffers {
  const fields = new Fields(json, root)
  const list = fields.at('tools')
  const edits: Edit[] = []
  const lost: string[] = []
  const lostKinds: (ToolKind | null)[] = []
  const gone: Node[] = []
  const tools = entriesOf(json, list)
  for (const [i, tool] of tools.entries()) {
    const { keys } = new Fields(json, tool, `tools.${i}`)
    const run = [...keys].filter(([name, key]) => isRunByProvider(json, name, key) && !isKept(name, kept))
    const runKeys = run.map(([, key]) => key)
    lost.push(...run.map(([name]) => lostTool(name)))
    lostKinds.push(...run.map(([name]) => kindsOfTools.get(name) ?? null))
    if (run.length > 0 && run.length === keys.size) gone.push(tool)
    else edits.push(...removals(json, tool, runKeys))
  }
  if (gone.length < tools.length)
    return { edits: [...edits, ...removals(json, list, gone)], lost, kinds: lostKinds }
  if (isForced(json, fields.at('toolConfig'))) refuseForcedTool('toolConfig', lostKinds)
  const keys = ['tools', 'toolConfig'].flatMap((name) => fields.keys.get(name) ?? [])
  return { edits: removals(json, root, keys), lost, kinds: lostKinds }
}

function isKept(name: string, kept: KeptKinds): boolean {
  const kind = kindsOfTools.get(name)
  return kind !== undefined && kept.has(kind)
}

function isRunByProvider(json: Json, name: string, key: Node): boolean {
  return name !== 'functionDeclarations' && name !== 'computerUse' && !isNull(json, valueOf(key))
}

function isForced(json: Json, config: Node): boolean {
  const mode = fieldAt(json, fieldAt(json, config, 'functionCallingConfig'), 'mode')
  return textAt(json, mode)?.toUpperCase() === 'ANY'
}
