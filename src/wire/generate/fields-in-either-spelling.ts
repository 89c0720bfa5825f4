import {
  after,
  inside,
  kindOf,
  kinds,
  stringAt,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { mustBe, refuseTwice } from '#wire/wire-request.ts'

/**
 * Google accepts both `maxOutputTokens` and `max_output_tokens`, and its Python client sends names with underscores
 * (docs/reference/wires.md "Requests on the generate wire").
 */
export function camelCase(name: string): string {
  return name.includes('_') ? name.replaceAll(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase()) : name
}

export class Fields {
  readonly keys = new Map<string, Node>()

  /**
   * Rejects a name that occurs twice, in any spelling, because the gateway could charge for another value than the
   * provider uses.
   * @param param path of the object in error messages; empty for the body
   * @param nameTwice returns the reported name of a repeated field
   */
  constructor(
    json: Json,
    object: Node,
    param = '',
    nameTwice = (name: string): string => `${param}.${name}`,
  ) {
    if (kindOf(json, object) !== kinds.object) mustBe(param, 'an object')
    const end = after(json, object)
    for (let key = inside(object); key < end; key = after(json, valueOf(key))) {
      const name = camelCase(stringAt(json, key))
      if (this.keys.has(name)) refuseTwice(param === '' ? name : nameTwice(name))
      this.keys.set(name, key)
    }
  }

  /** Returns -1 if the field is absent. */
  at(name: string): Node {
    const key = this.keys.get(name)
    return key === undefined ? -1 : valueOf(key)
  }
}

/** Use this function only for objects whose fields do not affect the charge. Returns -1 for an absent member. */
export function fieldAt(json: Json, object: Node, name: string): Node {
  const key = keysOf(json, object).find((each) => camelCase(stringAt(json, each)) === name)
  return key === undefined ? -1 : valueOf(key)
}

/** A value that is not a list counts as a list with one entry, as at Google. */
export function entriesOf(json: Json, node: Node): readonly Node[] {
  return kindOf(json, node) === kinds.array ? itemsOf(json, node) : [node]
}

/** Converts only the keys of the object itself. */
export function camelKeys(object: JsonObject): JsonObject {
  if (!Object.keys(object).some((name) => name.includes('_'))) return object
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camelCase(name), value]))
}

export function listOrOne(value: JsonValue): readonly JsonValue[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}
