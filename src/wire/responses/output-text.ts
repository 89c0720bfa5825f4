import { thirdsOfSealed } from '#wire/bound/token-count.ts'
import { endOf, kindOf, kinds, startOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { thirdsOfTexts } from '#wire/stream/unknown-frame.ts'

/** What stands in output items, in thirds of a token: every text in them that the model has written. */
export function thirdsOfItems(json: Json, root: Node): number {
  return thirdsOfTexts(json, root, thirdsOfItems, thirdsOfMember)
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
