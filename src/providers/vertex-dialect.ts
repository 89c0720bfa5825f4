import { isClaude, tasksOf } from '#domain/accounts/provider-kinds.ts'
import { taskOfModel } from '#domain/prices/task-from-model-name.ts'
import { serviceAccountOf } from '#domain/accounts/google-credential.ts'
import type { UpstreamRequest } from '#domain/provider-upstream-interface.ts'
import { vertexBody, vertexCountBody, vertexEmbedBody } from '#wire/generate/vertex-body.ts'
import { hostedBody } from '#wire/messages/body-for-claude-clouds.ts'
import type { Dialect } from './dialect-interface.ts'
import { serviceAccountGrant } from './service-account-token-request.ts'

/**
 * Gemini uses the format of Google's own API, and Claude uses Anthropic's format. A service account needs access
 * tokens, and the path contains the account's project. An API key of the express mode is sent in a header, and the path
 * contains no project.
 */
export const vertex: Dialect = {
  scopeOf(credential, { hostname }) {
    const account = credential === null ? null : serviceAccountOf(credential)
    return account === null ? '' : `/projects/${account.projectId}/locations/${locationOf(hostname)}`
  },
  pathOf(request, basePath, scope) {
    const isClaudes = request.wire === 'messages'
    // The vendors' own clients use these versions.
    const version = /\/v\d/.test(basePath) ? '' : isClaudes ? '/v1' : '/v1beta1'
    const project = basePath.includes('/projects/') ? '' : scope
    const publisher = isClaudes ? 'anthropic' : 'google'
    const method = isClaudes ? claudeMethod(request) : geminiMethod(request)
    return `${version}${project}/publishers/${publisher}/models/${method}`
  },
  queryOf: ({ isStream, purpose, wire }) =>
    wire === 'generate' && isStream && purpose !== 'count' ? 'alt=sse' : '',
  keyHeader: (credential) => (serviceAccountOf(credential) === null ? ['x-goog-api-key', credential] : null),
  grantOf(credential) {
    const account = serviceAccountOf(credential)
    return account && serviceAccountGrant(account)
  },
  defaults: [],
  bodyHeaders: ['anthropic-version'],
  bodyOf({ body, model, purpose, wire }) {
    if (wire === 'predict') return body
    if (wire === 'embed_content') return vertexEmbedBody(body)
    if (wire !== 'messages')
      return purpose === 'count' ? vertexCountBody(body, model) : vertexBody(body, model)
    const inPath = purpose === 'count' ? [] : ['model']
    return hostedBody(body, { version: 'vertex-2023-10-16', betas: '', inPath })
  },
  probe: (model) =>
    isClaude(model)
      ? { wire: 'messages', body: { model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] } }
      : taskOfModel(model) === 'embeddings'
        ? embeddingProbe(model)
        : {
            wire: 'generate',
            body: {
              contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
              generationConfig: { maxOutputTokens: 1 },
            },
          },
}

function embeddingProbe(model: string): ReturnType<Dialect['probe']> {
  return tasksOf('vertex', model).includes('predict')
    ? { wire: 'predict', body: { instances: [{ content: 'Hi' }] } }
    : { wire: 'embed_content', body: { content: { parts: [{ text: 'Hi' }] } } }
}

/** The path does not name the model if tokens are counted, because the body names the model. */
function claudeMethod({ isStream, model, purpose }: UpstreamRequest): string {
  if (purpose === 'count') return 'count-tokens:rawPredict'
  return `${idOf(model)}:${isStream ? 'streamRawPredict' : 'rawPredict'}`
}

function geminiMethod({ isStream, model, purpose, wire }: UpstreamRequest): string {
  if (wire === 'predict') return `${idOf(model)}:predict`
  if (wire === 'embed_content') return `${idOf(model)}:embedContent`
  if (purpose === 'count') return `${idOf(model)}:countTokens`
  return `${idOf(model)}:${isStream ? 'streamGenerateContent' : 'generateContent'}`
}

/** Version suffixes of Claude begin with `@`, which clients do not encode. */
function idOf(model: string): string {
  return encodeURIComponent(model.replace(/^(?:publishers\/\w+\/)?models\//, '')).replaceAll('%40', '@')
}

/**
 * For example, `us-central1-aiplatform.googleapis.com` is in `us-central1`, and `aiplatform.eu.rep.googleapis.com` in
 * `eu`. Other hosts are in `global`.
 */
function locationOf(hostname: string): string {
  const region =
    /^([a-z]+-[a-z]+\d+)-aiplatform\./.exec(hostname) ?? /^aiplatform\.(\w+)\.rep\./.exec(hostname)
  return region?.[1] ?? 'global'
}
