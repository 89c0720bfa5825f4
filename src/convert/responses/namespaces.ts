import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/**
 * Tools in a namespace, as Codex sends those of its sub-agents: on other wires they are functions whose names begin
 * with the namespace. No function of this wire may have a colon in its name, so the name can be taken apart again;
 * providers that refuse colons get another name (tool-names.ts).
 */
const separator = '::'

/** @param namespace of a tool or of a call; most have none */
export function nameWithin(namespace: JsonValue, name: string): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}${separator}${name}` : name
}

/** The fields of a call that name its tool. */
export function fieldsOfName(name: string): JsonObject & { readonly name: string } {
  const at = name.indexOf(separator)
  if (at <= 0) return { name }
  return { name: name.slice(at + separator.length), namespace: name.slice(0, at) }
}
