import { flagOrNull, isAbsent, isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { Tool, ToolChoice } from '#convert/neutral-format.ts'
import { refuseVendorTool } from '#convert/capabilities/parts-without-neutral-form.ts'
import { mustBe } from '#wire/wire-request.ts'
import { functionOfComputer } from './computer-tool-as-function.ts'
import { functionOfMemory } from './memory-tool-as-function.ts'
import { readCacheMark, type Reading } from './read-content.ts'

/** Returns the tools at the end of the conversation: the request's tools, plus added tools, minus removed tools. */
export function readTools(tools: JsonValue, { others, toolChanges }: Reading): readonly Tool[] {
  const given = listOf(tools).map((item, i) => readTool(objectOf(item), `tools.${i}`, others))
  if (toolChanges.length === 0) return given
  const known = new Map(given.map((tool) => [tool.name, tool]))
  const left = new Set<string | null>()
  for (const { isAdded, path, tool } of toolChanges) {
    const { definition } = tool
    const added = isObject(definition) ? readTool(definition, `${path}.tool.definition`, others) : null
    if (added) known.set(added.name, added)
    // The name may belong to a tool that the provider runs. Such a tool is not in `known`, so the change has no effect.
    const name = added?.name ?? textOrNull(tool.name)
    if (isAdded) left.delete(name)
    else left.add(name)
  }
  return [...known.values()].filter(({ name }) => !left.has(name))
}

/** @param others collects the names of fields that have no neutral form */
function readTool(tool: JsonObject, path: string, others: Set<string>): Tool {
  const type = textOrNull(tool.type) ?? 'custom'
  for (const field of ofThisWireOnly) if (!isAbsent(tool[field])) others.add(`tools.${field}`)
  return {
    name: textOrNull(tool.name) ?? mustBe(`${path}.name`, 'a string'),
    ...(type === 'custom' ? readFunction(tool) : readBuiltIn(tool, type, path, others)),
    custom: null,
    cache: readCacheMark(tool.cache_control),
  }
}

type Definition = Pick<Tool, 'description' | 'parameters' | 'isStrict' | 'computer'>

function readFunction(tool: JsonObject): Definition {
  return {
    description: textOrNull(tool.description),
    parameters: isObject(tool.input_schema) ? tool.input_schema : null,
    isStrict: flagOrNull(tool.strict),
  }
}

/**
 * A function that replaces the computer tool or the memory tool is never strict. OpenAI's strict schemas require all
 * fields, but each computer action and each memory command has different fields.
 */
function readBuiltIn(tool: JsonObject, type: string, path: string, others: Set<string>): Definition {
  if (tool.strict === true) others.add('tools.strict')
  const memory = functionOfMemory(type)
  if (memory) others.add('tools.memory')
  const read = memory ?? functionOfComputer(tool) ?? refuseVendorTool(path, type)
  return { ...read, isStrict: null, ...(memory === null && { computer: tool }) }
}

const ofThisWireOnly = ['defer_loading', 'eager_input_streaming', 'input_examples', 'allowed_callers']

export function readToolChoice(value: JsonValue): ToolChoice | null {
  if (isAbsent(value)) return null
  const { type, name } = objectOf(value)
  if (type === 'auto' || type === 'none') return { kind: type }
  if (type === 'any') return { kind: 'required' }
  if (type === 'tool' && typeof name === 'string') return { kind: 'one', name }
  mustBe('tool_choice', 'of type auto, any, none, or tool with a name')
}
