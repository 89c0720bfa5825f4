import { factsInBody } from '#wire/facts-in-request-path.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '#domain/errors.ts'
import type { PathVersion } from '#domain/provider-upstream-interface.ts'
import type { FormatName, WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { Route } from '#gateway/call/arrived-request-types.ts'
import { azurePath } from './azure-paths.ts'
import { batchRoute } from './route-of-batch-paths.ts'
import { bedrockRoute } from './route-of-bedrock-paths.ts'
import { cachedRoute } from './route-of-cached-content-paths.ts'
import { containerRoute } from './route-of-container-paths.ts'
import { conversationRoute } from './route-of-conversation-paths.ts'
import { decodedName } from './decode-model-name.ts'
import { fileRoute } from './route-of-file-paths.ts'
import { hintOf, meantPath } from './hints-for-unknown-paths.ts'
import { storedRoute } from './route-of-stored-response-paths.ts'

/** `wire` is the wire whose error format the client can most likely read. */
export interface NoRoute {
  readonly kind: 'refused'
  readonly wire: FormatName
  readonly failure: Failure
}

/** For a model list, `wire` is the format of the response. */
type Known =
  | {
      readonly kind: 'answer'
      readonly wire: FormatName
      readonly version?: PathVersion
      readonly isCohereV1?: true
    }
  | { readonly kind: 'count' | 'models' | 'balance' | 'usage'; readonly wire: WireName }

const noQuery = new URLSearchParams()

const fixed: ReadonlyMap<string, Known> = new Map(
  Object.entries<Known>({
    '/v1/chat/completions': { kind: 'answer', wire: 'chat' },
    '/v1/messages': { kind: 'answer', wire: 'messages' },
    '/v1/messages/count_tokens': { kind: 'count', wire: 'messages' },
    '/v1/responses': { kind: 'answer', wire: 'responses' },
    '/v1/responses/input_tokens': { kind: 'count', wire: 'responses' },
    '/v1/embeddings': { kind: 'answer', wire: 'embeddings' },
    '/v1/moderations': { kind: 'answer', wire: 'moderations' },
    '/v1/completions': { kind: 'answer', wire: 'completions' },
    '/v1/images/generations': { kind: 'answer', wire: 'images' },
    '/v1/images/edits': { kind: 'answer', wire: 'image_edits' },
    '/v1/audio/speech': { kind: 'answer', wire: 'speech' },
    '/v1/audio/transcriptions': { kind: 'answer', wire: 'transcriptions' },
    '/v1/audio/translations': { kind: 'answer', wire: 'translations' },
    '/v1/responses/compact': { kind: 'answer', wire: 'compact' },
    '/v2/chat': { kind: 'answer', wire: 'cohere' },
    '/v1/embed': { kind: 'answer', wire: 'cohere_embed' },
    '/v2/embed': { kind: 'answer', wire: 'cohere_embed', version: 'v2' },
    '/v1/chat': { kind: 'answer', wire: 'cohere', isCohereV1: true },
    '/v1/rerank': { kind: 'answer', wire: 'rerank' },
    '/v2/rerank': { kind: 'answer', wire: 'rerank', version: 'v2' },
    '/v1/models': { kind: 'models', wire: 'chat' },
    '/v1beta/models': { kind: 'models', wire: 'generate' },
    '/v1alpha/models': { kind: 'models', wire: 'generate' },
    '/v1/svc/balance': { kind: 'balance', wire: 'chat' },
    '/v1/svc/usage': { kind: 'usage', wire: 'chat' },
  }),
)

/**
 * The model name is everything between the prefix and the last colon. Names contain slashes and colons, and some
 * clients do not escape them. Some clients treat a name with a slash as a full resource name and omit `models/`
 * (@ai-sdk/google, @google/generative-ai). Some HTTP libraries also escape the last colon.
 */
const generatePath = /^\/v1(?:beta1?|alpha)?\/(?:models\/)?(?<model>.+)(?::|%3[Aa])(?<method>\w+)$/

/**
 * A model's resource name at Vertex AI. In express mode, clients omit the project and the location. If a model name
 * contains a slash, clients send its first part as the publisher (@google/genai) or omit `models/` (@ai-sdk/google-vertex).
 */
const vertexModel =
  /^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/(?:(?<publisher>[^/]+)\/models|google)\/(?<model>.+)$/

/** Slashes in the model name may be unescaped. */
const modelPath = /^\/(?<version>v1|v1beta|v1alpha)\/models\/(?<model>.+)$/

/**
 * @param url the URL in the request line
 * @param headers show the client's wire if the path does not
 */
export function routeOf(method: string, url: string, headers: IncomingHttpHeaders = {}): Route | NoRoute {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  // Parsing the query takes longer than the rest of this function, so skip it if there is no query.
  const query = end < 0 ? noQuery : new URLSearchParams(url.slice(end + 1))
  return (
    knownRoute(method, path, query, headers) ??
    routeWithParameters(method, path, query, headers) ??
    azureRoute(method, path, query, headers) ??
    refused(wireOfClient(wireNear(path), headers, query), noSuchPath(method, path))
  )
}

/**
 * Whether a path, or the path that the client probably meant, belongs to gateways. The control plane also has paths
 * below `/v1/models`, but it has no methods such as `:generateContent`.
 */
export function isGatewayPath(path: string): boolean {
  if (/^\/v1\/models(?:\/|$)/.test(path)) return routeWithParameters('POST', path, noQuery, {}) !== null
  return isServed(path) || azurePath(path) !== null || meantPath(path, isServed) !== null
}

/** Every served path has an operation with one of these two methods. */
function isServed(path: string): boolean {
  return ['GET', 'POST'].some(
    (method) =>
      knownRoute(method, path, noQuery, {}) !== null ||
      routeWithParameters(method, path, noQuery, {}) !== null,
  )
}

function knownRoute(
  method: string,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): Route | NoRoute | null {
  const known = fixed.get(path)
  if (known === undefined) return null
  const allowed = known.kind === 'answer' || known.kind === 'count' ? 'POST' : 'GET'
  const wire = known.kind === 'models' ? wireOfClient(known.wire, headers, query) : known.wire
  const version = known.kind === 'answer' ? known.version : undefined
  return method === allowed
    ? {
        kind: known.kind,
        wire,
        path: version === undefined ? factsInBody : { ...factsInBody, version },
        query: wire === 'messages' ? forwarded(query) : '',
        ...(known.kind === 'answer' && known.isCohereV1 && { isCohereV1: true }),
      }
    : refused(wire, wrongMethod(method, allowed, headers))
}

function wrongMethod(method: string, allowed: string, { upgrade }: IncomingHttpHeaders): Failure {
  const isWebSocket = method === 'GET' && upgrade?.toLowerCase() === 'websocket'
  return isWebSocket
    ? new Failure('websocket_not_served', { allowed })
    : new Failure('method_not_allowed', { method, allowed })
}

function routeWithParameters(
  method: string,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): Route | NoRoute | null {
  return (
    generateRoute(method, path, query) ??
    cachedRoute(method, path, query) ??
    bedrockRoute(method, path) ??
    modelRoute(method, path, query, headers) ??
    storedRoute(method, path, query) ??
    containerRoute(method, path, query) ??
    conversationRoute(method, path, query) ??
    batchRoute(method, path, query) ??
    fileRoute(method, path, query, wireOfClient('chat', headers, query))
  )
}

/** Null unless the path belongs to Azure OpenAI. The route is the same as for OpenAI's own path. */
function azureRoute(
  method: string,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): Route | NoRoute | null {
  const azure = azurePath(path)
  if (azure === null) return null
  query.delete('api-version')
  const route =
    knownRoute(method, azure.openaiPath, query, headers) ??
    routeWithParameters(method, azure.openaiPath, query, headers)
  if (azure.deployment === null || route === null || route.kind === 'refused') return route
  return { ...route, isDeployment: true, path: { ...factsInBody, model: azure.deployment } }
}

function modelRoute(
  method: string,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): Route | NoRoute | null {
  const { model = '', version } = modelPath.exec(path)?.groups ?? {}
  const name = decodedName(model)
  // The code above has handled every POST below this prefix.
  if (model === '' || name === null || method === 'POST') return null
  const wire = wireOfClient(version === 'v1' ? 'chat' : 'generate', headers, query)
  if (method !== 'GET') return refused(wire, new Failure('method_not_allowed', { method, allowed: 'GET' }))
  return { kind: 'model', wire, path: { ...factsInBody, model: name }, query: '' }
}

/** Some paths belong to several wires. The clients of Anthropic and Google always send headers of their own. */
function wireOfClient(near: WireName, headers: IncomingHttpHeaders, query: URLSearchParams): WireName {
  if (near !== 'chat') return near
  if (headers['anthropic-version'] !== undefined) return 'messages'
  return headers['x-goog-api-key'] !== undefined || query.has('key') ? 'generate' : 'chat'
}

function generateRoute(method: string, path: string, query: URLSearchParams): Route | NoRoute | null {
  const { model = '', method: verb = '' } = generatePath.exec(path)?.groups ?? {}
  const known = Object.hasOwn(generateMethods, verb) ? generateMethods[verb] : undefined
  if (known === undefined) return null
  const { kind, wire } = known
  if (method !== 'POST') return refused(wire, new Failure('method_not_allowed', { method, allowed: 'POST' }))
  const name = decodedName(model)
  if (name === null) return refused(wire, noSuchPath(method, path))
  if (wire === 'messages') return rawPredictRoute(name, verb)
  const { model: own = name, publisher = 'google' } = vertexModel.exec(name)?.groups ?? {}
  const isStream = verb === 'streamGenerateContent'
  const isJsonArray = isStream && query.get('alt') !== 'sse'
  return {
    kind,
    wire,
    path: { model: publisher === 'google' ? own : `${publisher}/${own}`, isStream, isJsonArray },
    query: '',
  }
}

/**
 * Clients of Claude at Vertex AI send `anthropic` as the publisher of every model. In requests that count tokens, the
 * body names the model.
 * @param name everything between the version and the method
 */
function rawPredictRoute(name: string, verb: string): Route {
  const { model: own = name, publisher = 'anthropic' } = vertexModel.exec(name)?.groups ?? {}
  const isStream = verb === 'streamRawPredict'
  if (own === 'count-tokens' && !isStream)
    return { kind: 'count', wire: 'messages', path: { ...factsInBody, isRawPredict: true }, query: '' }
  const model = publisher === 'anthropic' ? own : `${publisher}/${own}`
  return {
    kind: 'answer',
    wire: 'messages',
    path: { model, isStream, isJsonArray: false, isRawPredict: true },
    query: '',
  }
}

const generateMethods: Readonly<Record<string, Known>> = {
  generateContent: { kind: 'answer', wire: 'generate' },
  streamGenerateContent: { kind: 'answer', wire: 'generate' },
  countTokens: { kind: 'count', wire: 'generate' },
  rawPredict: { kind: 'answer', wire: 'messages' },
  streamRawPredict: { kind: 'answer', wire: 'messages' },
  embedContent: { kind: 'answer', wire: 'embed_content' },
  batchEmbedContents: { kind: 'answer', wire: 'batch_embed_contents' },
}

function refused(wire: FormatName, failure: Failure): NoRoute {
  return { kind: 'refused', wire, failure }
}

/** Omits the query, which may contain a key. */
function noSuchPath(method: string, path: string): Failure {
  return new Failure('no_such_path', { method, path: path.slice(0, 200), hint: hintOf(path, isServed) })
}

function wireNear(path: string): WireName {
  if (path.startsWith('/v1beta/') || path.startsWith('/v1alpha/')) return 'generate'
  if (path.startsWith('/v1/messages')) return 'messages'
  if (path.startsWith('/model/')) return 'converse'
  if (path.startsWith('/v2/')) return 'cohere'
  return path.startsWith('/v1/responses') ? 'responses' : 'chat'
}

/**
 * Forwards only `beta=true`, with which Anthropic's clients enable the features listed in `anthropic-beta`. Any other
 * parameter may be a key (key-in-request-headers.ts) or another secret.
 */
function forwarded(query: URLSearchParams): string {
  return query.get('beta') === 'true' ? 'beta=true' : ''
}
