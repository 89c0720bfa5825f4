import { SseSplitter } from '#wire/text/split-server-sent-events.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { objectOf, parseObject, textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import { crc32 } from './crc32.ts'

/**
 * Returns a message of `application/vnd.amazon.eventstream` (docs/reference/wires.md "Bedrock").
 * @param headers texts in ASCII, by name
 */
export function eventMessage(headers: Readonly<Record<string, string>>, payload: ByteText): ByteText {
  const head = Object.entries(headers).map(headerOf).join('')
  const lengths = uint32(overheadBytes + head.length + payload.length) + uint32(head.length)
  const checked = lengths + checksumOf(lengths) + head + payload
  return checked + checksumOf(checked)
}

/** The size of the prelude (12 bytes) and of the last checksum (4 bytes). */
const overheadBytes = 16
const textType = 7

function headerOf([name, value]: readonly [string, string]): ByteText {
  return (
    String.fromCharCode(name.length) + name + String.fromCharCode(textType) + uint16(value.length) + value
  )
}

function uint16(value: number): ByteText {
  return String.fromCharCode(value >>> 8, value & 0xff)
}

function uint32(value: number): ByteText {
  return uint16(value >>> 16) + uint16(value & 0xffff)
}

function checksumOf(bytes: ByteText): ByteText {
  return uint32(crc32(Buffer.from(bytes, 'latin1')))
}

export interface EventWriter {
  write(data: ByteText): ByteText
  end(): ByteText
}

export const converseEvents: EventWriter = { write: converseEventOf, end: () => '' }

/**
 * Converts server-sent events to messages for a client of Bedrock's runtime. An error becomes an exception. Events
 * without data are omitted.
 * @param events complete events, as the wires write them
 */
export function eventStreamOf(events: ByteText, writer: EventWriter): ByteText {
  let out = ''
  const splitter = new SseSplitter()
  splitter.push(events, ({ dataEnd, dataStart, start, text }) => {
    if (dataEnd === dataStart) return
    const data = text.slice(dataStart, dataEnd)
    // In OpenAI's formats, only the member `error` shows that an event is an error.
    const isError = text.startsWith('event: error', start) || data.startsWith('{"error":')
    out += isError ? writer.end() + exceptionOf(data) : writer.write(data)
  })
  return out
}

function eventOf(type: string, payload: ByteText): ByteText {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }
  return eventMessage(headers, payload)
}

/** The data is an object with one member, whose name is the type of the event and whose value is the payload. */
function converseEventOf(data: ByteText): ByteText {
  const { name = '', payload = '' } = oneMember.exec(data)?.groups ?? {}
  return eventOf(name, payload)
}

const oneMember = /^\s*\{\s*"(?<name>\w+)"\s*:\s*(?<payload>.*\S)\s*\}\s*$/s

export function chunkOf(data: ByteText): ByteText {
  return eventOf('chunk', `{"bytes":"${btoa(data)}"}`)
}

/** Clients throw the exception that the header names, with the text of the message. */
function exceptionOf(data: ByteText): ByteText {
  const { error, ...own } = parseObject(textOf(data)) ?? {}
  const { details, message, type } = { ...own, ...withDetails(objectOf(error)) }
  const exception = textOrNull(own.exception) ?? exceptionOfType.get(textOrNull(type) ?? '') ?? streamFailed
  const headers = {
    ':exception-type': exception,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  }
  return eventMessage(headers, byteTextOf(JSON.stringify({ message, details })))
}

/**
 * Converts an error from OpenAI's formats to the other formats: the message repeats the code, and the details are an
 * object. Errors of other formats have no member `code`, and are returned unchanged.
 */
function withDetails(error: JsonObject): JsonObject {
  const { code, message, type, ...details } = error
  if (typeof code !== 'string') return error
  return { type, message: `${code}: ${String(message)}`, details: { error_code: code, ...details } }
}

const streamFailed = 'modelStreamErrorException'

/** The exceptions of Bedrock's streams, by the error types of the messages wire. */
const exceptionOfType: ReadonlyMap<string, string> = new Map([
  ['rate_limit_error', 'throttlingException'],
  ['overloaded_error', 'serviceUnavailableException'],
  ['invalid_request_error', 'validationException'],
  ['timeout_error', 'modelTimeoutException'],
])
