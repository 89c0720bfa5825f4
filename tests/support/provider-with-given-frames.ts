/**
 * Starts a provider of all four wires that sends the frames that a test writes, for any request. Tests use this
 * provider for answers that no real provider gives, and for all kinds of failures.
 *
 *   const provider = await startFramedProvider()
 *   provider.answer = (wire) => ({ frames: [...opening[wire], ...], isCut: true })
 */
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { listenLocally } from './listen-on-loopback.ts'

export interface FramedAnswer {
  readonly frames: readonly string[]
  /**
   * After this number of frames, the provider waits up to a minute for the gateway to cut the stream, and then
   * continues.
   */
  readonly waitsAfter?: number
  /** The provider sends nothing before this promise resolves. */
  readonly until?: Promise<unknown>
  readonly isCut?: boolean
  /** The provider sends nothing after the frames until this promise resolves. */
  readonly stallsUntil?: Promise<unknown>
  readonly isWhole?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Overrides the content type that `isWhole` implies. */
  readonly contentType?: string
  /**
   * The provider stops sending until the client disconnects. The provider stops before the head, or after the head and
   * the frames.
   */
  readonly hangs?: 'before_head' | 'behind_frames'
  /** The provider resets the connection (RST) instead of sending a head, or after the head and the frames. */
  readonly resets?: 'before_head' | 'behind_frames'
  /** The provider sends this frame repeatedly after the frames, until the client disconnects. */
  readonly drips?: string
}

export interface FramedProvider {
  readonly baseUrls: Readonly<Record<'openai' | 'anthropic' | 'google', string>>
  readonly port: number
  /** @param path names the model, on the generate wire */
  answer: (wire: WireName, body: string, path: string) => FramedAnswer
  framesSent: number
  readonly calls: number
  close(): Promise<void>
}

export async function startFramedProvider(): Promise<FramedProvider> {
  const server = createServer((request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => void serve(request.url ?? '', body, response))
  })
  const { close, port } = await listenLocally(server)
  const origin = `http://127.0.0.1:${port}`
  let calls = 0
  const provider: FramedProvider = {
    baseUrls: { openai: `${origin}/v1`, anthropic: origin, google: origin },
    port,
    answer: () => ({ frames: [] }),
    framesSent: 0,
    get calls() {
      return calls
    },
    close,
  }

  async function serve(path: string, body: string, response: ServerResponse): Promise<void> {
    calls++
    const said = provider.answer(wireOf(path), body, path)
    const {
      contentType,
      drips,
      frames,
      hangs,
      headers,
      isCut,
      isWhole,
      resets,
      stallsUntil,
      status = 200,
      until,
      waitsAfter,
    } = said
    const closed = new Promise((resolve) => response.once('close', resolve))
    provider.framesSent = 0
    if (hangs === 'before_head') return
    if (until !== undefined) await Promise.race([until, closed])
    if (response.destroyed) return
    if (resets === 'before_head') return void response.socket?.resetAndDestroy()
    const usual = isWhole === true ? 'application/json' : 'text/event-stream'
    response.writeHead(status, { 'content-type': contentType ?? usual, ...headers })
    response.flushHeaders()
    for (const frame of frames) {
      if (response.destroyed) return
      response.write(frame)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (++provider.framesSent === waitsAfter)
        await Promise.race([closed, delay(waitMs, null, { ref: false })])
    }
    if (hangs === 'behind_frames') return
    if (stallsUntil !== undefined) await Promise.race([closed, stallsUntil])
    if (drips !== undefined) return drip(drips, response)
    if (isCut !== true && resets === undefined) return void response.end()
    // Node combines the writes of one turn of the event loop, so wait for the earlier data to be sent.
    await new Promise(setImmediate)
    // A reset discards unread data, as on a real network.
    if (resets === 'behind_frames') return void response.socket?.resetAndDestroy()
    response.socket?.end(() => response.destroy())
  }
  return provider
}

/** The wait is longer than a busy machine takes to cut a stream. */
const waitMs = 60_000

const dripMs = 20

async function drip(frame: string, response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(frame)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await delay(dripMs)
  }
}

function wireOf(path: string): WireName {
  if (path.includes('/messages')) return 'messages'
  if (path.includes('/responses')) return 'responses'
  return path.includes('/chat/') ? 'chat' : 'generate'
}

export type Saying =
  | { readonly kind: 'thought' | 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: string }

export interface Told {
  readonly input: number
  readonly output: number
}

/** @param isRefusal whether the model or its provider declines; the text is then empty */
export function bodyOfAnswer(
  wire: WireName,
  text: string,
  { input, output }: Told,
  isRefusal = false,
): object {
  switch (wire) {
    case 'chat':
      return {
        id: 'c1',
        object: 'chat.completion',
        created: 1,
        model: 'up',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: isRefusal ? null : text },
            finish_reason: isRefusal ? 'content_filter' : 'stop',
          },
        ],
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      }
    case 'messages':
      return {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'up',
        content: text === '' ? [] : [{ type: 'text', text }],
        stop_reason: isRefusal ? 'refusal' : 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: output },
      }
    case 'generate':
      return {
        ...(isRefusal
          ? { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
          : {
              candidates: [
                {
                  content: { parts: text === '' ? [] : [{ text }], role: 'model' },
                  index: 0,
                  finishReason: 'STOP',
                },
              ],
            }),
        modelVersion: 'up',
        responseId: 'r1',
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output,
        },
      }
    default:
      return {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        model: 'up',
        status: isRefusal ? 'incomplete' : 'completed',
        incomplete_details: isRefusal ? { reason: 'content_filter' } : null,
        error: null,
        output:
          text === ''
            ? []
            : [
                {
                  id: 'item_0',
                  type: 'message',
                  role: 'assistant',
                  status: 'completed',
                  content: [{ type: 'output_text', text, annotations: [] }],
                },
              ],
        usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
      }
  }
}

export function framesOfRefusal(wire: WireName, usage: Told): string[] {
  switch (wire) {
    case 'chat':
      return chatFrames([], usage).map((frame) => frame.replace('"stop"', '"content_filter"'))
    case 'messages':
      return messagesFrames([], usage).map((frame) => frame.replace('"end_turn"', '"refusal"'))
    case 'generate':
      return [`data: ${JSON.stringify(bodyOfAnswer(wire, '', usage, true))}\r\n\r\n`]
    default:
      return responsesFrames([], usage).map((frame) =>
        frame.includes('response.completed')
          ? frame
              .replaceAll('response.completed', 'response.incomplete')
              .replace(
                '"status":"completed"',
                '"status":"incomplete","incomplete_details":{"reason":"content_filter"}',
              )
          : frame,
      )
  }
}

export function framesOfAnswer(wire: WireName, said: readonly Saying[], usage: Told): string[] {
  switch (wire) {
    case 'chat':
      return chatFrames(said, usage)
    case 'messages':
      return messagesFrames(said, usage)
    case 'generate':
      return generateFrames(said, usage)
    default:
      return responsesFrames(said, usage)
  }
}

function chatFrames(said: readonly Saying[], { input, output }: Told): string[] {
  const frame = (choices: object[], more: object = {}): string =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'up', choices, ...more })}\n\n`
  const chunk = (delta: object, reason: string | null = null): string =>
    frame([{ index: 0, delta, finish_reason: reason }])
  let calls = 0
  return [
    chunk({ role: 'assistant', content: '' }),
    ...said.flatMap((one) => {
      if (one.kind !== 'call')
        return chunk(one.kind === 'text' ? { content: one.text } : { reasoning_content: one.text })
      const index = calls++
      const named = {
        index,
        id: `call_${index}`,
        type: 'function',
        function: { name: one.name, arguments: '' },
      }
      return [
        chunk({ tool_calls: [named] }),
        chunk({ tool_calls: [{ index, function: { arguments: one.arguments } }] }),
      ]
    }),
    chunk({}, said.some(({ kind }) => kind === 'call') ? 'tool_calls' : 'stop'),
    frame([], { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } }),
    'data: [DONE]\n\n',
  ]
}

function messagesFrames(said: readonly Saying[], { input, output }: Told): string[] {
  const frame = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [],
    stop_reason: null,
  }
  const frames = [
    frame('message_start', { message: { ...message, usage: { input_tokens: input, output_tokens: 1 } } }),
  ]
  let index = -1
  let open: Saying['kind'] | null = null
  const close = (): void => {
    if (open === 'thought')
      frames.push(
        frame('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'c2ln' } }),
      )
    if (open !== null) frames.push(frame('content_block_stop', { index }))
    open = null
  }
  for (const one of said) {
    if (open !== one.kind || one.kind === 'call') {
      close()
      index++
      open = one.kind
      const block =
        one.kind === 'call'
          ? { type: 'tool_use', id: `toolu_${index}`, name: one.name, input: {} }
          : one.kind === 'text'
            ? { type: 'text', text: '' }
            : { type: 'thinking', thinking: '', signature: '' }
      frames.push(frame('content_block_start', { index, content_block: block }))
    }
    const delta =
      one.kind === 'call'
        ? { type: 'input_json_delta', partial_json: one.arguments }
        : one.kind === 'text'
          ? { type: 'text_delta', text: one.text }
          : { type: 'thinking_delta', thinking: one.text }
    frames.push(frame('content_block_delta', { index, delta }))
  }
  close()
  const reason = said.some(({ kind }) => kind === 'call') ? 'tool_use' : 'end_turn'
  return [
    ...frames,
    frame('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: output },
    }),
    frame('message_stop', {}),
  ]
}

function generateFrames(said: readonly Saying[], { input, output }: Told): string[] {
  const frame = (parts: object[], more: object, reason: object = {}): string =>
    `data: ${JSON.stringify({
      candidates: [{ content: { parts, role: 'model' }, index: 0, ...reason }],
      modelVersion: 'up',
      responseId: 'r1',
      ...more,
    })}\r\n\r\n`
  const usageMetadata = { promptTokenCount: input, totalTokenCount: input }
  return [
    ...said.map((one) =>
      one.kind === 'call'
        ? frame([{ functionCall: { name: one.name, args: JSON.parse(one.arguments) } }], { usageMetadata })
        : frame([{ text: one.text, ...(one.kind === 'thought' && { thought: true }) }], { usageMetadata }),
    ),
    frame(
      [{ text: '' }],
      {
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output,
        },
      },
      { finishReason: 'STOP' },
    ),
  ]
}

function responsesFrames(said: readonly Saying[], { input, output }: Told): string[] {
  let sequence = 0
  const frame = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`
  const response = (status: string, more: object): object => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'up',
    status,
    output: [],
    ...more,
  })
  const frames = [frame('response.created', { response: response('in_progress', {}) })]
  let at = -1
  let open: Saying['kind'] | null = null
  let text = ''
  let call: { name: string; arguments: string } | null = null
  const idOf = (): string => `item_${at}`
  const item = (): object => {
    if (call)
      return { id: idOf(), type: 'function_call', call_id: `call_${at}`, status: 'completed', ...call }
    if (open === 'thought')
      return { id: idOf(), type: 'reasoning', summary: [{ type: 'summary_text', text }] }
    const content = [{ type: 'output_text', text, annotations: [] }]
    return { id: idOf(), type: 'message', role: 'assistant', status: 'completed', content }
  }
  const close = (): void => {
    if (open !== null) frames.push(frame('response.output_item.done', { output_index: at, item: item() }))
    open = null
    call = null
    text = ''
  }
  for (const one of said) {
    if (open !== one.kind || one.kind === 'call') {
      close()
      at++
      open = one.kind
      const added =
        one.kind === 'call'
          ? { id: idOf(), type: 'function_call', call_id: `call_${at}`, name: one.name, arguments: '' }
          : one.kind === 'text'
            ? { id: idOf(), type: 'message', role: 'assistant', content: [] }
            : { id: idOf(), type: 'reasoning', summary: [] }
      frames.push(frame('response.output_item.added', { output_index: at, item: added }))
    }
    const where = { item_id: idOf(), output_index: at }
    if (one.kind === 'call') {
      call = { name: one.name, arguments: one.arguments }
      frames.push(frame('response.function_call_arguments.delta', { ...where, delta: one.arguments }))
    } else {
      text += one.text
      frames.push(
        one.kind === 'text'
          ? frame('response.output_text.delta', { ...where, content_index: 0, delta: one.text, logprobs: [] })
          : frame('response.reasoning_summary_text.delta', { ...where, summary_index: 0, delta: one.text }),
      )
    }
  }
  close()
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output }
  return [...frames, frame('response.completed', { response: response('completed', { usage }) })]
}
