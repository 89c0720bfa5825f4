import type { TokenDimension } from '#money/price.ts'
import type { OnClientLeft } from './client-disconnect-choices.ts'

/**
 * Wires are API formats for conversations, and tasks are API formats for other work such as embeddings. `wire/` lists
 * the same formats, but `domain/` may not import from `wire/`.
 */
const upstreamWires = ['chat', 'messages', 'generate', 'responses', 'converse', 'cohere'] as const
export type UpstreamWire = (typeof upstreamWires)[number]

const upstreamTasks = [
  'embeddings',
  'embed_content',
  'batch_embed_contents',
  'invoke_embeddings',
  'cohere_embed',
  'moderations',
  'completions',
  'rerank',
  'images',
  'image_edits',
  'speech',
  'transcriptions',
  'translations',
  'compact',
] as const
export type UpstreamTask = (typeof upstreamTasks)[number]

const audioTasks = ['speech', 'transcriptions', 'translations'] as const

export const upstreamFormats = [...upstreamWires, ...upstreamTasks] as const
export type UpstreamFormat = UpstreamWire | UpstreamTask
/**
 * No client uses `predict` and `invoke_prompt`. The gateway converts requests for embeddings to `predict` of Vertex AI.
 * Text completions are converted to `invoke_prompt`, the format of prompts at Bedrock's `invoke`.
 */
export type ProviderFormat = UpstreamWire | ProviderTask
export type ProviderTask = UpstreamTask | 'predict' | 'invoke_prompt'

/** The formats of the APIs through which clients upload files (docs/reference/wires.md "Files"). */
export type FileFormat = 'openai' | 'anthropic' | 'google'

/** The formats of the APIs through which clients send batches (docs/reference/wires.md "Batches"). */
export type BatchFormat = Exclude<FileFormat, 'google'>

interface KindFacts {
  readonly name: string
  /**
   * The wires that accounts of this kind accept, the preferred wire first. A call in another wire is converted to the
   * first wire that can express the call.
   */
  readonly wires: readonly [UpstreamWire, ...UpstreamWire[]]
  /** The tasks that accounts of this kind perform. Requests of a task are not converted. */
  readonly tasks: readonly UpstreamTask[]
  /**
   * The only models that perform the tasks in `tasks`. Absent if the provider itself rejects a task that a model does
   * not perform.
   */
  readonly taskModels?: RegExp
  /** Models that perform only the task `predict`, instead of the tasks in `tasks`. */
  readonly predictModels?: RegExp
  /** Models that perform only the task `invoke_prompt`. */
  readonly promptModels?: RegExp
  /** Whether accounts of this kind store responses, so that a client can continue or read a response by its ID. */
  readonly storesResponses?: true
  /** The formats in which accounts of this kind store files, so that requests can use a file by its ID. */
  readonly files?: readonly FileFormat[]
  /** The formats in which accounts of this kind run batches of requests. */
  readonly batches?: readonly BatchFormat[]
  /**
   * Whether clients can store content at the provider once, and then use the content as the beginning of several
   * requests.
   */
  readonly cachesContent?: true
  /** Whether the provider reads files in Google's Cloud Storage (google-storage-addresses.ts). */
  readonly readsStorage?: true
  readonly billsSearchUnits?: true
  /**
   * Whether the provider selects among hosts of a model with different prices, and accepts a maximum price for a
   * request.
   */
  readonly acceptsMaximumPrice?: true
  /** Whether the provider runs web searches in the format of chat completions, in the form that OpenRouter defined. */
  readonly searchesInChat?: true
  /** Whether the provider's responses list every web search, even if the model itself decided to search. */
  readonly listsSearches?: true
  /**
   * `vendor` has a default address and requires a key. `own_resource` requires the customer's own address at the vendor
   * and a key. `any_server` requires an address, and its key is optional. `built_in` is the simulator in this process,
   * which has no address and no key.
   */
  readonly place: 'vendor' | 'own_resource' | 'any_server' | 'built_in'
  /** Null if `place` is not `vendor`. */
  readonly baseUrl: string | null
  /** The only query parameter that a base URL of this kind may contain. */
  readonly baseUrlParameter?: string
  /** The dialect of chat completions (wire/names-of-wires-and-tasks.ts `OpenaiDialect`). */
  readonly dialect: 'openai' | 'compatible' | 'mistral' | 'groq'
  /**
   * The dimensions, such as input and output, for which an account's price must have a rate. Without such a rate, the
   * account serves the model only in bundles that set a price for the model name. The gateway then assumes the missing
   * rates (money/assumed-rates.ts). The list contains the dimensions that a provider of this kind reports for plain
   * text. Cache reads and reasoning are omitted: a missing rate is replaced by the rate for input or for output, which
   * is never lower. Cache writes cost more than the input: 1.25 and 2 times at Anthropic, 1.25 times at OpenAI. A price
   * without a rate for cache writes would therefore charge too little.
   *
   * The list omits audio, images and searches, because providers do not report these dimensions for plain text. For
   * audio or images, the highest rate for input or for output then applies (money/cost.ts, docs/guides/prices.md).
   */
  readonly reportedDimensions: readonly TokenDimension[]
  /**
   * The cache writes that the provider reports: only those that the request asks for (`marked`), any, or none. On the
   * wire `generate`, Google does not bill cache writes. OpenAI and compatible servers may write to the cache even if
   * the request does not ask for a cache write.
   */
  readonly cacheWrites: 'marked' | 'any' | 'none'
  /** Models that use o200k, the tokenizer with which the gateway counts tokens. */
  readonly countedModels: RegExp | null
  /**
   * Maximum number of tokens that other models of this kind need for one token of o200k (docs/reference/tokens.md
   * "Counting the input with a tokenizer").
   */
  readonly tokenFactor: number
  /**
   * Maximum number of tokens that the provider adds before a request. These tokens are instructions for tools and for a
   * schema (docs/reference/tokens.md "Tokens that providers add").
   */
  readonly wrapping: { readonly toolTokens: number; readonly schemaTokens: number }
  /**
   * How the models of this kind count images (docs/reference/tokens.md "Images"). `any` is the maximum over all
   * vendors.
   */
  readonly images: 'any' | 'openai' | 'anthropic' | 'google'
  /**
   * How a stream is handled by default if the client disconnects. The default is `cut` only if the vendor documents
   * that billing stops when the connection closes (docs/decisions/2026-11-23-clients-that-disconnect.md).
   */
  readonly onClientLeft: OnClientLeft
  /** The form of the credential in `apiKey` (credential-format-by-account-kind.ts). Absent for a plain API key. */
  readonly credential?: 'aws' | 'google'
  /** Whether the provider also serves Claude models, with the same wire, usage fields and prices as `anthropic`. */
  readonly hostsClaude?: true
  /** The models that are called in the format of chat completions instead of the formats in `wires`. */
  readonly chatModels?: RegExp
  /** An additional wire on which the provider serves every model. Requests in this wire are not converted. */
  readonly everyModelWire?: UpstreamWire
  /**
   * Set to false if the wire has a path for counting tokens, but the provider does not support the path. The gateway
   * then estimates the number of tokens.
   */
  readonly countsTokens?: false
}

const chatServer = {
  wires: ['chat'],
  dialect: 'compatible',
  reportedDimensions: ['input', 'output'],
  cacheWrites: 'any',
  countedModels: null,
  tokenFactor: 1.5,
  wrapping: { toolTokens: 512, schemaTokens: 512 },
  images: 'any',
  onClientLeft: 'drain',
} as const

const geminiServer = {
  wires: ['generate'],
  place: 'vendor',
  dialect: 'compatible',
  reportedDimensions: ['input', 'output'],
  cacheWrites: 'none',
  countedModels: null,
  tokenFactor: 1.5,
  wrapping: { toolTokens: 192, schemaTokens: 128 },
  images: 'google',
  onClientLeft: 'drain',
} as const

/**
 * For the kind `openai`, the base URL contains the API version. For all other kinds, the paths contain the API version,
 * as in the vendors' own clients. For a base URL without a version, kinds with OpenAI's chat format add `/v1`. The
 * adapters add the paths (providers/provider-dialects.ts).
 */
const providerKinds = {
  openai: {
    name: 'OpenAI',
    // `responses` comes first, because only this wire returns reasoning.
    wires: ['responses', 'chat'],
    tasks: ['embeddings', 'moderations', 'completions', 'images', 'image_edits', ...audioTasks, 'compact'],
    storesResponses: true,
    files: ['openai'],
    batches: ['openai'],
    place: 'vendor',
    baseUrl: 'https://api.openai.com/v1',
    dialect: 'openai',
    reportedDimensions: ['input', 'cacheWrite', 'output'],
    cacheWrites: 'any',
    countedModels: /^(?:gpt-4o|gpt-4\.1|gpt-5|o1|o3|o4)(?:-|$)/,
    tokenFactor: 1.5,
    // In tests, OpenAI's reasoning models added 190 tokens for small tools.
    wrapping: { toolTokens: 512, schemaTokens: 128 },
    images: 'openai',
    onClientLeft: 'cut',
  },
  anthropic: {
    name: 'Anthropic',
    wires: ['messages'],
    tasks: [],
    files: ['anthropic'],
    batches: ['anthropic'],
    place: 'vendor',
    baseUrl: 'https://api.anthropic.com',
    dialect: 'compatible',
    reportedDimensions: ['input', 'cacheWrite', 'cacheWriteLong', 'output'],
    cacheWrites: 'marked',
    countedModels: null,
    // For rare words, Claude's older tokenizer counts up to 2.3 tokens for a token of o200k. The newer tokenizer counts
    // 30 % more tokens than the older one.
    tokenFactor: 3,
    // In tests, Claude added 274 tokens for small tools; its documentation says 700 for some models.
    wrapping: { toolTokens: 1024, schemaTokens: 512 },
    images: 'anthropic',
    onClientLeft: 'cut',
  },
  google: {
    ...geminiServer,
    name: 'Google',
    tasks: ['embed_content', 'batch_embed_contents'],
    files: ['google'],
    cachesContent: true,
    baseUrl: 'https://generativelanguage.googleapis.com',
  },
  vertex: {
    ...geminiServer,
    name: 'Google Vertex AI',
    tasks: ['embed_content'],
    // Google's own client recognizes these models by the same rule (npm `@google/genai`, `tIsVertexEmbedContentModel`).
    predictModels: /^(?!.*(?:gemini|maas))|(?:^|\/)gemini-embedding-001$/,
    // The address is Vertex AI's global endpoint. The global endpoint charges the prices of the models' vendors.
    baseUrl: 'https://aiplatform.googleapis.com',
    credential: 'google',
    hostsClaude: true,
    readsStorage: true,
  },
  azure_openai: {
    name: 'Azure OpenAI',
    wires: ['chat'],
    tasks: ['embeddings', 'completions', 'images', 'image_edits', ...audioTasks],
    place: 'own_resource',
    baseUrl: null,
    baseUrlParameter: 'api-version',
    dialect: 'openai',
    reportedDimensions: ['input', 'cacheWrite', 'output'],
    cacheWrites: 'any',
    countedModels: null,
    tokenFactor: 1.5,
    wrapping: { toolTokens: 512, schemaTokens: 512 },
    images: 'openai',
    onClientLeft: 'cut',
  },
  bedrock: {
    ...chatServer,
    name: 'Amazon Bedrock',
    wires: ['converse'],
    tasks: ['invoke_embeddings'],
    // The pattern excludes Titan's older text models, which accept the same request field as the embedding models.
    // Titan's text models would generate output, but an embedding request holds no money for output.
    taskModels: /titan-embed|cohere\.embed|nova-[\w-]*embed/,
    promptModels:
      /meta\.llama|mistral\.(?:mistral|mixtral)|titan-t(?:ext|g1)|cohere\.command-(?:light-)?text/,
    place: 'own_resource',
    baseUrl: null,
    credential: 'aws',
    hostsClaude: true,
    // Matches OpenAI's models, such as `openai.gpt-oss-20b-1:0`, with or without the prefix of a region.
    chatModels: /^(?:[a-z]+\.)?openai\./,
    everyModelWire: 'converse',
    countsTokens: false,
    wrapping: { toolTokens: 512, schemaTokens: 128 },
  },
  mistral: {
    ...chatServer,
    name: 'Mistral AI',
    tasks: ['embeddings', 'moderations', 'transcriptions'],
    place: 'vendor',
    baseUrl: 'https://api.mistral.ai/v1',
    dialect: 'mistral',
  },
  groq: {
    ...chatServer,
    name: 'Groq',
    tasks: audioTasks,
    place: 'vendor',
    baseUrl: 'https://api.groq.com/openai/v1',
    dialect: 'groq',
    listsSearches: true,
  },
  xai: {
    ...chatServer,
    name: 'xAI',
    tasks: ['images'],
    place: 'vendor',
    baseUrl: 'https://api.x.ai/v1',
    onClientLeft: 'cut',
  },
  openrouter: {
    ...chatServer,
    name: 'OpenRouter',
    tasks: ['embeddings', 'completions'],
    acceptsMaximumPrice: true,
    searchesInChat: true,
    place: 'vendor',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  cohere: {
    ...chatServer,
    name: 'Cohere',
    // Requests in Cohere's own format are not converted. Requests in other formats are converted to chat completions.
    wires: ['chat', 'cohere'],
    tasks: ['embeddings', 'cohere_embed', 'rerank'],
    billsSearchUnits: true,
    place: 'vendor',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
  },
  ollama: {
    ...chatServer,
    name: 'Ollama',
    tasks: ['embeddings', 'completions'],
    place: 'any_server',
    baseUrl: null,
  },
  openai_compatible: {
    ...chatServer,
    name: 'OpenAI-compatible',
    tasks: ['embeddings', 'moderations', 'completions', 'rerank', 'images', 'image_edits', ...audioTasks],
    place: 'any_server',
    baseUrl: null,
  },
  simulator: {
    name: 'Simulator',
    wires: upstreamWires,
    tasks: upstreamTasks,
    searchesInChat: true,
    storesResponses: true,
    files: ['openai', 'anthropic', 'google'],
    batches: ['openai', 'anthropic'],
    place: 'built_in',
    baseUrl: null,
    dialect: 'compatible',
    reportedDimensions: ['input', 'output'],
    cacheWrites: 'any',
    countedModels: null,
    tokenFactor: 1.5,
    wrapping: { toolTokens: 512, schemaTokens: 128 },
    images: 'any',
    onClientLeft: 'drain',
  },
} as const satisfies Readonly<Record<string, KindFacts>>

export type ProviderKind = keyof typeof providerKinds

export type RemoteKind = Exclude<ProviderKind, 'simulator'>

export function kindFacts(kind: ProviderKind): KindFacts {
  return providerKinds[kind]
}

/**
 * If the kind has `hostsClaude`, Claude models have the facts of the kind `anthropic`. Models that match `chatModels`
 * have the facts of OpenAI-compatible servers.
 */
export function modelFacts(
  kind: ProviderKind,
  model: string,
): Pick<KindFacts, 'wires' | 'dialect' | 'reportedDimensions' | 'cacheWrites'> {
  const facts = kindFacts(kind)
  const isHosted = facts.hostsClaude === true && isClaude(model)
  const own = isHosted ? providerKinds.anthropic : facts.chatModels?.test(model) === true ? chatServer : null
  if (own === null) return facts
  const { everyModelWire: wire } = facts
  return wire === undefined ? own : { ...own, wires: [...own.wires, wire] }
}

export function tasksOf(kind: ProviderKind, model: string): readonly ProviderTask[] {
  const { predictModels, promptModels, taskModels, tasks } = kindFacts(kind)
  if (predictModels?.test(model) === true) return ['predict']
  if (promptModels?.test(model) === true) return ['invoke_prompt']
  return taskModels?.test(model) === false ? [] : tasks
}

export function isClaude(model: string): boolean {
  return /claude/i.test(model)
}

/**
 * Returns whether the model is a Claude model of version 4.6 or earlier. Later Claude models have another tokenizer and
 * read larger images.
 */
export function isEarlyClaude(model: string): boolean {
  return /claude-(?:3|(?:haiku|opus|sonnet)-4(?:$|[-.@][0-6](?!\d)|[-@]\d{8}))/i.test(model)
}

export function isRemoteKind(kind: string): kind is RemoteKind {
  return Object.hasOwn(providerKinds, kind) && kind !== 'simulator'
}

// The cast is safe because the table has at least one key.
export const providerKindNames = Object.keys(providerKinds) as [ProviderKind, ...ProviderKind[]]
