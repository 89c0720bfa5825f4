import type { ByteText } from './byte-text.ts'

/** Every byte outside the edits is kept. */
export interface Edit {
  readonly start: number
  /** Position after the last removed byte. Equal to `start` for an insertion. */
  readonly end: number
  readonly text: ByteText
}

/** A position where a value is inserted, and the text around it. */
export interface Insertion {
  readonly at: number
  readonly before: ByteText
  readonly after: ByteText
}

/**
 * @param edits in any order, not overlapping; insertions at one position keep their order, and precede a removal there
 */
export function splice(text: ByteText, edits: readonly Edit[]): ByteText {
  // Most edits are already in order, and sorting takes three times as long as the rest of the function.
  const ordered = isOrdered(edits) ? edits : edits.toSorted(byPosition)
  let out = ''
  let from = 0
  for (const edit of ordered) {
    out += text.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return from === 0 && ordered.length === 0 ? text : out + text.slice(from)
}

/**
 * An insertion comes before a removal at the same position. In the opposite order, `splice` would copy the removed text
 * into the result.
 */
function byPosition(a: Edit, b: Edit): number {
  return a.start - b.start || a.end - b.end
}

function isOrdered(edits: readonly Edit[]): boolean {
  return edits.every((edit, at) => at === 0 || byPosition(edits[at - 1] ?? edit, edit) <= 0)
}
