import { after, inside, kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { hasTag, signatureOfTag } from '#wire/signatures.ts'
import { removals } from '#wire/text/removals.ts'
import { textAt } from '#wire/request.ts'
import type { Edit } from '#wire/text/splice.ts'

/**
 * Takes out the reasoning that a provider of another wire has signed. It is in a conversation whose alias
 * has moved, and a provider of this wire refuses the whole request for a signature that it cannot open.
 */
export function foreignSignatures(json: Json, input: Node): readonly Edit[] {
  if (!hasTag(json.text) || input < 0 || kindOf(json, input) !== kinds.array) return []
  const gone: Node[] = []
  for (let item = inside(input), end = after(json, input); item < end; item = after(json, item)) {
    if (isForeign(json, item)) gone.push(item)
  }
  return removals(json, input, gone)
}

function isForeign(json: Json, item: Node): boolean {
  if (textAt(json, member(json, item, 'type')) !== 'reasoning') return false
  const signature = textAt(json, member(json, item, 'encrypted_content'))
  return signature !== null && signatureOfTag(signature) !== null
}
