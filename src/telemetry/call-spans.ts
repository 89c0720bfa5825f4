/**
 * The trace spans of a call. The spans are created from recorded times after the call has ended, so that tracing costs
 * a call in flight nothing. The spans follow OpenTelemetry's published conventions (docs/reference/telemetry.md):
 *
 *   `POST /v1/chat/completions` SERVER, HTTP: the call as its client sees it, a child of the client's own span
 *     `reserve` INTERNAL: from the read request to its first attempt, or to its rejection
 *     `chat <model>` CLIENT, GenAI: one for each call to a provider; the last one has the usage
 *     `settle` INTERNAL: from the last attempt to the written end
 *
 * No attribute contains content, an end user or a key. GenAI spans (CLIENT) and HTTP spans (SERVER) are separate, so
 * that both the service graphs and the model views of tracing tools work. Only GenAI spans contain token counts, so
 * each token is counted once.
 */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api'
import type { ProviderKind, UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { EndedAttempt, EndedCall } from '#domain/ledger-interface.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { traceParentOf } from '#domain/trace-context.ts'
import { totalInput } from '#money/usage-counts.ts'

export interface CallSpansOptions {
  readonly tracer: Tracer
  readonly gatewayOf: (slug: string) => URL
}

export function callSpans({ gatewayOf, tracer }: CallSpansOptions): (ended: EndedCall) => void {
  return (ended) => {
    const { attempts, endedAtMs, readAtMs, record, startedAtMs } = ended
    const at = (ms: number): number => startedAtMs + ms
    const route = routeOfWire.get(record.wire) ?? routes.chat
    const call = tracer.startSpan(
      `POST ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: at(0),
        attributes: {
          ...httpAttributes(ended, route, gatewayOf(ended.applicationSlug)),
          ...callAttributes(ended),
        },
      },
      parentOf(ended.traceparent),
    )
    // An error that the client caused is not an error of the server span (docs/reference/telemetry.md "Spans of HTTP
    // servers").
    if (record.httpStatus >= 500) call.setStatus({ code: SpanStatusCode.ERROR })
    if (call.isRecording()) {
      const within = trace.setSpan(ROOT_CONTEXT, call)
      const child = (
        name: string,
        kind: SpanKind,
        fromMs: number,
        untilMs: number,
        attributes: Attributes,
      ): void =>
        tracer
          .startSpan(name, { kind, startTime: at(fromMs), attributes }, within)
          .end(at(Math.max(fromMs, untilMs)))
      const [first] = attempts
      const last = attempts.at(-1)
      if (readAtMs !== null) child('reserve', SpanKind.INTERNAL, readAtMs, first?.atMs ?? endedAtMs, {})
      for (const attempt of attempts) attemptSpan(attempt, attempt === last, ended, { at, tracer, within })
      if (last !== undefined && record.status === 'settled') {
        child('settle', SpanKind.INTERNAL, last.atMs + last.durationMs, endedAtMs, moneyAttributes(ended))
      }
    }
    call.end(at(endedAtMs))
  }
}

interface Making {
  readonly tracer: Tracer
  readonly within: Context
  readonly at: (ms: number) => number
}

function attemptSpan(
  attempt: EndedAttempt,
  isLast: boolean,
  { charged, record }: EndedCall,
  { at, tracer, within }: Making,
): void {
  const operation = operations[record.wire] ?? 'chat'
  const { model } = attempt
  const error = attemptError(attempt) ?? (isLast ? record.errorCode : null)
  const span = tracer.startSpan(
    `${operation} ${model}`,
    {
      kind: SpanKind.CLIENT,
      startTime: at(attempt.atMs),
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': nameOfProvider.get(attempt.provider) ?? attempt.provider,
        'gen_ai.request.model': model,
        ...(attempt.status !== null && { 'http.response.status_code': attempt.status }),
        ...(error !== null && { 'error.type': error }),
        ...(isLast &&
          charged !== null && {
            'gen_ai.response.model': model,
            'gen_ai.usage.input_tokens': totalInput(charged.usage),
            'gen_ai.usage.output_tokens': charged.usage.output,
          }),
        'tollgate.provider.account': attempt.account,
      },
    },
    within,
  )
  if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(at(attempt.atMs + attempt.durationMs))
}

function attemptError({ failure, status }: EndedAttempt): string | null {
  if (failure !== null) return failure
  return status !== null && status >= 400 ? String(status) : null
}

/** The documented path. In the actual URL, clients of the `generate` wire send keys and model names. */
const routes: Readonly<Record<UpstreamFormat, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  generate: '/v1beta/models/{model}:generateContent',
  converse: '/model/{model}/converse',
  cohere: '/v2/chat',
  embeddings: '/v1/embeddings',
  moderations: '/v1/moderations',
  completions: '/v1/completions',
  rerank: '/v1/rerank',
  images: '/v1/images/generations',
  image_edits: '/v1/images/edits',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
  translations: '/v1/audio/translations',
  compact: '/v1/responses/compact',
  embed_content: '/v1beta/models/{model}:embedContent',
  batch_embed_contents: '/v1beta/models/{model}:batchEmbedContents',
  invoke_embeddings: '/model/{model}/invoke',
  cohere_embed: '/v2/embed',
}
const routeOfWire: ReadonlyMap<string, string> = new Map(Object.entries(routes))

/** Well-known values of `gen_ai.operation.name`. Other formats have the value `chat`. */
const operations: Readonly<Record<string, string>> = {
  generate: 'generate_content',
  embeddings: 'embeddings',
  moderations: 'moderation',
  completions: 'text_completion',
  embed_content: 'embeddings',
  batch_embed_contents: 'embeddings',
  invoke_embeddings: 'embeddings',
  cohere_embed: 'embeddings',
}

function httpAttributes({ record }: EndedCall, route: string, gateway: URL): Attributes {
  const isTls = gateway.protocol === 'https:'
  return {
    'http.request.method': 'POST',
    'http.route': route,
    'url.path': route,
    'url.scheme': isTls ? 'https' : 'http',
    'server.address': gateway.hostname,
    'server.port': Number(gateway.port || (isTls ? 443 : 80)),
    'http.response.status_code': record.httpStatus,
    ...(record.errorCode !== null && { 'error.type': record.errorCode }),
  }
}

function callAttributes({ applicationSlug, record }: EndedCall): Attributes {
  return {
    'tollgate.request.id': idOf('req', record.callId),
    'tollgate.application': applicationSlug,
    'tollgate.mode': record.mode,
    'tollgate.outcome': record.status,
    'tollgate.streamed': record.streamed,
    ...(record.target !== null && record.alias !== null && { 'tollgate.model': record.alias }),
    ...(record.firstByteMs !== null && { 'tollgate.first_byte_ms': record.firstByteMs }),
  }
}

/** Doubles, because not every tracing backend supports 64-bit integers. Micros are exact up to nine billion dollars. */
function moneyAttributes({ charged }: EndedCall): Attributes {
  if (charged === null) return {}
  const { billedMicros, chargeMicros, costMicros } = charged.result
  return {
    'tollgate.charged_micros': Number(chargeMicros),
    'tollgate.billed_micros': Number(billedMicros),
    'tollgate.cost_micros': Number(costMicros),
    'tollgate.token_source': charged.tokenSource,
  }
}

/** Values of `gen_ai.provider.name`. A provider without a well-known value has the name of its kind. */
const providerNames: Readonly<Record<ProviderKind, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  azure_openai: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  groq: 'groq',
  xai: 'x_ai',
  openrouter: 'openrouter',
  cohere: 'cohere',
  ollama: 'ollama',
  openai_compatible: 'openai_compatible',
  simulator: 'simulator',
}
const nameOfProvider: ReadonlyMap<string, string> = new Map(Object.entries(providerNames))

function parentOf(traceparent: string | null): Context {
  const parent = traceparent === null ? null : traceParentOf(traceparent)
  if (parent === null) return ROOT_CONTEXT
  const { flags, spanId, traceId } = parent
  const traceFlags = flags & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
