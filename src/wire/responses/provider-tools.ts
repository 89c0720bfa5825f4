import type { Json, Node } from '#wire/text/json-tape.ts'
import { itemsOf, memberOf, typeOf } from '#wire/text/object-members.ts'
import { lostTool, refuseForcedTool, refuseProviderTool, toolsOf } from '#wire/provider-tools.ts'
import { withoutReferences, withoutTools, type Sifted, type WithoutOffers } from '#wire/provider-tools.ts'
import { removals } from '#wire/text/removals.ts'
import { isGiven, spanOf, textAt } from '#wire/wire-request.ts'
import type { Edit } from '#wire/text/splice.ts'

/**
 * Only tools that the caller runs are supported. Tools that the provider runs have no bound (docs/reference/tokens.md
 * "Features without a bound").
 * @param param the list's name in an error
 */
export function refuseProviderTools(json: Json, tools: Node, param: string): void {
  for (const [i, tool] of toolsOf(json, tools, param).entries()) {
    const type = toolTypeOf(json, tool)
    if (type === 'namespace') refuseProviderTools(json, memberOf(json, tool, 'tools'), `${param}.${i}.tools`)
    else if (isRunByProvider(json, tool, type)) refuseProviderTool(`${param}.${i}`, type)
  }
}

/** Tokens that the vendor adds to the prompt for tools that have only a type. */
export function hiddenTokensOfTools(json: Json, tools: Node): number {
  return itemsOf(json, tools).filter((tool) => isVendorTool(toolTypeOf(json, tool))).length * vendorToolTokens
}

/**
 * Returns the request without the tools that the provider runs, including those in namespaces and in input items.
 * Rejects a request that forces the model to call one.
 */
export function withoutProviderTools(json: Json): WithoutOffers {
  const listed = sifted(json, memberOf(json, 0, 'tools'))
  const choice = chosen(json, listed.isEmpty)
  const input = itemsOf(json, memberOf(json, 0, 'input')).map((item) => {
    const type = typeOf(json, item, 'message')
    if (type !== 'additional_tools' && type !== 'tool_search_output') return nothing
    const list = memberOf(json, item, 'tools')
    const { edits, gone, lost } = sifted(json, list)
    return { edits: [...edits, ...removals(json, list, gone)], lost }
  })
  // Without the provider's search, a deferred tool cannot be found.
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
    lost: [...listed.lost, ...waiting.lost, ...input.flatMap(({ lost }) => lost)],
  }
}

const nothing: WithoutOffers = { edits: [], lost: [] }

/** Returns the removed tools of a list. Edits apply within tools that are kept. */
function sifted(json: Json, list: Node): Sifted & WithoutOffers {
  const gone: Node[] = []
  const kept: Node[] = []
  const edits: Edit[] = []
  const lost: string[] = []
  for (const tool of itemsOf(json, list)) {
    const type = toolTypeOf(json, tool)
    if (type === 'namespace') {
      const tools = memberOf(json, tool, 'tools')
      const within = sifted(json, tools)
      lost.push(...within.lost)
      if (within.gone.length > 0 && within.isEmpty) gone.push(tool)
      else {
        kept.push(tool)
        edits.push(...within.edits, ...removals(json, tools, within.gone))
      }
    } else if (isRunByProvider(json, tool, type)) {
      gone.push(tool)
      lost.push(lostTool(type))
    } else kept.push(tool)
  }
  return { gone, kept, edits, lost, isEmpty: kept.length === 0 }
}

/** Returns the edits of the tool choice. */
function chosen(json: Json, isEmpty: boolean): readonly Edit[] {
  const choice = memberOf(json, 0, 'tool_choice')
  if (!isGiven(json, choice)) return []
  const word = textAt(json, choice)
  if (word !== null) return word === 'required' && isEmpty ? refuseForcedTool('tool_choice') : []
  const type = typeOf(json, choice, '')
  if (type !== 'allowed_tools') return isCallersChoice(type) ? [] : refuseForcedTool('tool_choice')
  const list = memberOf(json, choice, 'tools')
  const allowed = itemsOf(json, list)
  const gone = allowed.filter((one) => !isCallersChoice(typeOf(json, one, 'function')))
  if (gone.length < allowed.length) return removals(json, list, gone)
  return textAt(json, memberOf(json, choice, 'mode')) === 'required'
    ? refuseForcedTool('tool_choice')
    : [{ ...spanOf(json, choice), text: '"none"' }]
}

/** Types with which a choice selects a tool that the caller runs. */
const callersChoices: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'local_shell',
  'shell',
  'apply_patch',
])

function isCallersChoice(type: string): boolean {
  return callersChoices.has(type) || type.startsWith('computer')
}

function isVendorTool(type: string): boolean {
  return vendorTools.has(type) || type.startsWith('computer')
}

/**
 * A tool of an unknown type counts as one. The caller runs a computer, and its screens are images of later requests.
 */
function isRunByProvider(json: Json, tool: Node, type: string): boolean {
  if (type === 'tool_search') return textAt(json, memberOf(json, tool, 'execution')) !== 'client'
  if (type === 'shell') return typeOf(json, memberOf(json, tool, 'environment'), '') !== 'local'
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

/** Tools that the caller runs and the vendor defines. No byte of the request contains their definitions. */
const vendorTools: ReadonlySet<string> = new Set(['local_shell', 'shell', 'apply_patch', 'tool_search'])
/** The published definitions (bash, an editor) have 245 to 700 tokens. This value includes room to grow. */
const vendorToolTokens = 2_048
