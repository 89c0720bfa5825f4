import { chat as chatWire } from '#wire/chat/wire.ts'
import { listOf, objectOf, type JsonObject } from '#wire/text/json-values.ts'
import { tagOf, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { describe, expect, it } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import { textOf } from '#wire/text/byte-text.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import type { FinishReason, NeutralEvent, NeutralRequest } from '#convert/neutral-format.ts'
import { isFault } from '#wire/wire-request.ts'
import { ChatEncoder, encodeChatAnswer } from './answer-encoder.ts'
import { chat } from './codec.ts'
import { usageFromChat } from '#wire/chat/usage.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

function asked(fields: JsonObject = {}): NeutralRequest {
  const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true, ...fields }
  const parsed = chatWire.parseRequest(JSON.stringify(body), {
    model: null,
    isStream: false,
    isJsonArray: false,
  })
  const read = isFault(parsed) ? parsed : chat.readRequest(parsed)
  if (isFault(read)) throw new Error(read.reason)
  return read
}

const withUsage = { stream_options: { include_usage: true } }

function optionsFor(request: NeutralRequest = asked(withUsage)): EncoderOptions {
  return encoderOptions({ callId: 'k1', alias: 'acme/"fast"', request })
}

const usage = { ...zeroUsage, input: 7, cacheRead: 3, output: 5, reasoning: 2 }
const end: NeutralEvent = { kind: 'finish', choice: 0, reason: 'end', stopSequence: null }
const said = (text: string): NeutralEvent => ({ kind: 'text', choice: 0, text })
const call: readonly NeutralEvent[] = [
  { kind: 'tool_call', choice: 0, slot: 0, id: 'c0', name: 'f', isCustom: false },
  { kind: 'arguments', choice: 0, slot: 0, text: '{"a":' },
  { kind: 'tool_call', choice: 0, slot: 1, id: 'c1', name: 'g', isCustom: false },
  { kind: 'arguments', choice: 0, slot: 0, text: '1}' },
  { kind: 'arguments', choice: 0, slot: 1, text: '{}' },
  { kind: 'tool_call_end', choice: 0, slot: 0 },
  { kind: 'tool_call_end', choice: 0, slot: 1 },
  { kind: 'finish', choice: 0, reason: 'tool_calls', stopSequence: null },
]

function chunksOf(text: string): readonly JsonObject[] {
  return textOf(text)
    .split('\n\n')
    .filter((line) => line !== '' && line !== 'data: [DONE]')
    .map((line) => {
      expect(line.startsWith('data: {')).toBe(true)
      const chunk: JsonObject = JSON.parse(line.slice(6))
      return chunk
    })
}

function encode(events: readonly NeutralEvent[], options = optionsFor()): string {
  const encoder = new ChatEncoder(options)
  return events.map((event) => encoder.write(event)).join('') + encoder.tail(usage)
}

/** The helper of the official client rejects invalid chunks. */
async function helped(text: string): Promise<ReturnType<ChatCompletionStream['finalChatCompletion']>> {
  const lines = chunksOf(text).map((chunk) => `${JSON.stringify(chunk)}\n`)
  const stream = new Blob(lines).stream()
  return ChatCompletionStream.fromReadableStream(stream).finalChatCompletion()
}

describe('ChatEncoder', () => {
  it('text, finish reason and usage are sent in chunks that the official client reads', async () => {
    const completion = await helped(encode([{ kind: 'start', id: null }, said('he'), said('y \u2028"'), end]))
    expect(completion).toMatchObject({
      id: 'chatcmpl-k1',
      model: 'acme/"fast"',
      created: 1_800_000_000,
      choices: [{ message: { role: 'assistant', content: 'hey \u2028"' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
    expect(usageFromChat(completion.usage, null)).toEqual(usage)
  })

  it('the official client reads parallel tool calls', async () => {
    expect((await helped(encode(call))).choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [
          { id: 'c0', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'c1', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
    })
  })

  it('a client of the old functions API gets `function_call`, streaming and non-streaming', () => {
    const plain = optionsFor()
    const options = { ...plain, request: { ...plain.request, usesFunctions: true } }
    const deltas = chunksOf(encode(call, options)).flatMap((chunk) =>
      listOf(chunk.choices).map((choice) => objectOf(choice)),
    )
    const written = deltas.flatMap(({ delta }) => objectOf(delta).function_call ?? [])
    expect(written[0]).toEqual({ name: 'f', arguments: '' })
    expect(written.map((piece) => objectOf(piece).arguments).join('')).toBe('{"a":1}')
    expect(deltas.at(-1)).toMatchObject({ finish_reason: 'function_call' })
    expect(encodeChatAnswer(call, options)).toMatchObject({
      choices: [
        {
          finish_reason: 'function_call',
          message: {
            content: null,
            function_call: { name: 'f', arguments: '{"a":1}' },
            // The client of the old functions API gets only one call, although the wire supports several calls.
            tool_calls: [{ function: { name: 'g' } }],
          },
        },
      ],
    })
  })

  it('the official client reads an answer without text', async () => {
    expect((await helped(encode([end]))).choices[0]?.finish_reason).toBe('stop')
  })

  it('the role is sent once for each choice, and nothing is sent before the first output', () => {
    const encoder = new ChatEncoder(optionsFor())
    expect(encoder.write({ kind: 'start', id: 'x' })).toBe('')
    const text = [0, 1, 0].map((choice) => encoder.write({ kind: 'text', choice, text: 'a' })).join('')
    const roles = chunksOf(text).filter((chunk) => JSON.stringify(chunk).includes('"role":"assistant"'))
    expect(roles.map(({ choices }) => choices)).toMatchObject([[{ index: 0 }], [{ index: 1 }]])
  })

  it('the usage is omitted if the client did not request it', () => {
    expect(encode([said('x'), end], optionsFor(asked()))).not.toContain('usage')
  })

  it('a chat stream ends with a single `[DONE]`', () => {
    expect(encode([said('x'), end]).split('data: [DONE]\n\n')).toHaveLength(2)
  })

  it.each<[FinishReason, string]>([
    ['end', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_output', 'length'],
    ['context_full', 'length'],
    ['tool_calls', 'tool_calls'],
    ['filtered', 'content_filter'],
    ['refusal', 'content_filter'],
    ['pause', 'stop'],
    ['other', 'stop'],
  ])('the finish reason %s is written as %s', (reason, word) => {
    expect(encode([{ kind: 'finish', choice: 0, reason, stopSequence: null }])).toContain(
      `"finish_reason":"${word}"`,
    )
  })

  it('a refusal is written in its own field, followed by the finish reason `stop`', async () => {
    const text = encode([
      { kind: 'refusal', choice: 0, text: 'no' },
      { kind: 'finish', choice: 0, reason: 'refusal', stopSequence: null },
    ])
    expect((await helped(text)).choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { refusal: 'no', content: '' },
    })
  })

  it('if the spend limit ends the stream, no finish reason is sent, so that the official client throws', async () => {
    const error: WireError = {
      status: 402,
      code: 'spend_limit_exceeded',
      message: 'm',
      param: null,
      reason: 'reservation exhausted mid-stream',
      details: {},
    }
    const encoder = new ChatEncoder(optionsFor())
    const text = encoder.write(said('x')) + encoder.spendTail(usage, error, 'req_1')
    const [, , finish, counted, failed] = chunksOf(text)
    expect(finish).toMatchObject({ choices: [{ finish_reason: 'spend_limit_exceeded' }] })
    expect(counted).toMatchObject({ choices: [], usage: { completion_tokens: 5 } })
    expect(failed).toMatchObject({ error: { code: 'spend_limit_exceeded', type: 'insufficient_quota' } })
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})

describe('signatures of thoughts that chat clients send back', () => {
  const signature: Signature = { wire: 'messages', origin: 'o', kind: 'signature', data: 's1', id: null }
  const onCall: Signature = { wire: 'generate', origin: 'o', kind: 'thought_signature', data: 's2', id: null }
  const events: readonly NeutralEvent[] = [
    { kind: 'reasoning', choice: 0, text: 'hm' },
    { kind: 'signature', choice: 0, signature: signature },
    said('so'),
    { kind: 'signature', choice: 0, signature: onCall },
    ...call,
  ]

  it('signatures and their reasoning are sent with the following tool call', () => {
    const body = encodeChatAnswer(events, optionsFor())
    const [choice] = Array.isArray(body.choices) ? body.choices : []
    const results = ['c0', 'c1'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'r' }))
    const { turns } = asked({ messages: [{ role: 'user', content: 'x' }, choice.message, ...results] })
    expect(turns[1]?.parts).toEqual([
      { kind: 'reasoning', text: 'hm', signature: signature },
      { kind: 'text', text: 'so', cache: null },
      { kind: 'reasoning', text: '', signature: onCall },
      { kind: 'tool_call', id: 'c0', name: 'f', arguments: '{"a":1}', isCustom: false },
      { kind: 'tool_call', id: 'c1', name: 'g', arguments: '{}', isCustom: false },
    ])
  })

  it.each<[string, readonly NeutralEvent[], readonly string[]]>([
    ['after thoughts', [{ kind: 'reasoning', choice: 0, text: 'hm' }], ['s2']],
    [
      'after a signed text',
      [said('so'), { kind: 'signature', choice: 0, signature: { ...onCall, data: 's1' } }],
      ['s1', 's2'],
    ],
  ])('%s, the signature of a tool call is in the field of Google', (_what, before, sent) => {
    const body = encodeChatAnswer(
      [...before, { kind: 'signature', choice: 0, signature: onCall }, ...call],
      optionsFor(),
    )
    const [choice] = Array.isArray(body.choices) ? body.choices : []
    const [first, second] = choice.message.tool_calls
    expect(first.extra_content.google).toEqual({ thought_signature: tagOf(onCall) })
    expect(second).not.toHaveProperty('extra_content')
    const results = ['c0', 'c1'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'r' }))
    const { turns } = asked({ messages: [{ role: 'user', content: 'x' }, choice.message, ...results] })
    const parts = turns[1]?.parts ?? []
    const signatures = parts.flatMap((part) => (part.kind === 'reasoning' ? part.signature?.data : []))
    expect(signatures).toEqual(sent)
    // A client that keeps only Google's field loses no signature of a call.
    first.extra_content = { google: first.extra_content.google }
    const kept = asked({ messages: [{ role: 'user', content: 'x' }, choice.message, ...results] }).turns[1]
    const place = kept?.parts.findIndex(({ kind }) => kind === 'tool_call') ?? 0
    expect(kept?.parts[place - 1]).toEqual({ kind: 'reasoning', text: '', signature: onCall })
    expect(kept?.parts.filter(({ kind }) => kind === 'reasoning')).toHaveLength(1)
  })

  it('signatures are the same in a streamed and in a non-streaming response', () => {
    const body = encodeChatAnswer(events, optionsFor())
    const [choice] = Array.isArray(body.choices) ? body.choices : []
    const extra: unknown = choice.message.tool_calls[0].extra_content
    expect(extra).toBeTruthy()
    expect(encode(events)).toContain(`"extra_content":${JSON.stringify(extra)}`)
  })
})

describe('encodeChatAnswer', () => {
  it('the content of a non-streaming answer is null if there are only tool calls, and an empty text if there is no output', () => {
    expect(encodeChatAnswer(call, optionsFor())).toMatchObject({ choices: [{ message: { content: null } }] })
    expect(encodeChatAnswer([end], optionsFor())).toMatchObject({ choices: [{ message: { content: '' } }] })
  })

  it('a non-streaming answer has its choices in order, with log probabilities and citations', () => {
    const tokens = [{ token: 'a', logprob: -0.5, bytes: null, top_logprobs: [] }]
    const body = encodeChatAnswer(
      [
        { kind: 'text', choice: 1, text: 'b' },
        { kind: 'text', choice: 0, text: 'a' },
        { kind: 'logprobs', choice: 0, tokens },
        {
          kind: 'citation',
          choice: 0,
          citation: { url: 'https://x.test', title: null, start: 0, end: 1 },
        },
        { kind: 'finish', choice: 1, reason: 'max_output', stopSequence: null },
        end,
      ],
      optionsFor(),
    )
    expect(body.choices).toMatchObject([
      {
        index: 0,
        message: {
          content: 'a',
          annotations: [{ type: 'url_citation', url_citation: { url: 'https://x.test', title: '' } }],
        },
        logprobs: { content: tokens },
        finish_reason: 'stop',
      },
      { index: 1, message: { content: 'b' }, logprobs: null, finish_reason: 'length' },
    ])
  })
})
