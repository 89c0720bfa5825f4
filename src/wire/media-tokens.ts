/** The maximum tokens of all images, for each way in which models count them. */
export interface ImageTokens {
  readonly any: number
  readonly openai: number
  /** GPT-4o, and OpenAI's other models that count tiles. */
  readonly gpt4o: number
  /** GPT-4o mini counts 33 times as many tokens as GPT-4o. */
  readonly gpt4oMini: number
  readonly anthropic: number
  readonly google: number
}

/**
 * The content of an address that a provider fetches: pages and text, or possibly sound and video, which may have rates
 * of their own.
 */
export type FetchedMedium = 'document' | 'any'

/** The maximum tokens of all documents, at the most expensive vendor and at Google. */
export interface DocumentTokens {
  readonly tokensMax: number
  readonly googleTokensMax: number
}

export interface VideoTokens {
  /** How many more tokens the videos can have at Bedrock than in the request's `textTokensMax`. Absent without videos. */
  readonly bedrockVideoExcess?: number
}
