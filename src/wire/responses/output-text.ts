import { thirdsOf, thirdsOfSealed } from '#wire/count.ts'
import { after, endOf, inside, kindOf, kinds, startOf, stringAt, valueOf } from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'

/** What stands in output items, in thirds of a token: every text in them that the model has written. */
export function thirdsOfItems(json: Json, root: Node): number {
  const kind = kindOf(json, root)
  if (kind === kinds.string) return thirdsOf(json.text, startOf(json, root) + 1, endOf(json, root) - 1)
  let thirds = 0
  const end = after(json, root)
  if (kind === kinds.object) {
    for (let key = inside(root); key < end; key = after(json, valueOf(key)))
      thirds += thirdsOfMember(json, stringAt(json, key), valueOf(key))
  } else if (kind === kinds.array) {
    for (let item = inside(root); item < end; item = after(json, item)) thirds += thirdsOfItems(json, item)
  }
  return thirds
}

/** Reasoning that is sealed and not shown. */
export function thirdsOfSeal(json: Json, seal: Node): number {
  if (seal < 0 || kindOf(json, seal) !== kinds.string) return 0
  return thirdsOfSealed(endOf(json, seal) - startOf(json, seal))
}

function thirdsOfMember(json: Json, name: string, value: Node): number {
  if (name === 'encrypted_content') return thirdsOfSeal(json, value)
  return framing.has(name) ? 0 : thirdsOfItems(json, value)
}

/** What the provider puts around it. */
const framing: ReadonlySet<string> = new Set([
  'id',
  'call_id',
  'type',
  'status',
  'role',
  'phase',
  'annotations',
  'logprobs',
])
