import type { Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import type { WireError } from '#wire/wire-error.ts'

/**
 * A provider's stream on its way to the client, counted as it passes. The end is **held back**: what
 * tells the client that the answer is whole is given by `tail`, which the gateway writes once the settle
 * has committed, so that whoever saw the end of an answer finds it on the ledger.
 */
export interface AnswerStream {
  readonly state: StreamState
  /** What the provider said of its failure, as it came: nothing of it may be shown yet. */
  readonly failure: ProviderError | null
  /** The last word of the provider; null while it has said nothing believable. */
  readonly usage: Usage | null
  /**
   * What the provider has said of the input before the answer's end, for one that is cut: how much of it was
   * cached is known to no one else. What it says there of the output is no count.
   */
  readonly inputUsage?: Usage | null
  /** True once a usage was there, even one that could not be believed. */
  readonly hasReportedUsage: boolean
  /** The provider's name for the model that answers; null or absent while it has stated none. */
  readonly answeredBy?: string | null
  /**
   * Something was given out that the client can see of the answer: a text, a thought, a call, a picture. Not
   * what stands around it, and not what its wire has no place for.
   */
  readonly hasDelivered: boolean
  /**
   * The provider has sent an error, and its next event may say what it has used (responses): the stream is open
   * until that or its end, and not for long.
   */
  readonly isFailing?: boolean
  /** A stop sequence has ended the answer here, and the provider would write on: it is to be cut off. */
  readonly isStopped?: boolean
  /** Frames that were no JSON and carried no words; they are left out. */
  readonly droppedFrames: number
  /** Pieces that carried text, or what is of no known shape. Each is a token at least. */
  readonly textChunks: number
  /** Tokens that came out so far, leaning high. */
  readonly outputTokens: number
  /**
   * Tokens that surely came out: evidence that a provider passed the maximum it was given. As many as
   * pieces with text, unless those are so short that a server must have cut tokens up; and never fewer
   * than a token per 15 characters of ASCII.
   */
  readonly outputTokensSure: number

  /**
   * @returns what to write to the client now; empty for nothing. Nothing before the first piece of an
   *   answer, so that an error in its place can still become a real status.
   */
  push(chunk: ByteText): ByteText
  /** The provider closed. @returns what is still to be written before the tail */
  end(): ByteText
  /** The end of a good answer. @param usage as it was settled; a pass-through has the provider's own frame */
  tail(usage: Usage): ByteText
  /** The end of an answer that spend has cut. */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** The end of an answer that failed after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}

export type StreamState =
  | 'open'
  /** The frame that ends an answer was seen, or the provider closed after a finish reason. */
  | 'done'
  /** The provider sent an error in the stream. */
  | 'failed'
  /** A frame that is no JSON, or larger than one may be: nothing after it can be trusted. */
  | 'broken'

/** A whole answer: what it used, and its bytes with the client's model name in them. */
export interface WholeAnswer {
  readonly usage: Usage | null
  /** True when a usage was there, even one that cannot be believed. */
  readonly hasReportedUsage: boolean
  /** The provider's name for the model that answered; null or absent if it states none. */
  readonly answeredBy?: string | null
  /** As reported; by our own count where nothing is, or none although it has words. */
  readonly outputTokens: number
  readonly body: ByteText
  /** The body with the usage that is charged in it, where it states the gateway's own count. */
  readonly bodyWith?: (usage: Usage) => ByteText
}
