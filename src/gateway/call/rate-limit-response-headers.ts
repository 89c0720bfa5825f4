import type { RateMeasure } from '#money/decision-types.ts'
import type { RateRoom } from '#domain/limits/remaining-rate-limit.ts'
import type { FormatName } from '#wire/names-of-wires-and-tasks.ts'

/**
 * Returns alternating names and values, in the format of the wire's vendor (docs/reference/wires.md "Headers of rate
 * limits"). Empty for Google and Bedrock, which have no such headers.
 * @param rooms the limit of each measure with the smallest remaining amount
 * @param nowMs time of the response, by the clock that the limits use
 */
export function rateLimitHeaders(format: FormatName, rooms: readonly RateRoom[], nowMs: number): string[] {
  switch (format) {
    case 'messages':
      return anthropicHeaders(rooms, nowMs)
    case 'chat':
    case 'responses':
    case 'cohere':
    case 'embeddings':
    case 'cohere_embed':
    case 'moderations':
    case 'completions':
    case 'rerank':
    case 'images':
    case 'image_edits':
    case 'speech':
    case 'transcriptions':
    case 'translations':
    case 'compact':
      return openaiHeaders(rooms, nowMs)
    default:
      format satisfies
        | 'generate'
        | 'converse'
        | 'embed_content'
        | 'batch_embed_contents'
        | 'invoke_embeddings'
      return []
  }
}

/** OpenAI has no headers for limits on only input or only output tokens. */
const openaiNames: { readonly [measure in RateMeasure]?: HeaderNames } = {
  requests: openaiNamesOf('requests'),
  tokens: openaiNamesOf('tokens'),
}

/** Names are built once, because V8 handles constant strings faster than concatenated strings. */
interface HeaderNames {
  readonly limit: string
  readonly remaining: string
  readonly reset: string
}

function openaiNamesOf(name: string): HeaderNames {
  return {
    limit: `x-ratelimit-limit-${name}`,
    remaining: `x-ratelimit-remaining-${name}`,
    reset: `x-ratelimit-reset-${name}`,
  }
}

function openaiHeaders(rooms: readonly RateRoom[], nowMs: number): string[] {
  const headers: string[] = []
  for (const { fullAtMs, measure, most, remaining } of rooms) {
    const names = openaiNames[measure]
    if (names === undefined) continue
    headers.push(names.limit, String(most), names.remaining, String(remaining))
    if (fullAtMs !== null) headers.push(names.reset, durationText(fullAtMs - nowMs))
  }
  return headers
}

/**
 * OpenAI writes durations in the format of Go: `6m0s`, `1h0m5s`, `12ms`. Seconds are rounded up, so that a client never
 * retries too early.
 */
export function durationText(ms: number): string {
  if (ms <= 0) return '0s'
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (hours > 0) return `${hours}h${minutes}m${seconds % 60}s`
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}

const anthropicNames: { readonly [measure in RateMeasure]?: HeaderNames } = {
  requests: anthropicNamesOf('requests'),
  tokens: anthropicNamesOf('tokens'),
  inputTokens: anthropicNamesOf('input-tokens'),
  outputTokens: anthropicNamesOf('output-tokens'),
}

function anthropicNamesOf(name: string): HeaderNames {
  const prefix = `anthropic-ratelimit-${name}`
  return { limit: `${prefix}-limit`, remaining: `${prefix}-remaining`, reset: `${prefix}-reset` }
}

function anthropicHeaders(rooms: readonly RateRoom[], nowMs: number): string[] {
  const headers: string[] = []
  for (const { fullAtMs, measure, most, remaining } of rooms) {
    const names = anthropicNames[measure]
    if (names === undefined) continue
    headers.push(names.limit, String(most), names.remaining, String(remaining))
    if (fullAtMs !== null) headers.push(names.reset, timeText(Math.max(fullAtMs, nowMs)))
  }
  return headers
}

/** In RFC 3339 format, rounded up to whole seconds. */
function timeText(atMs: number): string {
  return new Date(Math.ceil(atMs / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}
