import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/** The facts about a request that only version 1 of Cohere's chat needs. */
export interface CohereV1Facts {
  /** The turns of the conversation, which the response repeats. Absent for all other requests. */
  readonly chatHistory?: readonly Entry[]
}

/** A turn of version 1 of Cohere's chat. Tool calls have no ID. */
export type Entry =
  | {
      readonly role: 'SYSTEM' | 'USER' | 'CHATBOT'
      readonly message: string
      /** Only a turn of `CHATBOT` can have tool calls. Absent if the turn has none. */
      readonly tool_calls?: readonly ToolCall[]
    }
  | { readonly role: 'TOOL'; readonly tool_results: readonly ToolResult[] }

export interface ToolCall {
  readonly name: string
  /** An object, except for a call whose arguments are not valid JSON. */
  readonly parameters: JsonValue
}

export interface ToolResult {
  readonly call: ToolCall
  readonly outputs: readonly JsonObject[]
}
