import { isObject, listOf, objectOf, textOrNull, type JsonValue } from '#wire/text/json-values.ts'
import { readTool, readToolChoice } from '#convert/request-fields-of-openai-wires.ts'
import { readCacheMark } from '#convert/messages/read-content.ts'
import type { Tool, ToolChoice } from '#convert/neutral-format.ts'
import { refuse } from '#wire/wire-request.ts'

/** The types of the tools were already checked (wire/chat/remove-provider-tools.ts). */
export function readTools(value: JsonValue): readonly Tool[] {
  return listOf(value).map((item, i) => {
    const tool = objectOf(item)
    const isCustom = tool.type === 'custom'
    const inner = objectOf(isCustom ? tool.custom : tool.function)
    const name = textOrNull(inner.name)
    if (!name) refuse('invalid_request', `tools.${i}`, `The field tools.${i} must have a name.`)
    const custom = isCustom ? { format: isObject(inner.format) ? inner.format : null } : null
    const cache = readCacheMark(tool.cache_control)
    const innerCache = cache === null ? readCacheMark(inner.cache_control) : null
    return {
      ...readTool(name, inner, custom),
      ...(innerCache === null
        ? { cache }
        : { cache: innerCache, cacheField: `tools.${isCustom ? 'custom' : 'function'}.cache_control` }),
    }
  })
}

/** Reads functions of the old API, which tools replaced in 2023. */
export function readFunctions(value: JsonValue): readonly Tool[] {
  return listOf(value).map((item, i) => {
    const fields = objectOf(item)
    const name = textOrNull(fields.name)
    if (!name) refuse('invalid_request', `functions.${i}`, `The field functions.${i} must have a name.`)
    return readTool(name, fields, null)
  })
}

/** Reads `function_call`, the deprecated form of `tool_choice`: `auto`, `none`, or the name of one function. */
export function readFunctionCall(value: JsonValue): ToolChoice | null {
  const name = textOrNull(objectOf(value).name)
  return readToolChoice(value, { name, names: [], mode: null })
}

export function readChoice(value: JsonValue): ToolChoice | null {
  // Mistral uses the name `any` for `required`.
  if (value === 'any') return { kind: 'required' }
  const { tools, mode } = objectOf(objectOf(value).allowed_tools)
  return readToolChoice(value, { name: nameOf(value), names: listOf(tools).map(nameOf), mode })
}

function nameOf(value: JsonValue): string | null {
  const { type, function: called, custom } = objectOf(value)
  return textOrNull(objectOf(type === 'custom' ? custom : called).name)
}
