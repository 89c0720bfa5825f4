import { member, stringAt, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { hasTag, isTagAt } from '#wire/tagged-reasoning-signatures.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { spanOf } from '#wire/wire-request.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import { camelCase } from './fields-in-either-spelling.ts'
import { noSignature } from './thought-signatures.ts'

/**
 * Removes signatures that a provider of another wire created. A history contains such signatures if the conversation's
 * alias has moved to another provider. In calls, Google's placeholder replaces the signature, because newer models
 * reject a call without a signature. The text of a thought is kept, because a thought needs no signature.
 */
export function foreignSignatures(json: Json, contents: Node): readonly Edit[] {
  if (!hasTag(json.text)) return []
  return itemsOf(json, contents)
    .flatMap((content) => itemsOf(json, member(json, content, 'parts')))
    .flatMap((part) => foreignSignature(json, part))
}

function foreignSignature(json: Json, part: Node): readonly Edit[] {
  const keys = keysOf(json, part)
  const named = (name: string): readonly Node[] =>
    keys.filter((key) => camelCase(stringAt(json, key)) === name)
  const found = named('thoughtSignature').findLast((key) => isTagAt(json, valueOf(key)))
  if (found === undefined) return []
  if (named('functionCall').length === 0) return removals(json, part, [found])
  return [{ ...spanOf(json, valueOf(found)), text: `"${noSignature}"` }]
}
