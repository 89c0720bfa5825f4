import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/**
 * Tools in a namespace, such as Codex's tools for its sub-agents. On other wires they are functions whose names begin
 * with the namespace. No function name of this wire may contain a colon, so the name can be split again. Providers that
 * reject colons get another name (tool-names.ts).
 */
const separator = '::'

/** @param namespace the namespace of a tool or a call; most tools and calls have no namespace */
export function nameWithin(namespace: JsonValue, name: string): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}${separator}${name}` : name
}

/** The fields of a call that name its tool. */
export function fieldsOfName(name: string): JsonObject & { readonly name: string } {
  const at = name.indexOf(separator)
  if (at <= 0) return { name }
  return { name: name.slice(at + separator.length), namespace: name.slice(0, at) }
}
