import type { Choice, Piece } from './scripted-answer.ts'
import type { Complaint } from './complaint.ts'
import type { JsonObject } from './loose-json.ts'
import type { SimulatedRequest } from './simulated-request.ts'

/** The simulator on one wire: how it reads requests and writes answers. */
export interface Vendor {
  /** The request in a body, or the vendor's complaint about it. */
  read(body: JsonObject, call: CallFacts): SimulatedRequest | Complaint
  errorBody(status: number, complaint: Complaint | null, callId: string): string
  /** The wait is in a header instead of the body. */
  readonly hasRetryAfter: boolean
  /** A tool's arguments are an object in the answer, so others cannot be ordered. */
  readonly hasObjectArguments: boolean
  /** The answer to a token count; null where the wire has no path for one. */
  countBody: ((inputTokens: number) => string) | null
  frames(said: Said): Frames
  /** The answer that is not streamed, as JSON text. */
  whole(said: Said): string
}

/** Facts of a call in its path instead of its body. */
export interface CallFacts {
  readonly model: string
  readonly isStream: boolean
  readonly purpose: 'answer' | 'count'
}

/** The contents of the answer. */
export interface Said {
  readonly request: SimulatedRequest
  readonly callId: string
  readonly createdSeconds: number
  readonly choices: readonly Choice[]
  /** Thoughts are unreadable, where the wire has that. */
  readonly isRedacted: boolean
  readonly usage: SaidUsage | null
}

export interface SaidUsage {
  /** All input, cache reads and writes included. */
  readonly input: number
  readonly cached: number
  readonly written: number
  /** All output, thoughts included. */
  readonly output: number
  readonly reasoning: number
  /** JSON text in place of the output count; null: the true count. */
  readonly lie: string | null
}

/** A stream, frame by frame; each method is called in its turn, and gives frames in order. */
export interface Frames {
  /** Before the first token. */
  opening(): string[]
  /** @param index of the piece within its choice */
  token(choice: number, index: number, piece: Piece): string[]
  /** Everything after the last token. */
  closing(): string[]
  /** A frame whose JSON ends too early. */
  broken(): string
  /** The vendor reports a failure; nothing comes after it. */
  error(): string[]
}

/** The count of output tokens that the provider claims, as JSON text. */
export function claimed({ lie }: SaidUsage, truth: number): string {
  return lie ?? String(truth)
}
