import { member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { hasTag, isTagAt } from '#wire/tagged-reasoning-signatures.ts'
import { removals } from '#wire/text/removal-edits.ts'
import type { Edit } from '#wire/text/apply-edits.ts'

/**
 * Removes reasoning that a provider of another wire signed, because Bedrock rejects the signatures of other providers.
 * A history contains such reasoning if the conversation's alias has moved to another provider.
 */
export function foreignSignatures(json: Json, messages: Node): readonly Edit[] {
  if (!hasTag(json.text)) return []
  return itemsOf(json, messages).flatMap((message) => {
    const content = member(json, message, 'content')
    const foreign = itemsOf(json, content).filter((block) => {
      const reasoning = member(json, block, 'reasoningContent')
      const text = member(json, reasoning, 'reasoningText')
      return (
        isTagAt(json, member(json, text, 'signature')) ||
        isTagAt(json, member(json, reasoning, 'redactedContent'))
      )
    })
    return removals(json, content, foreign)
  })
}
