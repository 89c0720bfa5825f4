import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'
import type { Signature } from '#wire/tagged-reasoning-signatures.ts'
import type { ProviderError } from '#wire/read-provider-error.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { UsageWish } from '#wire/wire-request.ts'

export interface NeutralRequest {
  /** System and developer texts before the first turn, in order. */
  readonly instructions: readonly TextPart[]
  /** Two consecutive turns never have the same role, because readers merge them. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice: ToolChoice | null
  /** Whether a turn may contain more than one tool call. */
  readonly parallelTools: boolean | null
  readonly outputTokensMax: number | null
  readonly sampling: Sampling
  readonly stop: readonly string[]
  readonly output: OutputFormat | null
  readonly reasoning: ReasoningWish | null
  readonly verbosity: 'low' | 'medium' | 'high' | null
  readonly choices: number
  /**
   * 0 returns only the log probabilities of the chosen tokens. Null if the client does not request log probabilities.
   */
  readonly logprobs: number | null
  readonly logitBias: JsonObject | null
  readonly serviceTier: string | null
  readonly metadata: JsonObject | null
  /** For abuse reports. */
  readonly userId: string | null
  readonly cacheKey: string | null
  readonly isStream: boolean
  /** Whether the client of a chat stream gets the chunk with the usage. */
  readonly wantsUsage: UsageWish
  /** Whether the chat client uses the deprecated functions API, and expects `function_call` instead of a tool call. */
  readonly usesFunctions?: boolean
  /** Names of top-level fields that only the client's wire has (`safetySettings`, `truncation`). */
  readonly others: readonly string[]
}

export interface Turn {
  /** A turn has the role `system` only in the middle of a conversation. Tool results are parts of a user turn. */
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

export interface TextPart extends Markable {
  readonly kind: 'text'
  readonly text: string
}

/** Content or a tool that the client can mark. */
export interface Markable {
  readonly cache: CacheMark | null
  /** The field of the mark in the client's request, for reports. Absent if it is the usual field of the client's wire. */
  readonly cacheField?: string
}

/**
 * Marks the end of a prompt prefix that the provider may cache. `long` means that the client requests a longer lifetime
 * than the provider's default.
 */
export type CacheMark = 'short' | 'long'

export interface ImagePart extends Markable {
  readonly kind: 'image'
  readonly source: MediaSource
  readonly detail: 'low' | 'high' | 'auto' | null
}

export interface FilePart extends Markable {
  readonly kind: 'file'
  readonly source: MediaSource | { readonly kind: 'text'; readonly text: string }
  readonly name: string | null
}

export interface AudioPart {
  readonly kind: 'audio'
  readonly data: string
  /** The media type, such as `audio/wav` or `audio/mpeg`. */
  readonly mediaType: string
}

export type MediaSource =
  | { readonly kind: 'data'; readonly mediaType: string; /** The data in base64. */ readonly data: string }
  | {
      readonly kind: 'url'
      readonly url: string
      /** Absent if the client states no media type. */ readonly mediaType?: string
    }

export interface ToolCallPart {
  readonly kind: 'tool_call'
  /** If the wire has no IDs, readers generate `call_<n>`. */
  readonly id: string
  readonly name: string
  /** The arguments as JSON text, exactly as the model wrote them; for a custom tool, the input text. */
  readonly arguments: string
  readonly isCustom: boolean
}

export interface ToolResultPart extends Markable {
  readonly kind: 'tool_result'
  readonly callId: string
  /** Null if the conversation does not contain the call. */
  readonly name: string | null
  readonly parts: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError: boolean
  readonly isCustom: boolean
}

/** Reasoning of the model, which the client sends back. */
export interface ReasoningPart {
  readonly kind: 'reasoning'
  readonly text: string
  readonly signature: Signature | null
}

export interface RefusalPart {
  readonly kind: 'refusal'
  readonly text: string
}

export interface Tool extends Markable {
  readonly name: string
  readonly description: string | null
  /** Null for a tool without a schema and for a custom tool. */
  readonly parameters: JsonObject | null
  readonly isStrict: boolean | null
  /**
   * Set for a custom tool, whose input is free text. Contains the format of that text, in the form that the chat wire
   * uses.
   */
  readonly custom: { readonly format: JsonObject | null } | null
  /** The client's own definition of a computer tool, whose actions are the arguments of the function. */
  readonly computer?: JsonObject
  /** The client's own definition of a search for tools, which the client runs. */
  readonly search?: JsonObject
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
  /** In tokens, for a client that sends a number instead of an effort. */
  readonly budgetTokens: number | null
  /** Null if the client states no preference. */
  readonly isShown: boolean | null
}

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/**
 * The events of an answer, from a stream or a non-streaming response. The event `start` comes first. A `usage` event
 * replaces the previous usage, and is never added to it. Each choice has one `finish` event. If a provider continues a
 * choice after a finish reason, another `finish` event may follow, which replaces the first. Encoders get only the last.
 * An answer without a `finish` event was cut off. Decoders never add a `finish` event to an answer that was cut off
 * (docs/reference/conversions.md "Streams without a finish reason").
 */
export type NeutralEvent =
  | { readonly kind: 'start'; readonly id: string | null }
  | { readonly kind: 'text'; readonly choice: number; readonly text: string }
  | { readonly kind: 'refusal'; readonly choice: number; readonly text: string }
  | { readonly kind: 'reasoning'; readonly choice: number; readonly text: string }
  /**
   * A signature ends the reasoning before it. If no reasoning precedes the signature, the signature belongs to redacted
   * reasoning or to a tool call.
   */
  | { readonly kind: 'signature'; readonly choice: number; readonly signature: Signature }
  | {
      readonly kind: 'tool_call'
      readonly choice: number
      /** The position distinguishes parallel calls, and starts at 0. */
      readonly slot: number
      /** If the wire has no IDs, the reader generates the ID. */
      readonly id: string
      readonly name: string
      readonly isCustom: boolean
    }
  | { readonly kind: 'arguments'; readonly choice: number; readonly slot: number; readonly text: string }
  /** The arguments of a complete tool call are JSON, and `{}` if the provider sent none. */
  | { readonly kind: 'tool_call_end'; readonly choice: number; readonly slot: number }
  | { readonly kind: 'citation'; readonly choice: number; readonly citation: UrlCitation }
  /** Log probabilities for the tokens of the texts before this event, in the format of the chat wire. */
  | { readonly kind: 'logprobs'; readonly choice: number; readonly tokens: readonly JsonValue[] }
  /** Null if the reported usage is impossible. */
  | { readonly kind: 'usage'; readonly usage: Usage | null }
  | {
      readonly kind: 'finish'
      readonly choice: number
      readonly reason: FinishReason
      readonly stopSequence: string | null
    }
  /**
   * The error is the last event. `usage` is the usage that the report of the error contains. Null if the report
   * contains contradictory or missing counts.
   */
  | { readonly kind: 'error'; readonly error: ProviderError; readonly usage?: Usage | null }
  /** A part of the answer that no neutral event can express, with its name on the provider's wire. */
  | { readonly kind: 'lost'; readonly what: string }

export interface UrlCitation {
  readonly url: string
  readonly title: string | null
  /** The position in the text of the choice, in UTF-16 units. Null if the provider's wire states no position. */
  readonly start: number | null
  readonly end: number | null
}

/** docs/reference/conversions.md "Finish reasons" lists the values of each wire. */
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
