import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import { hasTag, isTagAt } from '#wire/tagged-reasoning-signatures.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { Edit } from '#wire/text/apply-edits.ts'

/**
 * Removes thinking that a provider of another wire signed, because a provider of this wire rejects the signatures of
 * other providers. A history contains such thinking if the conversation's alias has moved to another provider.
 */
export function foreignSignatures(json: Json, messages: Node): readonly Edit[] {
  if (!hasTag(json.text)) return []
  return itemsOf(json, messages).flatMap((message) => {
    const content = member(json, message, 'content')
    const foreign = itemsOf(json, content).filter((block) => {
      const field = signatureFields.get(typeOf(json, block, ''))
      return field !== undefined && isTagAt(json, member(json, block, field))
    })
    return removals(json, content, foreign)
  })
}

const signatureFields: ReadonlyMap<string, string> = new Map([
  ['thinking', 'signature'],
  ['redacted_thinking', 'data'],
])
