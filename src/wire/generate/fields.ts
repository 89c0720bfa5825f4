import { after, inside, kindOf, kinds, stringAt, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/**
 * Names of fields on the generate wire. Google reads `maxOutputTokens` and `max_output_tokens` alike, and
 * its Python client really sends the second (wire.md 3.1).
 */
export function camelCase(name: string): string {
  return name.includes('_') ? name.replaceAll(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase()) : name
}

export interface Field {
  readonly key: Node
  readonly value: Node
}

/**
 * The members of an object, by their camelCase names.
 * @returns the name of one that is there twice, in one spelling or in both: two parsers may take two
 *   different ones, the one that is charged and the one that is run
 */
export function fieldsOf(json: Json, object: Node): ReadonlyMap<string, Field> | string {
  const fields = new Map<string, Field>()
  const end = after(json, object)
  for (let key = inside(object); key < end; key = after(json, valueOf(key))) {
    const name = camelCase(stringAt(json, key))
    if (fields.has(name)) return name
    fields.set(name, { key, value: valueOf(key) })
  }
  return fields
}

/** The entries of a list. Google takes one entry for a list of one. */
export function entriesOf(json: Json, node: Node): readonly Node[] {
  if (kindOf(json, node) !== kinds.array) return [node]
  const entries: Node[] = []
  for (let entry = inside(node), end = after(json, node); entry < end; entry = after(json, entry))
    entries.push(entry)
  return entries
}

/** The same for values: an object with its own names in camelCase, those of objects within as they are. */
export function camelKeys(object: JsonObject): JsonObject {
  if (!Object.keys(object).some((name) => name.includes('_'))) return object
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camelCase(name), value]))
}

/** The same for values: a list, of one where there is only its entry. */
export function listOrOne(value: JsonValue): readonly JsonValue[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}
