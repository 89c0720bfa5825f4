import type { JsonValue } from '#wire/text/json-values.ts'
import { flagOrNull, isAbsent, isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { Tool, ToolChoice } from '#convert/neutral.ts'
import { fault, type RequestFault } from '#wire/request.ts'
import { readCacheMark } from './read-content.ts'

/** @param others takes the names of what the neutral form has no place for */
export function readTools(tools: JsonValue, others: Set<string>): readonly Tool[] | RequestFault {
  const read: Tool[] = []
  for (const [i, item] of listOf(tools).entries()) {
    const tool = objectOf(item)
    const name = textOrNull(tool.name)
    const type = textOrNull(tool.type) ?? 'custom'
    if (type !== 'custom')
      return fault(
        'unsupported_for_route',
        `tools.${i}`,
        `only its vendor's own models know the tool ${type}; define it with a name and an input_schema`,
      )
    if (name === null)
      return fault('invalid_request', `tools.${i}.name`, `The field tools.${i}.name must be a text.`)
    for (const field of ofThisWireOnly) if (!isAbsent(tool[field])) others.add(`tools.${field}`)
    read.push({
      name,
      description: textOrNull(tool.description),
      parameters: isObject(tool.input_schema) ? tool.input_schema : null,
      isStrict: flagOrNull(tool.strict),
      custom: null,
      cache: readCacheMark(tool.cache_control),
    })
  }
  return read
}

const ofThisWireOnly = ['defer_loading', 'eager_input_streaming', 'input_examples', 'allowed_callers']

export function readToolChoice(value: JsonValue): ToolChoice | null | RequestFault {
  if (isAbsent(value)) return null
  const { type, name } = objectOf(value)
  if (type === 'auto' || type === 'none') return { kind: type }
  if (type === 'any') return { kind: 'required' }
  if (type === 'tool' && typeof name === 'string') return { kind: 'one', name }
  return fault(
    'invalid_request',
    'tool_choice',
    'The field tool_choice must be of type auto, any, none, or tool with a name.',
  )
}
