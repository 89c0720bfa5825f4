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

export const responses: BenchWire = {
  name: 'responses',
  path: () => '/v1/responses',
  body: (model, isStream) => ({
    model,
    instructions: systemText,
    input: userText,
    temperature: 0.7,
    max_output_tokens: 1000,
    ...(isStream ? { stream: true } : {}),
  }),
  answer: (model) => response(model, wholeText(), wholeTokens),
  frames(model, chunks) {
    let sequence = 0
    const event = (type: string, data: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`
    const place = { item_id: itemId, output_index: 0, content_index: 0 }
    const text = token.repeat(chunks)
    return {
      opening:
        event('response.created', { response: response(model, null, 0) }) +
        event('response.in_progress', { response: response(model, null, 0) }) +
        event('response.output_item.added', { output_index: 0, item: item('in_progress', []) }) +
        event('response.content_part.added', { ...place, part: outputText('') }),
      contents: paddings.map((obfuscation) =>
        event('response.output_text.delta', { ...place, delta: token, logprobs: [], obfuscation }),
      ),
      closing:
        event('response.output_text.done', { ...place, text, logprobs: [] }) +
        event('response.content_part.done', { ...place, part: outputText(text) }) +
        event('response.output_item.done', { output_index: 0, item: item('completed', [outputText(text)]) }) +
        event('response.completed', { response: response(model, text, chunks) }),
    }
  },
  blank: '\n\n',
  textMark: `"delta":"${token}"`,
  usageMark: new RegExp(`"input_tokens":${inputTokens}\\b`),
}

const itemId = 'msg_BenchAnswer0000000000000000000000000000'

function outputText(text: string): object {
  return { type: 'output_text', annotations: [], logprobs: [], text }
}

function item(status: string, content: object[]): object {
  return { id: itemId, type: 'message', status, content, role: 'assistant' }
}

/** @param text null while there is no text yet */
function response(model: string, text: string | null, outputTokens: number): object {
  return {
    id: 'resp_BenchAnswer0000000000000000000000000000',
    object: 'response',
    created_at: 1_790_000_000,
    status: text === null ? 'in_progress' : 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: 1000,
    model,
    output: text === null ? [] : [item('completed', [outputText(text)])],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 0.7,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage:
      text === null
        ? null
        : {
            input_tokens: inputTokens,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: outputTokens,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: inputTokens + outputTokens,
          },
    metadata: {},
  }
}
