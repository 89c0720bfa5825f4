import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { Signature } from '#wire/signatures.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import type { Usage } from '#money/usage.ts'

export interface NeutralRequest {
  /** System and developer text before the first turn, in order. */
  readonly instructions: readonly TextPart[]
  /** Never two consecutive turns of one role, because readers merge them. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | null
  /** Whether more than one tool call per turn is allowed. */
  readonly parallelTools: boolean | null
  readonly outputTokensMax: number | null
  readonly sampling: Sampling
  readonly stop: readonly string[]
  readonly output: OutputFormat | null
  readonly reasoning: ReasoningWish | null
  readonly verbosity: 'low' | 'medium' | 'high' | null
  readonly choices: number
  /** Number of alternatives per token. 0 returns only the chosen token's own. Null if not requested. */
  readonly logprobs: number | null
  readonly logitBias: JsonObject | null
  readonly serviceTier: string | null
  readonly metadata: JsonObject | null
  /** The client's ID of its user, for abuse reports. */
  readonly userId: string | null
  readonly cacheKey: string | null
  readonly isStream: boolean
  /** Whether the client of a chat stream requested the usage chunk. */
  readonly wantsUsage: boolean
  /** Whether the chat client sent functions of the old kind, and expects `function_call` instead of a tool call. */
  readonly usesFunctions?: boolean
  /** Top-level fields that have a meaning only on the client's wire, by name (`safetySettings`, `truncation`). */
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

/** Marks the end of a prefix that the provider may cache, and for how long, if the client specifies it. */
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
  /** Unique in the conversation. Readers generate `call_<n>` if their wire has no ID. */
  readonly id: string
  readonly name: string
  /** The arguments as JSON text, as the model wrote them. For a custom tool, its text. */
  readonly arguments: string
  readonly isCustom: boolean
}

export interface ToolResultPart {
  readonly kind: 'tool_result'
  readonly callId: string
  /** Name from the call. Null if the conversation has no such call. */
  readonly name: string | null
  readonly parts: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError: boolean
  readonly isCustom: boolean
  readonly cache: CacheMark | null
}

/** Reasoning of the model, to be returned to it. */
export interface ReasoningPart {
  readonly kind: 'reasoning'
  readonly text: string
  readonly signature: Signature | null
}

export interface RefusalPart {
  readonly kind: 'refusal'
  readonly text: string
}

export interface Tool {
  readonly name: string
  readonly description: string | null
  /** JSON Schema of the arguments. Null if the tool has no schema, and always null for a custom tool. */
  readonly parameters: JsonObject | null
  readonly isStrict: boolean | null
  /** A tool whose input is free text, and the format of that text, in the chat wire's shape. */
  readonly custom: { readonly format: JsonObject | null } | null
  readonly cache: CacheMark | null
  /** The client's own definition of a computer that the client runs. Its actions are the function's arguments. */
  readonly computer?: JsonObject
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
  /** Thinking budget in tokens, if the client sends a number instead of an effort. */
  readonly budgetTokens: number | null
  /** Whether the client wants to see thoughts. Null if not specified. */
  readonly isShown: boolean | null
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/**
 * An answer as it arrives, from a stream or from a non-streaming response. `start` is first. `usage` is a snapshot that
 * replaces the previous one and never adds to it. Each choice has one `finish`. An answer that ends without one was
 * cut, and no decoder generates one (docs/reference/conversions.md "A missing finish").
 */
export type NeutralEvent =
  | { readonly kind: 'start'; readonly id: string | null }
  | { readonly kind: 'text'; readonly choice: number; readonly text: string }
  | { readonly kind: 'refusal'; readonly choice: number; readonly text: string }
  | { readonly kind: 'reasoning'; readonly choice: number; readonly text: string }
  /**
   * Ends the reasoning so far. Without reasoning before it, the signature belongs to redacted reasoning or to a call.
   */
  | { readonly kind: 'signature'; readonly choice: number; readonly signature: Signature }
  | {
      readonly kind: 'tool_call'
      readonly choice: number
      /** Distinguishes concurrent calls. Increases from 0 within the choice. */
      readonly slot: number
      /** Generated by the reader if the wire has no ID. */
      readonly id: string
      readonly name: string
      readonly isCustom: boolean
    }
  | { readonly kind: 'arguments'; readonly choice: number; readonly slot: number; readonly text: string }
  /** The call is complete. Its arguments are JSON, `{}` if the provider sent no arguments. */
  | { readonly kind: 'tool_call_end'; readonly choice: number; readonly slot: number }
  | { readonly kind: 'citation'; readonly choice: number; readonly citation: UrlCitation }
  /** For the tokens of the texts before it, in the chat wire's shape. */
  | { readonly kind: 'logprobs'; readonly choice: number; readonly tokens: readonly JsonValue[] }
  /** Null if a usage was reported but is impossible. */
  | { readonly kind: 'usage'; readonly usage: Usage | null }
  | {
      readonly kind: 'finish'
      readonly choice: number
      readonly reason: FinishReason
      readonly stopSequence: string | null
    }
  /**
   * The provider reports its failure. This is the last event. `usage` is the usage in the same report, null if
   * impossible.
   */
  | { readonly kind: 'error'; readonly error: ProviderError; readonly usage?: Usage | null }
  /** A part of the answer without a place in the neutral form, by its name on the provider's wire. */
  | { readonly kind: 'lost'; readonly what: string }

export interface UrlCitation {
  readonly url: string
  readonly title: string | null
  /** The position in the text of the choice, in UTF-16 units. Null if the wire has no position. */
  readonly start: number | null
  readonly end: number | null
}

/** docs/reference/conversions.md "Finish reasons" has each wire's words. */
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
