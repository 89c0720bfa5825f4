import { isObject, parseObject, textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import type { Tool } from '#convert/neutral-format.ts'

/**
 * Returns the function that replaces a tool search that the client runs. The function has the client's own description
 * and schema of the search. Null for a tool that is not a search, and for a search that the provider runs.
 */
export function functionOfSearch(search: JsonObject): Pick<Tool, 'description' | 'parameters'> | null {
  if (search.type !== 'tool_search' || search.execution !== 'client') return null
  return {
    description: textOrNull(search.description),
    parameters: isObject(search.parameters) ? search.parameters : null,
  }
}

export function fieldsOfSearch(text: string): JsonObject {
  return { execution: 'client', arguments: parseObject(text) ?? {} }
}
