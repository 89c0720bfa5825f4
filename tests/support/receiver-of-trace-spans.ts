/**
 * The field numbers are from github.com/open-telemetry/opentelemetry-proto v1.5.0 (trace/v1, common/v1, resource/v1 and
 * collector/trace/v1).
 */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'
import { listenLocally } from './listen-on-loopback.ts'

const proto = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  string trace_state = 3;
  bytes parent_span_id = 4;
  string name = 5;
  int32 kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  uint32 dropped_attributes_count = 10;
  repeated Event events = 11;
  Status status = 15;
  fixed32 flags = 16;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1;
    bool bool_value = 2;
    int64 int_value = 3;
    double double_value = 4;
    ArrayValue array_value = 5;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
`

export type Attributes = Readonly<Record<string, unknown>>

export interface ReceivedSpan {
  readonly name: string
  readonly kind: 'INTERNAL' | 'SERVER' | 'CLIENT' | 'other'
  readonly traceId: string
  readonly spanId: string
  /** Empty if the span begins a trace. */
  readonly parentSpanId: string
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly isError: boolean
  readonly attributes: Attributes
  readonly resource: Attributes
}

export interface OtlpReceiver {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  readonly headers: readonly IncomingHttpHeaders[]
  readonly text: () => string
  close(): Promise<void>
}

const root = protobuf.parse(proto).root
const Request = root.lookupType('ExportTraceServiceRequest')
const Response = root.lookupType('ExportTraceServiceResponse')
const kinds = ['other', 'INTERNAL', 'SERVER', 'CLIENT'] as const

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const headers: IncomingHttpHeaders[] = []
  const bodies: Buffer[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const sent = Buffer.concat(chunks)
      const isRight =
        request.url === '/v1/traces' &&
        request.method === 'POST' &&
        request.headers['content-type'] === 'application/x-protobuf'
      if (!isRight) return response.writeHead(400).end()
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      bodies.push(body)
      headers.push(request.headers)
      spans.push(...spansOf(body))
      response.writeHead(200, { 'content-type': 'application/x-protobuf' })
      return response.end(Response.encode({}).finish())
    })()
  })
  const { close, port } = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close,
  }
}

interface DecodedValue {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: string
  readonly doubleValue?: number
}

interface DecodedAttribute {
  readonly key: string
  readonly value: DecodedValue
}

interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly DecodedAttribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: Uint8Array
        readonly spanId: Uint8Array
        readonly parentSpanId?: Uint8Array
        readonly name: string
        readonly kind: number
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
        readonly attributes?: readonly DecodedAttribute[]
        readonly status?: { readonly code?: number }
      }[]
    }[]
  }[]
}

function spansOf(body: Uint8Array): ReceivedSpan[] {
  // The decoded fields are those that the proto above describes. protobufjs checks the bytes against the proto, but
  // gives no types.
  const decoded = Request.toObject(Request.decode(body), { longs: String }) as Decoded
  return decoded.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        name: span.name,
        kind: kinds[span.kind] ?? 'other',
        traceId: Buffer.from(span.traceId).toString('hex'),
        spanId: Buffer.from(span.spanId).toString('hex'),
        parentSpanId: Buffer.from(span.parentSpanId ?? []).toString('hex'),
        startNanos: BigInt(span.startTimeUnixNano),
        endNanos: BigInt(span.endTimeUnixNano),
        isError: span.status?.code === 2,
        attributes: attributesOf(span.attributes ?? []),
        resource: attributesOf(resource.attributes),
      })),
    ),
  )
}

function attributesOf(list: readonly DecodedAttribute[]): Attributes {
  return Object.fromEntries(
    list.map(({ key, value: { boolValue, doubleValue, intValue, stringValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue)),
    ]),
  )
}
