import type { ProviderAccount } from '#domain/application-config.ts'
import { isRemoteKind, type RemoteKind, type ProviderFormat } from '#domain/accounts/provider-kinds.ts'
import { familyOfModel, taskOfModel } from '#domain/prices/task-from-model-name.ts'
import type {
  BatchRequest,
  ConversationRequest,
  FileRequest,
  UpstreamRequest,
} from '#domain/provider-upstream-interface.ts'
import { bedrock } from './bedrock-dialect.ts'
import type { Dialect } from './dialect-interface.ts'
import { vertex } from './vertex-dialect.ts'

const hello = [{ role: 'user', content: 'Hi' }]

/** Returns null if the model accepts conversations. */
function taskProbe(model: string): ReturnType<Dialect['probe']> | null {
  const family = familyOfModel(model)
  if (family === null) return null
  const { task: wire, use } = family
  switch (wire) {
    case 'images':
      // Set the lowest quality only for OpenAI's models. Other models have no quality setting, or accept other values.
      return { wire, body: { model, prompt: 'A dot', ...(use === null && { quality: 'low' }) } }
    case 'rerank':
      return { wire, body: { model, query: 'Hi', documents: ['Hi'] } }
    case 'speech':
      return { wire, body: { model, input: 'Hi', voice: 'alloy' } }
    case 'transcriptions':
      // The form of the probe contains a quarter of a second of silence.
      return { wire, body: { model } }
    default:
      return { wire, body: { model, input: 'Hi' } }
  }
}

const compatiblePaths: Readonly<Partial<Record<ProviderFormat, string>>> = {
  chat: '/chat/completions',
  cohere: '/chat',
  embeddings: '/embeddings',
  cohere_embed: '/embed',
  moderations: '/moderations',
  completions: '/completions',
  rerank: '/rerank',
  images: '/images/generations',
  image_edits: '/images/edits',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
  compact: '/responses/compact',
}

/** The paths of stored files are the same at all vendors. */
function filePath(file: FileRequest): string {
  return file.method === 'POST' ? '/files' : `/files/${encodeURIComponent(file.id)}${file.part}`
}

/** The paths of batches differ only in their beginning. */
function batchPath(start: string, { id, part }: BatchRequest): string {
  return id === undefined ? start : `${start}/${encodeURIComponent(id)}${part}`
}

function conversationPath({ id, part }: ConversationRequest): string {
  return id === undefined ? '/conversations' : `/conversations/${encodeURIComponent(id)}${part}`
}

function compatiblePath({ wire }: UpstreamRequest): string {
  return compatiblePaths[wire] ?? '/chat/completions'
}

const openai: Dialect = {
  pathOf: ({ batch, container, conversation, file, wire, purpose, stored }) => {
    if (batch) return batchPath('/batches', batch)
    if (conversation) return conversationPath(conversation)
    if (container) return `/containers/${encodeURIComponent(container.id)}${container.part}`
    if (file) return filePath(file)
    if (stored) return `/responses/${encodeURIComponent(stored.id)}${stored.part}`
    const path = compatiblePaths[wire]
    if (path !== undefined) return path
    return purpose === 'count' ? '/responses/input_tokens' : '/responses'
  },
  // Only requests about stored objects keep the client's query (arrive/route-of-stored-response-paths.ts).
  queryOf: ({ container, conversation, query, stored }) => (stored || container || conversation ? query : ''),
  keyHeader: bearer,
  defaults: [],
  // OpenAI's reasoning models reject a maximum below 16 tokens, and also the older field name of the maximum
  // (docs/reference/wires.md "Chat completions").
  probe: (model) =>
    taskProbe(model) ??
    (baseModels.test(model)
      ? { wire: 'completions', body: { model, prompt: 'Hi', max_tokens: 1 } }
      : { wire: 'chat', body: { model, messages: hello, max_completion_tokens: 16 } }),
}

/** OpenAI's models that accept only text completions and no conversations. */
const baseModels = /^(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/

/**
 * Anthropic requires the API version, which determines the body's fields, so the client's version is sent. The default
 * is the older of the two versions in use (docs/reference/wires.md "Two API versions of the messages wire"). The newer
 * version rejects the sampling parameters that clients of other wires send.
 */
const anthropic: Dialect = {
  pathOf: ({ batch, file, purpose }, basePath) => {
    const messages = `/messages${purpose === 'count' ? '/count_tokens' : ''}`
    const path = batch ? batchPath('/messages/batches', batch) : file ? filePath(file) : messages
    return `${isVersioned(basePath) ? '' : '/v1'}${path}`
  },
  // Claude Code and the beta part of the official client send `beta=true` (docs/reference/wires.md "Headers on the
  // messages wire").
  queryOf: ({ query }) => query,
  keyHeader: (credential) => ['x-api-key', credential],
  defaults: ['anthropic-version', '2023-06-01'],
  probe: (model) => ({ wire: 'messages', body: { model, max_tokens: 1, messages: hello } }),
}

const google: Dialect = {
  // In the path of an upload, the API version comes after `/upload`.
  basePathOf: ({ file }, basePath) =>
    file?.method === 'POST' ? basePath.replace(/\/v1(?:alpha|beta)?$/, '') : basePath,
  pathOf: (request, basePath) => {
    const { cached, file } = request
    if (file?.method === 'POST') return '/upload/v1beta/files'
    const version = isVersioned(basePath) ? '' : '/v1beta'
    if (file) return version + filePath(file)
    if (cached) return `${version}/${cached.method === 'POST' ? 'cachedContents' : cached.name}`
    const method = googleMethod(request)
    // Developers copy model IDs from Google's model list, in which IDs have the prefix `models/`.
    const id = encodeURIComponent(request.model.replace(/^models\//, ''))
    return `${version}/models/${id}:${method}`
  },
  // The client's query is dropped, because it selects the client's own stream format and may contain its key.
  queryOf({ file, purpose, isStream }) {
    const id = file?.method === 'POST' ? file.piece?.uploadId : null
    if (typeof id === 'string') return `upload_id=${id}&upload_protocol=resumable`
    return isStream && purpose !== 'count' ? 'alt=sse' : ''
  },
  keyHeader: (credential) => ['x-goog-api-key', credential],
  defaults: [],
  probe: (model) =>
    taskOfModel(model) === 'embeddings'
      ? { wire: 'embed_content', body: { content: { parts: [{ text: 'Hi' }] } } }
      : {
          wire: 'generate',
          body: {
            contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
            generationConfig: { maxOutputTokens: 1 },
          },
        },
}

const compatible: Dialect = {
  ...openai,
  pathOf: compatiblePath,
  probe: (model) => taskProbe(model) ?? { wire: 'chat', body: { model, messages: hello, max_tokens: 1 } },
}

/** The dialect of servers whose base URL may lack the API version, as in the settings of the vendors' own clients. */
const versioned: Dialect = {
  ...compatible,
  pathOf: (request, basePath) => `${isVersioned(basePath) ? '' : '/v1'}${compatiblePath(request)}`,
}

/**
 * The dialect of Azure's v1 API, at `https://<resource>.openai.azure.com/openai/v1`. The base URL may lack the path, or
 * may contain the dated `api-version` of the older API. In the older API, each deployment has its own path, which this
 * dialect adds to the base URL (docs/reference/wires.md "Azure OpenAI").
 */
const azure: Dialect = {
  ...openai,
  scopeOf(_, { pathname, searchParams }) {
    const path = pathname.replace(/\/+$/, '')
    const root = path === '' ? '/openai' : ''
    const isDated = /^\d/.test(searchParams.get('api-version') ?? '')
    if (isDated && !path.endsWith('/v1') && !path.includes('/deployments/')) return `${root}/deployments`
    return path === '' || path.endsWith('/openai') ? `${root}/v1` : ''
  },
  pathOf(request, _, scope) {
    const deployment = scope.endsWith('/deployments') ? `/${encodeURIComponent(request.model)}` : ''
    return `${scope}${deployment}${compatiblePath(request)}`
  },
  keyHeader: (credential) => ['api-key', credential],
}

/**
 * Only the paths of OpenAI's format begin with `/compatibility`, so Cohere's own formats drop it from the base URL. The
 * two versions of embeddings and of rerank have different paths.
 */
const cohere: Dialect = {
  ...versioned,
  basePathOf({ version = 'v1', wire }, basePath) {
    const own = wire === 'cohere' ? 'v2' : wire === 'rerank' || wire === 'cohere_embed' ? version : null
    return own === null ? basePath : basePath.replace(/(?:\/compatibility)?(?:\/v\d+)?$/, `/${own}`)
  },
}

const dialects: Readonly<Record<RemoteKind, Dialect>> = {
  openai,
  anthropic,
  google,
  vertex,
  azure_openai: azure,
  bedrock,
  mistral: versioned,
  groq: versioned,
  xai: versioned,
  openrouter: versioned,
  cohere,
  ollama: versioned,
  openai_compatible: compatible,
}

/** @throws if the account is a simulator, which has no address */
export function dialectOf({ id, kind }: ProviderAccount): Dialect {
  if (isRemoteKind(kind)) return dialects[kind]
  throw new Error(`provider account ${id} is of kind ${kind}, which has no address`)
}

function isVersioned(basePath: string): boolean {
  return /\/v\d+((alpha|beta)\d*)?$/.test(basePath)
}

function googleMethod({ isStream, purpose, wire }: UpstreamRequest): string {
  if (wire === 'embed_content') return 'embedContent'
  if (wire === 'batch_embed_contents') return 'batchEmbedContents'
  if (purpose === 'count') return 'countTokens'
  return isStream ? 'streamGenerateContent' : 'generateContent'
}

function bearer(credential: string): readonly [string, string] {
  return ['authorization', `Bearer ${credential}`]
}
