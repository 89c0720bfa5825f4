import type { Usage } from '#money/usage.ts'

/**
 * One call and its answer in no vendor's words. A request goes through this form when the client speaks
 * one wire and the provider another; on one and the same wire nothing of it is used, and the bytes go
 * through as they are (splice.ts).
 *
 * What a wire cannot say is left out here before it is written (features.ts); so a writer may rely on
 * finding nothing that its wire has no place for, and losses are decided, named and documented in one
 * place. Absent is null and never a default, so that what a client did not say is not said for it.
 */
export type WireName = 'chat' | 'messages' | 'generate' | 'responses'

/** Who speaks chat: OpenAI's own service, or a server that follows it. */
export type Dialect = 'openai' | 'compatible'

export interface NeutralRequest {
  /** System and developer text before the first turn, in order. */
  readonly instructions: readonly TextPart[]
  /** Never two of one role in a row: readers merge them. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | null
  /** False: at most one tool call a turn. */
  readonly parallelTools: boolean | null
  readonly outputTokensMax: number | null
  readonly sampling: Sampling
  readonly stop: readonly string[]
  readonly output: OutputFormat | null
  readonly reasoning: ReasoningWish | null
  readonly verbosity: 'low' | 'medium' | 'high' | null
  readonly choices: number
  /** How many alternatives per token; 0: the chosen token's own. Null: none asked for. */
  readonly logprobs: number | null
  readonly logitBias: JsonObject | null
  readonly serviceTier: string | null
  readonly metadata: JsonObject | null
  /** Who the client says its user is, for abuse reports. */
  readonly userId: string | null
  readonly cacheKey: string | null
  readonly isStream: boolean
  /** The client of a chat stream asked for the usage chunk. */
  readonly wantsUsage: boolean
  /** Top-level fields that mean something on the client's wire only, by name (`safetySettings`, `truncation`). */
  readonly others: readonly string[]
}

export interface Turn {
  /** `system` in the middle of a conversation. Tool results are parts of a user's turn. */
  readonly role: 'user' | 'assistant' | 'system'
  readonly parts: readonly Part[]
}

export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | RefusalPart

export interface TextPart {
  readonly kind: 'text'
  readonly text: string
  readonly cache: CacheMark | null
}

/** Up to here the prompt may be kept by the provider; how long, where the client says. */
export type CacheMark = 'short' | 'long'

export interface ImagePart {
  readonly kind: 'image'
  readonly source: MediaSource
  readonly detail: 'low' | 'high' | 'auto' | null
  readonly cache: CacheMark | null
}

/** A PDF or a text document. */
export interface FilePart {
  readonly kind: 'file'
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string }
  readonly name: string | null
  readonly cache: CacheMark | null
}

export interface AudioPart {
  readonly kind: 'audio'
  /** Base64. */
  readonly data: string
  /** `audio/wav`, `audio/mpeg`, ... */
  readonly mediaType: string
}

export type MediaSource =
  | { readonly kind: 'data'; readonly mediaType: string; /** Base64. */ readonly data: string }
  | { readonly kind: 'url'; readonly url: string }

export interface ToolCallPart {
  readonly kind: 'tool_call'
  /** Unique in the conversation; readers mint `call_<n>` where their wire has none. */
  readonly id: string
  readonly name: string
  /** The arguments as JSON text, as the model wrote them; of a custom tool its text. */
  readonly arguments: string
  readonly isCustom: boolean
}

export interface ToolResultPart {
  readonly kind: 'tool_result'
  readonly callId: string
  /** From the call; null when there is no such call in the conversation. */
  readonly name: string | null
  readonly parts: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError: boolean
  readonly isCustom: boolean
  readonly cache: CacheMark | null
}

/** What the model thought, to be given back to it. */
export interface ReasoningPart {
  readonly kind: 'reasoning'
  readonly text: string
  readonly opaque: Opaque | null
}

/**
 * The provider's own seal on its reasoning: a signature, an encrypted text. Worth something only to the
 * account that made it; on its way through a client of another wire it travels tagged with `origin` in
 * that wire's own opaque field (opaque.ts).
 */
export interface Opaque {
  readonly wire: WireName
  /** Who made it, as a short text that tells accounts apart and names none; null: the client's own provider. */
  readonly origin: string | null
  readonly kind: 'signature' | 'redacted' | 'encrypted' | 'thought_signature'
  readonly data: string
  /** The item's id on its wire (responses), where replaying needs it. */
  readonly id: string | null
}

export interface RefusalPart {
  readonly kind: 'refusal'
  readonly text: string
}

export interface Tool {
  readonly name: string
  readonly description: string | null
  /** JSON Schema of the arguments; null: none given. Always null for a custom tool. */
  readonly parameters: JsonObject | null
  readonly isStrict: boolean | null
  /** A tool whose input is free text, and the format that the text has to have, in the chat wire's shape. */
  readonly custom: { readonly format: JsonObject | null } | null
  readonly cache: CacheMark | null
}

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'required' }
  | { readonly kind: 'one'; readonly name: string }
  | { readonly kind: 'subset'; readonly names: readonly string[]; readonly isRequired: boolean }

export interface Sampling {
  readonly temperature: number | null
  readonly topP: number | null
  readonly topK: number | null
  readonly seed: number | null
  readonly frequencyPenalty: number | null
  readonly presencePenalty: number | null
}

export type OutputFormat =
  | { readonly kind: 'text' | 'json' }
  | {
      readonly kind: 'schema'
      readonly name: string | null
      readonly description: string | null
      readonly schema: JsonObject
      readonly isStrict: boolean | null
    }

export interface ReasoningWish {
  readonly effort: Effort | null
  /** Tokens to think with, where the client counts and does not name. */
  readonly budgetTokens: number | null
  /** Whether the client wants to see thoughts; null: it did not say. */
  readonly isShown: boolean | null
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** A value of JSON.parse; numbers that a double cannot hold are kept as they were written (json-values.ts). */
export type JsonValue = unknown
export type JsonObject = Readonly<Record<string, JsonValue>>

/**
 * An answer as it comes, from a stream or from a whole body. Rules: `start` first; `usage` is a snapshot
 * that overwrites the one before, and never adds; one `finish` per choice; an answer that ends without
 * one was cut, and nobody invents it (wire.md 8).
 */
export type NeutralEvent =
  | { readonly kind: 'start'; readonly id: string | null }
  | { readonly kind: 'text'; readonly choice: number; readonly text: string }
  | { readonly kind: 'refusal'; readonly choice: number; readonly text: string }
  | { readonly kind: 'reasoning'; readonly choice: number; readonly text: string }
  /** Ends the reasoning so far; with no reasoning before it, a seal alone (redacted, or a signature on a call). */
  | { readonly kind: 'seal'; readonly choice: number; readonly opaque: Opaque }
  | {
      readonly kind: 'tool_call'
      readonly choice: number
      /** Tells calls that are written at the same time apart; rises from 0 within the choice. */
      readonly slot: number
      /** Minted by the reader where the wire has none. */
      readonly id: string
      readonly name: string
      readonly isCustom: boolean
    }
  | { readonly kind: 'arguments'; readonly choice: number; readonly slot: number; readonly text: string }
  /** The call is whole; its arguments are JSON by now, `{}` where there were none. */
  | { readonly kind: 'tool_call_end'; readonly choice: number; readonly slot: number }
  | { readonly kind: 'citation'; readonly choice: number; readonly citation: UrlCitation }
  /** Of the tokens of the texts before it, in the chat wire's shape. */
  | { readonly kind: 'logprobs'; readonly choice: number; readonly tokens: readonly JsonValue[] }
  /** Null: one was there, and cannot be believed. */
  | { readonly kind: 'usage'; readonly usage: Usage | null }
  | {
      readonly kind: 'finish'
      readonly choice: number
      readonly reason: FinishReason
      readonly stopSequence: string | null
    }
  /** The provider says that it failed. The last event. `usage`: what it says beside it, null where that cannot be believed. */
  | { readonly kind: 'error'; readonly error: ProviderError; readonly usage?: Usage | null }
  /** Something of the answer that the neutral form has no place for, by its name on the provider's wire. */
  | { readonly kind: 'lost'; readonly what: string }

/**
 * What a provider says of its failure, in an error body or in a frame of a stream, on any wire. Clients
 * branch on its code and field (Codex compacts at `context_length_exceeded`, pydantic-ai and the AI SDK
 * retry by type), so both go on to them; on the provider's own wire with all that stands beside them.
 */
export interface ProviderError {
  /** The HTTP status that it names itself (`"code": 400`); null: none. */
  readonly status: number | null
  readonly code: string | null
  /** OpenAI's and Anthropic's `type`, Google's `status`. */
  readonly type: string | null
  readonly param: string | null
  /** Empty: it says nothing. */
  readonly message: string
  /** The error object itself; null where the provider sent a bare text or none. */
  readonly own: JsonObject | null
}

export interface UrlCitation {
  readonly url: string
  readonly title: string | null
  /** Where in the text of the choice, in UTF-16 units; null where the wire does not say. */
  readonly start: number | null
  readonly end: number | null
}

/** wire.md 5.1 has what each wire calls it. */
export type FinishReason =
  | 'end'
  | 'stop_sequence'
  | 'max_output'
  | 'context_full'
  | 'tool_calls'
  | 'refusal'
  | 'filtered'
  | 'pause'
  | 'bad_tool_call'
  | 'other'
