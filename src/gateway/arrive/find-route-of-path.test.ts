import { describe, expect, it } from 'vitest'
import { routeOf } from './find-route-of-path.ts'

function told(method: string, url: string): string {
  const route = routeOf(method, url)
  if (route.kind === 'refused') return `${route.failure.status} ${route.wire}`
  const { isDeployment = false } = route
  const { model, isStream, isJsonArray } = route.path
  const how = `${isStream ? ' stream' : ''}${isJsonArray ? ' array' : ''}${isDeployment ? ' deployment' : ''}`
  return `${route.kind} ${route.wire}${model === null ? '' : ` ${model}`}${how}${route.query && ` ?${route.query}`}`
}

describe('the route of a request by its method and URL', () => {
  it.each([
    ['POST', '/v1/chat/completions', 'answer chat'],
    ['POST', '/v1/messages', 'answer messages'],
    ['POST', '/v1/messages?beta=true', 'answer messages ?beta=true'],
    ['POST', '/v1/messages?beta=true&key=secret&x=y', 'answer messages ?beta=true'],
    ['POST', '/v1/messages/count_tokens?beta=true', 'count messages ?beta=true'],
    ['POST', '/v1/responses', 'answer responses'],
    ['POST', '/v1/responses/input_tokens', 'count responses'],
    ['GET', '/v1/models', 'models chat'],
    ['GET', '/v1beta/models?pageSize=50', 'models generate'],
    ['GET', '/v1/models/acme/fast', 'model chat acme/fast'],
    ['GET', '/v1/models/acme%2Ffast', 'model chat acme/fast'],
    ['GET', '/v1/models/acme%252Ffast', 'model chat acme%2Ffast'],
    ['GET', '/v1/models/acme/fast:free', 'model chat acme/fast:free'],
    ['GET', '/v1beta/models/acme%2Ffast?key=k', 'model generate acme/fast'],
    ['DELETE', '/v1/models/acme%2Ffast', '405 chat'],
    ['GET', '/v1/models/%ff', '404 chat'],
    ['GET', '/v1/models/', '404 chat'],
    ['POST', '/v1/models/m', '404 chat'],
    ['POST', '/v1beta/models/acme%2Ffast:generateContent', 'answer generate acme/fast'],
    ['POST', '/v1/models/acme/fast:generateContent', 'answer generate acme/fast'],
    ['POST', '/v1beta/acme/fast:generateContent', 'answer generate acme/fast'],
    ['POST', '/v1beta/acme/fast:streamGenerateContent?alt=sse', 'answer generate acme/fast stream'],
    ['POST', '/v1beta/models/models/m:countTokens', 'count generate models/m'],
    ['POST', '/v1alpha/models/a:b:generateContent', 'answer generate a:b'],
    ['POST', '/v1beta/models/acme%2Ffast%3AgenerateContent', 'answer generate acme/fast'],
    ['POST', '/v1beta/models/a%3ab%3astreamGenerateContent?alt=sse', 'answer generate a:b stream'],
    ['GET', '/v1beta/models/a%3Ab', 'model generate a:b'],
    ['POST', '/v1beta1/publishers/google/models/fast:generateContent', 'answer generate fast'],
    [
      'POST',
      '/v1beta1/publishers/acme/models/a/b:streamGenerateContent?alt=sse',
      'answer generate acme/a/b stream',
    ],
    ['POST', '/v1/projects/p/locations/eu/publishers/google/models/fast:countTokens', 'count generate fast'],
    ['POST', '/v1/publishers/google/acme/fast:generateContent', 'answer generate acme/fast'],
    [
      'POST',
      '/v1beta1/projects/p/locations/eu/publishers/google/acme/models/a:streamGenerateContent?alt=sse',
      'answer generate acme/models/a stream',
    ],
    ['POST', '/v1beta/models/m:streamGenerateContent?alt=sse', 'answer generate m stream'],
    ['POST', '/v1beta/models/m:streamGenerateContent', 'answer generate m stream array'],
    ['POST', '/v1beta/models/m:countTokens?key=secret', 'count generate m'],
    // Paths are decoded once, so the remaining escape is part of the model name.
    ['POST', '/v1beta/models/a%252Fb:generateContent', 'answer generate a%2Fb'],
    ['GET', '/v1/chat/completions', '405 chat'],
    ['POST', '/v1/models', '405 chat'],
    ['GET', '/v1beta/models/m:generateContent', '405 generate'],
    ['POST', '/v1beta/models/acme%2Fvectors:embedContent', 'answer embed_content acme/vectors'],
    ['POST', '/v1/models/m:batchEmbedContents?key=secret', 'answer batch_embed_contents m'],
    ['GET', '/v1beta/models/m:embedContent', '405 embed_content'],
    ['POST', '/v1beta/models/m:toString', '404 generate'],
    [
      'POST',
      '/v1/projects/p/locations/eu/publishers/anthropic/models/claude-3-7-sonnet@20250219:rawPredict',
      'answer messages claude-3-7-sonnet@20250219',
    ],
    [
      'POST',
      '/v1/projects/p/locations/eu/publishers/anthropic/models/acme%2Fclaude:streamRawPredict',
      'answer messages acme/claude stream',
    ],
    ['POST', '/v1/publishers/acme/models/claude:rawPredict', 'answer messages acme/claude'],
    [
      'POST',
      '/v1/projects/p/locations/eu/publishers/anthropic/models/count-tokens:rawPredict',
      'count messages',
    ],
    ['GET', '/v1/publishers/anthropic/models/claude:rawPredict', '405 messages'],
    ['POST', '/v1/embed', 'answer cohere_embed'],
    ['POST', '/v2/embed', 'answer cohere_embed'],
    ['GET', '/v2/embed', '405 cohere_embed'],
    ['POST', '/v1beta/models/%ff:generateContent', '404 generate'],
    ['POST', '/v1/batches', 'batches chat'],
    ['GET', '/v1/batches/batch_1', 'batches chat'],
    ['DELETE', '/v1/batches/batch_1', '405 chat'],
    ['GET', '/v1/batches/batch_1/results', '404 chat'],
    ['POST', '/v1/messages/batches', 'batches messages'],
    ['GET', '/v1/messages/batches/msgbatch_1/results', 'batches messages'],
    ['GET', '/v1/messages/batches/msgbatch_1/cancel', '405 messages'],
    ['POST', '/v1/messages/batches/msgbatch_1/more', '404 messages'],
    ['GET', '/v1/responses/resp_1', 'stored responses'],
    ['DELETE', '/v1/responses/resp_1', 'stored responses'],
    ['GET', '/v1/responses/resp_1?stream=false&key=secret', 'stored responses'],
    ['GET', '/v1/responses/resp_1?stream=true', 'stored responses ?stream=true'],
    [
      'GET',
      '/v1/responses/resp_1?stream=true&starting_after=0',
      'stored responses ?stream=true&starting_after=0',
    ],
    ['GET', '/v1/responses/resp_1?stream=yes', '400 responses'],
    ['GET', '/v1/responses/resp_1?starting_after=1', '400 responses'],
    ['GET', '/v1/responses/resp_1?stream=true&starting_after=-1', '400 responses'],
    ['DELETE', '/v1/responses/resp_1?stream=true', '400 responses'],
    ['GET', '/v1/responses/resp_1/input_items?stream=true', '400 responses'],
    ['GET', '/v1/responses/resp_1/input_items?limit=2&after=x', 'stored responses ?limit=2&after=x'],
    ['POST', '/v1/responses/resp_1/cancel', 'stored responses'],
    ['GET', '/v1/responses/resp_1/cancel', '405 responses'],
    ['POST', '/v1/responses/resp_1', '405 responses'],
    ['GET', '/v1/responses/resp_1/other', '404 responses'],
    ['GET', '/v1/responses/resp%2F1', '404 responses'],
    ['POST', '/v1/responses/compact', 'answer compact'],
    ['POST', '/v1/files', 'files chat'],
    ['GET', '/v1/files?limit=2', 'files chat ?limit=2'],
    ['DELETE', '/v1/files', '405 chat'],
    ['GET', '/v1/files/file-1', 'files chat'],
    ['DELETE', '/v1/files/file-1', 'files chat'],
    ['POST', '/v1/files/file-1', '405 chat'],
    ['GET', '/v1/files/file-1/content', 'files chat'],
    ['DELETE', '/v1/files/file-1/content', '405 chat'],
    ['GET', '/v1/files/file-1/other', '404 chat'],
    ['GET', '/v1/files/', '404 chat'],
    ['GET', '/v1/files?key=k', 'files generate ?key=k'],
    ['POST', '/upload/v1beta/files', 'files generate'],
    ['POST', '/upload/v1/files?upload_id=u', 'files generate ?upload_id=u'],
    ['GET', '/upload/v1beta/files', '405 generate'],
    ['POST', '/upload/v1beta/files/f1', '404 chat'],
    ['GET', '/v1beta/files?pageSize=2', 'files generate ?pageSize=2'],
    ['POST', '/v1beta/files', '405 generate'],
    ['GET', '/v1beta/files/f1', 'files generate'],
    ['DELETE', '/v1alpha/files/f1', 'files generate'],
    ['GET', '/v1beta/files/f1/content', '404 generate'],
    ['POST', '/model/m/converse', 'answer converse m'],
    [
      'POST',
      '/model/us.amazon.nova-pro-v1%3A0/converse-stream',
      'answer converse us.amazon.nova-pro-v1:0 stream',
    ],
    ['POST', '/model/acme%2Ffast/invoke', 'answer messages acme/fast'],
    ['POST', '/model/acme/fast/invoke-with-response-stream', 'answer messages acme/fast stream'],
    [
      'POST',
      '/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Aprofile%2Fx/count-tokens',
      'count converse arn:aws:bedrock:eu:1:profile/x',
    ],
    ['POST', '/model/a%252Fb/converse', 'answer converse a%2Fb'],
    ['GET', '/model/m/converse', '405 converse'],
    ['POST', '/v1/chat', 'answer cohere'],
    ['GET', '/v1/chat', '405 cohere'],
    ['POST', '/v2/chat', 'answer cohere'],
    ['GET', '/v2/chat', '405 cohere'],
    ['POST', '/v2/chat/x', '404 cohere'],
    ['POST', '/model/%ff/converse', '404 converse'],
    ['POST', '/model/m/toString', '404 converse'],
    ['POST', '/model//converse', '404 converse'],
    ['POST', '/v1/embeddings', 'answer embeddings'],
    ['GET', '/v1/embeddings', '405 embeddings'],
    ['POST', '/v1/moderations', 'answer moderations'],
    ['GET', '/v1/moderations', '405 moderations'],
    ['POST', '/openai/deployments/m/chat/completions?api-version=2024-10-21', 'answer chat m deployment'],
    ['POST', '/openai/deployments/m/completions', 'answer completions m deployment'],
    ['POST', '/openai/deployments/m/embeddings', 'answer embeddings m deployment'],
    ['POST', '/openai/deployments/m/images/generations', 'answer images m deployment'],
    ['POST', '/openai/deployments/m/images/edits', 'answer image_edits m deployment'],
    ['POST', '/openai/deployments/m/audio/speech', 'answer speech m deployment'],
    ['POST', '/openai/deployments/m/audio/transcriptions', 'answer transcriptions m deployment'],
    ['POST', '/openai/deployments/m/audio/translations', 'answer translations m deployment'],
    ['POST', '/openai/deployments/acme/fast/chat/completions', 'answer chat acme/fast deployment'],
    ['POST', '/openai/deployments/acme%2Ffast/completions', 'answer completions acme/fast deployment'],
    ['POST', '/openai/deployments/a%252Fb/embeddings', 'answer embeddings a%2Fb deployment'],
    ['GET', '/openai/deployments/m/chat/completions', '405 chat'],
    ['POST', '/openai/deployments/%ff/chat/completions', '404 chat'],
    ['POST', '/openai/deployments//chat/completions', '404 chat'],
    ['POST', '/openai/deployments/m/responses', '404 chat'],
    ['POST', '/openai/deployments/m/moderations', '404 chat'],
    ['GET', '/openai/deployments', '404 chat'],
    ['POST', '/openai/v1/chat/completions?api-version=preview', 'answer chat'],
    ['POST', '/openai/v1/responses', 'answer responses'],
    ['GET', '/openai/v1/responses', '405 responses'],
    ['GET', '/openai/v1/responses/resp_1?api-version=v1&stream=true', 'stored responses ?stream=true'],
    ['POST', '/openai/v1/responses/resp_1/cancel?api-version=v1', 'stored responses'],
    ['GET', '/openai/v1/files?api-version=v1&limit=2', 'files chat ?limit=2'],
    ['GET', '/openai/v1/batches/batch_1?api-version=v1', 'batches chat'],
    ['GET', '/openai/v1/models/acme%2Ffast', 'model chat acme/fast'],
    ['POST', '/openai/v1/toString', '404 chat'],
    ['POST', '/openai/responses?api-version=2025-03-01-preview', 'answer responses'],
    ['DELETE', '/openai/responses/resp_1?api-version=2025-03-01-preview', 'stored responses'],
    ['GET', '/openai/models?api-version=2024-10-21', 'models chat'],
    ['POST', '/openai/files?api-version=2024-10-21', 'files chat'],
    ['POST', '/openai/openai/v1/chat/completions', '404 chat'],
    ['POST', '/openai/v1/v1/chat/completions', '404 chat'],
    ['POST', '/v1/chat/completions/', '404 chat'],
    ['POST', '/v1/toString', '404 chat'],
  ])('a request with the method %s and the URL %s has the route %s', (method, url, route) =>
    expect(told(method, url)).toBe(route),
  )

  it('if the path is ambiguous or unknown, headers that a vendor’s clients send determine the wire', () => {
    const anthropic = { 'anthropic-version': '2023-06-01' }
    const google = { 'x-goog-api-key': 'k' }
    for (const path of ['/v1/models', '/v1/models/m', '/v1/files', '/v1/nothing']) {
      expect(routeOf('GET', path, anthropic).wire).toBe('messages')
      expect(routeOf('GET', path, google).wire).toBe('generate')
      expect(routeOf('GET', `${path}?key=k`).wire).toBe('generate')
      expect(routeOf('GET', path).wire).toBe('chat')
    }
    expect(routeOf('GET', '/v1beta/models', anthropic).wire).toBe('generate')
    expect(routeOf('POST', '/v1/chat/completions', anthropic).wire).toBe('chat')
  })

  it('the error for an unknown path of Azure states the path that the client requested', () => {
    const route = routeOf('POST', '/openai/v1/nothing')
    expect(route.kind === 'refused' && route.failure.message).toContain('/openai/v1/nothing')
  })

  it('a route never contains a key that was sent in the query', () => {
    const route = routeOf('POST', '/v1beta/nothing?key=ak_secret')
    expect(JSON.stringify(route)).not.toContain('ak_secret')
  })
})
