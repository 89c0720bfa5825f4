import { after, inside, kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { hasTag, signatureOfTag } from '#wire/signatures.ts'
import { removals } from '#wire/text/removals.ts'
import { textAt } from '#wire/request.ts'
import type { Edit } from '#wire/text/splice.ts'

/**
 * Takes out the thinking that a provider of another wire has signed. It is in a conversation whose alias has
 * moved, and a provider of this wire refuses the whole request for a signature that it has not made.
 */
export function foreignSignatures(json: Json, messages: Node): readonly Edit[] {
  if (!hasTag(json.text) || messages < 0 || kindOf(json, messages) !== kinds.array) return []
  const edits: Edit[] = []
  const end = after(json, messages)
  for (let message = inside(messages); message < end; message = after(json, message)) {
    const content = member(json, message, 'content')
    if (content >= 0 && kindOf(json, content) === kinds.array)
      edits.push(...removals(json, content, foreignBlocks(json, content)))
  }
  return edits
}

function foreignBlocks(json: Json, content: Node): readonly Node[] {
  const found: Node[] = []
  for (let block = inside(content), end = after(json, content); block < end; block = after(json, block)) {
    const field = signatureFields.get(textAt(json, member(json, block, 'type')) ?? '')
    const signature = field === undefined ? null : textAt(json, member(json, block, field))
    if (signature !== null && signatureOfTag(signature) !== null) found.push(block)
  }
  return found
}

const signatureFields: ReadonlyMap<string, string> = new Map([
  ['thinking', 'signature'],
  ['redacted_thinking', 'data'],
])
