/**
 * The table of price dimensions, in the order in which prices and usages are written. The code for prices, usages,
 * stores, wires, responses, metrics, exports and pages is based on this table.
 */

export type UsageWire = 'chat' | 'messages' | 'responses' | 'generate'

export interface DimensionFacts {
  /**
   * A missing rate of tokens is replaced by another rate, if possible of the same side (cost.ts). A dimension of the
   * side `use` counts uses instead of tokens.
   */
  readonly side: 'text' | 'media' | 'output' | 'use'
  /**
   * For a dimension of the side `use`, the name of the field in `Usage` that counts the uses. Null if no provider
   * reports the count. Token counts have the name of their dimension.
   */
  readonly count?: string | null
  /**
   * Whether some models are billed by these uses instead of by tokens. If such a model's price has no rate for the
   * uses, the price bills tokens, and the uses do not count as unpriced.
   */
  readonly replacesTokens?: true
  /** Whether the rate of a use is per million, as for tokens, because a single use costs less than a micro. */
  readonly isPerMillion?: true
  /**
   * Whether the multiplier of a service tier does not apply to the rate. Vendors bill tools that they run, and stored
   * content, at the same price in every service tier (docs/reference/prices.md "Service tiers and fees").
   */
  readonly isSameInEveryTier?: true
  readonly counts: string
  readonly label: string
  readonly units: readonly [one: string, several: string]
  readonly usage: string
  /**
   * The value of the label `kind` in token metrics. Two dimensions of the same direction (input or output) have
   * different kinds.
   */
  readonly kind?: string
  /** The export column that contains the count. Absent if the export contains the count only in totals. */
  readonly column?: string
  /**
   * The path of the count in the usage object of each wire that reports this count. Counts with the same path are added
   * up. The first count of a side (input or output) is the total, which includes the other counts of the side. A plus
   * sign marks a count that is not included in the total. A question mark marks a count that the wire omits if it is 0.
   * The last word of a path in `generate` may be a modality.
   */
  readonly paths: { readonly [wire in UsageWire]?: string }
}

export const dimensionFacts = {
  input: {
    side: 'text',
    counts: 'input',
    label: 'Input',
    units: ['input token', 'input tokens'],
    usage: 'Uncached text input tokens.',
    kind: 'text',
    paths: {
      chat: 'prompt_tokens',
      messages: 'input_tokens',
      responses: 'input_tokens',
      generate: 'promptTokenCount',
    },
  },
  cacheRead: {
    side: 'text',
    counts: 'cached input',
    label: 'Cached input',
    units: ['cached input token', 'cached input tokens'],
    usage: "Input tokens read from the provider's cache.",
    kind: 'cache_read',
    column: 'cachedInputTokens',
    paths: {
      chat: 'prompt_tokens_details.cached_tokens',
      messages: '+cache_read_input_tokens',
      responses: 'input_tokens_details.cached_tokens',
      generate: 'cachedContentTokenCount',
    },
  },
  cacheWrite: {
    side: 'text',
    counts: 'input written to the cache',
    label: 'Cache write',
    units: ['token written to the cache', 'tokens written to the cache'],
    usage: "Input tokens written to the provider's cache.",
    kind: 'cache_write',
    column: 'cacheWriteTokens',
    paths: {
      chat: 'prompt_tokens_details.cache_write_tokens?',
      messages: '+cache_creation.ephemeral_5m_input_tokens',
      responses: 'input_tokens_details.cache_write_tokens?',
    },
  },
  cacheWriteLong: {
    side: 'text',
    counts: 'input written to the long-lived cache',
    label: 'Long cache write',
    units: ['token written to the long cache', 'tokens written to the long cache'],
    usage: "Input tokens written to the provider's cache with a longer lifetime.",
    kind: 'cache_write_long',
    column: 'cacheWriteTokens',
    paths: {
      chat: 'prompt_tokens_details.cache_write_tokens?',
      messages: '+cache_creation.ephemeral_1h_input_tokens',
      responses: 'input_tokens_details.cache_write_tokens?',
    },
  },
  audioInput: {
    side: 'media',
    counts: 'audio input',
    label: 'Audio input',
    units: ['audio input token', 'audio input tokens'],
    usage: 'Audio input tokens.',
    kind: 'audio',
    paths: { chat: 'prompt_tokens_details.audio_tokens', generate: 'promptTokensDetails.AUDIO?' },
  },
  cacheReadAudio: {
    side: 'media',
    counts: 'cached audio input',
    label: 'Cached audio',
    units: ['cached audio token', 'cached audio tokens'],
    usage: "Audio input tokens read from the provider's cache.",
    kind: 'cache_read_audio',
    column: 'cachedInputTokens',
    paths: {
      chat: 'prompt_tokens_details.cached_tokens',
      messages: '+cache_read_input_tokens',
      responses: 'input_tokens_details.cached_tokens',
      generate: 'cacheTokensDetails.AUDIO?',
    },
  },
  imageInput: {
    side: 'media',
    counts: 'image input',
    label: 'Image input',
    units: ['image input token', 'image input tokens'],
    usage: 'Image input tokens.',
    kind: 'image',
    paths: { chat: 'prompt_tokens_details.image_tokens?', generate: 'promptTokensDetails.IMAGE?' },
  },
  output: {
    side: 'output',
    counts: 'output',
    label: 'Output',
    units: ['output token', 'output tokens'],
    usage: 'Output tokens of all kinds.',
    kind: 'text',
    paths: {
      chat: 'completion_tokens',
      messages: 'output_tokens',
      responses: 'output_tokens',
      generate: 'candidatesTokenCount',
    },
  },
  reasoning: {
    side: 'output',
    counts: 'reasoning output',
    label: 'Reasoning',
    units: ['reasoning token', 'reasoning tokens'],
    usage: 'Reasoning tokens, part of the output.',
    kind: 'reasoning',
    column: 'reasoningTokens',
    paths: {
      chat: 'completion_tokens_details.reasoning_tokens',
      messages: 'output_tokens_details.thinking_tokens?',
      responses: 'output_tokens_details.reasoning_tokens',
      generate: '+thoughtsTokenCount',
    },
  },
  audioOutput: {
    side: 'output',
    counts: 'audio output',
    label: 'Audio output',
    units: ['audio output token', 'audio output tokens'],
    usage: 'Audio tokens, part of the output.',
    kind: 'audio',
    paths: { chat: 'completion_tokens_details.audio_tokens', generate: 'candidatesTokensDetails.AUDIO?' },
  },
  imageOutput: {
    side: 'output',
    counts: 'image output',
    label: 'Image output',
    units: ['image output token', 'image output tokens'],
    usage: 'Image tokens, part of the output.',
    kind: 'image',
    paths: { chat: 'completion_tokens_details.image_tokens?', generate: 'candidatesTokensDetails.IMAGE?' },
  },
  request: {
    side: 'use',
    count: null,
    counts: 'request',
    label: 'Request',
    units: ['request', 'requests'],
    usage: 'The request itself.',
    paths: {},
  },
  webSearch: {
    side: 'use',
    count: 'webSearches',
    isSameInEveryTier: true,
    counts: 'web search of the provider',
    label: 'Web search',
    units: ['web search', 'web searches'],
    usage: 'Number of web searches.',
    column: 'webSearches',
    paths: { messages: 'server_tool_use.web_search_requests?' },
  },
  codeSession: {
    side: 'use',
    count: 'codeSessions',
    isSameInEveryTier: true,
    counts: 'response that runs code in a container of the provider',
    label: 'Code session',
    units: ['code session', 'code sessions'],
    usage: 'Number of code sessions: responses that run code in a container of the provider.',
    column: 'codeSessions',
    paths: {},
  },
  fileSearch: {
    side: 'use',
    count: 'fileSearches',
    isSameInEveryTier: true,
    counts: 'file search of the provider',
    label: 'File search',
    units: ['file search', 'file searches'],
    usage: 'Number of searches in files that the provider stores.',
    column: 'fileSearches',
    paths: {},
  },
  cacheStorage: {
    side: 'use',
    count: 'cacheTokenHours',
    isSameInEveryTier: true,
    isPerMillion: true,
    counts: 'cached token that the provider stores for an hour',
    label: 'Cache storage',
    units: ['cached token hour', 'cached token hours'],
    usage: 'Cached tokens that the provider stores, multiplied by the hours of their storage.',
    column: 'cacheTokenHours',
    paths: {},
  },
  searchUnit: {
    side: 'use',
    count: 'searchUnits',
    replacesTokens: true,
    counts: 'search unit of a reranking',
    label: 'Search unit',
    units: ['search unit', 'search units'],
    usage: 'Number of search units, the units in which vendors bill rerankings.',
    column: 'searchUnits',
    paths: {},
  },
  image: {
    side: 'use',
    count: 'images',
    replacesTokens: true,
    counts: 'generated image',
    label: 'Image',
    units: ['image', 'images'],
    usage: 'Number of generated images.',
    column: 'images',
    paths: {},
  },
  character: {
    side: 'use',
    count: 'characters',
    replacesTokens: true,
    isPerMillion: true,
    counts: 'spoken character',
    label: 'Character',
    units: ['character', 'characters'],
    usage: 'Number of characters of spoken text.',
    column: 'characters',
    paths: {},
  },
  audioSecond: {
    side: 'use',
    count: 'audioSeconds',
    replacesTokens: true,
    isPerMillion: true,
    counts: 'transcribed second',
    label: 'Audio second',
    units: ['audio second', 'audio seconds'],
    usage: 'Seconds of transcribed audio.',
    column: 'audioSeconds',
    paths: {},
  },
} as const satisfies Readonly<Record<string, DimensionFacts>>
