import { isAbsent, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { mustBe, refuseForRoute } from '#wire/wire-request.ts'
import { objectIn } from './messages-of-chat-history.ts'

/** In version 2, the parameters of a tool are a JSON Schema. */
export function toolsOf(tools: JsonValue): readonly JsonObject[] {
  if (isAbsent(tools)) return []
  if (!Array.isArray(tools)) return mustBe('tools', 'a list')
  return tools.map((tool: JsonValue, i) => toolOf(objectIn(tool, `tools.${i}`), `tools.${i}`))
}

function toolOf(
  { description, name, parameter_definitions: defined, ...others }: JsonObject,
  path: string,
): JsonObject {
  refuseOthers(others, path)
  if (typeof name !== 'string') mustBe(`${path}.name`, 'a string')
  const definitions = isAbsent(defined) ? {} : objectIn(defined, `${path}.parameter_definitions`)
  const properties: [string, JsonObject][] = []
  const required: string[] = []
  for (const [parameter, definition] of Object.entries(definitions)) {
    const at = `${path}.parameter_definitions.${parameter}`
    const { description: text, required: isRequired, type, ...rest } = objectIn(definition, at)
    refuseOthers(rest, at)
    const schema = typeof type === 'string' ? schemaOf(type) : null
    if (schema === null) mustBe(`${at}.type`, typesOfPython)
    properties.push([parameter, isAbsent(text) ? schema : { ...schema, description: text }])
    if (isRequired === true) required.push(parameter)
  }
  const parameters = { type: 'object', properties: Object.fromEntries(properties), required }
  return { type: 'function', function: { name, ...(!isAbsent(description) && { description }), parameters } }
}

function refuseOthers(others: JsonObject, path: string): void {
  const unknown = Object.keys(others).find((name) => !isAbsent(others[name]))
  if (unknown !== undefined)
    refuseForRoute(`${path}.${unknown}`, 'tools of Cohere’s version 1 have no such field. Omit the field')
}

const typesOfPython = 'a type of Python, such as str, int, float, bool, list[str] or dict'

/** Accepts types of Python and of JSON Schema. Null for other types. */
function schemaOf(type: string): JsonObject | null {
  // Each nested type is searched again, so the work grows with the square of the length.
  if (type.length > typeLengthMax) return null
  const { inner, outer = '' } = generic.exec(type.trim())?.groups ?? {}
  const name = outer.toLowerCase()
  if (name === 'any') return {}
  if (name === 'optional') return inner === undefined ? {} : schemaOf(inner)
  const known = Object.hasOwn(schemaTypes, name) ? schemaTypes[name] : undefined
  if (known === undefined) return null
  if (known !== 'array' || inner === undefined) return { type: known }
  const items = schemaOf(inner)
  return items && { type: known, items }
}

const typeLengthMax = 256

const generic = /^(?:typing\.)?(?<outer>\w+)(?:\[(?<inner>.+)\])?$/

const schemaTypes: Readonly<Record<string, string>> = {
  str: 'string',
  string: 'string',
  int: 'integer',
  integer: 'integer',
  float: 'number',
  number: 'number',
  bool: 'boolean',
  boolean: 'boolean',
  list: 'array',
  array: 'array',
  dict: 'object',
  object: 'object',
}
