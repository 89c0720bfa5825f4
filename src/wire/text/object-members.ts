import { after, inside, kindOf, kinds, member, stringAt, valueOf, type Json, type Node } from './json-tape.ts'

/**
 * Look-ups in a tape where a repeated member does no harm. Values that are charged or run by go through `member`,
 * which notes a repetition.
 */

/** The items of a list; empty for any other value. */
export function itemsOf(json: Json, list: Node): readonly Node[] {
  const items: Node[] = []
  if (list < 0 || kindOf(json, list) !== kinds.array) return items
  for (let item = inside(list), end = after(json, list); item < end; item = after(json, item))
    items.push(item)
  return items
}

/** The keys of an object; empty for any other value. */
export function keysOf(json: Json, object: Node): readonly Node[] {
  const keys: Node[] = []
  if (object < 0 || kindOf(json, object) !== kinds.object) return keys
  for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key)))
    keys.push(key)
  return keys
}

/** A member's key; -1 where it is absent. */
export function keyOf(json: Json, object: Node, name: string): Node {
  if (object < 0 || kindOf(json, object) !== kinds.object) return -1
  for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key)))
    if (stringAt(json, key) === name) return key
  return -1
}

/** A member's value; -1 where it is absent. */
export function memberOf(json: Json, object: Node, name: string): Node {
  const key = keyOf(json, object, name)
  return key < 0 ? -1 : valueOf(key)
}

/** The text under `type`. A repetition is noted: of two types a parser may take the other one. */
export function typeOf(json: Json, object: Node, otherwise: string): string {
  const type = object < 0 ? -1 : member(json, object, 'type')
  return type >= 0 && kindOf(json, type) === kinds.string ? stringAt(json, type) : otherwise
}
