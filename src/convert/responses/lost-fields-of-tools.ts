import { listOf, objectOf, type JsonValue } from '#wire/text/json-values.ts'

/**
 * Returns the fields of functions and custom tools that only the responses wire has, without fields that have their
 * default value. See capabilities/parts-without-neutral-form.ts.
 */
export function lostFieldsOfTools(tools: JsonValue): readonly string[] {
  return listOf(tools).flatMap((item) => {
    const tool = objectOf(item)
    if (tool.type === 'namespace') return lostFieldsOfTools(tool.tools)
    const isFunction = tool.type === 'function' || tool.type === 'custom'
    return isFunction
      ? fields.filter((field) => !isDefault(tool[field])).map((field) => `tools.${field}`)
      : []
  })
}

const fields = ['allowed_callers', 'async', 'defer_loading', 'output_schema']

/** By default, only the model itself calls a tool. */
function isDefault(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every((caller) => caller === 'direct')
  return value === undefined || value === null || value === false
}
