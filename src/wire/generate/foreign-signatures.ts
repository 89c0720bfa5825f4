import { after, inside, kindOf, kinds, member, valueOf, type Json, type Node } from '#wire/text/json-tape.ts'
import { hasTag, signatureOfTag } from '#wire/signatures.ts'
import { removals } from '#wire/text/removals.ts'
import { spanOf, textAt } from '#wire/request.ts'
import type { Edit } from '#wire/text/splice.ts'
import { camelCase } from './fields.ts'
import { noSignature } from './signatures.ts'

/**
 * Takes out the signatures that a provider of another wire has made. They are in a conversation whose alias
 * has moved. A call without one is refused by newer models, so there the word that Google has for it stands
 * in its place; the thought itself stays, which needs none.
 */
export function foreignSignatures(json: Json, contents: Node): readonly Edit[] {
  if (!hasTag(json.text) || contents < 0 || kindOf(json, contents) !== kinds.array) return []
  const edits: Edit[] = []
  for (
    let content = inside(contents), end = after(json, contents);
    content < end;
    content = after(json, content)
  ) {
    const parts = member(json, content, 'parts')
    if (parts < 0 || kindOf(json, parts) !== kinds.array) continue
    for (let part = inside(parts), last = after(json, parts); part < last; part = after(json, part))
      edits.push(...foreignSignature(json, part))
  }
  return edits
}

function foreignSignature(json: Json, part: Node): readonly Edit[] {
  if (kindOf(json, part) !== kinds.object) return []
  let isCall = false
  let found = -1
  for (let key = inside(part), end = after(json, part); key < end; key = after(json, valueOf(key))) {
    const name = camelCase(textAt(json, key) ?? '')
    if (name === 'functionCall') isCall = true
    if (name === 'thoughtSignature' && signatureOfTag(textAt(json, valueOf(key)) ?? '') !== null) found = key
  }
  if (found < 0) return []
  if (!isCall) return removals(json, part, [found])
  return [{ ...spanOf(json, valueOf(found)), text: `"${noSignature}"` }]
}
