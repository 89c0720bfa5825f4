import type { JsonObject } from './read-json-loosely.ts'
import { countTokens } from './count-simulated-tokens.ts'

/** The content of a request in a form that is the same for all wires. */
export interface SimulatedRequest extends Conversation {
  readonly model: string
  readonly isStream: boolean
  /** Whether a chat stream ends with a usage chunk. */
  readonly isUsageWanted: boolean
  /** Maximum output tokens of one choice. Null means no maximum. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly stops: readonly string[]
  readonly seed: string | null
  readonly tools: readonly SimulatedTool[]
  /** The tool that the model must call. Null if the model need not call any tool. */
  readonly forcedTool: SimulatedTool | null
  readonly mayCallSeveral: boolean
  /** Maximum number of web searches. Absent if the request does not contain the provider's search tool. */
  readonly searchesMax?: number
  /** The kind of tool that the provider runs step by step. Absent if the request contains no such tool. */
  readonly runs?: 'code' | 'image' | 'mcp'
  /** Maximum number of steps of this tool. Absent if the request sets no maximum. */
  readonly runsMax?: number
  /** JSON Schema that the answer must satisfy. `{}` allows any JSON, and null allows text. */
  readonly schema: JsonObject | null
  readonly reasoning: {
    /** Whether the request turned thinking off. */
    readonly isOff: boolean
    /** Whether the response contains the thoughts themselves. If false, only the usage of the thoughts is reported. */
    readonly isShown: boolean
    /** Whether thoughts are sent with a signature or encrypted, so that the client can send them back. */
    readonly isSealed: boolean
  }
  /** The original body, for wires whose responses repeat some of its fields. */
  readonly body: JsonObject
}

export interface SimulatedTool {
  readonly name: string
  /** Whether the input of the tool is plain text instead of JSON. */
  readonly isCustom: boolean
  readonly parameters: JsonObject
}

/** The conversation that a request sends or continues. */
export interface Conversation {
  readonly inputTokens: number
  /** The input tokens that the vendor has stored. Absent if the request uses no cached content. */
  readonly cachedTokens?: number
  /** The last text of the user, in which directives are read. */
  readonly userText: string
  /** Whether tool results follow the user's last text. */
  readonly isAfterTools: boolean
}

/** A turn of the conversation, with the facts that the simulator needs. */
export interface Said {
  /** The text of a user turn. Null in turns of other roles, and if the turn has no text. */
  readonly userText: string | null
  /** Whether the turn contains tool results. */
  readonly hasResults: boolean
  readonly input: Input
}

/** The parts of the request that cost input tokens. */
export interface Input {
  readonly texts?: readonly (string | null | undefined)[]
  /** Values whose JSON text is counted. */
  readonly values?: readonly unknown[]
  /** Number of images and other media. */
  readonly media?: number
}

/**
 * Number of tokens that the simulator counts for each image. Several providers charge this number for a small image.
 * The simulator does not read images.
 */
const mediumTokens = 85
/** Number of tokens that are added for each message and for the answer, as in OpenAI's counting example. */
const frameTokens = 3

/**
 * Returns the conversation with its input tokens. The count never exceeds one token per byte of the request, plus the
 * amounts that the gateway adds for messages and media (docs/reference/tokens.md "Upper bound of the input tokens").
 * @param besides the parts of the request that cost tokens in addition to its messages
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
