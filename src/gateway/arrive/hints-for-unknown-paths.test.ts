import { describe, expect, it } from 'vitest'
import { isGatewayPath, routeOf } from './find-route-of-path.ts'

function hintOf(path: string): string {
  const route = routeOf('POST', path)
  return route.kind === 'refused' ? String(route.failure.details['hint']) : ''
}

describe('the hint in the error for an unknown path', () => {
  it.each([
    ['/v1beta/models/m:asyncBatchEmbedContent', 'asynchronous embeddings'],
    ['/v1/images/variations', 'variations of images'],
    ['/v1beta/models/imagen:predict', 'images of Imagen'],
    ['/v1/audio/voices', 'this audio path'],
    ['/v1/videos', 'videos'],
    ['/async-invoke', 'this Bedrock path'],
    ['/guardrail/g/version/1/apply', 'this Bedrock path'],
    ['/model/m/invoke-with-bidirectional-stream', 'this Bedrock path'],
    ['/v1/batches/batch_1/results', 'this batch path'],
    ['/v1/messages/batches/msgbatch_1/more', 'this batch path'],
    ['/v1/uploads', 'this file path'],
    ['/v1beta/files/f1/more', 'this file path'],
    ['/upload/v1beta/other/files', 'this file path'],
    ['/v1/fine_tuning/jobs', 'fine-tuning'],
    ['/v1/fine_tuning/jobs/ftjob_1/cancel', 'fine-tuning'],
    ['/v1/fine_tuning/jobs/ftjob_1/events', 'fine-tuning'],
    ['/v1/fine_tuning/jobs/ftjob_1/checkpoints', 'fine-tuning'],
    ['/v1/fine_tuning/alpha/graders/run', 'fine-tuning'],
    ['/v1/fine-tunes', 'fine-tuning'],
    ['/v1beta/tunedModels', 'fine-tuning'],
    ['/v1/assistants', 'assistants'],
    ['/v1/assistants/asst_1', 'assistants'],
    ['/v1/assistants/asst_1/files', 'assistants'],
    ['/v1/threads', 'assistants'],
    ['/v1/threads/runs', 'assistants'],
    ['/v1/threads/t/messages', 'assistants'],
    ['/v1/threads/t/messages/msg_1/files', 'assistants'],
    ['/v1/threads/t/runs/run_1/submit_tool_outputs', 'assistants'],
    ['/v1/threads/t/runs', 'assistants'],
    ['/v1/vector_stores', 'vector stores'],
    ['/v1/vector_stores/vs_1', 'vector stores'],
    ['/v1/vector_stores/vs_1/search', 'vector stores'],
    ['/v1/vector_stores/vs_1/files', 'vector stores'],
    ['/v1/vector_stores/vs_1/files/file_1/content', 'vector stores'],
    ['/v1/vector_stores/vs_1/file_batches', 'vector stores'],
    ['/v1/vector_stores/vs_1/file_batches/vsfb_1/files', 'vector stores'],
    ['/v1beta/fileSearchStores', 'vector stores'],
    ['/v1/realtime', 'realtime sessions'],
    ['/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent', 'realtime sessions'],
    ['/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent', 'realtime sessions'],
    ['/v1beta1/projects/p/locations/l/cachedContents', 'this path for cached content'],
    ['/v1/conversations/conv_1/more', 'this path of conversations'],
    ['/v1/chat/completions/chatcmpl_1', 'stored completions'],
    ['/openai/deployments/m/images/variations', 'variations of images'],
    ['/openai/realtime', 'realtime sessions'],
    ['/v1/complete', 'the older text completions of Anthropic'],
    ['/v1/generate', 'version 1 of Cohere’s API for text'],
  ])('the hint for the path %s says that the gateway does not serve %s', (path, family) => {
    const [refusal, ...instead] = hintOf(path).split(/(?<=\.) /)
    expect(refusal).toBe(`Tollgate does not serve ${family}.`)
    expect(instead).not.toEqual([])
  })

  it('hints suggest only paths that the gateway serves', () => {
    for (const path of [
      '/v1/audio',
      '/v1/assistants',
      '/v1/vector_stores',
      '/v1/realtime',
      '/v1/complete',
      '/v1/generate',
    ])
      for (const [named] of hintOf(path).matchAll(/\/v\d\/[\w/]+/g))
        expect(routeOf('POST', named).kind).toBe('answer')
  })

  it.each([
    ['/messages', '/v1/messages'],
    ['/chat/completions', '/v1/chat/completions'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions/', '/v1/chat/completions'],
    ['/V1//Chat/Completions', '/v1/chat/completions'],
    ['/v1/chat%2fcompletions', '/v1/chat/completions'],
    ['/api/v1/responses', '/v1/responses'],
    ['/v1beta/openai/chat/completions', '/v1/chat/completions'],
    ['/v1/v1/messages/count_tokens', '/v1/messages/count_tokens'],
    ['/embeddings', '/v1/embeddings'],
    ['/moderations', '/v1/moderations'],
    ['/rerank', '/v1/rerank'],
    ['/chat', '/v1/chat'],
    ['/v1/chat/', '/v1/chat'],
    ['/images/generations', '/v1/images/generations'],
    ['/audio/speech', '/v1/audio/speech'],
    ['/audio/transcriptions', '/v1/audio/transcriptions'],
    ['/responses/compact', '/v1/responses/compact'],
    ['/v1/v1/rerank', '/v1/rerank'],
    ['/models/m:batchembedcontents', '/v1beta/models/m:batchEmbedContents'],
    ['/models', '/v1/models'],
    ['/v1beta/v1beta/models', '/v1beta/models'],
    ['/models/acme/fast', '/v1/models/acme/fast'],
    ['/models/acme/fast:generateContent', '/v1beta/models/acme/fast:generateContent'],
    ['/v1/v1beta/models/m:streamgeneratecontent', '/v1beta/models/m:streamGenerateContent'],
    ['/openai/openai/v1/chat/completions', '/v1/chat/completions'],
    ['/deployments/m/chat/completions', '/openai/deployments/m/chat/completions'],
    ['/openai/v1/deployments/acme/M/embeddings', '/openai/deployments/acme/M/embeddings'],
  ])('the hint for the path %s suggests the path %s', (path, meant) => {
    expect(hintOf(path)).toBe(`Did you mean ${meant}?`)
    const method = /models(?:\/[^:]*)?$/.test(meant) ? 'GET' : 'POST'
    expect(routeOf(method, meant).kind).not.toBe('refused')
  })

  it('the hint for a path that resembles no served path lists all served paths', () => {
    for (const path of ['/', '/v1', '/v1/nothing', '/toString', '//'])
      expect(hintOf(path)).toMatch(/^A gateway serves .*\.$/)
  })
})

it('a path of model calls is recognized as a gateway path, but a path of the control plane is not', () => {
  for (const path of [
    '/v1/chat/completions',
    '/messages',
    '/v1beta/models/m:generateContent',
    '/model/m/converse',
    '/openai/deployments/m/chat/completions',
    '/openai/v1/responses',
    '/openai/models',
    '/v1/chat',
    '/v2/chat',
    '/v2/embed',
    '/v1/publishers/anthropic/models/m:rawPredict',
    '/v1/conversations',
    '/v1/containers/cntr_1',
    '/v1/files',
    '/v1/messages/batches',
    '/v1beta/cachedContents',
    '/v1/models/acme/m:generateContent',
  ])
    expect(isGatewayPath(path)).toBe(true)
  for (const path of ['/v1/keys', '/v1/models', '/v1/models/m', '/v1/requests', '/'])
    expect(isGatewayPath(path)).toBe(false)
})
