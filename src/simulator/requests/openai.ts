import type { Complaints } from '#simulator/complaint.ts'
import { objectOf, stringOf, type JsonObject } from '#simulator/loose-json.ts'
import type { SimulatedTool } from '#simulator/request.ts'
import { strictFault } from './strict-schema.ts'

/** What OpenAI's two wires have in common, in the form of responses: `{name, parameters, strict}`, flat. */
export function toolsOf(definitions: readonly JsonObject[], complaints: Complaints): SimulatedTool[] {
  for (const [index, { type }] of definitions.entries()) {
    complaints.unless(typeof type === 'string', `Missing required parameter: 'tools[${index}].type'.`, {
      param: `tools[${index}].type`,
      code: 'missing_required_parameter',
    })
  }
  return definitions
    .filter(({ type }) => type === 'function' || type === 'custom')
    .map((tool, index) => {
      const name = stringOf(tool['name'])
      const param = `tools[${index}].name`
      complaints.unless(name !== '', `Missing required parameter: '${param}'.`, {
        param,
        code: 'missing_required_parameter',
      })
      complaints.unless(
        /^[\w-]{1,64}$/.test(name),
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        { param, code: 'invalid_value' },
      )
      const parameters = objectOf(tool['parameters'])
      const { type = 'object' } = parameters
      const fault =
        type !== 'object'
          ? `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type)}"'.`
          : tool['strict'] === true
            ? strictFault(parameters)
            : null
      complaints.unless(fault === null, `Invalid schema for function '${name}': ${fault}`, {
        param: `tools[${index}].parameters`,
        code: 'invalid_function_parameters',
      })
      return { name, isCustom: tool['type'] === 'custom', parameters }
    })
}

/**
 * The tool that must be called; null for none.
 * @param choice in the form of responses: a word, or `{type, name}`, or `{type: allowed_tools, mode, tools}`
 */
export function forcedTool(
  choice: unknown,
  tools: readonly SimulatedTool[],
  complaints: Complaints,
): SimulatedTool | null {
  const { type, name, mode, tools: allowed } = objectOf(choice)
  if (choice === 'required') return tools[0] ?? null
  if (type === 'allowed_tools') {
    const names = Array.isArray(allowed) ? allowed.map((tool) => stringOf(objectOf(tool)['name'])) : []
    return mode === 'required' ? (tools.find((tool) => names.includes(tool.name)) ?? null) : null
  }
  if (type !== 'function' && type !== 'custom') return null
  const named = tools.find((tool) => tool.name === name)
  complaints.unless(named !== undefined, `Tool choice '${type}' not found in 'tools' parameter.`, {
    param: 'tool_choice',
  })
  return named ?? null
}

/** The schema that the answer has to satisfy, `{}` for any JSON; null where it may be text. */
export function schemaOf(format: JsonObject, param: string, complaints: Complaints): JsonObject | null {
  if (format['type'] === 'json_object') return {}
  if (format['type'] !== 'json_schema') return null
  const schema = objectOf(format['schema'])
  const name = stringOf(format['name'])
  complaints.unless(name !== '', `Missing required parameter: '${param}.name'.`, {
    param: `${param}.name`,
    code: 'missing_required_parameter',
  })
  complaints.unless('schema' in format, `Missing required parameter: '${param}.schema'.`, {
    param: `${param}.schema`,
    code: 'missing_required_parameter',
  })
  const fault = format['strict'] === true ? strictFault(schema) : null
  complaints.unless(fault === null, `Invalid schema for response_format '${name}': ${fault}`, { param })
  return schema
}

/** Both refuse to answer in JSON unless somebody says the word, so that nobody gets endless white space. */
export function jsonWordFault(messages: unknown, field: string): string | null {
  return /json/i.test(JSON.stringify(messages) ?? '')
    ? null
    : `'${field}' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.`
}

/** Numbers within their bounds, in OpenAI's words. */
export function checkRange(
  body: JsonObject,
  name: string,
  [min, max]: readonly [min: number, max: number],
  complaints: Complaints,
): void {
  const value = body[name] ?? null
  if (value === null) return
  complaints.unless(typeof value === 'number', `Invalid type for '${name}': expected a decimal.`, {
    param: name,
    code: 'invalid_type',
  })
  if (typeof value !== 'number') return
  complaints.unless(
    value <= max,
    `Invalid '${name}': decimal above maximum value. Expected a value <= ${max}, but got ${value} instead.`,
    { param: name, code: 'decimal_above_max_value' },
  )
  complaints.unless(
    value >= min,
    `Invalid '${name}': decimal below minimum value. Expected a value >= ${min}, but got ${value} instead.`,
    { param: name, code: 'decimal_below_min_value' },
  )
}
