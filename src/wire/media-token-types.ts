/** For each way in which models count image tokens, the maximum of all images. */
export interface ImageTokens {
  readonly any: number
  readonly openai: number
  /** GPT-4o and OpenAI's other models that count tiles. */
  readonly gpt4o: number
  /** GPT-4o mini counts 33 times as many tokens as GPT-4o. */
  readonly gpt4oMini: number
  /** GPT-4.1 mini, GPT-5 mini and o4-mini. */
  readonly openaiMini: number
  /** GPT-4.1 nano and GPT-5 nano. */
  readonly openaiNano: number
  readonly anthropic: number
  /** Claude's models up to 4.6 read smaller images than later models. */
  readonly claude4: number
  readonly google: number
  /** Gemini 1 and 2 count tiles. */
  readonly gemini2: number
  /** Gemini 3 and later count a fixed number for each resolution. */
  readonly gemini3: number
  /** Mistral's models that merge four patches into one token. */
  readonly mistral: number
  readonly pixtral: number
  readonly llama4: number
  readonly grok: number
  readonly cohere: number
  readonly nova: number
}

/**
 * A provider may fetch only pages and text (`document`), or also sound and video (`any`), which may have other rates.
 */
export type FetchedMedium = 'document' | 'any'

/** The maximum at the most expensive vendor and at Google. */
export interface DocumentTokens {
  readonly tokensMax: number
  readonly googleTokensMax: number
  /** PDF pages whose images are counted in `tokensMax`. */
  readonly imagedPages: number
}

/** Maxima at models with rules of their own. Absent if the request has no sounds. */
export interface SoundTokens {
  /** At models that read sound in pieces of 30 seconds. */
  readonly soundPieceTokensMax?: number
  /** At OpenAI's models, which count fewer tokens per second than Google's models. */
  readonly openaiSoundTokensMax?: number
}

export interface VideoTokens {
  /** Additional tokens of the videos at Bedrock, beyond `textTokensMax`. */
  readonly bedrockVideoExcess?: number
  /** Tokens by which the videos are smaller at Gemini 3 and later. */
  readonly gemini3VideoSaved?: number
}
