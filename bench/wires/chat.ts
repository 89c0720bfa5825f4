import {
  inputTokens,
  paddings,
  systemText,
  token,
  userText,
  wholeText,
  wholeTokens,
} from './wire-format-interface.ts'
import type { BenchWire } from './wire-format-interface.ts'

export const chat: BenchWire = {
  name: 'chat',
  path: () => '/v1/chat/completions',
  body: (model, isStream) => ({
    model,
    messages: [
      { role: 'system', content: systemText },
      { role: 'user', content: userText },
    ],
    temperature: 0.7,
    max_tokens: 1000,
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  answer: (model) => ({
    id: 'chatcmpl-BenchAnswer000000000000000000',
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: wholeText(), refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: usage(wholeTokens),
    service_tier: 'default',
    system_fingerprint: 'fp_bench00000',
  }),
  frames(model, chunks) {
    const chunk = (choices: object[], more: object) =>
      `data: ${JSON.stringify({
        id: 'chatcmpl-BenchAnswer000000000000000000',
        object: 'chat.completion.chunk',
        created: 1_790_000_000,
        model,
        service_tier: 'default',
        system_fingerprint: 'fp_bench00000',
        choices,
        ...more,
      })}\n\n`
    const delta = (value: object, reason: string | null, obfuscation = 'yhjoJbEF') =>
      chunk([{ index: 0, delta: value, logprobs: null, finish_reason: reason }], { usage: null, obfuscation })
    return {
      opening: delta({ role: 'assistant', content: '', refusal: null }, null),
      contents: paddings.map((padding) => delta({ content: token }, null, padding)),
      closing: `${delta({}, 'stop')}${chunk([], { usage: usage(chunks), obfuscation: 'VskHzNI7' })}data: [DONE]\n\n`,
    }
  },
  blank: '\n\n',
  textMark: `"content":"${token}"`,
  usageMark: new RegExp(`"prompt_tokens":${inputTokens}\\b`),
}

function usage(outputTokens: number): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  }
}
