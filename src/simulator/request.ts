import type { JsonObject } from './loose-json.ts'
import { countTokens } from './tokens.ts'

/** What the simulator knows of a request, whichever wire it came in. */
export interface SimulatedRequest {
  readonly model: string
  readonly isStream: boolean
  /** A stream of the chat wire is to end with its usage. */
  readonly isUsageWanted: boolean
  /** Output tokens of one choice; null: as many as it likes. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly stops: readonly string[]
  readonly inputTokens: number
  /** The last text of the user, where the directives are. */
  readonly userText: string
  /** True when the results of the tools that were called come after the user's text. */
  readonly isAfterTools: boolean
  readonly seed: string | null
  readonly tools: readonly SimulatedTool[]
  /** The tool that must be called. */
  readonly forcedTool: SimulatedTool | null
  readonly mayCallSeveral: boolean
  /** The answer must be an instance of this JSON Schema; `{}` stands for any JSON. */
  readonly schema: JsonObject | null
  readonly reasoning: {
    /** Told not to think. */
    readonly isOff: boolean
    /** The thoughts are in the answer, and not only in its usage. */
    readonly isShown: boolean
    /** They come with a seal for giving them back. */
    readonly isSealed: boolean
  }
  /** As it came, for wires whose answers repeat it. */
  readonly body: JsonObject
}

export interface SimulatedTool {
  readonly name: string
  /** Its input is free text and no JSON. */
  readonly isCustom: boolean
  readonly parameters: JsonObject
}

/** What small images cost at several providers; the simulator does not look at them. */
const imageTokens = 85
/** Around each message, and around the answer, as OpenAI's own counting example has it. */
const frameTokens = 3

/**
 * Adds up the input. It never comes to more than a token per byte of the request, with the allowances
 * that the gateway makes for messages and media (tokens.md 1).
 */
export class InputCount {
  tokens = frameTokens

  message(): void {
    this.tokens += frameTokens
  }

  text(text: string): void {
    this.tokens += countTokens(text)
  }

  json(value: unknown): void {
    if (value !== undefined) this.tokens += countTokens(JSON.stringify(value))
  }

  /** Also for other media, of which it knows no more. */
  image(): void {
    this.tokens += imageTokens
  }
}
