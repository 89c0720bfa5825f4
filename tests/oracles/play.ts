import type { UpstreamWire } from '#domain/provider-kinds.ts'
import { isObject, type JsonObject } from '#simulator/loose-json.ts'
import { script, type SimulatedCall } from '#simulator/script.ts'

/** All actions of a simulated provider for one request; for tests. */
export interface Played {
  readonly status: number
  readonly contentType: string
  readonly retryAfterSeconds: number | null
  readonly text: string
  /** The parsed body. An empty object if it is not JSON. */
  readonly body: JsonObject
  /** The data of the stream's frames that are JSON, in order. */
  readonly frames: readonly JsonObject[]
  /** The names of its events, in order. */
  readonly events: readonly string[]
  readonly end: 'end' | 'hang' | 'cut'
}

export function play(wire: UpstreamWire, body: object, facts: Partial<SimulatedCall> = {}): Played {
  const call: SimulatedCall = {
    wire,
    model: 'some-model',
    isStream: false,
    purpose: 'answer',
    body: Buffer.from(JSON.stringify(body)),
    callId: '01call',
    createdSeconds: 1_800_000_000,
    ...facts,
  }
  let head = { status: 0, contentType: '', retryAfterSeconds: null as number | null }
  let end: Played['end'] = 'end'
  const pieces: Uint8Array[] = []
  for (const step of script(call)) {
    if (step.kind === 'head') head = step
    else if (step.kind === 'bytes') pieces.push(step.bytes)
    else if (step.kind !== 'wait') {
      end = step.kind
      break
    }
  }
  const { status, contentType, retryAfterSeconds } = head
  const text = Buffer.concat(pieces).toString()
  const lines = text.split(/\r?\n/)
  return {
    status,
    contentType,
    retryAfterSeconds,
    text,
    end,
    body: objectIn(text) ?? {},
    frames: lines
      .filter((line) => line.startsWith('data: '))
      .map((line) => objectIn(line.slice(6)))
      .filter((frame) => frame !== null),
    events: lines.filter((line) => line.startsWith('event: ')).map((line) => line.slice(7)),
  }
}

function objectIn(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
