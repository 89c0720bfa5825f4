import type { Usage } from '#money/usage-counts.ts'
import { answerHeaders, privateHeaders } from '#domain/cache-charge-and-retry-headers.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { Arrival, Route } from '#gateway/call/arrived-request-types.ts'
import type { Call, CallReport } from '#gateway/call/call-state-types.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'
import { toolBoundOf } from '#gateway/call/apply-provider-tool-rules.ts'
import { rateLimitHeaders } from '#gateway/call/rate-limit-response-headers.ts'
import { converseEvents, eventStreamOf } from '#wire/converse/event-stream-encoder.ts'
import { inputCounts } from '#wire/converse/usage.ts'
import { CohereV1Lines, cohereV1Response, cohereV1StreamType } from '#wire/cohere-v1/write-response.ts'
import { InvokeChunks, invokeResponse } from '#wire/invoke/write-invoke-response.ts'
import { isStreamedTask, wireOf } from '#wire/names-of-wires-and-tasks.ts'
import { tailWithReport } from '#wire/stream/add-report-to-stream-end.ts'

/** If the gateway does not serve the path, these facts are all that is known about the request. */
export type Asked = Pick<Arrival, 'id' | 'response'> & { readonly route: Pick<Route, 'isBedrock' | 'wire'> }

/**
 * Records the time of the first byte. If the head is already written, this function does nothing.
 * @param usage the charged usage; null if the call has not been settled
 */
export function writeHead(call: Call, contentLength: number | null, usage: Usage | null = null): void {
  const { request, reserved, response } = call
  if (response.headersSent) return
  noteFirstByte(call)
  const isEventStream = request?.isStream === true && !request.isJsonArray
  const usualType = isEventStream ? eventStreamTypeOf(call) : 'application/json'
  const headers = headersOf(call, request?.responseType ?? usualType)
  if (contentLength !== null) {
    headers.push('content-length', String(contentLength))
    if (call.report !== null) headers.push(...reportHeaders(call.report))
    if (usage !== null && call.route.path.isInvoke === true) headers.push(...invokeHeaders(usage))
  }
  if (reserved?.reservation.isClamped === true) headers.push('x-svc-abort-reason', 'max_tokens_clamped')
  else if (hasFewerUses(call)) headers.push('x-svc-abort-reason', 'tool_uses_clamped')
  const lost = reserved?.dispatch.lost ?? []
  if (lost.length > 0) headers.push('x-svc-conversion-lost', lostText(lost))
  if (call.rates !== null) headers.push(...rateHeadersOf(call))
  response.writeHead(200, headers)
}

function eventStreamTypeOf({ route }: Call): string {
  if (route.isCohereV1 === true) return cohereV1StreamType
  return route.isBedrock === true ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
}

/**
 * Converts server-sent events to the framing of the client's API. Inside the gateway, streams for clients of Bedrock's
 * runtime are server-sent events too.
 * @param events server-sent events; the last event must be complete
 */
export function inFraming(call: Call, events: ByteText): ByteText {
  const { request, route } = call
  if (request?.isStream !== true) return events
  if (route.isCohereV1 === true) {
    call.cohereV1Lines ??= new CohereV1Lines(request)
    return call.cohereV1Lines.write(events)
  }
  if (route.isBedrock !== true) return events
  if (route.wire === 'converse') return eventStreamOf(events, converseEvents)
  call.invokeChunks ??= new InvokeChunks(request.family)
  return eventStreamOf(events, call.invokeChunks)
}

function endInFraming(call: Call, rest: ByteText, usage: Usage | null): ByteText {
  const { ports, request, route, startedMonotonicMs } = call
  if (route.isCohereV1 === true && request?.isStream === false) return cohereV1Response(rest, request)
  if (route.path.isInvoke !== true || request === null) return inFraming(call, rest)
  if (!request.isStream) return invokeResponse(rest, request)
  const chunks = (call.invokeChunks ??= new InvokeChunks(request.family))
  const endMs = Math.round(ports.clock.monotonicMs() - startedMonotonicMs)
  chunks.metrics = usage && { usage, endMs, firstByteMs: call.firstByteMs ?? endMs }
  return inFraming(call, rest) + chunks.end()
}

/** Empty if no rate limit applies. A page of another origin may read these headers if it may read the response. */
export function rateHeadersOf({ caller, ports, rates, response, route }: Call): readonly string[] {
  if (caller === null || rates === null) return noHeaders
  const headers = rateLimitHeaders(route.wire, rates, timeOf(caller, ports.clock.nowMs()))
  const exposed = response.getHeader(exposeHeader)
  if (exposed !== undefined && headers.length > 0)
    response.setHeader(exposeHeader, [exposed, ...headers.filter((_, at) => at % 2 === 0)].join(', '))
  return headers
}

const noHeaders: readonly string[] = []
const exposeHeader = 'access-control-expose-headers'

/** Whether the provider is allowed fewer tool uses than requested, because the hold covers fewer uses. */
function hasFewerUses({ plan, request, reserved }: Call): boolean {
  const held = reserved?.reservation.bound.tools
  if (held === undefined || plan === null || request === null) return false
  return held.usesMax < (toolBoundOf(request, plan, request.textTokensMax)?.usesMax ?? 0)
}

export interface FreeAnswer {
  readonly body: string | Buffer
  /** Absent for JSON. */
  readonly contentType?: string
  /** Additional headers, as alternating names and values. */
  readonly headers?: readonly string[]
}

export function writeWhole(
  arrival: Arrival,
  { body, contentType = 'application/json', headers: more = [] }: FreeAnswer,
): void {
  const headers = headersOf(arrival, contentType)
  headers.push('content-length', String(body.length), ...more)
  arrival.response.writeHead(200, headers).end(body, 'latin1')
}

/**
 * Returns the headers of every response of this wire as alternating names and values, which is the fastest form for
 * Node.
 */
export function headersOf({ id, route }: Asked, contentType: string): string[] {
  const requestId = idOf('req', id)
  const headers = [
    'content-type',
    contentType,
    'x-request-id',
    requestId,
    'cache-control',
    privateHeaders['cache-control'],
    'x-content-type-options',
    privateHeaders['x-content-type-options'],
  ]
  if (route.isBedrock === true || route.wire === 'converse') headers.push('x-amzn-requestid', requestId)
  else if (route.wire === 'messages') headers.push('request-id', requestId)
  return headers
}

export function noteFirstByte(call: Call): void {
  call.firstByteMs ??= Math.round(call.ports.clock.monotonicMs() - call.startedMonotonicMs)
}

/**
 * Adds the member `svc` to a response. The member lists the tools that were removed from the request, because the model
 * may invent the results of such tools. At the end of a stream, the member also reports the charge. A non-streaming
 * response reports the charge in its headers.
 * @param rest the whole body of a non-streaming response, or the end of a stream
 */
export function withSvc({ report, request, reserved, startedAtMs }: Call, rest: ByteText): ByteText {
  const lost = removedTools(reserved?.dispatch.lost ?? [])
  const told = lost.length === 0 ? undefined : lost
  if (request?.isStream !== true) {
    if (told === undefined || !rest.startsWith('{"')) return rest
    return `{"svc":${byteTextOf(JSON.stringify({ lost: told }))},${rest.slice(1)}`
  }
  if ((report === null && told === undefined) || request.responseType !== undefined) return rest
  const { isJsonArray, model, wire } = request
  const place = {
    wire: isStreamedTask(wire) ? wire : wireOf(wire),
    isJsonArray,
    model,
    createdAt: Math.floor(startedAtMs / 1000),
    isExpected: report !== null,
  }
  return tailWithReport(rest, place, byteTextOf(JSON.stringify({ ...report, lost: told })))
}

/**
 * Returns only the tools, while the header `x-svc-conversion-lost` lists all parts of the request that were not sent.
 */
function removedTools(lost: readonly string[]): readonly string[] {
  return lost.length === 0 ? lost : lost.filter((name) => name.startsWith('tools.')).slice(0, removedMax)
}

const removedMax = 20

/** AWS's clients read the usage of Bedrock's `invoke` from these headers. */
function invokeHeaders(usage: Usage): string[] {
  const { output } = usage
  const headers = ['x-amzn-bedrock-input-token-count', String(inputCounts(usage).uncached)]
  if (output > 0) headers.push('x-amzn-bedrock-output-token-count', String(output))
  return headers
}

function reportHeaders({ chargeMicros, remainingMicros }: CallReport): string[] {
  const headers: string[] = [answerHeaders.charge, chargeMicros]
  if (remainingMicros !== undefined) headers.push(answerHeaders.remaining, remainingMicros ?? 'unlimited')
  return headers
}

/** Lists as many omitted parts of the request as fit in a header. `requests.explain` lists all items. */
export function lostText(lost: readonly string[]): string {
  let text = ''
  for (const field of lost) {
    const safe = field.replaceAll(/[^\w.[\]-]/g, '_')
    if (text.length + safe.length > lostLengthMax) return `${text},...`
    text += text === '' ? safe : `,${safe}`
  }
  return text
}

const lostLengthMax = 1024

/** @param usage the charged usage; null for a response that is generated in the background */
export function writeEnd(call: Call, rest: ByteText, usage: Usage | null): void {
  const body = endInFraming(call, withSvc(call, rest), usage)
  writeHead(call, call.request?.isStream === true ? null : body.length, usage)
  call.response.end(body, 'latin1')
  cutWhenUnread(call)
}

/**
 * If the client reads nothing for `stallMs` while bytes are unsent, the connection is closed. A slow client keeps its
 * connection, because Node restarts the timeout whenever bytes are sent.
 */
export function cutWhenUnread({ response, ports }: Call): void {
  if (response.writableLength > 0) response.setTimeout(ports.limits.stallMs, () => response.destroy())
}
