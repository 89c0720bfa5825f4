import { chunkTypes, type StreamedTask, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { after, endOf, inside, kindOf, kinds, member, startOf, valueOf } from '#wire/text/json-tape.ts'
import { keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { splice } from '#wire/text/apply-edits.ts'
import { SseSplitter } from '#wire/text/split-server-sent-events.ts'
import { answerLimits } from './frame-reader-interface.ts'

type StreamName = WireName | StreamedTask

/** For a chat without a usage frame, these facts include the members of a new chunk. */
export interface ReportPlace {
  readonly wire: StreamName
  /** Whether a stream of `generate` is one JSON array instead of events. */
  readonly isJsonArray: boolean
  readonly model: string
  /** Seconds since 1970. */
  readonly createdAt: number
  /** Whether the client expects a frame with a usage or a report. If false, no frame is added for the report. */
  readonly isExpected: boolean
}

/**
 * Adds the member `svc` to the last frame with a usage in the withheld end of a stream. If no frame has a usage, adds
 * `svc` to the last frame. A chat or a text completion without a usage instead gets a new chunk without choices, before
 * the end marker. Official clients ignore the member `svc`.
 * @param tail end of the stream, without the report
 * @param svc JSON of the member `svc`
 */
export function tailWithReport(tail: ByteText, place: ReportPlace, svc: ByteText): ByteText {
  const objects = place.isJsonArray ? elementsOf(tail) : framesOf(tail)
  const counted = objects.findLast(({ text }) => hasUsage(text, place.wire))
  if (counted === undefined && !place.isExpected) return tail
  if (counted === undefined && place.wire in chunkTypes && !objects.some(({ text }) => isError(text))) {
    const marker = tail.lastIndexOf('data: [DONE]')
    const at = marker < 0 ? tail.length : marker
    return splice(tail, [{ start: at, end: at, text: chunkOf(place, svc) }])
  }
  const last = counted ?? objects.at(-1)
  if (last === undefined) return tail
  const within = place.wire === 'converse' ? fieldsStart(last.text) : 0
  const at = last.start + within + 1
  const isEmpty = /^\{\s*\}/.test(last.text.slice(within))
  return splice(tail, [{ start: at, end: at, text: `"svc":${svc}${isEmpty ? '' : ','}` }])
}

interface Placed {
  readonly start: number
  readonly text: ByteText
}

function framesOf(tail: ByteText): readonly Placed[] {
  const frames: Placed[] = []
  const splitter = new SseSplitter()
  const onEvent = ({
    text,
    dataStart,
    dataEnd,
  }: {
    text: ByteText
    dataStart: number
    dataEnd: number
  }): void => {
    // Ignore an incomplete event at the end of the tail. The splitter returns such an event as a new text, and
    // positions in that text are not positions in the tail.
    if (text === tail && text[dataStart] === '{')
      frames.push({ start: dataStart, text: text.slice(dataStart, dataEnd) })
  }
  splitter.push(tail, onEvent)
  return frames
}

/** Earlier elements of the JSON array may already have been written. */
function elementsOf(tail: ByteText): readonly Placed[] {
  const opened = /^\s*[[,]/.exec(tail)?.[0].length ?? 0
  const elements = tail.slice(opened)
  const json = parseJson(`[${elements}`, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.array) return []
  const placed: Placed[] = []
  for (let node = inside(0), end = after(json, 0); node < end; node = after(json, node)) {
    if (kindOf(json, node) !== kinds.object) continue
    const [start, stop] = [startOf(json, node), endOf(json, node)]
    placed.push({ start: start - 1 + opened, text: json.text.slice(start, stop) })
  }
  return placed
}

/** Member of a frame that contains the usage. For `responses`, this member contains the whole response. */
const usageMembers: Readonly<Record<StreamName, string>> = {
  chat: 'usage',
  completions: 'usage',
  messages: 'usage',
  responses: 'response',
  generate: 'usageMetadata',
  // The fields of a Converse event are in an object under the event's name.
  converse: 'metadata',
  // In a stream of Cohere, the usage is in the delta of the last event.
  cohere: 'delta',
  speech: 'usage',
  transcriptions: 'usage',
}

/**
 * The fields of a Converse frame are under the event's name. Returns 0 for an error, whose fields are at the top level.
 */
function fieldsStart(text: ByteText): number {
  const json = parseJson(text, answerLimits)
  if ('reason' in json) return 0
  const [key] = keysOf(json, 0)
  if (key === undefined) return 0
  const fields = valueOf(key)
  return kindOf(json, fields) === kinds.object ? startOf(json, fields) : 0
}

function hasUsage(text: ByteText, wire: StreamName): boolean {
  return isObjectAt(text, usageMembers[wire])
}

function isError(text: ByteText): boolean {
  return isObjectAt(text, 'error')
}

function isObjectAt(text: ByteText, name: string): boolean {
  const json = parseJson(text, answerLimits)
  if ('reason' in json) return false
  const node = member(json, 0, name)
  return node >= 0 && kindOf(json, node) === kinds.object
}

const types: Readonly<Record<string, string>> = chunkTypes

function chunkOf({ createdAt, model, wire }: ReportPlace, svc: ByteText): ByteText {
  const chunk = { id: 'chatcmpl-tollgate', object: types[wire], created: createdAt }
  const text = `${JSON.stringify(chunk).slice(0, -1)},"model":${byteTextOf(JSON.stringify(model))},"choices":[],"svc":${svc}}`
  return `data: ${text}\n\n`
}
