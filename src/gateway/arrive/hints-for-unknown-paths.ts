/**
 * Hints for paths that a gateway does not serve. A hint names the other service's feature, or the path that the client
 * probably meant.
 */

import { azurePath } from './azure-paths.ts'

/**
 * @param path without the query
 * @param isServed whether a gateway serves a path
 */
export function hintOf(path: string, isServed: (path: string) => boolean): string {
  const family = families.find(([pattern]) => pattern.test(path))
  if (family) return `Tollgate does not serve ${family[1]}. ${family[2]}`
  const meant = meantPath(path, isServed)
  return meant === null ? served : `Did you mean ${meant}?`
}

const served =
  'A gateway serves /v1/chat/completions, /v1/messages, /v1/messages/batches, /v1/batches, /v1/responses, /v1/responses/compact, /v1/embeddings, /v1/moderations, /v1/completions, /v1/chat, /v2/chat, /v2/embed, /v1/rerank, /v1/files, /v1/images/generations, /v1/images/edits, /v1/audio/speech, /v1/audio/transcriptions, /v1/audio/translations, /v1beta/models/{model}:generateContent, :embedContent, /model/{model}/converse, /model/{model}/invoke, /openai/deployments/{model}/chat/completions, /openai/v1/responses and /v1/models.'

/**
 * Documented paths of other services, with advice. A version at the beginning, such as `/v1`, is ignored. The first
 * match applies, so longer paths that end in `/files` come before `/files`.
 */
const families: readonly (readonly [pattern: RegExp, family: string, instead: string])[] = [
  [/:asyncBatchEmbed\w*$/i, 'asynchronous embeddings', 'Send :batchEmbedContents.'],
  [/\/images\/variations\/?$/, 'variations of images', 'Send the image to /v1/images/edits.'],
  [/:predict(?:LongRunning)?$/, 'images of Imagen', itself('them')],
  [
    /\/audio(?:\/(?!(?:speech|transcriptions|translations)\/?$)|$)/i,
    'this audio path',
    'Send text to /v1/audio/speech, or a file to /v1/audio/transcriptions.',
  ],
  [
    /\/fine[_-]tun(?:ing|es)(?:\/|$)|\/tunedModels(?:\/|$)/,
    'fine-tuning',
    'Train the model at its provider, then add it to the application.',
  ],
  [
    /\/assistants(?:\/|$)|\/threads(?:\/|$)/,
    'assistants',
    'Send the whole conversation and its tools to /v1/responses.',
  ],
  [
    /\/vector_stores(?:\/|$)|\/fileSearchStores(?:\/|$)/,
    'vector stores',
    'Get vectors from /v1/embeddings, and store them in your own database.',
  ],
  [
    /^\/v1\/generate\/?$/,
    'version 1 of Cohere’s API for text',
    'Send the prompt to /v1/chat as the field message.',
  ],
  [/\/videos(?:\/|$)/, 'videos', itself('them')],
  [
    /\/batches(?:\/|$)|:batchGenerateContent$/,
    'this batch path',
    'Create a batch with /v1/batches or /v1/messages/batches, or send each request to its own path.',
  ],
  [
    /\/files(?:\/|$)|\/uploads(?:\/|$)|^\/upload\//,
    'this file path',
    'Upload the file to /v1/files in a single request, or send the content of the file with your model request.',
  ],
  [
    /\/realtime(?:\/|$)|[:./]bidiGenerateContent/i,
    'realtime sessions',
    'Stream the response of /v1/responses.',
  ],
  [
    /\/cachedContents(?:\/|$)/,
    'this path for cached content',
    'Create the cached content with /v1beta/cachedContents, or send the content in the request.',
  ],
  [/\/conversations(?:\/|$)/, 'this path of conversations', 'Send the conversation to /v1/conversations.'],
  [/\/chat\/completions\/[^/]+/, 'stored completions', 'Keep the response when it arrives.'],
  [
    /^\/(?:async-invoke|guardrail)(?:\/|$)|\/invoke-with-bidirectional-stream$/,
    'this Bedrock path',
    'Send the request to /model/{model}/converse.',
  ],
  [/\/(?:evals|graders)(?:\/|$)/, 'evaluations', itself('them')],
  [
    /\/(?:containers|skills|agents|sessions|environments)(?:\/|$)/,
    'containers, skills or agents',
    'Run the tools of a model in your own program.',
  ],
  [
    /^\/(?:v1\/)?complete\/?$/,
    'the older text completions of Anthropic',
    'Send the prompt as a user message to /v1/messages.',
  ],
]

function itself(what: string): string {
  return `Call the provider itself for ${what}.`
}

/** Prefixes of other services, and prefixes that appear twice if the client's base URL already contains them. */
const prefixes: ReadonlySet<string> = new Set(['v1', 'v1beta', 'v1alpha', 'api', 'openai', 'anthropic'])

/** Null if no served path is similar, or if the gateway serves the requested path. */
export function meantPath(path: string, isServed: (path: string) => boolean): string | null {
  const segments = path.replaceAll(/%2f/gi, '/').split('/').filter(Boolean)
  const isGoogles = segments[0] === 'v1beta' || segments[0] === 'v1alpha'
  while (segments.length > 0 && prefixes.has(segments[0]?.toLowerCase() ?? '')) segments.shift()
  const rest = segments.join('/')
  const method = generateMethod.exec(rest)?.groups
  let meant = `/v1/${rest.toLowerCase()}`
  if (method) {
    const verb = verbs.find((each) => each.toLowerCase() === method.verb?.toLowerCase())
    meant = `/v1beta/models/${method.model?.replace(/^models\//, '')}:${verb}`
  } else if (azurePath(`/openai/${rest}`)?.deployment) meant = `/openai/${rest}`
  else if (rest.toLowerCase() === 'models') meant = isGoogles ? '/v1beta/models' : '/v1/models'
  else if (/^models\/./.test(rest)) meant = `/v1/${rest}`
  else if (!isServed(meant)) return null
  return meant === path ? null : meant.slice(0, 200)
}

const generateMethod =
  /^(?<model>.+):(?<verb>generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/i
const verbs = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
]
