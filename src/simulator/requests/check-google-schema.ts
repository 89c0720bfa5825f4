import { isObject, objectOf } from '#simulator/read-values-of-any-shape.ts'

/**
 * Returns the error for the first keyword that Google's schema dialect does not support (docs/reference/wires.md
 * "Requests on the generate wire").
 */
export function dialectFault(schema: unknown, path: string): string | null {
  if (!isObject(schema)) return null
  for (const [name, value] of Object.entries(schema)) {
    if (!dialect.has(name)) {
      return `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`
    }
    const inner: (readonly [string, unknown])[] =
      name === 'properties'
        ? Object.entries(objectOf(value)).map(([key, property]) => [`properties[${key}]`, property] as const)
        : name === 'items'
          ? [['items', value]]
          : (name === 'anyOf' || name === 'any_of') && Array.isArray(value)
            ? value.map((one: unknown, index) => [`any_of[${index}]`, one] as const)
            : []
    for (const [step, one] of inner) {
      const fault = dialectFault(one, `${path}.${step}`)
      if (fault !== null) return fault
    }
  }
  return null
}

const dialect = new Set(
  (
    'type format title description nullable enum items minItems maxItems properties required minProperties ' +
    'maxProperties minimum maximum minLength maxLength pattern anyOf propertyOrdering default example ' +
    'min_items max_items min_properties max_properties min_length max_length any_of property_ordering'
  ).split(' '),
)
