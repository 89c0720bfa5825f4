import type { UploadHeaders, UpstreamHeaders } from '#domain/provider-upstream-interface.ts'
import type { ResponseHeaders } from './response-parser.ts'

/** Longer waits are shortened to one day. */
const retryAfterSecondsMax = 86_400

/**
 * Drops all headers that may identify the provider, its account and its limits (docs/reference/threats.md "Provider
 * data in errors and headers").
 * @param headers the headers by lower-case name
 * @param nowMs returns the wall clock time, which is read only if `retry-after` is a date
 */
export function headersOf(headers: ResponseHeaders, nowMs: () => number): UpstreamHeaders {
  const known = {
    contentType: mediaType(one(headers['content-type'])),
    retryAfterSeconds: retryAfterSeconds(one(headers['retry-after-ms']), one(headers['retry-after']), nowMs),
  }
  const input = countOf(one(headers['x-amzn-bedrock-input-token-count']))
  const output = countOf(one(headers['x-amzn-bedrock-output-token-count']))
  const requestId = one(headers['x-request-id'] ?? headers['request-id'] ?? headers['x-amzn-requestid'])
  const upload = uploadHeaders(one(headers['x-goog-upload-status']), one(headers['x-goog-upload-url']))
  return {
    ...known,
    ...(input !== null && { inputTokens: input }),
    ...(output !== null && { outputTokens: output }),
    ...(requestId !== undefined && isRequestId.test(requestId) && { requestId }),
    ...(upload !== null && { upload }),
  }
}

function countOf(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null
}

function uploadHeaders(status: string | undefined, url: string | undefined): UploadHeaders | null {
  if (status === undefined) return null
  const id = URL.parse(url ?? '')?.searchParams.get('upload_id') ?? ''
  return { id: isUploadId.test(id) ? id : null, isFinal: status.toLowerCase() === 'final' }
}

/** Google's IDs have about 200 characters. The ID becomes part of the URL that the client uses. */
const isUploadId = /^[\w-]{1,512}$/

/** Matches request IDs, which are `req_<32 hex>` at OpenAI, `req_<24>` at Anthropic, and UUIDs at other vendors. */
const isRequestId = /^[\w.:-]{1,128}$/

function mediaType(value: string | undefined): string {
  // Return early for the two content types that nearly all responses have.
  if (value === undefined) return ''
  if (value === 'application/json' || value === 'text/event-stream') return value
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}

/** Returns whole seconds, rounded up. Null if the header is absent or invalid. */
function retryAfterSeconds(
  ms: string | undefined,
  value: string | undefined,
  nowMs: () => number,
): number | null {
  // Prefer `retry-after-ms` of OpenAI and Azure, because it is more precise.
  if (ms !== undefined && /^\d+(\.\d+)?$/.test(ms)) return bounded(Number(ms) / 1000)
  if (value === undefined) return null
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value))
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? null : bounded((atMs - nowMs()) / 1000)
}

function bounded(seconds: number): number {
  return Math.min(Math.max(Math.ceil(seconds), 0), retryAfterSecondsMax)
}

function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value
}
