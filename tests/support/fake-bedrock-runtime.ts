/** Checks signatures, and responds with AWS's event stream. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { awsSignature } from '#providers/aws-signature.ts'
import { chunkMessage, eventMessage } from './encode-aws-event-stream.ts'
import { listenLocally, type LocalPort } from './listen-on-loopback.ts'

export const awsKeys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
}

export interface BedrockAnswer {
  readonly content: readonly object[]
  readonly stopReason: string
  readonly usage: Readonly<Record<string, number>> | null
  /** The service tier that served the request. Absent if the response states no tier. */
  readonly serviceTier?: { readonly type: string }
  /** `cut` ends the stream in the middle of a message, and `corrupt` sends a wrong checksum. */
  readonly end: 'usual' | 'exception' | 'cut' | 'corrupt' | 'early'
}

export const usualAnswer: BedrockAnswer = {
  content: [{ text: 'Hi ☃' }],
  stopReason: 'end_turn',
  usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 },
  end: 'usual',
}

export interface FakeBedrock extends Pick<LocalPort, 'close' | 'port'> {
  answer: BedrockAnswer
  readonly calls: { path: string; isSigned: boolean; body: Record<string, unknown> }[]
}

export async function fakeBedrock(): Promise<FakeBedrock> {
  const calls: FakeBedrock['calls'] = []
  const runtime = { answer: usualAnswer, calls }
  const server = createServer((request, response) => void serve(runtime, request, response))
  const { close, port } = await listenLocally(server)
  return Object.assign(runtime, { close, port })
}

async function serve(
  { answer, calls }: Pick<FakeBedrock, 'answer' | 'calls'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  const body = Buffer.concat(pieces)
  const at = request.url ?? ''
  calls.push({ path: at, isSigned: isSigned(request, body), body: JSON.parse(body.toString()) })
  if (!calls.at(-1)?.isSigned) return void response.writeHead(403).end('{"message":"The signature is wrong"}')
  const { content, end, serviceTier, stopReason, usage } = answer
  if (at.includes('/invoke') && 'anthropic_version' in (calls.at(-1)?.body ?? {}))
    return claude(answer, at, response)
  const { prompt } = calls.at(-1)?.body ?? {}
  if (at.includes('/invoke') && typeof prompt === 'string') return continued(answer, at, response)
  if (at.includes('/invoke')) return embeddings(answer, calls.at(-1)?.body ?? {}, response)
  if (!at.endsWith('-stream')) {
    response.setHeader('content-type', 'application/json')
    const output = { message: { role: 'assistant', content } }
    const whole = { output, stopReason, ...(usage && { usage }), metrics: {}, serviceTier }
    return void response.end(JSON.stringify(whole))
  }
  response.setHeader('content-type', 'application/vnd.amazon.eventstream')
  const last = [
    event('messageStop', { stopReason }),
    ...(usage === null ? [] : [event('metadata', { usage, metrics: { latencyMs: 1 }, serviceTier })]),
  ]
  response.write(Buffer.concat([event('messageStart', { role: 'assistant' }), ...content.flatMap(eventsOf)]))
  switch (end) {
    case 'usual':
      return void response.end(Buffer.concat(last))
    case 'early':
      return void response.end()
    case 'cut':
      return void response.end(event('messageStop', { stopReason }).subarray(0, 20))
    case 'corrupt': {
      const bytes = Buffer.concat(last)
      bytes.writeUInt8(bytes.readUInt8(30) ^ 1, 30)
      return void response.end(bytes)
    }
    case 'exception': {
      const headers = { ':message-type': 'exception', ':exception-type': 'throttlingException' }
      return void response.end(eventMessage(headers, JSON.stringify({ message: 'Too many tokens' })))
    }
    default:
      end satisfies never
  }
}

function claude({ content, end, usage }: BedrockAnswer, at: string, response: ServerResponse): void {
  const [block = { text: '' }] = content
  const text = 'text' in block ? String(block.text) : ''
  const { inputTokens: input_tokens, outputTokens: output_tokens } = usage ?? {}
  const start = { id: 'msg_bdrk_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929' }
  const message = { ...start, content: [], stop_reason: null, stop_sequence: null }
  if (!at.endsWith('-stream')) {
    response.setHeader('content-type', 'application/json')
    const whole = { ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn' }
    return void response.end(JSON.stringify({ ...whole, usage: { input_tokens, output_tokens } }))
  }
  response.setHeader('content-type', 'application/vnd.amazon.eventstream')
  const pieces = text.match(/[^]{1,400}/g) ?? []
  const begun = [
    { type: 'message_start', message: { ...message, usage: { input_tokens, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...pieces.map((piece) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: piece },
    })),
  ]
  response.write(Buffer.concat(begun.map(chunkMessage)))
  if (end !== 'usual') return void response.end()
  const ended = [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens },
    },
    { type: 'message_stop' },
  ]
  response.end(Buffer.concat(ended.map(chunkMessage)))
}

function continued({ content, end, usage }: BedrockAnswer, at: string, response: ServerResponse): void {
  const [block = { text: '' }] = content
  const text = 'text' in block ? String(block.text) : ''
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
  const isLlama = at.includes('llama')
  const piece = (said: string, reason: string | null, counts: object = {}): object =>
    isLlama
      ? {
          generation: said,
          prompt_token_count: null,
          generation_token_count: null,
          stop_reason: reason,
          ...counts,
        }
      : { outputs: [{ text: said, stop_reason: reason }] }
  if (!at.endsWith('-stream')) {
    const counts = { prompt_token_count: inputTokens, generation_token_count: outputTokens }
    response.setHeader('content-type', 'application/json')
    response.setHeader('x-amzn-bedrock-input-token-count', String(inputTokens))
    response.setHeader('x-amzn-bedrock-output-token-count', String(outputTokens))
    return void response.end(JSON.stringify(piece(text, 'stop', counts)))
  }
  const metrics = { inputTokenCount: inputTokens, outputTokenCount: outputTokens, invocationLatency: 9 }
  response.setHeader('content-type', 'application/vnd.amazon.eventstream')
  // The first chunk of Llama contains counts that are not complete.
  const first = piece(text.slice(0, 2), null, { prompt_token_count: inputTokens, generation_token_count: 1 })
  const last = { ...piece(text.slice(2), 'stop'), 'amazon-bedrock-invocationMetrics': metrics }
  response.write(chunkMessage(first))
  for (const part of text.slice(2).match(/[^]{1,400}/g) ?? [])
    if (end !== 'usual') response.write(chunkMessage(piece(part, null)))
  response.end(end === 'usual' ? chunkMessage(last) : undefined)
}

/** For all models except Titan, only a header reports the usage. */
function embeddings({ usage }: BedrockAnswer, body: object, response: ServerResponse): void {
  const { inputTokens, status, text } = play('invoke_embeddings', body)
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  if (inputTokens !== null && usage !== null)
    response.setHeader('x-amzn-bedrock-input-token-count', String(inputTokens))
  response.end(text)
}

function event(type: string, payload: object): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }
  return eventMessage(headers, JSON.stringify({ ...payload, p: 'abcdefgh' }))
}

/** Sends the text in pieces of 400 characters. */
function eventsOf(block: object, contentBlockIndex: number): Buffer[] {
  const delta = (part: object): Buffer => event('contentBlockDelta', { contentBlockIndex, delta: part })
  const stop = event('contentBlockStop', { contentBlockIndex })
  if ('toolUse' in block) {
    const { input, ...start } = block.toolUse as { input: object }
    const text = JSON.stringify(input)
    return [
      event('contentBlockStart', { contentBlockIndex, start: { toolUse: start } }),
      ...[text.slice(0, 3), text.slice(3)].map((piece) => delta({ toolUse: { input: piece } })),
      stop,
    ]
  }
  if ('reasoningContent' in block) {
    const { reasoningText } = block.reasoningContent as { reasoningText: object }
    return [delta({ reasoningContent: reasoningText }), stop]
  }
  const text = 'text' in block ? String(block.text) : ''
  return [...(text.match(/[^]{1,400}/g) ?? []).map((piece) => delta({ text: piece })), stop]
}

function isSigned({ headers, url }: IncomingMessage, body: Buffer): boolean {
  const time = String(headers['x-amz-date']).replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  const signed = awsSignature(
    { path: url ?? '', headers: { host: String(headers.host) }, body: body.toString('latin1') },
    awsKeys,
    {
      nowMs: Date.parse(time),
      region: 'us-east-1',
      service: 'bedrock',
    },
  )
  return headers.authorization === signed.at(-1)
}
