import type { Choice, Piece } from './scripted-answer.ts'
import type { Complaint } from './complaint.ts'
import type { JsonObject } from './loose-json.ts'
import type { KeptResponse, KeptResponses } from './stored-responses.ts'
import type { SimulatedRequest } from './simulated-request.ts'

/** The simulator on one wire: it reads requests and writes responses. */
export interface Vendor {
  /** Returns the request in a body, or the vendor's complaint about it. */
  read(body: JsonObject, call: CallFacts, kept: KeptResponses | null): SimulatedRequest | Complaint
  errorBody(status: number, complaint: Complaint | null, callId: string): string
  /** Whether the wait is in a header and not in the body. */
  readonly hasRetryAfter: boolean
  /** Whether a tool's arguments must be an object in the response. Directives then cannot request other values. */
  readonly hasObjectArguments: boolean
  /** Returns the response to a token count. Null if the wire has no path for counting. */
  countBody: ((inputTokens: number) => string) | null
  frames(said: Said): Frames
  /** Returns the non-streaming response, as JSON text. */
  whole(said: Said): string
  /** Returns what the vendor keeps of a response. Null if the request forbids it. Absent if the vendor keeps none. */
  keep?(said: Said): KeptResponse | null
}

/** Facts of a call that are in its path and not in its body. */
export interface CallFacts {
  readonly model: string
  readonly isStream: boolean
  readonly purpose: 'answer' | 'count'
}

/** The contents of the response. */
export interface Said {
  readonly request: SimulatedRequest
  readonly callId: string
  readonly createdSeconds: number
  readonly choices: readonly Choice[]
  /** Whether thoughts are unreadable, if the wire supports that. */
  readonly isRedacted: boolean
  /** Number of web searches before the answer. */
  readonly searches: number
  readonly usage: SaidUsage | null
}

export interface SaidUsage {
  /** All input, including cache reads and writes. */
  readonly input: number
  readonly cached: number
  readonly written: number
  /** All output, including thoughts. */
  readonly output: number
  readonly reasoning: number
  /** Number of web searches, and the part of the input that their results are. */
  readonly searches: number
  readonly searchTokens: number
  /** JSON text in place of the output count. Null for the true count. */
  readonly lie: string | null
}

/** A stream, frame by frame. The methods are called in order, and each returns frames in order. */
export interface Frames {
  /** Returns the frames before the first token. */
  opening(): string[]
  /** @param index index of the piece within its choice */
  token(choice: number, index: number, piece: Piece): string[]
  /** Returns all frames after the last token. */
  closing(): string[]
  /** Returns a frame whose JSON is truncated. */
  broken(): string
  /** Reports a failure of the vendor. No frame follows. */
  error(): string[]
}

/** Returns the number of output tokens that the provider claims, as JSON text. */
export function claimed({ lie }: SaidUsage, truth: number): string {
  return lie ?? String(truth)
}
