import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/**
 * Codex, for example, puts the tools for its sub-agents into a namespace. On other wires, tools in a namespace become
 * functions whose names begin with the namespace and two colons. Function names on the responses wire cannot contain a
 * colon, so the joined name can be split again. For providers that reject colons, replace-and-restore-tool-names.ts
 * replaces the joined name.
 */
const separator = '::'

/** @param namespace the namespace of a tool or a call; most tools and calls have no namespace */
export function nameWithin(namespace: JsonValue, name: string): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}${separator}${name}` : name
}

export function fieldsOfName(name: string): JsonObject & { readonly name: string } {
  const at = name.indexOf(separator)
  if (at <= 0) return { name }
  return { name: name.slice(at + separator.length), namespace: name.slice(0, at) }
}
