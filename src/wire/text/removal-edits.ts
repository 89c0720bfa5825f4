import { after, endOf, inside, kindOf, kinds, startOf, valueOf, type Json, type Node } from './json-tape.ts'
import type { Edit } from './apply-edits.ts'

/**
 * Removes entries from a list or members from an object, with their commas. Everything outside the removed entries is
 * kept as written.
 * @param gone removed items of a list, or removed keys of an object
 */
export function removals(json: Json, container: Node, gone: readonly Node[]): readonly Edit[] {
  if (gone.length === 0) return []
  const isObject = kindOf(json, container) === kinds.object
  const isGone = new Set(gone)
  const edits: Edit[] = []
  let keptEnd = -1
  let runStart = -1
  let runEnd = -1
  const end = after(json, container)
  for (let entry = inside(container); entry < end;) {
    const value = isObject ? valueOf(entry) : entry
    if (isGone.has(entry)) {
      if (runStart < 0) runStart = startOf(json, entry)
      runEnd = endOf(json, value)
    } else {
      // Each run of removed entries includes the comma after it.
      if (runStart >= 0) edits.push({ start: runStart, end: startOf(json, entry), text: '' })
      runStart = -1
      keptEnd = endOf(json, value)
    }
    entry = after(json, value)
  }
  // The last run has no comma after it, so it includes the comma before it.
  if (runStart >= 0) edits.push({ start: keptEnd < 0 ? runStart : keptEnd, end: runEnd, text: '' })
  return edits
}
