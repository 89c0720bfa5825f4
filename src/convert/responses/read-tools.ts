import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { flagOrNull, isAbsent, isObject, listOf, objectOf, textOrNull } from '#wire/text/json-values.ts'
import type { Tool, ToolChoice } from '#convert/neutral.ts'
import { fault, isFault, type RequestFault } from '#wire/request.ts'
import { nameWithin } from './namespaces.ts'

/**
 * Functions and custom tools, which every provider has; what is built into one is built into no other.
 * Those in a namespace stand for themselves, with what is said of all of them.
 */
export function readTools(value: JsonValue): readonly Tool[] | RequestFault {
  return readList(value, 'tools', {})
}

function readList(value: JsonValue, path: string, namespace: JsonObject): readonly Tool[] | RequestFault {
  const tools: Tool[] = []
  for (const [i, item] of listOf(value).entries()) {
    const tool = objectOf(item)
    const type = textOrNull(tool.type) ?? 'function'
    if (type === 'namespace' && isAbsent(namespace.name)) {
      const inner = readList(tool.tools, `${path}.${i}.tools`, tool)
      if (isFault(inner)) return inner
      tools.push(...inner)
      continue
    }
    const isCustom = type === 'custom'
    if (type !== 'function' && !isCustom) {
      return fault(
        'unsupported_for_route',
        `${path}.${i}`,
        `a tool of type ${type} is built into its own provider’s models; send it as a function`,
      )
    }
    const name = textOrNull(tool.name)
    if (!name) return fault('invalid_request', `${path}.${i}`, `The field tools.${i} must have a name.`)
    tools.push({
      name: nameWithin(namespace.name, name),
      description: described(textOrNull(namespace.description), textOrNull(tool.description)),
      parameters: !isCustom && isObject(tool.parameters) ? tool.parameters : null,
      isStrict: isCustom ? null : flagOrNull(tool.strict),
      custom: isCustom ? { format: isObject(tool.format) ? nested(tool.format) : null } : null,
      cache: null,
    })
  }
  return tools
}

function described(all: string | null, one: string | null): string | null {
  return all && one ? `${all}\n\n${one}` : (one ?? all)
}

/** In the neutral form it has the chat wire's shape, where a grammar is an object of its own. */
function nested({ type, ...rest }: JsonObject): JsonObject {
  return type === 'grammar' ? { type, grammar: rest } : { type, ...rest }
}

export function readToolChoice(value: JsonValue): ToolChoice | null | RequestFault {
  if (isAbsent(value)) return null
  if (value === 'auto' || value === 'none' || value === 'required') return { kind: value }
  const { type, name, tools, mode } = objectOf(value)
  if ((type === 'function' || type === 'custom') && typeof name === 'string') return { kind: 'one', name }
  const names = listOf(tools).map((tool) => textOrNull(objectOf(tool).name))
  if (type === 'allowed_tools' && names.length > 0 && names.every((each) => each !== null))
    return { kind: 'subset', names, isRequired: mode === 'required' }
  return fault(
    'invalid_request',
    'tool_choice',
    'The field tool_choice must be auto, none, required, the name of a tool, or a list of allowed tools.',
  )
}
