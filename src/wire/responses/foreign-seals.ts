import { after, endOf, inside, kindOf, kinds, member, startOf } from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'
import { opaqueOf } from '#wire/opaque.ts'
import { textAt } from '#wire/request.ts'
import type { Edit } from '#wire/splice.ts'

/**
 * Takes out the reasoning that a provider of another wire has sealed. It is in a conversation whose alias
 * has moved, and a provider of this wire refuses the whole request for a seal that it cannot open.
 */
export function foreignSeals(json: Json, input: Node): readonly Edit[] {
  if (input < 0 || kindOf(json, input) !== kinds.array) return []
  const edits: Edit[] = []
  /** Of the run of items that go: where it starts, and where the item before it ends. */
  let runStart = -1
  let keptEnd = -1
  let end = -1
  for (let item = inside(input), last = after(json, input); item < last; item = after(json, item)) {
    const start = startOf(json, item)
    if (isForeign(json, item)) {
      if (runStart < 0) runStart = start
    } else {
      // Each run takes the comma that follows it.
      if (runStart >= 0) edits.push({ start: runStart, end: start, text: '' })
      runStart = -1
      keptEnd = endOf(json, item)
    }
    end = endOf(json, item)
  }
  // The last run has none; so it takes the one before it.
  if (runStart >= 0) edits.push({ start: keptEnd < 0 ? runStart : keptEnd, end, text: '' })
  return edits
}

function isForeign(json: Json, item: Node): boolean {
  if (textAt(json, member(json, item, 'type')) !== 'reasoning') return false
  const seal = textAt(json, member(json, item, 'encrypted_content'))
  return seal !== null && opaqueOf(seal) !== null
}
