import type { Choice, Piece } from './write-answer-by-directives.ts'
import type { PathVersion } from '#domain/provider-upstream-interface.ts'
import type { Rejection } from './simulated-rejection.ts'
import type { JsonObject } from './read-json-loosely.ts'
import type { BackgroundTexts, KeptResponse, KeptResponses } from './responses-in-memory.ts'
import type { SimulatedRequest } from './simulated-request-types.ts'

/** The simulator of one wire: it parses requests and writes responses. */
export interface Vendor {
  /** Reads the request in a body. Returns the vendor's rejection if the request is invalid. */
  read(body: JsonObject, call: CallFacts, kept: KeptResponses | null): SimulatedRequest | Rejection
  errorBody(status: number, rejection: Rejection | null, callId: string): string
  /** Whether an error states the time to wait in a header and not in the body. */
  readonly hasRetryAfter: boolean
  /**
   * Whether the arguments of a tool call are an object in the response. If so, directives can request only objects as
   * arguments.
   */
  readonly hasObjectArguments: boolean
  /** Returns the response to a request that counts tokens. Null if the wire has no path for counting. */
  countBody: ((inputTokens: number) => string) | null
  frames(said: Said): Frames
  /** Returns the non-streaming response as JSON text. */
  whole(said: Said): string
  /**
   * Returns the response in the form in which the vendor stores it. Null if the request forbids storing. Absent if the
   * vendor stores no responses.
   */
  keep?(said: Said): KeptResponse | null
  /**
   * Returns the JSON of a response that is generated in the background: one text for each state of the response. Absent
   * if the vendor generates no responses in the background.
   */
  runInBackground?(said: Said): Omit<BackgroundTexts, 'durationMs' | 'events'> & { readonly failed: string }
}

/** The facts about a call that its path states. */
export interface CallFacts {
  readonly model: string
  readonly isStream: boolean
  readonly purpose: 'answer' | 'count'
  /** The API version in the path. Absent for the first version. */
  readonly version?: PathVersion | undefined
}

/** The contents of the response. */
export interface Said {
  readonly request: SimulatedRequest
  readonly callId: string
  readonly createdSeconds: number
  readonly choices: readonly Choice[]
  /** Whether thoughts are encrypted, if the wire supports that. */
  readonly isRedacted: boolean
  /** Number of web searches before the answer. */
  readonly searches: number
  /** Number of steps with code or with an MCP server before the answer. */
  readonly runs: number
  readonly usage: SaidUsage | null
}

export interface SaidUsage {
  /** Number of input tokens, including cache reads and writes. */
  readonly input: number
  readonly cached: number
  readonly written: number
  /** Number of output tokens, including thoughts. */
  readonly output: number
  readonly reasoning: number
  /** Number of web searches. */
  readonly searches: number
  /** Number of input tokens that the provider's tools add. */
  readonly addedTokens: number
  /** JSON text that is reported in place of the output count. Null if the true count is reported. */
  readonly lie: string | null
}

/**
 * Writes a stream event by event. The methods are called in the order of a stream, and each method returns its events
 * in order.
 */
export interface Frames {
  /** Returns the events before the first token. */
  opening(): string[]
  /** @param index index of the piece within its choice */
  token(choice: number, index: number, piece: Piece): string[]
  /** Returns all events after the last token. */
  closing(): string[]
  /** Returns an event whose JSON is truncated. */
  broken(): string
  /** Returns the event that reports a failure of the vendor. No event follows the error. */
  error(): string[]
}

/** Returns the JSON text of the output count to report. A directive can replace the true count. */
export function claimed({ lie }: SaidUsage, truth: number): string {
  return lie ?? String(truth)
}
