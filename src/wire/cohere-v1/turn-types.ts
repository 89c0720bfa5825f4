import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

export interface CohereV1Facts {
  readonly chatHistory?: readonly Entry[]
}

/** Tool calls of version 1 have no ID. */
export type Entry =
  | {
      readonly role: 'SYSTEM' | 'USER' | 'CHATBOT'
      readonly message: string
      /** Only a turn of `CHATBOT` can have tool calls. */
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
