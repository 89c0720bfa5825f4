import { after, inside, kindOf, kinds, member } from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'
import { fault, isNull, textAt } from '#wire/request.ts'
import type { RequestFault } from '#wire/request.ts'

/**
 * Only tools that the caller runs: what a provider runs by itself has no bound (tokens.md 1.4).
 * @param param what the list is called in an error
 */
export function faultOfTools(json: Json, tools: Node, param: string): RequestFault | null {
  if (tools < 0 || isNull(json, tools)) return null
  if (kindOf(json, tools) !== kinds.array)
    return fault('invalid_request', param, `The field ${param} must be a list.`)
  let i = 0
  for (let tool = inside(tools), end = after(json, tools); tool < end; tool = after(json, tool), i++) {
    const refused = faultOfTool(json, tool, `${param}.${i}`)
    if (refused) return refused
  }
  return null
}

/** What the vendor adds to the prompt for the tools that are named by their type alone. */
export function hiddenTokensOfTools(json: Json, tools: Node): number {
  if (tools < 0 || kindOf(json, tools) !== kinds.array) return 0
  let tokens = 0
  for (let tool = inside(tools), end = after(json, tools); tool < end; tool = after(json, tool))
    if (vendorTools.has(typeOf(json, tool))) tokens += vendorToolTokens
  return tokens
}

function faultOfTool(json: Json, tool: Node, param: string): RequestFault | null {
  const type = typeOf(json, tool)
  if (type === 'function' || type === 'custom' || type === 'local_shell' || type === 'apply_patch')
    return null
  if (type === 'namespace') return faultOfTools(json, member(json, tool, 'tools'), `${param}.tools`)
  if (type === 'tool_search' && textAt(json, member(json, tool, 'execution')) === 'client') return null
  if (type === 'shell' && isLocal(json, member(json, tool, 'environment'))) return null
  return fault(
    'unsupported_for_route',
    param,
    `the provider runs ${type} by itself, at a cost that cannot be bounded before the call; send a tool that you run`,
  )
}

/** A shell without an environment may run in a container of the provider's. */
function isLocal(json: Json, environment: Node): boolean {
  return environment >= 0 && textAt(json, member(json, environment, 'type')) === 'local'
}

/** Compatible servers take a tool without a type for a function. */
function typeOf(json: Json, tool: Node): string {
  return textAt(json, member(json, tool, 'type')) ?? 'function'
}

/** Run by the caller and defined by the vendor: no byte of the request shows their definitions. */
const vendorTools: ReadonlySet<string> = new Set(['local_shell', 'shell', 'apply_patch', 'tool_search'])
/** Those that are published (bash, an editor) are of 245 to 700 tokens; with room to grow. */
const vendorToolTokens = 2_048
