import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fit } from '#convert/capabilities/adapt-request-to-wire.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import { codecs } from '#convert/table-of-codecs.ts'
import type { EncoderOptions } from '#convert/codec-interface.ts'
import type { NeutralEvent, NeutralRequest } from '#convert/neutral-format.ts'
import { convertedAnswer } from '#convert/convert-non-streaming-response.ts'
import { ToolNames } from '#convert/replace-and-restore-tool-names.ts'
import { requests } from '#tests/fixtures/conversions/random-requests.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { isObject, listOf, objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { converse } from './codec.ts'
import { encoderOptions } from '#tests/fixtures/conversions/encoder-options.ts'

const nova: Destination = {
  wire: 'converse',
  model: 'us.amazon.nova-pro-v1:0',
  origin: 'o',
  dialect: 'compatible',
}
const llama: Destination = { ...nova, model: 'us.meta.llama4-scout-17b-instruct-v1:0' }

/** Returns why Bedrock would reject the request by the rules of its API, or null. */
function faultOf(body: JsonObject): string | null {
  const messages = listOf(body.messages).map(objectOf)
  if (messages.length === 0 || messages[0]?.role !== 'user') return 'starts with a user message'
  if (messages.at(-1)?.role !== 'user') return 'ends with a user message'
  let open = new Set<unknown>()
  let hasTools = false
  for (const [i, { content, role }] of messages.entries()) {
    if (i > 0 && role === messages[i - 1]?.role) return 'roles alternate'
    const blocks = listOf(content).map(objectOf)
    if (blocks.length === 0) return 'a message has content'
    const calls = new Set<unknown>()
    for (const block of blocks) {
      if (Object.keys(block).length !== 1) return 'a block has one member'
      if ('text' in block && String(block.text).trim() === '') return 'a text is not blank'
      if (isObject(block.toolUse)) {
        hasTools = true
        const { input, name, toolUseId } = block.toolUse
        if (role !== 'assistant' || !isObject(input)) return 'a call has an object'
        if (!/^[\w-]{1,64}$/.test(String(name)) || !/^[\w.:-]{1,64}$/.test(String(toolUseId)))
          return 'names of calls'
        calls.add(toolUseId)
      }
      if (isObject(block.toolResult)) {
        const { content: result, toolUseId } = block.toolResult
        if (!open.delete(toolUseId)) return 'a result has its call'
        if (listOf(result).length === 0) return 'a result has content'
        if (listOf(result).some((one) => objectOf(one).text === '')) return 'a result is not blank'
      }
    }
    if (open.size > 0) return 'a call has its result'
    open = calls
  }
  const { tools, toolChoice } = objectOf(body.toolConfig)
  if (hasTools && listOf(tools).length === 0) return 'calls need their tools'
  if (isObject(toolChoice) && 'none' in toolChoice) return 'no such choice'
  const names = listOf(tools).map((tool) => objectOf(objectOf(tool).toolSpec).name)
  if (!names.every((name) => /^[\w-]{1,64}$/.test(String(name)))) return 'names of tools'
  const { stopSequences, temperature } = objectOf(body.inferenceConfig)
  if (listOf(stopSequences).length > 4) return 'four stop sequences'
  return typeof temperature === 'number' && temperature > 1 ? 'temperature' : null
}

function written(request: NeutralRequest, to: Destination): JsonObject {
  const names = new ToolNames(request, request, to)
  return converse.writeRequest(names.apply(request), { ...to, outputTokensMax: 50, outputTokensDefault: 99 })
}

const others = wireNames.filter((wire) => wire !== 'converse')

describe.each(others)('requests from %s that are converted to Converse', (from) => {
  it.each([nova, llama])('a converted request is valid for Bedrock ($model)', (to) => {
    fc.assert(
      fc.property(requests, (request) => {
        const fitted = fit(request, from, to)
        fc.pre(!isFault(fitted))
        const body = written(fitted.request, to)
        expect(faultOf(body)).toBeNull()
        expect(body).not.toHaveProperty('model')
        expect(objectOf(body.inferenceConfig).maxTokens).toBe(50)
      }),
      { numRuns: 200 },
    )
  })
})

function sent(
  from: WireName,
  body: object,
  to: Destination = nova,
): { body: JsonObject; lost: readonly string[]; stops: readonly string[] } {
  const path = { model: from === 'generate' ? 'm' : null, isStream: false, isJsonArray: false }
  const request = wires[from].parseRequest(byteTextOf(JSON.stringify(body)), path)
  if (isFault(request)) throw new Error(request.reason)
  const conversion = prepareConversion(request, to)
  if (isFault(conversion)) throw new Error(conversion.reason)
  const text = textOf(conversion.body({ outputTokensMax: request.outputTokensMax, outputTokensDefault: 99 }))
  return { body: parseObject(text) ?? {}, lost: conversion.lost, stops: conversion.stops }
}

const png = 'iVBORw0KGgo='
const image = { image: { format: 'png', source: { bytes: png } } }

test('texts, instructions, images, tools, stop sequences and cache breakpoints of a messages request are sent to Nova', () => {
  const { body, lost, stops } = sent('messages', {
    model: 'm',
    max_tokens: 70,
    temperature: 0.5,
    stop_sequences: ['END'],
    system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
    tools: [
      { name: 'weather', description: 'The weather', input_schema: { type: 'object', properties: {} } },
    ],
    tool_choice: { type: 'tool', name: 'weather' },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Where is it?' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Bonn' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '21 degrees' }] },
    ],
  })
  expect([lost, stops]).toEqual([[], []])
  expect(body).toEqual({
    system: [{ text: 'Be brief' }, { cachePoint: { type: 'default' } }],
    messages: [
      { role: 'user', content: [{ text: 'Where is it?' }, image] },
      {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Bonn' } } }],
      },
      { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: '21 degrees' }] } }] },
    ],
    inferenceConfig: { maxTokens: 70, temperature: 0.5, stopSequences: ['END'] },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: 'weather',
            description: 'The weather',
            inputSchema: { json: { type: 'object', properties: {} } },
          },
        },
      ],
      toolChoice: { tool: { name: 'weather' } },
    },
  })
})

test('if a model supports neither stop sequences nor caching, the gateway sends neither, and applies the stop sequences itself', () => {
  const system = [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }]
  const messages = [{ role: 'user', content: 'Hi' }]
  const { body, lost, stops } = sent(
    'messages',
    { model: 'm', max_tokens: 7, system, messages, stop_sequences: ['END'] },
    llama,
  )
  expect([lost, stops]).toEqual([['cache_control'], ['END']])
  expect(body).toEqual({
    system: [{ text: 'Be brief' }],
    messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    inferenceConfig: { maxTokens: 7 },
  })
})

test('a schema is written into the prompt, and features that Converse lacks are reported as lost', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const { body, lost } = sent('chat', {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    seed: 1,
    temperature: 1.5,
    parallel_tool_calls: false,
    tools: [{ type: 'function', function: { name: 'f', strict: true } }],
    reasoning_effort: 'high',
    user: 'u',
  })
  expect(lost.toSorted()).toEqual(
    [
      'parallel_tool_calls',
      'reasoning_effort',
      'response_format',
      'safety_identifier',
      'seed',
      'temperature',
      'tools.function.strict',
    ].toSorted(),
  )
  expect(JSON.stringify(body.system)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1))
  expect(body.inferenceConfig).toEqual({ temperature: 1 })
})

test('for the tool choice `none`, only the tools of earlier calls are sent', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const first = { role: 'user', content: 'Hi' }
  const plain = sent('chat', { model: 'm', messages: [first], tools, tool_choice: 'none' })
  expect([plain.lost, plain.body.toolConfig]).toEqual([[], undefined])
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const messages = [
    first,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: '' },
  ]
  const later = sent('chat', { model: 'm', messages, tools, tool_choice: 'none' })
  expect(later.lost).toEqual(['tool_choice'])
  expect(objectOf(later.body.toolConfig)).toMatchObject({ tools: [{ toolSpec: { name: 'f' } }] })
  const without = sent('chat', { model: 'm', messages })
  expect(objectOf(without.body.toolConfig)).toMatchObject({ tools: [{ toolSpec: { name: 'f' } }] })
  expect(JSON.stringify(without.body.messages)).toContain(
    '"toolResult":{"toolUseId":"c1","content":[{"json":{}}]}',
  )
})

const options = { origin: 'o', callIdPrefix: 'call_x_' }

function streamed(frames: readonly JsonObject[]): readonly NeutralEvent[] {
  const decoder = converse.decoder(options)
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

const usage = { inputTokens: 12, outputTokens: 9, totalTokens: 121, cacheReadInputTokens: 100 }
const answer = {
  output: {
    message: {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Think', signature: 's' } } },
        { text: 'It is ' },
        { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1.0 } } },
        { toolUse: { toolUseId: 't2', name: 'g', input: {} } },
      ],
    },
  },
  stopReason: 'tool_use',
  usage,
  metrics: { latencyMs: 1 },
}
const frames = [
  { messageStart: { role: 'assistant', p: 'abc' } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Th' } } } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'ink' } } } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: 's' } } } },
  { contentBlockStop: { contentBlockIndex: 0 } },
  { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'It is ' } } },
  { contentBlockStop: { contentBlockIndex: 1 } },
  { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't1', name: 'f' } } } },
  { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '{"a"' } } } },
  { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: ':1}' } } } },
  { contentBlockStop: { contentBlockIndex: 2 } },
  { contentBlockStart: { contentBlockIndex: 3, start: { toolUse: { toolUseId: 't2', name: 'g' } } } },
  { contentBlockStop: { contentBlockIndex: 3 } },
  { messageStop: { stopReason: 'tool_use' } },
  { metadata: { usage, metrics: { latencyMs: 1 } } },
]

function joined(events: readonly NeutralEvent[] | null): readonly NeutralEvent[] {
  const out: NeutralEvent[] = []
  for (const event of events ?? []) {
    const last = out.at(-1)
    const isPiece = event.kind === 'text' || event.kind === 'reasoning' || event.kind === 'arguments'
    if (isPiece && last?.kind === event.kind) out[out.length - 1] = { ...event, text: last.text + event.text }
    else out.push(event)
  }
  return out
}

test('a stream and a non-streaming response have the same events', () => {
  const events = joined(streamed(frames))
  expect(events).toEqual(joined(converse.decodeAnswer(answer, options)))
  expect(events).toMatchObject([
    { kind: 'start' },
    { kind: 'reasoning', text: 'Think' },
    { kind: 'text', text: 'It is ' },
    { kind: 'tool_call', slot: 0, id: 't1', name: 'f' },
    { kind: 'arguments', slot: 0, text: '{"a":1}' },
    { kind: 'tool_call_end', slot: 0 },
    { kind: 'tool_call', slot: 1, id: 't2', name: 'g' },
    { kind: 'arguments', slot: 1, text: '{}' },
    { kind: 'tool_call_end', slot: 1 },
    { kind: 'finish', reason: 'tool_calls' },
    { kind: 'usage', usage: { input: 12, output: 9, cacheRead: 100 } },
  ])
})

test.each([
  ['end_turn', 'end'],
  ['max_tokens', 'max_output'],
  ['stop_sequence', 'stop_sequence'],
  ['guardrail_intervened', 'filtered'],
  ['content_filtered', 'filtered'],
  ['model_context_window_exceeded', 'context_full'],
  ['malformed_tool_use', 'bad_tool_call'],
  ['malformed_model_output', 'other'],
  ['something_new', 'other'],
])('the stop reason %s is read as the finish reason %s', (stopReason, reason) => {
  expect(streamed([{ messageStop: { stopReason } }])).toContainEqual({
    kind: 'finish',
    choice: 0,
    reason,
    stopSequence: null,
  })
})

test('an error ends the stream, an unknown event is skipped, and a truncated tool call gets no end event', () => {
  const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Too many' } }
  expect(streamed([error])).toMatchObject([{ kind: 'error', error: { type: 'rate_limit_error' } }])
  expect(streamed([{ somethingNew: {} }])).toMatchObject([{ kind: 'start' }])
  expect(streamed(frames.slice(0, 9)).map(({ kind }) => kind)).not.toContain('tool_call_end')
  for (const body of [{}, { output: {} }, { message: 'no' }])
    expect(converse.decodeAnswer(body, options)).toBeNull()
})

test('the decoder never throws, whatever frames contain', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const names = [
    'messageStart',
    'contentBlockStart',
    'contentBlockDelta',
    'contentBlockStop',
    'messageStop',
    'metadata',
  ]
  const delta = fc.record({
    contentBlockIndex: value,
    delta: fc.dictionary(fc.constantFrom('text', 'toolUse', 'reasoningContent', 'citation'), value),
  })
  const frame = fc.oneof(
    fc.tuple(fc.constantFrom(...names), value).map(([name, inner]) => ({ [name]: inner })),
    delta.map((contentBlockDelta) => ({ contentBlockDelta })),
  )
  fc.assert(
    fc.property(fc.array(frame), (all) => {
      const events = streamed(all)
      expect(events.filter(({ kind }) => kind === 'start').length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 500 },
  )
})

test.each(others)('a client of %s gets the answer with its calls and its usage', (wire) => {
  const events = converse.decodeAnswer(answer, options) ?? []
  const path = { model: wire === 'generate' ? 'm' : null, isStream: false, isJsonArray: false }
  const body = {
    chat: { messages: [] },
    messages: { max_tokens: 9, messages: [] },
    generate: {},
    responses: { input: 'Hi' },
    cohere: { messages: [] },
  }[wire]
  const hi = { role: 'user', content: 'Hi' }
  const asked = wires[wire].parseRequest(
    byteTextOf(
      JSON.stringify({
        ...(wire !== 'generate' && { model: 'm' }),
        ...body,
        ...('messages' in body && { messages: [hi] }),
        ...(wire === 'generate' && { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
      }),
    ),
    path,
  )
  if (isFault(asked)) throw new Error(asked.reason)
  const request = codecs[wire].readRequest(asked)
  if (isFault(request)) throw new Error(request.reason)
  const encoding: EncoderOptions = encoderOptions({
    alias: 'acme/nova',
    request,
  })
  const whole = convertedAnswer(events, (kept) => codecs[wire].encodeAnswer(kept, encoding), 1)
  expect(whole).toMatchObject({ usage: { input: 12, output: 9, cacheRead: 100 }, hasReportedUsage: true })
  const text = textOf(whole?.body ?? '')
  // Responses of Cohere's chat name no model.
  const parts = ['It is ', '"f"', '"g"', ...(wire === 'cohere' ? [] : ['acme/nova'])]
  for (const part of parts) expect(text).toContain(part)
})

describe('citations of Converse', () => {
  const web = { title: 'A', location: { web: { url: 'https://a.test/', domain: 'a.test' } } }
  const ofDocument = { title: 'D', location: { documentChar: { documentIndex: 0, start: 0, end: 1 } } }
  const expected = [
    { kind: 'text', choice: 0, text: 'x' },
    { kind: 'citation', choice: 0, citation: { url: 'https://a.test/', title: 'A', start: null, end: null } },
    { kind: 'lost', what: 'citations' },
  ]

  it('in a stream, citations of web pages are kept, and citations of documents are lost', () => {
    const decoder = converse.decoder(options)
    const delta = (part: JsonObject): JsonObject => ({
      contentBlockDelta: { contentBlockIndex: 0, delta: part },
    })
    const pieces = [delta({ text: 'x' }), delta({ citation: web }), delta({ citation: ofDocument })]
    expect(pieces.flatMap((frame) => decoder.push(frame)).slice(1)).toEqual(expected)
  })

  it('in a non-streaming response, citations of web pages are kept, and citations of documents are lost', () => {
    const block = { citationsContent: { content: [{ text: 'x' }], citations: [web, ofDocument] } }
    const body = { output: { message: { role: 'assistant', content: [block] } }, stopReason: 'end_turn' }
    expect(converse.decodeAnswer(body, options)?.slice(1, -1)).toEqual(expected)
  })
})
