/**
 * Writes responses for clients of Bedrock's `invoke`, in the format of the model family. Inside the gateway, responses
 * have the format to which the request was rewritten (body-families.ts).
 */
import type { Usage } from '#money/usage-counts.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import {
  isObject,
  objectOf,
  parseObject,
  printValue,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import { chunkOf, type EventWriter } from '#wire/converse/event-stream-encoder.ts'
import { inputCounts } from '#wire/converse/usage.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { BodyFamily } from './body-families.ts'
import { countsOf, metricsName, promptChunk, promptResponse, type TokenCounts } from './prompt-responses.ts'

/** A text that is not an object can only be an error, and is returned unchanged. */
export function invokeResponse(body: ByteText, { family, text }: WireRequest): ByteText {
  if (family === undefined || family === 'openai') return body
  const response = parseObject(textOf(body))
  if (response === null) return body
  const prompt = family === 'command' ? (parseObject(textOf(text))?.['prompt'] ?? null) : null
  const written = family === 'nova' ? novaResponse(response) : promptResponse(family, response, prompt)
  return byteTextOf(printValue(written))
}

/** Unlike responses of Converse, Nova's responses have other names for two counts, and no times. */
function novaResponse(response: JsonObject): JsonObject {
  const { metrics: _, usage, ...others } = response
  return { ...others, ...(isObject(usage) && { usage: novaUsage(usage) }) }
}

function novaUsage({ cacheReadInputTokens, cacheWriteInputTokens, ...usage }: JsonObject): JsonObject {
  return {
    ...usage,
    cacheReadInputTokenCount: cacheReadInputTokens ?? 0,
    cacheWriteInputTokenCount: cacheWriteInputTokens ?? 0,
  }
}

/** Counts and times that AWS adds to the last chunk of a stream. */
interface StreamMetrics {
  readonly usage: Usage
  /** Measured from the start of the request. */
  readonly firstByteMs: number
  /** Measured from the start of the request. */
  readonly endMs: number
}

/**
 * Chunks that end an answer are withheld until the end of the stream, because the last chunk also contains the token
 * counts.
 */
export class InvokeChunks implements EventWriter {
  readonly #family: BodyFamily | undefined
  #held: ByteText[] = []
  metrics: StreamMetrics | null = null

  constructor(family: BodyFamily | undefined) {
    this.#family = family
  }

  /** @param data the data of an event, in the format to which the request was rewritten */
  write(data: ByteText): ByteText {
    if (data === '[DONE]') return ''
    const isHeld = isLast(this.#family, data) || (this.#held.length > 0 && hasNoChoice(data))
    if (!isHeld) return chunksOf(this.#written(data, null))
    this.#held.push(data)
    return ''
  }

  end(): ByteText {
    const held = this.#held
    this.#held = []
    const objects = held.map((data) => parseObject(textOf(data)) ?? {})
    const ended = objects.findLastIndex(hasFinish)
    const counts = objects.map(countsOf).findLast((found) => found !== null) ?? null
    const svc = objects.map((chunk) => chunk['svc']).findLast((found) => found !== undefined)
    const written = held.flatMap((data, at) => this.#written(data, at === ended ? { counts, svc } : null))
    const last = written.pop()
    if (last === undefined) return ''
    return chunksOf([...written, this.metrics === null ? last : withMetrics(last, this.metrics)])
  }

  #written(data: ByteText, end: EndOfAnswer | null): readonly ByteText[] {
    const family = this.#family
    if (family === undefined || family === 'openai') return [data]
    if (family === 'nova') return [novaChunk(data)]
    const written = promptChunk(family, parseObject(textOf(data)) ?? {}, end?.counts ?? null)
    if (written === null) return []
    return [byteTextOf(printValue(end?.svc === undefined ? written : { ...written, svc: end.svc }))]
  }
}

/** AWS puts these values from later chunks into the chunk with the finish reason. */
interface EndOfAnswer {
  readonly counts: TokenCounts | null
  readonly svc: JsonValue
}

function chunksOf(chunks: readonly ByteText[]): ByteText {
  return chunks.map(chunkOf).join('')
}

/** Model output cannot match these patterns, because quotes in texts are escaped. */
function isLast(family: BodyFamily | undefined, data: ByteText): boolean {
  if (family === undefined) return /"type"\s*:\s*"message_stop"/.test(data)
  if (family === 'nova') return data.startsWith('{"metadata"')
  return data.includes('"finish_reason"') && hasFinish(parseObject(textOf(data)) ?? {})
}

/** AWS reports the token counts and times of a stream in this member. */
function withMetrics(chunk: ByteText, { endMs, firstByteMs, usage }: StreamMetrics): ByteText {
  const { cacheRead, uncached, written } = inputCounts(usage)
  const metrics = {
    inputTokenCount: uncached,
    outputTokenCount: usage.output,
    invocationLatency: endMs,
    firstByteLatency: firstByteMs,
    ...(cacheRead > 0 && { cacheReadInputTokenCount: cacheRead }),
    ...(written > 0 && { cacheWriteInputTokenCount: written }),
  }
  const end = chunk.lastIndexOf('}')
  return `${chunk.slice(0, end)},"${metricsName}":${JSON.stringify(metrics)}${chunk.slice(end)}`
}

/** Padding at the end of an event. Model output cannot match, because quotes in texts are escaped. */
const padding = /,\s*"p"\s*:\s*"[A-Za-z0-9]*"\s*\}\s*\}$/

function hasFinish({ choices }: JsonObject): boolean {
  return (
    Array.isArray(choices) && choices.some((choice) => typeof objectOf(choice)['finish_reason'] === 'string')
  )
}

/** Whether a chunk has only the usage of the stream, or the report of the charge. */
function hasNoChoice(data: ByteText): boolean {
  const choices = parseObject(textOf(data))?.['choices']
  return Array.isArray(choices) && choices.length === 0
}

/** Nova's token counts have other names, and its events lack Converse's padding `p`. */
function novaChunk(data: ByteText): ByteText {
  if (!data.startsWith('{"metadata"')) return data.replace(padding, '}}')
  const metadata = objectOf(parseObject(textOf(data))?.['metadata'])
  const { p: _, usage, ...others } = metadata
  return byteTextOf(
    printValue({
      metadata: { ...others, metrics: {}, ...(isObject(usage) && { usage: novaUsage(usage) }) },
    }),
  )
}
