import { describe, expect, it } from 'vitest'
import { readChatResponse } from './chat/non-streaming-response.ts'
import { readGenerateAnswer } from './generate/non-streaming-response.ts'
import { readMessagesResponse } from './messages/non-streaming-response.ts'
import { readResponsesAnswer } from './responses/non-streaming-response.ts'
import { byteTextOf } from './text/byte-text.ts'

/** The responses of servers that report no output tokens. */
const answers = {
  chat: (words: string) =>
    readChatResponse(
      text({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: words, refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 },
      }),
      'a',
    ),
  messages: (words: string) =>
    readMessagesResponse(
      text({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: words === '' ? [] : [{ type: 'text', text: words }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 9, output_tokens: 0 },
      }),
      'a',
    ),
  responses: (words: string) =>
    readResponsesAnswer(
      text({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        model: 'm',
        output: [
          {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: words, annotations: [] }],
          },
        ],
        usage: { input_tokens: 9, output_tokens: 0, total_tokens: 9 },
      }),
      'a',
    ),
  generate: (words: string) =>
    readGenerateAnswer(
      text({
        candidates: [
          { content: { role: 'model', parts: [{ text: words }] }, finishReason: 'STOP', index: 0 },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 0, totalTokenCount: 9 },
      }),
      'a',
    ),
}

function text(answer: object) {
  return byteTextOf(JSON.stringify(answer))
}

describe.each(Object.entries(answers))('an answer of %s that reports 0 output tokens', (_wire, read) => {
  it('an answer with words counts as an answer with output, although the reported 0 output tokens are charged', () => {
    const answer = read('These are words.')
    expect(answer?.outputTokens).toBeGreaterThan(0)
    expect(answer?.usage).toMatchObject({ input: 9, output: 0 })
  })

  it('an answer without words counts as 0 output tokens', () => {
    expect(read('')).toMatchObject({ outputTokens: 0, usage: { input: 9, output: 0 } })
  })
})
