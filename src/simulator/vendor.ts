import type { Choice, Piece } from './scripted-answer.ts'
import type { Complaint } from './complaint.ts'
import type { JsonObject } from './loose-json.ts'
import type { SimulatedRequest } from './request.ts'

/** What the simulator is to one wire: how it reads there, and how it writes what it says. */
export interface Vendor {
  /** The request in a body, or what the vendor would refuse it for. */
  read(body: JsonObject, call: CallFacts): SimulatedRequest | Complaint
  errorBody(status: number, complaint: Complaint | null, callId: string): string
  /** How long to wait is said in a header and not in the body. */
  readonly hasRetryAfter: boolean
  /** The arguments of a tool are an object in the answer, so others cannot be ordered. */
  readonly hasObjectArguments: boolean
  /** The answer to how many tokens a request has; null where the wire has no such question. */
  countBody: ((inputTokens: number) => string) | null
  frames(said: Said): Frames
  /** The answer that is not streamed, as JSON text. */
  whole(said: Said): string
}

/** What of a call stands in its path, and not in its body. */
export interface CallFacts {
  readonly model: string
  readonly isStream: boolean
  readonly purpose: 'answer' | 'count'
}

/** Everything that the answer consists of. */
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
  /** All of it, with what was in the cache or went there. */
  readonly input: number
  readonly cached: number
  readonly written: number
  /** All of it, with the thoughts. */
  readonly output: number
  readonly reasoning: number
  /** JSON text that stands where the output should; null: the truth does. */
  readonly lie: string | null
}

/** A stream, frame by frame; each method is called when its turn comes, and gives frames in order. */
export interface Frames {
  /** Before the first token. */
  opening(): string[]
  /** @param index of the piece within its choice */
  token(choice: number, index: number, piece: Piece): string[]
  /** Everything after the last token. */
  closing(): string[]
  /** A frame whose JSON ends too early. */
  broken(): string
  /** The vendor says that it failed; nothing comes after it. */
  error(): string[]
}

/** The count of output tokens as the provider claims it, as JSON text. */
export function claimed({ lie }: SaidUsage, truth: number): string {
  return lie ?? String(truth)
}
