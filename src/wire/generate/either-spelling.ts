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
import { itemsOf, keysOf } from '#wire/text/object-members.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import { mustBe, refuseTwice } from '#wire/wire-request.ts'

/**
 * Names of fields on the generate wire. Google reads `maxOutputTokens` and `max_output_tokens` alike, and its
 * Python client sends the second (docs/reference/wires.md "Requests of generate").
 */
export function camelCase(name: string): string {
  return name.includes('_') ? name.replaceAll(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase()) : name
}

/** The keys of an object by their camelCase names, and where their values are. */
export class Fields {
  readonly keys = new Map<string, Node>()

  /**
   * Refuses a name that is there twice, in one spelling or both: of two parsers one may charge by the first and the
   * other run the second.
   * @param param the object's own name in an error; empty for the body
   * @param nameTwice the name in an error
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

  /** The value of a field; -1 where it is absent. */
  at(name: string): Node {
    const key = this.keys.get(name)
    return key === undefined ? -1 : valueOf(key)
  }
}

/** A member, in either spelling, of an object whose fields no charge depends on; -1 where it is absent. */
export function fieldAt(json: Json, object: Node, name: string): Node {
  const key = keysOf(json, object).find((each) => camelCase(stringAt(json, each)) === name)
  return key === undefined ? -1 : valueOf(key)
}

/** The entries of a list. Google takes a single entry for a list of one. */
export function entriesOf(json: Json, node: Node): readonly Node[] {
  return kindOf(json, node) === kinds.array ? itemsOf(json, node) : [node]
}

/** For values: an object with its own names in camelCase; names of inner objects stay. */
export function camelKeys(object: JsonObject): JsonObject {
  if (!Object.keys(object).some((name) => name.includes('_'))) return object
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [camelCase(name), value]))
}

/** For values: a list, or a list of the single entry. */
export function listOrOne(value: JsonValue): readonly JsonValue[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}
