/** The maximum tokens of all images, for each way in which models count image tokens. */
export interface ImageTokens {
  readonly any: number
  readonly openai: number
  /** Tokens for GPT-4o and for OpenAI's other models that count tiles. */
  readonly gpt4o: number
  /** Tokens for GPT-4o mini, which counts 33 times as many tokens as GPT-4o. */
  readonly gpt4oMini: number
  /** Tokens for GPT-4.1 mini, GPT-5 mini and o4-mini. */
  readonly openaiMini: number
  /** Tokens for GPT-4.1 nano and GPT-5 nano. */
  readonly openaiNano: number
  readonly anthropic: number
  /** Tokens for Claude's models up to 4.6, which read smaller images than later models. */
  readonly claude4: number
  readonly google: number
  /** Tokens for Gemini 1 and 2, which count tiles. */
  readonly gemini2: number
  /** Tokens for Gemini 3 and later, which count a fixed number for each resolution. */
  readonly gemini3: number
  /** Tokens for Mistral's models that merge four patches into one token. */
  readonly mistral: number
  readonly pixtral: number
  readonly llama4: number
  readonly grok: number
  readonly cohere: number
  readonly nova: number
}

/**
 * The content that a provider may fetch from an address: only pages and text (`document`), or also sound and video
 * (`any`), which may have other rates.
 */
export type FetchedMedium = 'document' | 'any'

/** The maximum tokens of all documents, at the most expensive vendor and at Google. */
export interface DocumentTokens {
  readonly tokensMax: number
  readonly googleTokensMax: number
  /** Number of PDF pages whose images are counted in `tokensMax`. */
  readonly imagedPages: number
}

/** The maximum tokens of all sounds at models with rules of their own. Absent if the request has no sounds. */
export interface SoundTokens {
  /** Maximum at models that read sound in pieces of 30 seconds. */
  readonly soundPieceTokensMax?: number
  /** Maximum at OpenAI's models, which count fewer tokens for a second of sound than Google's models. */
  readonly openaiSoundTokensMax?: number
}

export interface VideoTokens {
  /**
   * How many more tokens the videos can have at Bedrock than in the request's `textTokensMax`. Absent if the request
   * has no videos.
   */
  readonly bedrockVideoExcess?: number
  /** How many fewer tokens the videos have at Gemini 3 and later. Absent if the request has no videos. */
  readonly gemini3VideoSaved?: number
}
