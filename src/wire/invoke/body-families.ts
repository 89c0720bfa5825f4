/**
 * Models whose bodies the gateway accepts at Bedrock's `invoke`, in addition to Claude and embeddings. Nova's bodies
 * are rewritten to Converse, OpenAI's to chat completions, and all others to text completions. The response is written
 * in the family's own format (write-invoke-response.ts).
 */
export type BodyFamily = 'nova' | 'openai' | PromptFamily

export interface InvokeFacts {
  /** Absent for Claude, for embeddings and at all other paths. */
  readonly family?: BodyFamily
  /** Claude only: beta features in the body, separated by commas. Other providers get the beta features in a header. */
  readonly betas?: string
}

/** Families whose models continue one text. */
export type PromptFamily = 'llama' | 'mistral' | 'titan' | 'command'
