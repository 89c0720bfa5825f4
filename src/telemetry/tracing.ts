import type { EndedCall } from '#domain/ledger.ts'
import packageJson from '#package.json' with { type: 'json' }

/** Spans of calls on their way to a collector. */
export interface Tracing {
  callEnded(ended: EndedCall): void
  /** Sends what waits; resolves when it is sent, or cannot be. */
  close(): Promise<void>
}

/**
 * Loads the OpenTelemetry SDK, which a server without a collector never does, and sends spans by OTLP over HTTP.
 * Address, headers, sampler and limits are its own settings, the OTEL_* variables of its specification
 * (docs/reference/telemetry.md "Variables of the SDK").
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
  // What the environment names wins.
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
