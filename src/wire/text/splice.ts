import type { ByteText } from './byte-text.ts'

/** Edits in place: all that is not named stays exactly as it was. */
export interface Edit {
  /** First byte to go. */
  readonly start: number
  /** Byte after the last to go; equal to `start` for an insertion. */
  readonly end: number
  readonly text: ByteText
}

/**
 * @param edits in any order, not overlapping; insertions at one place stay in the order given, and come
 *   before what is taken out there
 */
export function splice(text: ByteText, edits: readonly Edit[]): ByteText {
  // An insertion behind a removal that starts where it does would bring back what was taken out.
  const ordered = edits.length > 1 ? edits.toSorted((a, b) => a.start - b.start || a.end - b.end) : edits
  let out = ''
  let from = 0
  for (const edit of ordered) {
    out += text.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return from === 0 && ordered.length === 0 ? text : out + text.slice(from)
}
