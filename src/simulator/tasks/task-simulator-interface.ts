import type { Rejection } from '#simulator/simulated-rejection.ts'
import type { JsonObject } from '#simulator/read-json-loosely.ts'
import { randomFrom } from '#simulator/write-answer-by-directives.ts'
import type { KeptResponses } from '#simulator/responses-in-memory.ts'
import type { CallFacts } from '#simulator/wire-simulator-interface.ts'

/** The simulator of one task, such as embeddings: it parses requests and writes the responses. */
export interface Task {
  /** Reads the request in a body. Returns the vendor's rejection if the request is invalid. */
  read(body: JsonObject, call: CallFacts, kept: KeptResponses | null): TaskRequest | Rejection
  errorBody(status: number, rejection: Rejection | null): string
  /** Whether an error states the time to wait in a header and not in the body. */
  readonly hasRetryAfter: boolean
}

export interface TaskRequest {
  readonly inputTokens: number
  /** The text that may contain directives for the simulator. */
  readonly userText: string
  /** The media type of the response. Absent if the response is JSON. */
  readonly contentType?: string
  /** Whether a header reports the input tokens. Absent if only the body reports the input tokens. */
  readonly isUsageInHead?: true
  /**
   * Returns the response in pieces.
   * @param inputTokens the usage that is reported; null if no usage is reported
   */
  readonly pieces: (inputTokens: number | null) => Iterable<string | Uint8Array>
}

/**
 * Returns the length of the vectors that the request asks for. If the request sets no length, the model determines it.
 */
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

/** Returns the JSON of a vector, with six digits. */
export function numbersOf(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Number(value.toFixed(6))).join(',')}]`
}
