/** The maximum tokens of all images, for each way in which models count image tokens. */
export interface ImageTokens {
  readonly any: number
  readonly openai: number
  /** For GPT-4o, and for OpenAI's other models that count tiles. */
  readonly gpt4o: number
  /** GPT-4o mini counts 33 times as many tokens as GPT-4o. */
  readonly gpt4oMini: number
  /** For GPT-4.1 mini and nano, GPT-5 mini and nano, and o4-mini. */
  readonly openaiSmall: number
  readonly anthropic: number
  /** For Claude's models up to 4.6, which read smaller images than later models. */
  readonly claude4: number
  readonly google: number
  /** For Gemini 1 and 2. Later models count at least 1,120 tokens for an image. */
  readonly gemini2: number
  readonly mistral: number
  readonly llama4: number
}

/**
 * The content of an address that a provider fetches. It consists of pages and text, or possibly of sound and video,
 * which may have other rates.
 */
export type FetchedMedium = 'document' | 'any'

/** The maximum tokens of all documents, at the most expensive vendor and at Google. */
export interface DocumentTokens {
  readonly tokensMax: number
  readonly googleTokensMax: number
  /** Number of PDF pages whose images are counted in `tokensMax`. */
  readonly imagedPages: number
}

export interface VideoTokens {
  /**
   * How many more tokens the videos can have at Bedrock than in the request's `textTokensMax`. Absent if the request
   * has no videos.
   */
  readonly bedrockVideoExcess?: number
}
