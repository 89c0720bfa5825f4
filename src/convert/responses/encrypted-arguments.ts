import { isObject, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'

/**
 * OpenAI encrypts an argument whose schema has `encrypted: true`. Codex, for example, marks the messages to its
 * sub-agents. Other vendors do not know the mark, so the gateway removes the mark. A call with the empty list
 * `encrypted_function_args` tells Codex that the arguments are plain text (docs/reference/wires.md "Messages between
 * agents").
 */
export function hasEncryptedArguments(parameters: JsonObject | null): boolean {
  return Object.values(objectOf(parameters?.properties)).some(isEncrypted)
}

export function withoutEncryption(parameters: JsonObject): JsonObject {
  const properties = Object.entries(objectOf(parameters.properties)).map(([name, property]) => {
    if (!isEncrypted(property)) return [name, property] as const
    const { encrypted: _encrypted, ...plain } = objectOf(property)
    return [name, plain] as const
  })
  return { ...parameters, properties: Object.fromEntries(properties) }
}

function isEncrypted(property: JsonValue): boolean {
  return isObject(property) && property.encrypted === true
}
