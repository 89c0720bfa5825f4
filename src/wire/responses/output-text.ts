import { thirdsOf } from '#wire/count.ts'
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

/**
 * Reasoning that is sealed and not shown. It cannot be read, but it was written and is billed: in recorded
 * answers a seal is about 800 characters and 7 more for each token; the count leans high.
 */
export function thirdsOfSeal(json: Json, seal: Node): number {
  if (seal < 0 || kindOf(json, seal) !== kinds.string) return 0
  return Math.max(0, Math.ceil((endOf(json, seal) - startOf(json, seal) - sealBytes) / 2))
}

function thirdsOfMember(json: Json, name: string, value: Node): number {
  if (name === 'encrypted_content') return thirdsOfSeal(json, value)
  return framing.has(name) ? 0 : thirdsOfItems(json, value)
}

const sealBytes = 800

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
