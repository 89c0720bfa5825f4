import type {
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamSink,
} from '#domain/provider-upstream-interface.ts'
import { isObject, parseValue, printValue, textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import { eventNames } from '#wire/converse/event-names.ts'
import { completionOf, metricsName } from '#wire/invoke/prompt-responses.ts'
import { EventStreamDecoder, type EventMessage } from '#wire/converse/event-stream-decoder.ts'

/**
 * Streams of Claude become events of the messages wire. Streams of models that continue a prompt become events of text
 * completions. Streams of other models become events of Converse. All other responses are forwarded unchanged.
 */
export class EventStreamSink implements UpstreamSink {
  readonly #sink: UpstreamSink
  #decoder: EventStreamDecoder | null = null
  /** No callback is called before the call is set. */
  call: UpstreamCall | null = null

  constructor(sink: UpstreamSink) {
    this.#sink = sink
  }

  onConnected(): void {
    this.#sink.onConnected?.()
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    if (headers.contentType !== 'application/vnd.amazon.eventstream')
      return this.#sink.onHead(status, headers)
    this.#decoder = new EventStreamDecoder()
    this.#sink.onHead(status, { ...headers, contentType: 'text/event-stream' })
  }

  onData(bytes: Uint8Array): boolean {
    if (this.#decoder === null) return this.#sink.onData(bytes)
    let events = ''
    let fault: { readonly cause: unknown } | null = null
    try {
      this.#decoder.push(bytes, (message) => void (events += eventOf(message)))
    } catch (cause) {
      fault = { cause }
    }
    const isReady = events === '' || this.#sink.onData(Buffer.from(events))
    if (fault === null) return isReady
    this.call?.abort()
    this.#sink.onFailure({ phase: 'reset', isTimeout: false, ...fault })
    return true
  }

  onEnd(): void {
    if (this.#decoder?.isPartial !== true) return this.#sink.onEnd()
    const cause = new Error('the event stream ended in the middle of a message')
    this.#sink.onFailure({ phase: 'reset', isTimeout: false, cause })
  }

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure)
  }
}

/** Returns an empty string if the message contains no known event. */
function eventOf({ headers, payload }: EventMessage): string {
  const kind = headers.get(':message-type')
  if (kind === 'exception') return errorEvent(headers.get(':exception-type') ?? '', messageIn(payload))
  if (kind === 'error')
    return errorEvent(headers.get(':error-code') ?? '', headers.get(':error-message') ?? '')
  const type = headers.get(':event-type') ?? ''
  if (kind !== 'event') return ''
  if (eventNames.has(type)) return `data: {"${type}":${lineOf(payload.toString('utf8'))}}\n\n`
  return type === 'chunk' ? eventOfChunk(payload) : ''
}

function lineOf(json: string): string {
  return /[\r\n]/.test(json) ? printValue(parseValue(json)) : json
}

function eventOfChunk(payload: Buffer): string {
  const chunk = parseValue(payload.toString('utf8'))
  const bytes = isObject(chunk) ? textOrNull(chunk.bytes) : null
  if (bytes === null) throw new Error('a chunk of the event stream has no bytes')
  const text = Buffer.from(bytes, 'base64').toString('utf8')
  const event: unknown = JSON.parse(text)
  if (typeof event !== 'object' || event === null || !('type' in event) || typeof event.type !== 'string') {
    const events = isObject(event) ? completionEvents(event) : null
    if (events === null) throw new Error('a chunk of the event stream has no type')
    return events
  }
  if (!/^[a-z_]+$/.test(event.type)) throw new Error('a chunk of the event stream has an unknown type')
  // Remove the counts and times that Bedrock adds to the last event, because they reveal the provider.
  const { [metricsName]: added, ...own } = event as {
    readonly type: string
    readonly [metricsName]?: unknown
  }
  const isSentAsIs = added === undefined && !/[\r\n]/.test(text)
  return `event: ${event.type}\ndata: ${isSentAsIs ? text : JSON.stringify(own)}\n\n`
}

/**
 * Returns null for a chunk of a model that does not continue a prompt. The counts at the end of the stream become an
 * event of their own, as in OpenAI's streams.
 */
function completionEvents(chunk: JsonObject): string | null {
  const completion = completionOf(chunk)
  if (completion === null) return null
  const { usage, ...piece } = completion
  // Earlier chunks of Llama models contain incomplete counts.
  const isLast = chunk[metricsName] !== undefined && usage !== undefined
  const counts = isLast ? [{ ...piece, choices: [], usage }] : []
  return [piece, ...counts].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

function messageIn(payload: Buffer): string {
  const body = parseValue(payload.toString('utf8'))
  return (isObject(body) && textOrNull(body.message)) || ''
}

const errorTypes: readonly (readonly [RegExp, string])[] = [
  [/throttling/i, 'rate_limit_error'],
  [/serviceUnavailable|modelNotReady/i, 'overloaded_error'],
  [/validation/i, 'invalid_request_error'],
  [/timeout/i, 'timeout_error'],
  [/accessDenied|unrecognizedClient|expiredToken/i, 'permission_error'],
]

function errorEvent(exception: string, message: string): string {
  const type = errorTypes.find(([pattern]) => pattern.test(exception))?.[1] ?? 'api_error'
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message } })}\n\n`
}
