import { openaiError } from '#simulator/error-bodies-of-vendors.ts'
import type { Piece } from '#simulator/write-answer-by-directives.ts'
import { paddingFor } from '#simulator/padding-of-stream-chunks.ts'
import { readChat } from '#simulator/requests/read-chat-request.ts'
import {
  claimed,
  type Frames,
  type Said,
  type SaidUsage,
  type Vendor,
} from '#simulator/wire-simulator-interface.ts'

/** Includes the `reasoning_content` of compatible servers (docs/reference/wires.md "Chat completions"). */
export const chat: Vendor = {
  read: (body) => readChat(body),
  errorBody: (status, rejection) => openaiError(status, rejection),
  hasRetryAfter: true,
  hasObjectArguments: false,
  countBody: null,
  frames,
  whole,
}

function frames(said: Said): Frames {
  const { request, choices, usage } = said
  const opening = `data: ${JSON.stringify(headOf(said, 'chat.completion.chunk')).slice(0, -1)},"choices":[`
  const padding = paddingFor(said)
  const end = (): string => (padding === null ? '}\n\n' : `,"obfuscation":"${padding()}"}\n\n`)
  const ending = request.isUsageWanted ? '],"usage":null' : ']'
  const chunk = (index: number, delta: string, finishReason = 'null'): string =>
    `${opening}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}${ending}${end()}`
  return {
    // If the answer contains only tool calls, the chunk of the first call has the role, as in streams of OpenAI.
    opening: () =>
      choices.flatMap(({ pieces }, index) =>
        pieces[0]?.kind === 'tool' ? [] : [chunk(index, '{"role":"assistant","content":"","refusal":null}')],
      ),
    token: (choice, index, piece) => [chunk(choice, deltaOf(said, choice, piece, index === 0))],
    closing: () => [
      ...choices.map(({ finish }, index) => chunk(index, '{}', `"${finishReasons[finish]}"`)),
      ...(request.isUsageWanted && usage !== null ? [`${opening}],"usage":${usageOf(usage)}${end()}`] : []),
      'data: [DONE]\n\n',
    ],
    broken: () => `${opening}{"index":0,"delta":{"cont\n\n`,
    error: () => [`data: ${openaiError(500, null)}\n\n`],
  }
}

export const finishReasons = {
  end: 'stop',
  stop_sequence: 'stop',
  max_output: 'length',
  tool_calls: 'tool_calls',
  refusal: 'stop',
} as const

function deltaOf(said: Said, choice: number, { kind, text, tool }: Piece, isFirst: boolean): string {
  const quoted = JSON.stringify(text)
  if (kind === 'content') return `{"${said.choices[choice]?.isRefusal ? 'refusal' : 'content'}":${quoted}}`
  if (kind === 'reasoning') return `{"reasoning_content":${quoted}}`
  const [type, field] = said.choices[choice]?.calls[tool]?.isCustom ? custom : plain
  if (kind === 'arguments') return `{"tool_calls":[{"index":${tool},"${type}":{"${field}":${quoted}}}]}`
  const role = isFirst ? '"role":"assistant","content":null,' : ''
  const id = callIdOf(said, choice, tool)
  const call = `{"index":${tool},"id":"${id}","type":"${type}","${type}":{"name":${quoted},"${field}":""}}`
  return `{${role}"tool_calls":[${call}]}`
}

const plain = ['function', 'arguments'] as const
const custom = ['custom', 'input'] as const

function callIdOf({ callId }: Said, choice: number, tool: number): string {
  return `call_${callId}_${choice}_${tool}`
}

function whole(said: Said): string {
  const { choices, usage } = said
  const list = choices.map(({ pieces, finish }, index) => ({
    index,
    message: messageOf(said, pieces, index),
    logprobs: null,
    finish_reason: finishReasons[finish],
  }))
  const text = JSON.stringify({ ...headOf(said, 'chat.completion'), choices: list })
  return usage === null ? text : `${text.slice(0, -1)},"usage":${usageOf(usage)}}`
}

function headOf({ callId, createdSeconds, request }: Said, object: string) {
  return {
    id: `chatcmpl-${callId}`,
    object,
    created: createdSeconds,
    model: request.model,
    system_fingerprint: 'fp_simulator',
  }
}

function messageOf(said: Said, pieces: readonly Piece[], choice: number): object {
  const textOf = (kind: Piece['kind'], tool = 0): string =>
    pieces
      .filter((piece) => piece.kind === kind && piece.tool === tool)
      .map((piece) => piece.text)
      .join('')
  const names = pieces.filter((piece) => piece.kind === 'tool')
  const reasoning = textOf('reasoning')
  const content = textOf('content')
  const isRefusal = said.choices[choice]?.isRefusal ?? false
  const toolCalls = names.map(({ text, tool }) => {
    const [type, field] = said.choices[choice]?.calls[tool]?.isCustom ? custom : plain
    return {
      id: callIdOf(said, choice, tool),
      type,
      [type]: { name: text, [field]: textOf('arguments', tool) },
    }
  })
  return {
    role: 'assistant',
    content: isRefusal || (content === '' && names.length > 0) ? null : content,
    refusal: isRefusal ? content : null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(names.length === 0 ? {} : { tool_calls: toolCalls }),
  }
}

/** Returns JSON text, because a directive can request a false count with exact digits. */
export function usageOf(usage: SaidUsage): string {
  const { input, cached, written, output, reasoning, searches } = usage
  const searched = searches === 0 ? '' : `,"server_tool_use_details":{"web_search_requests":${searches}}`
  const cacheWrites = written === 0 ? '' : `,"cache_write_tokens":${written}`
  return (
    `{"prompt_tokens":${input},"completion_tokens":${claimed(usage, output)},"total_tokens":${claimed(usage, input + output)},` +
    `"prompt_tokens_details":{"cached_tokens":${cached}${cacheWrites}},` +
    `"completion_tokens_details":{"reasoning_tokens":${reasoning}}${searched}}`
  )
}
