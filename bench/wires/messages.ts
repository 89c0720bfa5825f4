import {
  inputTokens,
  systemText,
  token,
  userText,
  wholeText,
  wholeTokens,
  type BenchWire,
} from './wire-format-interface.ts'

export const messages: BenchWire = {
  name: 'messages',
  path: () => '/v1/messages',
  body: (model, isStream) => ({
    model,
    max_tokens: 1000,
    system: systemText,
    messages: [{ role: 'user', content: userText }],
    temperature: 0.7,
    ...(isStream ? { stream: true } : {}),
  }),
  answer: (model) => message(model, [{ type: 'text', text: wholeText() }], 'end_turn', wholeTokens),
  frames(model, chunks) {
    const event = (data: Event) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
    return {
      opening:
        event({ type: 'message_start', message: message(model, [], null, 1) }) +
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
        event({ type: 'ping' }),
      contents: [
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: token } }),
      ],
      closing:
        event({ type: 'content_block_stop', index: 0 }) +
        event({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: chunks },
        }) +
        event({ type: 'message_stop' }),
    }
  },
  blank: '\n\n',
  textMark: `"text":"${token}"`,
  usageMark: new RegExp(`"input_tokens":${inputTokens}\\b`),
}

interface Event {
  readonly type: string
  readonly [member: string]: unknown
}

function message(model: string, content: object[], stopReason: string | null, outputTokens: number) {
  return {
    id: 'msg_BenchAnswer000000000000000',
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: outputTokens,
      service_tier: 'standard',
    },
  }
}
