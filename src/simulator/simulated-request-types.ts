import type { JsonObject } from './read-values-of-any-shape.ts'
import { countTokens } from './count-simulated-tokens.ts'

/** The content of a request in a form that is the same for all wires. */
export interface SimulatedRequest extends Conversation {
  readonly model: string
  readonly isStream: boolean
  /** Whether a chat stream ends with a usage chunk. */
  readonly isUsageWanted: boolean
  /** Null means no maximum. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly stops: readonly string[]
  readonly seed: string | null
  readonly tools: readonly SimulatedTool[]
  /** Null if the model need not call any tool. */
  readonly forcedTool: SimulatedTool | null
  readonly mayCallSeveral: boolean
  /** Absent without the provider's search tool in the request. */
  readonly searchesMax?: number
  /** The kind of tool that the provider runs step by step. Absent without such a tool in the request. */
  readonly runs?: 'code' | 'image' | 'mcp'
  /** Absent if the request sets no maximum. */
  readonly runsMax?: number
  /** `{}` allows any JSON, and null allows text. */
  readonly schema: JsonObject | null
  readonly reasoning: {
    readonly isOff: boolean
    /** If false, only the usage of the thoughts is reported. */
    readonly isShown: boolean
    /** Whether thoughts are sent with a signature or encrypted, so that the client can send them back. */
    readonly isSealed: boolean
  }
  /** Some wires repeat fields of the original body in their responses. */
  readonly body: JsonObject
}

export interface SimulatedTool {
  readonly name: string
  readonly isCustom: boolean
  readonly parameters: JsonObject
}

export interface Conversation {
  readonly inputTokens: number
  /** The input tokens that the vendor has stored. */
  readonly cachedTokens?: number
  /** The last text of the user, in which directives are read. */
  readonly userText: string
  readonly isAfterTools: boolean
}

export interface Said {
  /** Null in turns of other roles, and if the turn has no text. */
  readonly userText: string | null
  readonly hasResults: boolean
  readonly input: Input
}

export interface Input {
  readonly texts?: readonly (string | null | undefined)[]
  /** The JSON text of these values is counted. */
  readonly values?: readonly unknown[]
  readonly media?: number
}

/** The simulator does not read images. Several providers charge this number of tokens for a small image. */
const mediumTokens = 85
/** Tokens of each message and of the answer, as in OpenAI's counting example. */
const frameTokens = 3

/**
 * The count is at most one token per byte of the request, plus the gateway's allowances for messages and media
 * (docs/reference/tokens.md "Upper bound of the input tokens").
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
