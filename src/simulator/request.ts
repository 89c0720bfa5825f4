import type { JsonObject } from './loose-json.ts'
import { countTokens } from './tokens.ts'

/** What the simulator knows of a request, whichever wire it came in. */
export interface SimulatedRequest extends Conversation {
  readonly model: string
  readonly isStream: boolean
  /** A stream of the chat wire is to end with its usage. */
  readonly isUsageWanted: boolean
  /** Output tokens of one choice; null: as many as it likes. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly stops: readonly string[]
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

/** What was said so far. */
export interface Conversation {
  readonly inputTokens: number
  /** The last text of the user, where the directives are. */
  readonly userText: string
  /** True when the results of the tools that were called come after the user's text. */
  readonly isAfterTools: boolean
}

/** What one side says, as far as the simulator looks at it. */
export interface Said {
  /** The user's own words; null where somebody else speaks, or says none. */
  readonly userText: string | null
  /** Results of tools are in it. */
  readonly hasResults: boolean
  readonly input: Input
}

/** What costs input tokens. */
export interface Input {
  readonly texts?: readonly (string | null | undefined)[]
  /** Counted as the JSON text that they are. */
  readonly values?: readonly unknown[]
  /** Images and other media. */
  readonly media?: number
}

/** What small images cost at several providers; the simulator does not look at them. */
const mediumTokens = 85
/** Around each message, and around the answer, as OpenAI's own counting example has it. */
const frameTokens = 3

/**
 * The input never comes to more than a token per byte of the request, with the allowances that the gateway makes for
 * messages and media (docs/reference/tokens.md "The bound of an input").
 * @param besides what is in the request but for its messages
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
