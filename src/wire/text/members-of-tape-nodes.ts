import {
  after,
  inside,
  keyBefore,
  kindOf,
  kinds,
  member,
  stringAt,
  valueOf,
  type Json,
  type Node,
} from './json-tape.ts'

/** Returns an empty list for anything except a list. */
export function itemsOf(json: Json, list: Node): readonly Node[] {
  const items: Node[] = []
  if (list < 0 || kindOf(json, list) !== kinds.array) return items
  for (let item = inside(list), end = after(json, list); item < end; item = after(json, item))
    items.push(item)
  return items
}

/** Returns an empty list for anything except an object. */
export function keysOf(json: Json, object: Node): readonly Node[] {
  const keys: Node[] = []
  if (object < 0 || kindOf(json, object) !== kinds.object) return keys
  for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key)))
    keys.push(key)
  return keys
}

/** Returns -1 if the key is absent. Notes a repeated key, as `member` does. */
export function keyOf(json: Json, object: Node, name: string): Node {
  const value = member(json, object, name)
  return value < 0 ? -1 : keyBefore(value)
}

/** Notes a repetition of `type`, because another parser may use the value of the repetition. */
export function typeOf(json: Json, object: Node, otherwise: string): string {
  const type = object < 0 ? -1 : member(json, object, 'type')
  return type >= 0 && kindOf(json, type) === kinds.string ? stringAt(json, type) : otherwise
}
