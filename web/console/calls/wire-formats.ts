import type { GatewaySetInput } from '#sdk/generated/gateway.ts'

export type WireFormat = NonNullable<GatewaySetInput['wires']>[number]

/** In the order in which forms list the formats. */
const facts: Readonly<Record<WireFormat, readonly [words: string, path: string]>> = {
  chat: ['Chat completions', '/v1/chat/completions'],
  responses: ['Responses', '/v1/responses'],
  messages: ['Messages', '/v1/messages'],
  generate: ['Generate content', '/v1beta/models/…'],
  converse: ['Converse', '/model/…/converse'],
  cohere: ['Cohere chat', '/v2/chat'],
  embeddings: ['Embeddings', '/v1/embeddings'],
  embed_content: ['Embed content', '/v1beta/models/…:embedContent'],
  batch_embed_contents: ['Batch embed contents', '/v1beta/models/…:batchEmbedContents'],
  invoke_embeddings: ['Bedrock embeddings', '/model/…/invoke'],
  cohere_embed: ['Cohere embeddings', '/v2/embed'],
  moderations: ['Moderations', '/v1/moderations'],
  completions: ['Text completions', '/v1/completions'],
  rerank: ['Rerank', '/v1/rerank'],
  images: ['Images', '/v1/images/generations'],
  image_edits: ['Image edits', '/v1/images/edits'],
  speech: ['Speech', '/v1/audio/speech'],
  transcriptions: ['Transcriptions', '/v1/audio/transcriptions'],
  translations: ['Translations', '/v1/audio/translations'],
  compact: ['Compactions', '/v1/responses/compact'],
}

// The cast is safe, because the table has exactly the wire formats as keys.
export const wireFormats = (Object.keys(facts) as WireFormat[]).map((wire) => {
  const [words, path] = facts[wire]
  return { wire, words, path }
})
