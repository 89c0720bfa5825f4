import type { JsonValue } from '#wire/text/json-values.ts'
import { flagOrNull, isAbsent, isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { Tool, ToolChoice } from '#convert/neutral.ts'
import { fault, type RequestFault } from '#wire/request.ts'

/** Which kinds of tool there are is checked before (request.ts). */
export function readTools(value: JsonValue): readonly Tool[] | RequestFault {
  const tools: Tool[] = []
  for (const [i, item] of listOf(value).entries()) {
    const tool = objectOf(item)
    const isCustom = tool.type === 'custom'
    const inner = objectOf(isCustom ? tool.custom : tool.function)
    const name = textOrNull(inner.name)
    if (name === null || name === '')
      return fault('invalid_request', `tools.${i}`, `The field tools.${i} must have a name.`)
    tools.push({
      name,
      description: textOrNull(inner.description),
      parameters: !isCustom && isObject(inner.parameters) ? inner.parameters : null,
      isStrict: isCustom ? null : flagOrNull(inner.strict),
      custom: isCustom ? { format: isObject(inner.format) ? inner.format : null } : null,
      cache: null,
    })
  }
  return tools
}

export function readToolChoice(value: JsonValue): ToolChoice | null | RequestFault {
  if (isAbsent(value)) return null
  if (value === 'auto' || value === 'none' || value === 'required') return { kind: value }
  // Mistral's word for it.
  if (value === 'any') return { kind: 'required' }
  const choice = objectOf(value)
  const name = nameOf(choice)
  if (name !== null) return { kind: 'one', name }
  const allowed = objectOf(choice.allowed_tools)
  const names = listOf(allowed.tools).map(nameOf)
  if (choice.type === 'allowed_tools' && names.length > 0 && names.every((each) => each !== null))
    return { kind: 'subset', names, isRequired: allowed.mode === 'required' }
  return fault(
    'invalid_request',
    'tool_choice',
    'The field tool_choice must be auto, none, required, the name of a tool, or a list of allowed tools.',
  )
}

/** Of `{type: function, function: {name}}` and `{type: custom, custom: {name}}`. */
function nameOf(value: JsonValue): string | null {
  const { type, function: called, custom } = objectOf(value)
  return textOrNull(objectOf(type === 'custom' ? custom : called).name)
}
