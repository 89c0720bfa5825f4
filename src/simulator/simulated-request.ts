import type { JsonObject } from './loose-json.ts'
import { countTokens } from './token-count.ts'

/** The facts of a request, independent of its wire. */
export interface SimulatedRequest extends Conversation {
  readonly model: string
  readonly isStream: boolean
  /** Whether a chat stream ends with its usage. */
  readonly isUsageWanted: boolean
  /** Maximum output tokens of one choice. Null means no maximum. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly stops: readonly string[]
  readonly seed: string | null
  readonly tools: readonly SimulatedTool[]
  /** The tool that the model must call. Null if the model need not call a tool. */
  readonly forcedTool: SimulatedTool | null
  readonly mayCallSeveral: boolean
  /** Maximum number of web searches by the provider. Absent if the request does not offer its search. */
  readonly searchesMax?: number
  /** The answer must be an instance of this JSON Schema. `{}` allows any JSON. Null allows text. */
  readonly schema: JsonObject | null
  readonly reasoning: {
    /** Whether the request turned thinking off. */
    readonly isOff: boolean
    /** Whether the response contains the thoughts, and not only their usage. */
    readonly isShown: boolean
    /** Whether thoughts are sent with a seal, so that the client can return them. */
    readonly isSealed: boolean
  }
  /** The original body, for wires whose responses repeat it. */
  readonly body: JsonObject
}

export interface SimulatedTool {
  readonly name: string
  /** Whether its input is free text in place of JSON. */
  readonly isCustom: boolean
  readonly parameters: JsonObject
}

/** The conversation so far. */
export interface Conversation {
  readonly inputTokens: number
  /** The last text of the user, which contains the directives. */
  readonly userText: string
  /** Whether the results of the called tools come after the user's text. */
  readonly isAfterTools: boolean
}

/** A turn of one side, with the parts that the simulator reads. */
export interface Said {
  /** The user's text. Null in other turns, or if the turn has no text. */
  readonly userText: string | null
  /** Whether the turn contains tool results. */
  readonly hasResults: boolean
  readonly input: Input
}

/** The parts that cost input tokens. */
export interface Input {
  readonly texts?: readonly (string | null | undefined)[]
  /** Values that are counted as their JSON text. */
  readonly values?: readonly unknown[]
  /** Number of images and other media. */
  readonly media?: number
}

/** The token cost of a small image at several providers. The simulator does not read images. */
const mediumTokens = 85
/** Tokens around each message and around the answer, as in OpenAI's own counting example. */
const frameTokens = 3

/**
 * Returns the conversation with its input tokens. The input never exceeds one token per byte of the request, plus the
 * gateway's allowances for messages and media (docs/reference/tokens.md "The bound of an input").
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
