/**
 * The families of models whose bodies the gateway accepts at Bedrock's `invoke`, in addition to Claude and embeddings.
 * The gateway rewrites each body to another format: Nova's to Converse, OpenAI's to chat completions, and all others to
 * text completions. The response is written in the family's own format (write-invoke-response.ts).
 */
export type BodyFamily = 'nova' | 'openai' | PromptFamily

/** The facts about a request that only a body at Bedrock's `invoke` states. */
export interface InvokeFacts {
  /** The family of the body. Absent for Claude, for embeddings and at all other paths. */
  readonly family?: BodyFamily
  /** Claude: the names of beta features in the body, separated by commas. Other providers read the names in a header. */
  readonly betas?: string
}

/** The families whose bodies have one text instead of a conversation. */
export type PromptFamily = 'llama' | 'mistral' | 'titan' | 'command'
