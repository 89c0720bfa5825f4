import { chat } from './wires/chat.ts'
import type { BenchWire } from './wires/wire.ts'

/** A server under load: the provider itself, the floor, or the gateway. */
export interface Target {
  readonly name: string
  /** The base URL of the wires' paths. */
  readonly url: string
  /** The process whose CPU and memory are read; null for the provider, whose cost is not measured. */
  readonly pid: number | null
  /** A credential per end user. Calls rotate over them, so that no row is hot. */
  readonly keys: readonly string[]
  modelName(scenario: Scenario): string
  readonly isGateway: boolean
  /** Calls answered so far, counted by the load driver and compared with the provider and the ledger. */
  readonly answered: { calls: number }
}

/** A kind of call. `upstreamModel` selects the fake provider's answer. */
export interface Scenario {
  readonly upstreamModel: string
  /** The client's wire. */
  readonly client: BenchWire
  /** The wire of the provider behind the gateway, in which the floor and the provider itself are called. */
  readonly provider: BenchWire
  readonly isStream: boolean
  /** Pieces of text in a stream; 0 for JSON. */
  readonly chunks: number
  /** Whether the end of the stream is never awaited, so that its complete answer is unknown. */
  readonly isEndless: boolean
  /** Bytes of a picture in the question; 0 for none. */
  readonly imageBytes: number
}

interface Wires {
  readonly client?: BenchWire
  readonly provider?: BenchWire
}

export function wholeCall({ client = chat, provider = client }: Wires, imageBytes = 0): Scenario {
  return {
    upstreamModel: 'fake-json',
    client,
    provider,
    isStream: false,
    chunks: 0,
    isEndless: false,
    imageBytes,
  }
}

export const jsonCall: Scenario = wholeCall({})

/** @param delayMs between two chunks; 0 sends them all in one go */
export function streamCall(
  { chunks, delayMs }: { chunks: number; delayMs: number },
  { client = chat, provider = client }: Wires = {},
): Scenario {
  const upstreamModel = `fake-chunks-${chunks}-delay-${delayMs}`
  return { upstreamModel, client, provider, isStream: true, chunks, isEndless: false, imageBytes: 0 }
}

/** The wire in which a target is called: only a gateway speaks another than its provider. */
export function wireFor(target: Target, { client, provider }: Scenario): BenchWire {
  return target.isGateway ? client : provider
}

/** The body of a call: a system text and a question, about 600 bytes, and a picture if it has one. */
export function callBody(target: Target, scenario: Scenario): string {
  const wire = wireFor(target, scenario)
  const body = wire.body(target.modelName(scenario), scenario.isStream)
  if (scenario.imageBytes === 0) return JSON.stringify(body)
  // Only chat gets a picture: the measurement shows that its bytes are not searched.
  const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(scenario.imageBytes / 11)}`
  const picture = { role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] }
  const asked = 'messages' in body && Array.isArray(body.messages) ? [...body.messages, picture] : []
  return JSON.stringify({ ...body, messages: asked })
}
