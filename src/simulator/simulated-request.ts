import type { JsonObject } from './loose-json.ts'
import { countTokens } from './token-count.ts'

/** The facts of a request, on whichever wire it came. */
export interface SimulatedRequest extends Conversation {
  readonly model: string
  readonly isStream: boolean
  /** A chat stream ends with its usage. */
  readonly isUsageWanted: boolean
  /** Output tokens of one choice; null: no maximum. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly stops: readonly string[]
  readonly seed: string | null
  readonly tools: readonly SimulatedTool[]
  /** The tool that the model must call. */
  readonly forcedTool: SimulatedTool | null
  readonly mayCallSeveral: boolean
  /** The answer must be an instance of this JSON Schema; `{}` allows any JSON. */
  readonly schema: JsonObject | null
  readonly reasoning: {
    /** The request turned thinking off. */
    readonly isOff: boolean
    /** The answer has the thoughts, and not only its usage. */
    readonly isShown: boolean
    /** Thoughts come with a seal for giving them back. */
    readonly isSealed: boolean
  }
  /** The original, for wires whose answers repeat it. */
  readonly body: JsonObject
}

export interface SimulatedTool {
  readonly name: string
  /** Its input is free text instead of JSON. */
  readonly isCustom: boolean
  readonly parameters: JsonObject
}

/** The conversation so far. */
export interface Conversation {
  readonly inputTokens: number
  /** The last text of the user, where the directives are. */
  readonly userText: string
  /** Whether the results of the called tools come after the user's text. */
  readonly isAfterTools: boolean
}

/** One side's turn, as far as the simulator reads it. */
export interface Said {
  /** The user's own words; null in other turns, or where there are none. */
  readonly userText: string | null
  /** The turn has results of tools. */
  readonly hasResults: boolean
  readonly input: Input
}

/** The parts that cost input tokens. */
export interface Input {
  readonly texts?: readonly (string | null | undefined)[]
  /** Counted as their JSON text. */
  readonly values?: readonly unknown[]
  /** Images and other media. */
  readonly media?: number
}

/** The cost of small images at several providers; the simulator does not read them. */
const mediumTokens = 85
/** Around each message, and around the answer, as in OpenAI's own counting example. */
const frameTokens = 3

/**
 * The input is never more than a token per byte of the request, with the gateway's allowances for messages and media
 * (docs/reference/tokens.md "The bound of an input").
 * @param besides the parts of the request outside its messages
 */
export function conversationOf(said: readonly Said[], besides: Input): Conversation {
  const lastUser = said.findLastIndex(({ userText }) => userText !== null)
  const inputs = [besides, ...said.map(({ input }) => input)]
  return {
    inputTokens: inputs.reduce((sum, input) => sum + frameTokens + tokensOf(input), 0),
    userText: said[lastUser]?.userText ?? '',
    isAfterTools: said.slice(lastUser + 1).some(({ hasResults }) => hasResults),
  }
}

function tokensOf({ texts = [], values = [], media = 0 }: Input): number {
  let tokens = media * mediumTokens
  for (const text of texts) tokens += countTokens(text ?? '')
  for (const value of values) if (value !== undefined) tokens += countTokens(JSON.stringify(value))
  return tokens
}
