import type { Choice, Piece } from './write-answer-by-directives.ts'
import type { PathVersion } from '#domain/provider-upstream-interface.ts'
import type { Rejection } from './simulated-rejection.ts'
import type { JsonObject } from './read-values-of-any-shape.ts'
import type { BackgroundTexts, KeptResponse, KeptResponses } from './responses-in-memory.ts'
import type { SimulatedRequest } from './simulated-request-types.ts'

export interface Vendor {
  read(body: JsonObject, call: CallFacts, kept: KeptResponses | null): SimulatedRequest | Rejection
  errorBody(status: number, rejection: Rejection | null, callId: string): string
  /** Whether an error states the time to wait in a header and not in the body. */
  readonly hasRetryAfter: boolean
  /** If true, directives can request only objects as arguments. */
  readonly hasObjectArguments: boolean
  /** Null if the wire has no path for counting. */
  countBody: ((inputTokens: number) => string) | null
  frames(said: Said): Frames
  whole(said: Said): string
  /** Null if the request forbids storing. Absent if the vendor stores no responses. */
  keep?(said: Said): KeptResponse | null
  /** Absent if the vendor generates no responses in the background. */
  runInBackground?(said: Said): Omit<BackgroundTexts, 'durationMs' | 'events'> & { readonly failed: string }
}

export interface CallFacts {
  readonly model: string
  readonly isStream: boolean
  readonly purpose: 'answer' | 'count'
  /** Absent for the first version. */
  readonly version?: PathVersion | undefined
}

export interface Said {
  readonly request: SimulatedRequest
  readonly callId: string
  readonly createdSeconds: number
  readonly choices: readonly Choice[]
  /** Whether thoughts are encrypted, if the wire supports that. */
  readonly isRedacted: boolean
  readonly searches: number
  /** Steps with code or with an MCP server, before the answer. */
  readonly runs: number
  readonly usage: SaidUsage | null
}

export interface SaidUsage {
  /** Includes cache reads and writes. */
  readonly input: number
  readonly cached: number
  readonly written: number
  /** Includes thoughts. */
  readonly output: number
  readonly reasoning: number
  readonly searches: number
  readonly addedTokens: number
  /** JSON text that replaces the output count. */
  readonly lie: string | null
}

/** The methods are called in the order of a stream, and each method returns its events in order. */
export interface Frames {
  opening(): string[]
  /** @param index index of the piece within its choice */
  token(choice: number, index: number, piece: Piece): string[]
  closing(): string[]
  broken(): string
  /** No event follows the error. */
  error(): string[]
}

export function claimed({ lie }: SaidUsage, truth: number): string {
  return lie ?? String(truth)
}
