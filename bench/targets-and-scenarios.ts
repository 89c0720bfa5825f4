import { chat } from './wires/chat.ts'
import type { BenchWire } from './wires/wire-format-interface.ts'

export interface Target {
  readonly name: string
  readonly url: string
  /** The process whose CPU time and memory are measured. Null for the provider, whose cost is not measured. */
  readonly pid: number | null
  /** Each end user has one key. Calls use one key after another, so that no single row is used all the time. */
  readonly keys: readonly string[]
  modelName(scenario: Scenario): string
  readonly isGateway: boolean
  readonly isTagged?: true
  /** Compared with the counts of the provider and of the ledger. */
  readonly answered: { calls: number }
}

/** `upstreamModel` selects the response of the fake provider. */
export interface Scenario {
  readonly upstreamModel: string
  readonly client: BenchWire
  /** The minimal proxy and the provider itself are called in this wire format. */
  readonly provider: BenchWire
  readonly isStream: boolean
  /** 0 if the response is JSON. */
  readonly chunks: number
  /**
   * Whether the load driver never waits for the end of the stream. The length of the complete response is then not
   * known.
   */
  readonly isEndless: boolean
  /** 0 if the request has no image. */
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

export const tagOfRequests = 'batch'

export const jsonCall: Scenario = wholeCall({})

/** @param delayMs time between two chunks; 0 sends them all together */
export function streamCall(
  { chunks, delayMs }: { chunks: number; delayMs: number },
  { client = chat, provider = client }: Wires = {},
): Scenario {
  const upstreamModel = `fake-chunks-${chunks}-delay-${delayMs}`
  return { upstreamModel, client, provider, isStream: true, chunks, isEndless: false, imageBytes: 0 }
}

/** Only the gateway can be called in a wire that differs from the provider's wire. */
export function wireFor(target: Target, { client, provider }: Scenario): BenchWire {
  return target.isGateway ? client : provider
}

/** The body has a system text and a question, about 600 bytes, and an image if the scenario has one. */
export function callBody(target: Target, scenario: Scenario): string {
  const wire = wireFor(target, scenario)
  const asked = wire.body(target.modelName(scenario), scenario.isStream)
  const body = target.isTagged === true ? { ...asked, svc: { tags: [tagOfRequests] } } : asked
  if (scenario.imageBytes === 0) return JSON.stringify(body)
  // The image shows whether the gateway searches its bytes. Only chat requests contain an image.
  const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(scenario.imageBytes / 11)}`
  const picture = { role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] }
  const messages = 'messages' in body && Array.isArray(body.messages) ? [...body.messages, picture] : []
  return JSON.stringify({ ...body, messages })
}
