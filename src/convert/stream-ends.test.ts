import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { unreadableCall } from '#wire/read-provider-error.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import { ConvertedStream } from './converted-stream.ts'
import { convertedAnswer } from './convert-non-streaming-response.ts'
import type { EncoderOptions } from './codec-interface.ts'
import { codecs } from './table-of-codecs.ts'
import { wires } from '#wire/table-of-wires.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { aRequest } from '#tests/fixtures/build-neutral-requests.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const bodies: Readonly<Record<WireName, object>> = {
  chat: {
    model: 'a',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'x' }],
  },
  messages: { model: 'a', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  generate: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  responses: { model: 'a', stream: true, input: 'x' },
  converse: { messages: [{ role: 'user', content: [{ text: 'x' }] }] },
  cohere: { model: 'a', stream: true, messages: [{ role: 'user', content: 'x' }] },
}

const options: EncoderOptions = encoderOptions({
  alias: 'a',
  request: aRequest({ isStream: true, wantsUsage: true }),
})
const decoding = { origin: 'o', callIdPrefix: 'call_' }

function open(from: WireName, to: WireName): AnswerStream {
  if (from !== to)
    return new ConvertedStream(codecs[from].decoder(decoding), codecs[to].encoder(options), null, 1)
  const path = { model: 'a', isStream: true, isJsonArray: false }
  const request = wires[from].parseRequest(JSON.stringify(bodies[from]), path)
  if ('reason' in request) throw new Error(JSON.stringify(request))
  return wires[from].openStream(request)
}

interface Run {
  readonly state: AnswerStream['state']
  readonly out: string
  readonly failure: AnswerStream['failure']
  readonly usage: AnswerStream['usage']
  readonly outputTokens: number
  readonly outputTokensSure: number
  readonly hasDelivered: boolean
}

/** Reading stops at the end of the stream, as in the gateway. */
function run(from: WireName, to: WireName, bytes: ByteText, cuts: readonly number[] = []): Run {
  const stream = open(from, to)
  let out = ''
  let at = 0
  for (const cut of [...new Set([...cuts.map((one) => one % (bytes.length + 1)), bytes.length])].toSorted(
    (one, other) => one - other,
  )) {
    out += stream.push(bytes.slice(at, cut))
    at = cut
    if (stream.state !== 'open') break
  }
  if (stream.state === 'open') out += stream.end()
  if (stream.state === 'done') out += stream.tail(stream.usage ?? zeroUsage)
  const { state, failure, usage, outputTokens, outputTokensSure, hasDelivered } = stream
  return { state, out: textOf(out), failure, usage, outputTokens, outputTokensSure, hasDelivered }
}

const data = (frame: unknown): string => `data: ${JSON.stringify(frame)}\n\n`
const event = (frame: { type: string } & Record<string, unknown>): string =>
  `event: ${frame.type}\n${data(frame)}`
const done = 'data: [DONE]\n\n'

const chunk = (delta: object, reason: string | null = null): string =>
  data({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, ...(reason && { finish_reason: reason }) }],
  })
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
const usageChunk = data({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [],
  usage,
})
const toolCall = (args: string): string =>
  chunk({
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: args } }],
  })

const messageStart = (id = 'msg_1'): string =>
  event({
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  })
const block = (content: object): string =>
  event({ type: 'content_block_start', index: 0, content_block: content })
const delta = (one: object): string => event({ type: 'content_block_delta', index: 0, delta: one })
const blockStop = event({ type: 'content_block_stop', index: 0 })
const messageEnd =
  event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } }) +
  event({ type: 'message_stop' })
const half =
  block({ type: 'tool_use', id: 't', name: 'f', input: {} }) +
  delta({ type: 'input_json_delta', partial_json: '{"value":"Spark' })
const wholeCall = half + delta({ type: 'input_json_delta', partial_json: 'le"}' }) + blockStop + messageEnd

const response = (status: string, output: readonly object[]): object => ({
  id: 'resp_1',
  object: 'response',
  model: 'm',
  status,
  output,
  usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
})
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
}
const responsesText =
  event({ type: 'response.created', sequence_number: 0, response: response('in_progress', []) }) +
  event({
    type: 'response.output_text.delta',
    sequence_number: 1,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: 'Hi',
  })
const responsesEnd = event({
  type: 'response.completed',
  sequence_number: 2,
  response: response('completed', [message]),
})

const failure = event({ type: 'error', code: 'server_error', message: 'm', param: null })
const failedResponse = event({ type: 'response.failed', response: response('failed', []) })
const failedBesideError = event({
  type: 'response.failed',
  response: { ...response('failed', []), error: null },
  error: { type: 'server_error', code: 'too_busy', message: 'm' },
})

const candidate = (parts: object[], finishReason: string): object => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, finishReason }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 },
  modelVersion: 'm',
  responseId: 'r',
})
const call = { functionCall: { name: 'f', args: { a: 1 } } }

const cohereText =
  event({ type: 'message-start', id: 'c', delta: { message: { role: 'assistant', content: [] } } }) +
  event({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } }) +
  event({ type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } })
const cohereUsage = { billed_units: { input_tokens: 9, output_tokens: 3 } }
const cohereEnd = event({ type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: cohereUsage } })
const cohereError = event({
  type: 'message-end',
  delta: { finish_reason: 'ERROR', error: 'failed', usage: cohereUsage },
})

/** Streams with unusual ends, and bytes after the end. */
const streams: readonly (readonly [name: string, wire: WireName, bytes: string])[] = [
  [
    'usage and a marker, no finish (Snowflake)',
    'chat',
    chunk({ role: 'assistant', content: '' }) + chunk({ content: 'Hi' }) + usageChunk + done,
  ],
  ['a call, usage and a marker, no finish', 'chat', toolCall('{"a":1}') + usageChunk + done],
  ['half a call, usage and a marker, no finish', 'chat', toolCall('{"a":') + usageChunk + done],
  ['no finish, no usage, a marker', 'chat', chunk({ content: 'Hi' }) + done],
  ['no finish, no marker', 'chat', chunk({ content: 'Hi' }) + usageChunk],
  [
    'a finish reason and comments after the end',
    'chat',
    chunk({ content: 'Hi' }, 'stop') + usageChunk + done + ': stream complete\n\n',
  ],
  ['frames behind the end', 'chat', chunk({ content: 'Hi' }, 'stop') + done + chunk({ content: 'more' })],
  [
    'a second message_start in half a call',
    'messages',
    messageStart() + half + messageStart('msg_2') + wholeCall,
  ],
  ['a repeated message_start', 'messages', messageStart() + messageStart() + wholeCall],
  [
    'frames behind message_stop',
    'messages',
    `${messageStart() + wholeCall}${event({ type: 'ping' })}: bye\n\n`,
  ],
  [
    'the end marker of another wire after the end (OpenRouter)',
    'responses',
    responsesText + responsesEnd + done,
  ],
  [
    'comments and events after the end',
    'responses',
    `${responsesText + responsesEnd}: bye\n\n${responsesText}`,
  ],
  ['an answer whose whole content is in its last event', 'responses', responsesEnd],
  ['an error and the failed response with its usage', 'responses', responsesText + failure + failedResponse],
  ['an error without a name and the failed response', 'responses', data({ error: {} }) + failedResponse],
  [
    'an error, a comment and another event',
    'responses',
    `${responsesText + failure}: wait\n\n${responsesText}`,
  ],
  ['an error and the marker of another wire', 'responses', responsesText + failure + done],
  ['an error alone', 'responses', responsesText + failure],
  ['a failed response and an error after it', 'responses', responsesText + failedResponse + failure],
  ['a failed response with the error next to it', 'responses', responsesText + failedBesideError],
  [
    'a tool call that Google reports as unexpected',
    'generate',
    data(candidate([{ text: 'Hi' }], '')) + data(candidate([call], 'UNEXPECTED_TOOL_CALL')),
  ],
  ['a malformed call', 'generate', data(candidate([], 'MALFORMED_FUNCTION_CALL'))],
  [
    'frames and comments after the end marker',
    'cohere',
    `${cohereText + cohereEnd + done}: bye\n\n${cohereText}`,
  ],
  ['a message-end without an end marker', 'cohere', cohereText + cohereEnd],
  ['an end marker without a message-end', 'cohere', cohereText + done],
  ['no end', 'cohere', cohereText],
  ['an error in its last event', 'cohere', cohereText + cohereError],
  [
    'text after an empty finish',
    'generate',
    data(candidate([], 'STOP')) + data(candidate([{ text: 'Hi' }], '')) + data(candidate([call], 'STOP')),
  ],
  [
    'text after a finish reason',
    'chat',
    chunk({ content: 'Hi' }, 'stop') + chunk({ content: ' you' }) + usageChunk + done,
  ],
  ['comments after the last frame', 'generate', `${data(candidate([{ text: 'Hi' }], 'STOP'))}: bye\n\n`],
]

describe.each(streams)('a stream of %s', (_, wire, bytes) => {
  it.each(wireNames)(
    'a client of %s gets the same end of a stream, for any division into network chunks',
    (client) => {
      const whole = run(wire, client, bytes)
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
          expect(run(wire, client, bytes, cuts)).toEqual(whole)
        }),
        { numRuns: 200 },
      )
      const everywhere = Array.from(bytes, (_byte, at) => at)
      expect(run(wire, client, bytes, everywhere)).toEqual(whole)
    },
  )
})

function bytesOf(name: string): string {
  const found = streams.find(([one]) => one === name)
  if (!found) throw new Error(name)
  return found[2]
}

describe('a response that fails', () => {
  it.each(wireNames)(
    'for a client of %s, the usage of a failed response is read even though it follows the error',
    (client) => {
      for (const name of [
        'an error and the failed response with its usage',
        'an error without a name and the failed response',
        'a failed response and an error after it',
        'a failed response with the error next to it',
      ])
        expect(run('responses', client, bytesOf(name))).toMatchObject({
          state: 'failed',
          usage: { input: 9, output: 3 },
        })
    },
  )

  it.each(wireNames)('for a client of %s, the error next to a failed response is read', (client) => {
    const { failure: read } = run('responses', client, bytesOf('a failed response with the error next to it'))
    expect(read).toMatchObject({ code: 'too_busy' })
  })

  it.each(wireNames)(
    'for a client of %s, a provider’s error fails the response even if no usage follows the error',
    (client) => {
      for (const name of [
        'an error, a comment and another event',
        'an error and the marker of another wire',
        'an error alone',
      ])
        expect(run('responses', client, bytesOf(name))).toMatchObject({
          state: 'failed',
          failure: { code: 'server_error' },
          usage: null,
        })
    },
  )
})

describe('a chat stream without a finish', () => {
  it.each(wireNames)(
    'for a client of %s, a chat stream without a finish reason is complete after its usage and end marker',
    (client) => {
      const { state, out } = run('chat', client, bytesOf('usage and a marker, no finish (Snowflake)'))
      expect(state).toBe('done')
      if (client !== 'chat')
        expect(out).toContain(
          {
            messages: '"end_turn"',
            generate: '"STOP"',
            responses: '"completed"',
            converse: '"end_turn"',
            cohere: '"COMPLETE"',
          }[client],
        )
    },
  )

  it.each(['messages', 'generate', 'responses'] as const)(
    'for %s, a chat stream without a finish reason is complete if its tool call, its usage and the end marker have arrived',
    (client) => {
      const { state, out } = run('chat', client, bytesOf('a call, usage and a marker, no finish'))
      expect(state).toBe('done')
      expect(out).toContain(
        { messages: '"tool_use"', generate: '"functionCall"', responses: '"completed"' }[client],
      )
    },
  )

  it.each(['messages', 'generate', 'responses'] as const)(
    'for %s, a chat stream without a finish reason counts as cut off if a tool call is incomplete, or if the usage or the end marker is missing',
    (client) => {
      for (const name of [
        'half a call, usage and a marker, no finish',
        'no finish, no usage, a marker',
        'no finish, no marker',
      ])
        expect(run('chat', client, bytesOf(name)).state).toBe('open')
    },
  )
})

describe('output after a finish reason', () => {
  const of = (parts: object[], reason: string): string => data(candidate(parts, reason))
  const hi = { text: 'Hi' }
  const you = { text: ' you' }
  const first = chunk({ content: 'Hi' })
  const end = usageChunk + done

  it.each<[string, WireName, string, string]>([
    [
      'an empty candidate with a finish reason, before the answer',
      'generate',
      of([], 'STOP') + of([hi], '') + of([you], 'STOP'),
      of([hi], '') + of([you], 'STOP'),
    ],
    [
      'a finish reason with every piece',
      'generate',
      of([hi], 'STOP') + of([you], 'MAX_TOKENS') + of([], 'MAX_TOKENS'),
      of([hi], '') + of([you], 'MAX_TOKENS'),
    ],
    [
      'a finish reason only before the last piece',
      'generate',
      of([hi], 'STOP') + of([you], ''),
      of([hi], '') + of([you], 'STOP'),
    ],
    [
      'a tool call after the finish reason',
      'generate',
      of([hi], 'STOP') + of([call], ''),
      of([hi], '') + of([call], 'STOP'),
    ],
    [
      'a finish reason with every piece',
      'chat',
      chunk({ content: 'Hi' }, 'stop') + chunk({ content: ' you' }, 'length') + end,
      first + chunk({ content: ' you' }, 'length') + end,
    ],
    [
      'a finish reason only before the last piece',
      'chat',
      chunk({ content: 'Hi' }, 'stop') + chunk({ content: ' you' }) + end,
      first + chunk({ content: ' you' }, 'stop') + end,
    ],
    [
      'reasoning after the finish reason',
      'chat',
      chunk({ content: 'Hi' }, 'stop') + chunk({ reasoning_content: 'hm' }) + end,
      first + chunk({ reasoning_content: 'hm' }, 'stop') + end,
    ],
  ])('%s (%s) changes neither the answer nor its end', (_, wire, bytes, usual) => {
    for (const client of wireNames) {
      if (client === wire) continue
      const given = run(wire, client, bytes)
      expect(given).toEqual(run(wire, client, usual))
      expect(given).toMatchObject({ state: 'done', usage: { input: 9, output: 3 } })
    }
  })

  it.each(['chat', 'generate'] as const)('for a client of the same wire, %s, no output is lost', (wire) => {
    const name = wire === 'chat' ? 'text after a finish reason' : 'text after an empty finish'
    const { state, out, usage: reported } = run(wire, wire, bytesOf(name))
    expect(state).toBe('done')
    expect(out).toContain('Hi')
    expect(out).toContain(wire === 'chat' ? ' you' : 'functionCall')
    expect(reported).toMatchObject({ input: 9, output: 3 })
  })

  it('two candidates with the same number in one response are two answers, of which only the first is read', () => {
    const candidates = ['Hi', 'Yo'].map((text) => ({ content: { parts: [{ text }] }, finishReason: 'STOP' }))
    const events = codecs.generate.decodeAnswer({ candidates }, decoding) ?? []
    expect(events.filter(({ kind }) => kind !== 'start')).toMatchObject([
      { kind: 'text', text: 'Hi' },
      { kind: 'finish' },
    ])
  })
})

describe('a stream with fewer choices than requested', () => {
  const reported = { prompt_tokens: 9, completion_tokens: 3 }
  const choiceChunk = (index: number, reason: string | null): string =>
    data({ choices: [{ index, delta: { content: 'Hi' }, finish_reason: reason }] })
  const end = data({ choices: [], usage: reported }) + done
  const read = (from: WireName, to: WireName, bytes: string): AnswerStream => {
    const stream = new ConvertedStream(codecs[from].decoder(decoding), codecs[to].encoder(options), null, 2)
    stream.push(bytes)
    if (stream.state === 'open') stream.end()
    return stream
  }

  it('is complete after its end marker if the provider has written only one choice', () => {
    expect(read('chat', 'generate', choiceChunk(0, 'stop') + end)).toMatchObject({
      state: 'done',
      usage: { input: 9, output: 3 },
      hasReportedUsage: true,
    })
  })

  it('is cut off without an end marker, or if another choice has begun', () => {
    expect(read('chat', 'generate', choiceChunk(0, 'stop')).state).toBe('open')
    const cut = data({ choices: [{ index: 1, delta: { content: 'Hi' } }] })
    expect(read('chat', 'generate', choiceChunk(0, 'stop') + cut + done).state).toBe('open')
  })

  it('is complete if Google has blocked the prompt for all choices', () => {
    const blocked = {
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    }
    const stream = read('generate', 'chat', data(blocked))
    expect(stream).toMatchObject({ state: 'done', usage: { input: 9, output: 0 } })
    expect(stream.tail(zeroUsage)).toContain('"finish_reason":"content_filter"')
  })
})

describe('a second `message_start` in a stream', () => {
  it.each(wireNames)(
    'for %s, a second `message_start` in an answer is an error, so that no client runs an incomplete tool call',
    (client) => {
      const { state, out } = run('messages', client, bytesOf('a second message_start in half a call'))
      expect(['broken', 'failed']).toContain(state)
      expect(out).not.toContain('msg_2')
      for (const end of [
        'content_block_stop',
        'functionCall',
        'arguments.done',
        '"finish_reason":"tool_calls"',
      ])
        expect(out).not.toContain(end)
    },
  )

  it.each(wireNames)('for %s, a second `message_start` before the answer has no effect', (client) => {
    const { state, out } = run('messages', client, bytesOf('a repeated message_start'))
    expect(state).toBe('done')
    expect(out.match(/event: message_start/g) ?? []).toHaveLength(client === 'messages' ? 1 : 0)
  })
})

describe('a tool call that cannot be read', () => {
  const others = ['chat', 'messages', 'responses'] as const
  it.each(others)('for %s, a tool call that cannot be read fails the stream', (client) => {
    const ended = run('generate', client, bytesOf('a tool call that Google reports as unexpected'))
    expect(ended).toMatchObject({
      state: 'failed',
      failure: unreadableCall,
      usage: { input: 9, output: 3 },
    })
    expect(ended.out).not.toContain('"finish_reason":"')
    expect(run('generate', client, bytesOf('a malformed call'))).toMatchObject({
      state: 'failed',
      hasDelivered: false,
    })
  })

  it.each(others)('for %s, a tool call that cannot be read fails the non-streaming response', (client) => {
    for (const reason of ['UNEXPECTED_TOOL_CALL', 'MALFORMED_FUNCTION_CALL']) {
      const events =
        codecs.generate.decodeAnswer(
          parseObject(JSON.stringify(candidate([call], reason))) ?? {},
          decoding,
        ) ?? []
      expect(convertedAnswer(events, (kept) => codecs[client].encodeAnswer(kept, options), 7)).toBeNull()
    }
  })
})

describe('a non-streaming response with an unknown status', () => {
  it('a non-streaming response with an unknown status is accepted, both unconverted and converted', () => {
    for (const status of ['complete', 'brand_new']) {
      const body = { ...response(status, [message]), model: 'm' }
      const request = wires.responses.parseRequest(JSON.stringify(bodies.responses), {
        model: 'a',
        isStream: false,
        isJsonArray: false,
      })
      if ('reason' in request) throw new Error(JSON.stringify(request))
      expect(wires.responses.readAnswer(JSON.stringify(body), request)).toMatchObject({
        usage: { input: 9, output: 3 },
      })
      const events = codecs.responses.decodeAnswer(body, decoding)
      expect(events?.some((one) => one.kind === 'text' && one.text === 'Hi')).toBe(true)
      expect(events?.at(-1)).toMatchObject({ kind: 'finish', reason: 'end' })
    }
  })

  it.each(['failed', 'cancelled', 'queued', 'in_progress'])(
    'a non-streaming response is not accepted if it is %s',
    (status) => {
      expect(codecs.responses.decodeAnswer({ ...response(status, [message]) }, decoding)).toBeNull()
    },
  )
})
