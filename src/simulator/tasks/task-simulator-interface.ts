import type { Rejection } from '#simulator/simulated-rejection.ts'
import type { JsonObject } from '#simulator/read-values-of-any-shape.ts'
import { randomFrom } from '#simulator/write-answer-by-directives.ts'
import type { KeptResponses } from '#simulator/responses-in-memory.ts'
import type { CallFacts } from '#simulator/wire-simulator-interface.ts'

export interface Task {
  read(body: JsonObject, call: CallFacts, kept: KeptResponses | null): TaskRequest | Rejection
  errorBody(status: number, rejection: Rejection | null): string
  /** Whether an error states the time to wait in a header and not in the body. */
  readonly hasRetryAfter: boolean
}

export interface TaskRequest {
  readonly inputTokens: number
  readonly userText: string
  /** Absent if the response is JSON. */
  readonly contentType?: string
  /** Absent if only the body reports the input tokens. */
  readonly isUsageInHead?: true
  /** @param inputTokens the usage that is reported; null if no usage is reported */
  readonly pieces: (inputTokens: number | null) => Iterable<string | Uint8Array>
}

/** Without a length in the request, the model determines the length. */
export function dimensionsOf(model: string, asked: number | null): number {
  return asked ?? (/large|gemini/i.test(model) ? 3072 : 1536)
}

/** Returns a vector of length 1. Equal texts have equal vectors, and the vectors of different texts are unrelated. */
export function vectorOf(text: string, dimensions: number): Float32Array {
  const random = randomFrom(text)
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5)
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

export function numbersOf(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Number(value.toFixed(6))).join(',')}]`
}
