import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { expect, it } from 'vitest'
import { providerKindNames, upstreamFormats, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { EndedCall } from '#domain/ledger-interface.ts'
import { endedCallOf } from '#tests/support/example-ended-call.ts'
import { callSpans } from './call-spans.ts'

/** The last span is the span of the call. */
function spansOf(ended: EndedCall) {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const gatewayOf = () => new URL('http://acme.gateway.localhost:8080')
  callSpans({ tracer: provider.getTracer('test'), gatewayOf })(ended)
  return exporter.getFinishedSpans()
}

it('the span of a call names the path of the wire format', () => {
  const names = new Map(
    upstreamFormats.map((wire) => [wire, spansOf(endedCallOf({ wire })).at(-1)?.name ?? '']),
  )
  expect([names.get('chat'), names.get('converse'), names.get('cohere')]).toEqual([
    'POST /v1/chat/completions',
    'POST /model/{model}/converse',
    'POST /v2/chat',
  ])
  expect(new Set(names.values()).size).toBe(upstreamFormats.length)
})

it('the provider of an attempt has the name in the published conventions, or else the name of its kind', () => {
  const published = new Set(
    Object.entries<unknown>(conventions).flatMap(([name, value]) =>
      name.startsWith('GEN_AI_PROVIDER_NAME_VALUE_') ? String(value) : [],
    ),
  )
  const nameOf = (provider: ProviderKind): unknown => {
    const [attempt] = endedCallOf().attempts
    if (attempt === undefined) throw new Error('no attempt')
    const spans = spansOf(endedCallOf({}, { attempts: [{ ...attempt, provider }] }))
    return spans.flatMap(({ attributes }) => attributes['gen_ai.provider.name'] ?? [])[0]
  }
  const unlisted = providerKindNames.filter((kind) => !published.has(String(nameOf(kind))))
  expect(unlisted).toEqual(['openrouter', 'ollama', 'openai_compatible', 'simulator'])
  expect(unlisted.map(nameOf)).toEqual(unlisted)
  expect(nameOf('bedrock')).toBe('aws.bedrock')
})
