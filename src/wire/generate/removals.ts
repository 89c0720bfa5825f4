import { after, endOf, inside, startOf, valueOf } from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'
import type { Edit } from '#wire/splice.ts'

/** Members out of an object, side by side or apart, with the commas that go with them. */
export function removals(json: Json, object: Node, keys: readonly Node[]): readonly Edit[] {
  const edits: Edit[] = []
  let keptEnd = -1
  let runStart = -1
  let runEnd = -1
  const end = after(json, object)
  for (let key = inside(object); key < end; key = after(json, valueOf(key))) {
    if (keys.includes(key)) {
      if (runStart < 0) runStart = startOf(json, key)
      runEnd = endOf(json, valueOf(key))
      continue
    }
    if (runStart >= 0) edits.push({ start: runStart, end: startOf(json, key), text: '' })
    runStart = -1
    keptEnd = endOf(json, valueOf(key))
  }
  // The last ones take the comma before them along.
  if (runStart >= 0) edits.push({ start: keptEnd < 0 ? runStart : keptEnd, end: runEnd, text: '' })
  return edits
}
