import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfByte } from '#wire/bound/token-count.ts'

/**
 * One pass over a streamed frame, noting the few things the gateway needs: where the model's name and the
 * usage are, how much the model wrote, whether a finish, an error or a word about the prompt is in it.
 *
 * It trusts nothing: a frame whose brackets or strings do not close is reported as broken.
 */
export interface FrameScan {
  isBroken: boolean
  /** Span of the value of `modelVersion`, quotes included; -1 where there is none. */
  modelStart: number
  modelEnd: number
  /** Span of the object `usageMetadata`. */
  usageStart: number
  usageEnd: number
  /** Spans of the numbers in it, start and end in turn. */
  counts: number[]
  hasError: boolean
  hasFinish: boolean
  hasFeedback: boolean
  /** A part that is no text: a call, data. */
  hasOtherPart: boolean
  /** What the model wrote, in thirds of a token (token-count.ts): text, thoughts, calls, code. */
  thirds: number
  /** The same of texts outside of the parts, under names that are not of this wire's frame. */
  thirdsUnseen: number
  /** How many texts there were, and the span of the last one's inside. */
  texts: number
  textStart: number
  textEnd: number
}

export function emptyFrame(): FrameScan {
  return {
    isBroken: false,
    modelStart: -1,
    modelEnd: -1,
    usageStart: -1,
    usageEnd: -1,
    counts: [],
    hasError: false,
    hasFinish: false,
    hasFeedback: false,
    hasOtherPart: false,
    thirds: 0,
    thirdsUnseen: 0,
    texts: 0,
    textStart: -1,
    textEnd: -1,
  }
}

// What a key means here.
const other = 0
const model = 1
const usage = 2
const error = 3
const feedback = 4
const finish = 5
const parts = 6
const text = 7
/** Something of a part that a model did not write: a signature, data, a type, an id. */
const opaque = 8
/** Whose frame it is. */
const framing = 9

/** Depth of the keys of a content: the frame, its candidates, a candidate, its content. */
const contentDepth = 4
const candidateDepth = 3

/** @param scan filled in; one object per stream, since a stream has thousands of frames */
export function scanFrame(input: ByteText, start: number, end: number, scan: FrameScan): void {
  scan.isBroken = true
  scan.modelStart = -1
  scan.usageStart = -1
  scan.usageEnd = -1
  scan.counts.length = 0
  scan.hasError = false
  scan.hasFinish = false
  scan.hasFeedback = false
  scan.hasOtherPart = false
  scan.thirds = 0
  scan.thirdsUnseen = 0
  scan.texts = 0
  if (input.charCodeAt(start) !== 0x7b) return

  let depth = 0
  let key = other
  /** Depth of a part's keys while in a list of parts, else 0. */
  let partDepth = 0
  let usageDepth = 0
  let at = start
  while (at < end) {
    const byte = input.charCodeAt(at)
    if (byte === 0x22) {
      const close = closeOf(input, at + 1, end)
      if (close < 0) return
      const stringStart = at
      at = close + 1
      let next = at
      while (input.charCodeAt(next) === 0x20 || input.charCodeAt(next) === 0x09) next++
      if (input.charCodeAt(next) === 0x3a && next < end) {
        key =
          partDepth > 0
            ? meaningInPart(input, stringStart + 1, close, depth - partDepth)
            : meaningOf(input, stringStart + 1, close, depth)
        if (partDepth > 0 && depth === partDepth && key === other) scan.hasOtherPart = true
        // Keys of arguments were written by the model as well as their values.
        if (partDepth > 0 && depth > partDepth + 1)
          scan.thirds += thirdsBetween(input, stringStart + 1, close)
        at = next + 1
        continue
      }
      if (partDepth > 0) {
        if (key !== opaque) scan.thirds += thirdsBetween(input, stringStart + 1, close)
        if (key === text) {
          scan.texts++
          scan.textStart = stringStart + 1
          scan.textEnd = close
        }
      } else if (key === model) {
        scan.modelStart = stringStart
        scan.modelEnd = at
      } else if (key === finish) scan.hasFinish = close > stringStart + 1
      else if (key === error) scan.hasError = true
      else if (key === other) scan.thirdsUnseen += thirdsBetween(input, stringStart + 1, close)
      key = other
      continue
    }
    if (byte === 0x7b || byte === 0x5b) {
      depth++
      if (key === usage) {
        scan.usageStart = at
        usageDepth = depth
      } else if (key === error) scan.hasError = true
      else if (key === feedback) scan.hasFeedback = true
      else if (key === parts && byte === 0x5b) partDepth = depth + 1
      if (key !== opaque) key = other
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === usageDepth) {
        scan.usageEnd = at + 1
        usageDepth = 0
      }
      depth--
      if (depth < partDepth - 1) partDepth = 0
      key = other
      if (depth === 0) {
        scan.isBroken = isFollowed(input, at + 1, end)
        return
      }
    } else if (byte === 0x2c) key = other
    else if (usageDepth > 0 && isDigit(byte)) {
      scan.counts.push(at)
      while (isDigit(input.charCodeAt(at))) at++
      scan.counts.push(at)
      continue
    } else if (partDepth > 0 && depth > partDepth + 1 && byte > 0x20) scan.thirds++
    at++
  }
}

/** The quote that ends the string whose inside starts at `from`; -1: none before `end`. */
function closeOf(input: ByteText, from: number, end: number): number {
  let at = input.indexOf('"', from)
  while (at >= 0 && at < end) {
    let escapes = at - 1
    while (escapes >= from && input.charCodeAt(escapes) === 0x5c) escapes--
    if ((at - escapes) % 2 === 1) return at
    at = input.indexOf('"', at + 1)
  }
  return -1
}

function thirdsBetween(input: ByteText, start: number, end: number): number {
  let thirds = 0
  for (let at = start; at < end; at++) thirds += thirdsOfByte(input.charCodeAt(at))
  return thirds
}

/** Whether anything but space stands behind the frame. */
function isFollowed(input: ByteText, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (input.charCodeAt(at) > 0x20) return true
  return false
}

function meaningOf(input: ByteText, start: number, end: number, depth: number): number {
  switch (end - start) {
    case 4:
      return is(input, start, 'role') ? framing : other
    case 5:
      if (depth === 1 && is(input, start, 'error')) return error
      return depth === contentDepth && is(input, start, 'parts') ? parts : other
    case 10:
      return is(input, start, 'responseId') || is(input, start, 'createTime') ? framing : other
    case 12:
      if (depth === 1) return is(input, start, 'modelVersion') ? model : other
      return depth === candidateDepth && is(input, start, 'finishReason') ? finish : other
    case 13:
      return depth === 1 && is(input, start, 'usageMetadata') ? usage : other
    case 14:
      return depth === 1 && is(input, start, 'promptFeedback') ? feedback : other
    default:
      return other
  }
}

/** @param below how far below the part: 0 for its own keys, 1 for those of its call or data */
function meaningInPart(input: ByteText, start: number, end: number, below: number): number {
  if (below === 0) {
    if (end - start === 4 && is(input, start, 'text')) return text
    const isMark =
      (end - start === 16 && is(input, start, 'thoughtSignature')) ||
      (end - start === 7 && is(input, start, 'thought'))
    return isMark ? opaque : other
  }
  if (below > 1) return other
  const isOpaque =
    (end - start === 2 && is(input, start, 'id')) ||
    (end - start === 4 && is(input, start, 'data')) ||
    (end - start === 8 && is(input, start, 'mimeType'))
  return isOpaque ? opaque : other
}

function is(input: ByteText, start: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (input.charCodeAt(start + i) !== name.charCodeAt(i)) return false
  return true
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
