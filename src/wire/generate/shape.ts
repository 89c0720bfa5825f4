import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfByte } from '#wire/bound/token-count.ts'
import type { FrameScan } from './frame.ts'

/**
 * What the frames of one stream have in common. Nearly all are the same but for the text and the counts of
 * the usage so far, which is in every frame of this wire: once one has been scanned, the next is
 * recognised by what stands before its text and between its numbers, compared in native code.
 */
export interface FrameShape {
  readonly before: ByteText
  /** What stands behind the text, cut where its numbers stand. */
  readonly literals: readonly ByteText[]
  /** Where, counted from the end of which literal; literal -1: `before`, -2: nowhere. */
  readonly model: Place
  readonly modelLength: number
  readonly usageStart: Place
  readonly usageEnd: Place
}

interface Place {
  readonly literal: number
  readonly fromEnd: number
}

/** What a frame of a known shape holds, in the same words as its scan. */
export interface FrameMatch {
  thirds: number
  modelStart: number
  usageStart: number
  usageEnd: number
}

/** A frame with one text: what is around it. Null where the next will hardly be the same. */
export function shapeOf(text: ByteText, start: number, end: number, scan: FrameScan): FrameShape | null {
  const { textStart, textEnd, usageStart, usageEnd, modelStart, modelEnd, counts } = scan
  if (end - start > shapeBytesMax || (usageStart >= 0 && usageStart < textEnd)) return null
  const literals: ByteText[] = []
  const ends: number[] = []
  let from = textEnd
  for (let i = 0; i + 1 < counts.length; i += 2) {
    const countStart = counts[i] ?? 0
    literals.push(text.slice(from, countStart))
    ends.push(countStart)
    from = counts[i + 1] ?? 0
  }
  literals.push(text.slice(from, end))
  ends.push(end)
  const placeOf = (at: number): Place => {
    if (at < 0) return { literal: -2, fromEnd: 0 }
    if (at < textStart) return { literal: -1, fromEnd: textStart - at }
    const literal = ends.findIndex((literalEnd) => literalEnd >= at)
    return { literal, fromEnd: (ends[literal] ?? 0) - at }
  }
  return {
    before: copied(text.slice(start, textStart)),
    literals: literals.map(copied),
    model: placeOf(modelStart),
    modelLength: modelEnd - modelStart,
    usageStart: placeOf(usageStart),
    usageEnd: placeOf(usageEnd),
  }
}

/** @returns false when the frame is of another shape */
export function matchFrame(
  shape: FrameShape,
  text: ByteText,
  start: number,
  end: number,
  match: FrameMatch,
): boolean {
  const { before, literals, model, usageStart, usageEnd } = shape
  let at = start + before.length
  if (text.slice(start, at) !== before) return false
  match.modelStart = model.literal === -1 ? at - model.fromEnd : -1
  match.usageStart = -1
  match.usageEnd = -1
  let thirds = 0
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 0x22 || at >= end) break
    if (code === 0x5c) {
      thirds += 2
      at += 2
    } else {
      thirds += thirdsOfByte(code)
      at++
    }
  }
  match.thirds = thirds
  const last = literals.length - 1
  for (let i = 0; i <= last; i++) {
    const literal = literals[i] ?? ''
    const next = at + literal.length
    if (next > end || text.slice(at, next) !== literal) return false
    if (model.literal === i) match.modelStart = next - model.fromEnd
    if (usageStart.literal === i) match.usageStart = next - usageStart.fromEnd
    if (usageEnd.literal === i) match.usageEnd = next - usageEnd.fromEnd
    at = next
    if (i === last) break
    while (isDigit(text.charCodeAt(at))) at++
    if (at === next) return false
  }
  return at === end
}

/** A frame around a few words is small; a larger one is not worth remembering. */
const shapeBytesMax = 2048

/**
 * A copy that keeps nothing else alive. A slice holds on to the whole chunk of the network that it is
 * of; joined with one character more and cut again, it is of a string of its own length.
 */
function copied(text: ByteText): ByteText {
  return `${text} `.slice(0, -1)
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
