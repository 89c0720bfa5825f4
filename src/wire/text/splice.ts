import type { ByteText } from './byte-text.ts'

/** An edit in place. Every byte outside the edits is kept. */
export interface Edit {
  /** First removed byte. */
  readonly start: number
  /** Byte after the last removed byte. Equal to `start` for an insertion. */
  readonly end: number
  readonly text: ByteText
}

/**
 * @param edits in any order, not overlapping; insertions at the same position keep the given order, before a removal
 *   that starts there
 */
export function splice(text: ByteText, edits: readonly Edit[]): ByteText {
  // An insertion after a removal that starts at the same position would restore the removed text.
  const ordered = edits.length > 1 ? edits.toSorted((a, b) => a.start - b.start || a.end - b.end) : edits
  let out = ''
  let from = 0
  for (const edit of ordered) {
    out += text.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return from === 0 && ordered.length === 0 ? text : out + text.slice(from)
}
