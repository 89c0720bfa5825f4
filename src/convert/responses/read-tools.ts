import { isAbsent, isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { readTool, readToolChoice } from '#convert/request-fields-of-openai-wires.ts'
import type { Tool, ToolChoice } from '#convert/neutral-format.ts'
import { refuseVendorTool } from '#convert/capabilities/parts-without-neutral-form.ts'
import { refuse } from '#wire/wire-request.ts'
import { functionOfComputer } from './computer-tool-as-function.ts'
import { functionNamesIn, type FunctionNames } from './function-names-for-nameless-tools.ts'
import { functionOfSearch } from './tool-search-as-function.ts'
import { nameWithin } from './tool-names-in-namespaces.ts'

/**
 * Reads functions and custom tools, which every provider supports. Computer tools and searches for tools that the
 * client runs become functions. All other built-in tools exist only at OpenAI. Tools in a namespace are read one by
 * one, with the description of the namespace.
 * @param namespace the namespace that contains the tools
 */
export function readTools(value: JsonValue, path = 'tools', namespace: JsonObject = {}): readonly Tool[] {
  return listOf(value).flatMap((item, i): Tool | readonly Tool[] => {
    const tool = objectOf(item)
    const type = textOrNull(tool.type) ?? 'function'
    if (type === 'namespace' && isAbsent(namespace.name))
      return readTools(tool.tools, `${path}.${i}.tools`, tool)
    if (type !== 'function' && type !== 'custom')
      return readBuiltIn(tool, functionNamesIn(value)) ?? refuseVendorTool(`${path}.${i}`, type)
    const name = textOrNull(tool.name)
    if (!name) refuse('invalid_request', `${path}.${i}`, `The field tools.${i} must have a name.`)
    const custom = type === 'custom' ? { format: isObject(tool.format) ? nested(tool.format) : null } : null
    const read = readTool(nameWithin(namespace.name, name), tool, custom)
    return { ...read, description: described(textOrNull(namespace.description), read.description) }
  })
}

function readBuiltIn(tool: JsonObject, names: FunctionNames): Tool | null {
  const fields = { isStrict: null, custom: null, cache: null }
  const search = functionOfSearch(tool)
  if (search) return { name: names.search, ...search, ...fields, search: tool }
  const computer = functionOfComputer(tool)
  return computer && { name: names.computer, ...computer, ...fields, computer: tool }
}

function described(all: string | null, one: string | null): string | null {
  return all && one ? `${all}\n\n${one}` : (one ?? all)
}

/** On the chat wire, a grammar is a separate object. */
function nested({ type, ...rest }: JsonObject): JsonObject {
  return type === 'grammar' ? { type, grammar: rest } : { type, ...rest }
}

/**
 * @param computer the name of the function that replaces the computer tool; on the responses wire, a choice selects a
 *   computer by its type
 */
export function readChoice(value: JsonValue, computer: string): ToolChoice | null {
  const { type, tools, mode } = objectOf(value)
  const nameOf = (tool: JsonValue): string | null =>
    isComputer(objectOf(tool).type) ? computer : textOrNull(objectOf(tool).name)
  return readToolChoice(value, {
    name: type === 'function' || type === 'custom' || isComputer(type) ? nameOf(value) : null,
    names: listOf(tools).map(nameOf),
    mode,
  })
}

function isComputer(type: JsonValue): boolean {
  return typeof type === 'string' && type.startsWith('computer')
}
