import { modelFacts } from '#domain/accounts/provider-kinds.ts'
import { awsKeysOf, awsRegionOf } from '#domain/accounts/aws-credential.ts'
import type { UpstreamRequest } from '#domain/provider-upstream-interface.ts'
import { bodyOfTexts, embeddingFamilyOf } from '#wire/invoke-embeddings/formats-by-embedding-family.ts'
import { hostedBody } from '#wire/messages/body-for-claude-clouds.ts'
import { awsSignature } from './aws-signature.ts'
import type { Dialect } from './dialect-interface.ts'

const messages = [{ role: 'user', content: 'Hi' }]

/**
 * Claude models use Anthropic's format, OpenAI's models use OpenAI's format, and embedding models use the format of
 * their family. All other models use Converse (docs/reference/wires.md "Bedrock"). An API key is sent in a header. AWS
 * access keys are not sent, but sign each call.
 */
export const bedrock: Dialect = {
  pathOf({ isStream, model, wire }) {
    if (wire === 'chat') return '/openai/v1/chat/completions'
    const [whole, stream] =
      wire === 'converse' ? ['converse', 'converse-stream'] : ['invoke', 'invoke-with-response-stream']
    return `/model/${encodeURIComponent(model)}/${isStream ? stream : whole}`
  },
  queryOf: () => '',
  keyHeader: (credential) =>
    awsKeysOf(credential) === null ? ['authorization', `Bearer ${credential}`] : null,
  signer(credential, { host, hostname }, nowMs) {
    const keys = awsKeysOf(credential)
    if (keys === null) return null
    const region = awsRegionOf(hostname)
    return (path, body) =>
      awsSignature({ path, body, headers: { host } }, keys, { nowMs: nowMs(), region, service: 'bedrock' })
  },
  // InvokeModel reads `accept` as the media type of the model's response, so the header has exactly one type.
  accept: 'application/json',
  defaults: [],
  bodyHeaders: ['anthropic-version', 'anthropic-beta'],
  bodyOf({ body, headers, wire }: UpstreamRequest) {
    if (wire !== 'messages') return body
    const at = headers.indexOf('anthropic-beta')
    const betas = at < 0 ? '' : (headers[at + 1] ?? '')
    const hosting = { version: 'bedrock-2023-05-31', betas, inPath: ['model', 'stream'] }
    return hostedBody(body, hosting)
  },
  hasEventStreams: true,
  probe(model) {
    const family = embeddingFamilyOf(model)
    if (family !== null)
      return {
        wire: 'invoke_embeddings',
        body: bodyOfTexts(family, { texts: ['Hi'], dimensions: null, inputType: null }),
      }
    const [wire] = modelFacts('bedrock', model).wires
    if (wire !== 'converse') return { wire, body: { model, max_tokens: 1, messages } }
    const turn = { role: 'user', content: [{ text: 'Hi' }] }
    return { wire, body: { messages: [turn], inferenceConfig: { maxTokens: 1 } } }
  },
}
