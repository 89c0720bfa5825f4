import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfByte } from '#wire/bound/token-count.ts'

/**
 * One pass over a streamed chunk, noting the few things the gateway needs: where the model's name is,
 * how much text came, whether usage, an error or a finish is in it. JSON.parse of every chunk costs
 * several times as much and gives no byte spans; a search for `"model":` cannot tell depth or spacing.
 *
 * It trusts nothing: a chunk whose brackets or strings do not close is reported as broken.
 */
export interface ChunkScan {
  isBroken: boolean
  /** What of it is not for the client as it is, from front to back. */
  edits: ChunkEdit[]
  /** Span of the inside of the top-level `obfuscation`; -1 where there is none. */
  paddingStart: number
  paddingEnd: number
  hasUsage: boolean
  /** A usage in a choice (Moonshot). */
  hasChoiceUsage: boolean
  /** An `x_groq`, in which Groq once put the usage. */
  hasGroq: boolean
  hasError: boolean
  hasFinish: boolean
  /** A non-empty `choices`. */
  hasChoices: boolean
  /** Text that came out, in thirds of a token (token-count.ts): content, reasoning, refusals, tool arguments. */
  thirds: number
  /** The same of texts under names that are neither of a text of the model nor of the frame around it. */
  thirdsUnseen: number
  /** How many texts there were, and the span of the last one's inside. */
  texts: number
  textStart: number
  textEnd: number
}

export interface ChunkEdit {
  readonly start: number
  readonly end: number
  /** The value of the top-level `model`, quotes included; or a member with a comma, at the top or in a usage. */
  readonly of: 'model' | 'null usage' | 'provider'
}

export function emptyScan(): ChunkScan {
  return {
    isBroken: false,
    edits: [],
    paddingStart: -1,
    paddingEnd: -1,
    hasUsage: false,
    hasChoiceUsage: false,
    hasGroq: false,
    hasError: false,
    hasFinish: false,
    hasChoices: false,
    thirds: 0,
    thirdsUnseen: 0,
    texts: 0,
    textStart: -1,
    textEnd: -1,
  }
}

// What a key means here. Keys of text that a model wrote; everything else a chunk carries is framing.
const other = 0
const model = 1
const usage = 2
const error = 3
const choices = 4
const finish = 5
const text = 6
/** Names the provider, or its price. */
const provider = 7
/** Names the provider too, and may hold the usage. */
const groq = 8
const padding = 9
/** Whose chunk it is, and of what kind. */
const framing = 10
const choiceUsage = 11

/**
 * @param scan filled in; one object per stream, since a stream has thousands of chunks
 */
export function scanChunk(input: ByteText, start: number, end: number, scan: ChunkScan): void {
  scan.isBroken = false
  scan.edits.length = 0
  scan.paddingStart = -1
  scan.paddingEnd = -1
  scan.hasUsage = false
  scan.hasChoiceUsage = false
  scan.hasGroq = false
  scan.hasError = false
  scan.hasFinish = false
  scan.hasChoices = false
  scan.thirds = 0
  scan.thirdsUnseen = 0
  scan.texts = 0

  let depth = 0
  let key = other
  let hasModel = false
  let lastComma = -1
  /** Where what is cut out begins; -1: nothing is. */
  let cutStart = -1
  /** Behind what was cut out last: a comma before it is gone already. */
  let cutEnd = -1
  let at = start
  if (input.charCodeAt(at) !== 0x7b) {
    scan.isBroken = true
    return
  }
  while (at < end) {
    const byte = input.charCodeAt(at)
    if (byte === 0x22) {
      // A string: run to its end, counting as it goes.
      const stringStart = at++
      let thirds = 0
      let closed = false
      while (at < end) {
        const inner = input.charCodeAt(at)
        if (inner === 0x22) {
          closed = true
          break
        }
        if (inner === 0x5c) {
          thirds += 2
          at += 2
          continue
        }
        thirds += thirdsOfByte(inner)
        at++
      }
      if (!closed) {
        scan.isBroken = true
        return
      }
      at++
      let next = at
      while (input.charCodeAt(next) === 0x20 || input.charCodeAt(next) === 0x09) next++
      if (input.charCodeAt(next) === 0x3a && next < end) {
        key = meaningOf(input, stringStart + 1, at - 1, depth)
        if (key === provider || key === groq)
          cutStart = lastComma >= 0 && lastComma >= cutEnd ? lastComma : stringStart
        at = next + 1
        continue
      }
      if (key === text) {
        scan.thirds += thirds
        scan.texts++
        scan.textStart = stringStart + 1
        scan.textEnd = at - 1
      } else if (key === model && !hasModel) {
        hasModel = true
        scan.edits.push({ start: stringStart, end: at, of: 'model' })
      } else if (key === padding) {
        scan.paddingStart = stringStart + 1
        scan.paddingEnd = at - 1
      } else if (key === finish) scan.hasFinish = true
      else if (key === error) scan.hasError = true
      else if (key === other) scan.thirdsUnseen += thirds
      if (key !== text) key = other
      continue
    }
    if (byte === 0x7b || byte === 0x5b) {
      depth++
      if (key === usage) scan.hasUsage = true
      else if (key === choiceUsage) scan.hasChoiceUsage = true
      else if (key === groq) scan.hasGroq = true
      else if (key === error) scan.hasError = true
      else if (key === choices) scan.hasChoices = nextSolid(input, at + 1, end) !== 0x5d
      // An array or object of text parts keeps its key: reasoning may come as a list of them.
      if (key !== text) key = other
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
      key = other
      if (depth === 0) {
        if (cutStart >= 0) scan.edits.push({ start: cutStart, end: at, of: 'provider' })
        scan.isBroken = nextSolid(input, at + 1, end) !== -1
        return
      }
    } else if (byte === 0x2c) {
      if (depth === 1 && cutStart >= 0) {
        // The first member has no comma before it, and takes the one behind.
        cutEnd = input.charCodeAt(cutStart) === 0x2c ? at : at + 1
        scan.edits.push({ start: cutStart, end: cutEnd, of: 'provider' })
        cutStart = -1
      }
      lastComma = at
      if (key !== text) key = other
    } else if (byte === 0x6e && key === usage) {
      if (lastComma >= 0 && lastComma >= cutEnd)
        scan.edits.push({ start: lastComma, end: at + 4, of: 'null usage' })
      key = other
    }
    at++
  }
  scan.isBroken = true
}

/** The next byte that is not space, or -1. */
function nextSolid(input: ByteText, from: number, end: number): number {
  let at = from
  while (at < end) {
    const byte = input.charCodeAt(at)
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    at++
  }
  return -1
}

function meaningOf(input: ByteText, start: number, end: number, depth: number): number {
  switch (end - start) {
    case 2:
      return is(input, start, 'id') ? framing : other
    case 4:
      if (is(input, start, 'role') || is(input, start, 'type')) return framing
      if (depth === 1 && is(input, start, 'cost')) return provider
      return depth > 2 && is(input, start, 'name') ? text : other
    case 5:
      if (depth === 1 && is(input, start, 'model')) return model
      if ((depth === 1 || depth === 3) && is(input, start, 'usage')) return depth === 1 ? usage : choiceUsage
      if (depth === 1 && is(input, start, 'error')) return error
      return depth > 2 && is(input, start, 'input') ? text : other
    case 6:
      if (depth === 1 && is(input, start, 'x_groq')) return groq
      return is(input, start, 'object') ? framing : other
    case 7:
      if (depth === 1 && is(input, start, 'choices')) return choices
      return depth > 2 && (is(input, start, 'content') || is(input, start, 'refusal')) ? text : other
    case 8:
      if (depth === 1 && (is(input, start, 'provider') || is(input, start, 'base_url'))) return provider
      return depth > 2 && is(input, start, 'thinking') ? text : other
    case 9:
      return depth > 2 && (is(input, start, 'arguments') || is(input, start, 'reasoning')) ? text : other
    case 10:
      return depth > 2 && is(input, start, 'transcript') ? text : other
    case 11:
      return depth === 1 && is(input, start, 'obfuscation') ? padding : other
    case 12:
      return is(input, start, 'service_tier') ? framing : other
    case 13:
      return depth === 3 && is(input, start, 'finish_reason') ? finish : other
    case 17:
      return depth > 2 && is(input, start, 'reasoning_content') ? text : other
    case 18:
      return depth === 1 && is(input, start, 'system_fingerprint') ? provider : other
    default:
      return other
  }
}

/** True when the ASCII text `name` stands at `start`. */
export function is(input: ByteText, start: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (input.charCodeAt(start + i) !== name.charCodeAt(i)) return false
  return true
}
