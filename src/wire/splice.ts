/** Edits of bytes in place: all that is not named stays exactly as it was. */
export interface Edit {
  /** First byte to go. */
  readonly start: number
  /** Byte after the last to go; equal to `start` for an insertion. */
  readonly end: number
  readonly text: Uint8Array
}

/**
 * @param edits in any order, not overlapping; insertions at one place stay in the order given
 * @returns new bytes, or `bytes` itself when there is nothing to edit
 */
export function splice(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  if (edits.length === 0) return bytes
  const ordered = edits.length > 1 ? edits.toSorted((a, b) => a.start - b.start) : edits
  let length = bytes.length
  for (const edit of ordered) length += edit.text.length - (edit.end - edit.start)
  const out = new Uint8Array(length)
  let from = 0
  let to = 0
  for (const edit of ordered) {
    out.set(bytes.subarray(from, edit.start), to)
    to += edit.start - from
    out.set(edit.text, to)
    to += edit.text.length
    from = edit.end
  }
  out.set(bytes.subarray(from), to)
  return out
}

const encoder = new TextEncoder()

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text)
}
