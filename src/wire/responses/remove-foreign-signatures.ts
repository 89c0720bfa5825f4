import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import { hasTag, isTagAt } from '#wire/tagged-reasoning-signatures.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { Edit } from '#wire/text/apply-edits.ts'

/**
 * Removes reasoning that a provider of another wire signed, because a provider of this wire rejects a signature that it
 * cannot decode. A history contains such reasoning if the conversation's alias has moved to another provider.
 */
export function foreignSignatures(json: Json, input: Node): readonly Edit[] {
  if (!hasTag(json.text)) return []
  const foreign = itemsOf(json, input).filter(
    (item) =>
      typeOf(json, item, '') === 'reasoning' && isTagAt(json, member(json, item, 'encrypted_content')),
  )
  return removals(json, input, foreign)
}
