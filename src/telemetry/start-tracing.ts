import type { EndedCall } from '#domain/ledger-interface.ts'
import packageJson from '#package.json' with { type: 'json' }

export interface Tracing {
  callEnded(ended: EndedCall): void
  /** Resolves when the spans are sent or when sending has failed. */
  close(): Promise<void>
}

/**
 * Loads the OpenTelemetry SDK and sends spans by OTLP over HTTP. Call this only on servers with a collector. The SDK
 * reads the address, headers, sampler and limits from its own OTEL_* variables (docs/reference/telemetry.md
 * "Environment variables of OpenTelemetry's SDK").
 */
export async function startTracing(gatewayOf: (slug: string) => URL): Promise<Tracing> {
  const [sdk, exporter, resources, spans] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
    import('./call-spans.ts'),
  ])
  const named = resources.resourceFromAttributes({
    'service.name': 'tollgate',
    'service.version': packageJson.version,
  })
  // Environment variables override the default resource attributes.
  const told = resources.detectResources({ detectors: [resources.envDetector] })
  const provider = new sdk.NodeTracerProvider({
    resource: resources.defaultResource().merge(named).merge(told),
    spanProcessors: [new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter())],
  })
  const tracer = provider.getTracer('tollgate', packageJson.version)
  return {
    callEnded: spans.callSpans({ tracer, gatewayOf }),
    close: () => provider.shutdown().catch(() => {}),
  }
}
