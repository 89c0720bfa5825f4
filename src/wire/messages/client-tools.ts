import { after, inside, kindOf, kinds, member } from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'
import { fault, isNull, textAt } from '#wire/request.ts'
import type { RequestFault } from '#wire/request.ts'

/** Only tools that the caller runs: what a provider runs by itself has no bound (tokens.md 1.4). */
export function faultOfTools(json: Json, tools: Node): RequestFault | null {
  if (tools < 0 || isNull(json, tools)) return null
  if (kindOf(json, tools) !== kinds.array)
    return fault('invalid_request', 'tools', 'The field tools must be a list.')
  let i = 0
  for (let tool = inside(tools), end = after(json, tools); tool < end; tool = after(json, tool), i++) {
    const type = typeOf(json, tool)
    if (type !== 'custom' && hiddenTokensOf(type) === 0)
      return fault(
        'unsupported_for_route',
        `tools.${i}`,
        `the provider runs ${type} by itself, at a cost that cannot be bounded before the call; send a tool that you run`,
      )
  }
  return null
}

/** What a tool's definition is to the provider beyond the bytes of the request. */
export function hiddenTokensOfTool(json: Json, tool: Node): number {
  return hiddenTokensOf(typeOf(json, tool))
}

/** A tool without a type is a custom one. */
function typeOf(json: Json, tool: Node): string {
  return textAt(json, member(json, tool, 'type')) ?? 'custom'
}

function hiddenTokensOf(type: string): number {
  return vendorTools.find(([name]) => type.startsWith(name))?.[1] ?? 0
}

/**
 * Tools with a definition of the vendor's that the caller runs, as it runs its own. Its documents have 245
 * tokens for a shell, 700 for an editor and 735 beside a prompt of 499 for a computer; a toolset is one
 * definition for each of its up to 31 members. With room to grow.
 */
const vendorTools: readonly (readonly [string, number])[] = [
  ['bash_', 1_024],
  ['text_editor_', 2_048],
  ['memory_', 2_048],
  ['computer_toolset_', 16_384],
  ['computer_', 2_048],
  ['browser_toolset_', 16_384],
]
