import type { JsonObject } from '#wire/text/json-values.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NeutralEvent } from '#convert/neutral-format.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { ChatDecoder, decodeChatAnswer } from './answer-decoder.ts'

const options = { origin: 'acct', callIdPrefix: 'call_x' }

function decode(...chunks: readonly JsonObject[]): readonly NeutralEvent[] {
  const decoder = new ChatDecoder(options)
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()].filter(
    ({ kind }) => kind !== 'start',
  )
}

const delta = (fields: JsonObject, index = 0): JsonObject => ({ choices: [{ index, delta: fields }] })
const finish = (reason: string, index = 0): JsonObject => ({
  choices: [{ index, delta: {}, finish_reason: reason }],
})
const calls = (...pieces: readonly JsonObject[]): JsonObject => delta({ tool_calls: pieces })

function callsOf(events: readonly NeutralEvent[]): readonly string[] {
  const out: { id: string; name: string; text: string; isEnded: boolean }[] = []
  for (const event of events) {
    if (event.kind === 'tool_call') {
      expect(event.slot).toBe(out.length)
      out.push({ id: event.id, name: event.name, text: '', isEnded: false })
    }
    const call = 'slot' in event ? out[event.slot] : undefined
    if (!call) continue
    expect(call.isEnded).toBe(false)
    if (event.kind === 'arguments') call.text += event.text
    if (event.kind === 'tool_call_end') call.isEnded = true
  }
  expect(out.every(({ isEnded }) => isEnded)).toBe(true)
  return out.map(({ id, name, text }) => `${id} ${name} ${text}`)
}

describe('arguments as an object', () => {
  const called = (args: JsonObject, id = 'a'): JsonObject => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  })

  it('a server that sends the arguments of a call as an object in a stream does not lose the arguments', () => {
    const events = decode(calls({ index: 0, ...called({ city: 'Paris', days: [1] }) }), finish('tool_calls'))
    expect(callsOf(events)).toEqual(['a f {"city":"Paris","days":[1]}'])
  })

  it('a server that sends the arguments as an object in a non-streaming response does not lose the arguments', () => {
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [called({ city: 'Paris' }), called({}, 'b')],
    }
    const events = decodeChatAnswer({ choices: [{ message, finish_reason: 'tool_calls' }] }, options) ?? []
    expect(callsOf(events)).toEqual(['a f {"city":"Paris"}', 'b f {}'])
  })

  it('an empty object before the pieces of a text is not part of the arguments', () => {
    const piece = { index: 0, function: { arguments: '{"city":"Paris"}' } }
    const events = decode(calls({ index: 0, ...called({}) }), calls(piece), finish('tool_calls'))
    expect(callsOf(events)).toEqual(['a f {"city":"Paris"}'])
  })
})

describe('ChatDecoder', () => {
  it('a text, its end and the usage are read, and repeated usage reports are not added up', () => {
    const usage = (output: number): JsonObject => ({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: output },
    })
    const events = decode(
      delta({ role: 'assistant', content: '', refusal: null }),
      delta({ content: 'he' }),
      delta({ content: 'y' }),
      finish('stop'),
      usage(1),
      usage(2),
      { choices: [], moderation: { flagged: false } },
    )
    expect(events).toMatchObject([
      { kind: 'text', choice: 0, text: 'he' },
      { kind: 'text', choice: 0, text: 'y' },
      { kind: 'finish', choice: 0, reason: 'end' },
      { kind: 'usage', usage: { input: 3, output: 1 } },
      { kind: 'usage', usage: { input: 3, output: 2 } },
    ])
  })

  it('a usage with a negative count is reported as null', () => {
    expect(decode({ choices: [], usage: { prompt_tokens: -1, completion_tokens: 1 } })).toEqual([
      { kind: 'usage', usage: null },
    ])
  })

  it.each<[string, readonly JsonObject[], readonly string[]]>([
    [
      'by the book',
      [
        calls({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
        calls({ index: 0, function: { arguments: '{"x"' } }),
        calls({ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }),
        calls({ index: 0, function: { arguments: ':1}' } }, { index: 1, function: { arguments: '{}' } }),
      ],
      ['a f {"x":1}', 'b g {}'],
    ],
    [
      'all with index 0, each with its own ID',
      [
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
        calls({ index: 0, id: 'b', function: { name: 'f', arguments: '{"y":2}' } }),
      ],
      ['a f {}', 'b f {"y":2}'],
    ],
    [
      'without IDs, each in one piece',
      [
        calls({ index: 0, function: { name: 'f', arguments: '{}' } }),
        calls({ index: 0, function: { name: 'f', arguments: '{"y":2}' } }),
        calls({ function: { name: 'g', arguments: '{}' } }),
      ],
      ['call_x0 f {}', 'call_x1 f {"y":2}', 'call_x2 g {}'],
    ],
    [
      'with another index in the first piece',
      [
        calls({ index: 1, id: 'a', function: { name: 'f' } }),
        calls({ index: 0, function: { arguments: '{"x":' } }),
        calls({ index: 0, function: { arguments: '1}' } }),
      ],
      ['a f {"x":1}'],
    ],
    [
      'no index at all',
      [
        calls({ id: 'a', function: { name: 'f', arguments: '' } }),
        calls({ function: { arguments: '{"x":1}' } }),
        calls({ id: 'b', function: { name: 'g', arguments: '{' } }),
        calls({ function: { arguments: '}' } }),
      ],
      ['a f {"x":1}', 'b g {}'],
    ],
    [
      'with the ID and the name repeated or empty in every piece',
      [
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } }),
        calls({ index: 0, id: '', function: { name: '', arguments: '1}' } }),
        calls({ index: 0, id: null, function: { name: null, arguments: '' } }),
      ],
      ['a f {"x":1}'],
    ],
    [
      'the name again and no id',
      [
        calls({ index: 0, function: { name: 'f', arguments: '{"x"' } }),
        calls({ index: 0, function: { name: 'f', arguments: ':1}' } }),
      ],
      ['call_x0 f {"x":1}'],
    ],
    [
      'with arguments before the name and the ID',
      [
        calls({ index: 0, function: { arguments: '{"x"' } }),
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } }),
      ],
      ['a f {"x":1}'],
    ],
    [
      'interleaved by id only',
      [
        calls({ id: 'a', function: { name: 'f', arguments: '[' } }),
        calls({ id: 'b', function: { name: 'g', arguments: '{' } }),
        calls({ id: 'a', function: { arguments: ']' } }),
        calls({ id: 'b', function: { arguments: '}' } }),
      ],
      ['a f []', 'b g {}'],
    ],
    [
      'with JSON that continues after it was complete',
      [
        calls({ index: 0, id: 'a', function: { name: 'f', arguments: '1' } }),
        calls({ index: 0, function: { arguments: '2' } }),
      ],
      ['a f 12'],
    ],
    [
      'as a wrapper of parallel calls, which is the model’s own call',
      [
        calls({
          index: 0,
          id: 'a',
          function: { name: 'multi_tool_use.parallel', arguments: '{"tool_uses":[]}' },
        }),
      ],
      ['a multi_tool_use.parallel {"tool_uses":[]}'],
    ],
    ['no arguments', [calls({ index: 0, id: 'a', function: { name: 'f' } })], ['a f {}']],
    ['the old kind', [delta({ function_call: { name: 'f', arguments: '{}' } })], ['call_x0 f {}']],
  ])('tool calls whose pieces arrive %s are assembled', (_how, chunks, wanted) => {
    expect(callsOf(decode(...chunks, finish('tool_calls')))).toEqual(wanted)
  })

  it('the finish reason `stop` after tool calls is read as a tool finish', () => {
    const call = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } })
    expect(decode(call, finish('stop')).at(-1)).toMatchObject({ kind: 'finish', reason: 'tool_calls' })
  })

  it.each([
    ['stop', 'end'],
    ['length', 'max_output'],
    ['content_filter', 'filtered'],
    ['function_call', 'tool_calls'],
    ['model_length', 'context_full'],
    ['model_context_window_exceeded', 'context_full'],
    ['sensitive', 'filtered'],
    ['eos', 'other'],
  ])('the finish reason %s is read as %s, and is returned only once', (word, reason) => {
    const finishes = decode(finish(word), finish(word)).filter(({ kind }) => kind === 'finish')
    expect(finishes).toMatchObject([{ reason }])
  })

  it('an empty finish reason does not finish an answer', () => {
    const chunks = ['a', 'b'].map((content) => ({ choices: [{ delta: { content }, finish_reason: '' }] }))
    expect(decode(...chunks, finish('stop'))).toMatchObject([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
      { kind: 'finish', reason: 'end' },
    ])
    const body = { choices: [{ message: { content: 'a' }, finish_reason: '' }] }
    expect(decodeChatAnswer(body, options)?.at(-1)).toMatchObject({ kind: 'finish', reason: 'other' })
  })

  it('the decoder never invents a finish reason', () => {
    const call = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } })
    const kinds = decode(delta({ content: 'x' }), call).map(({ kind }) => kind)
    expect(kinds).toEqual(['text', 'tool_call', 'arguments'])
  })

  it.each<[string, readonly JsonObject[]]>([
    ['reasoning_content', [delta({ reasoning_content: 'hm' }), delta({ content: 'so' })]],
    ['reasoning', [delta({ reasoning: 'hm', content: '' }), delta({ content: 'so' })]],
    ['two names at once', [delta({ reasoning: 'hm', reasoning_content: 'hm' }), delta({ content: 'so' })]],
    [
      'details',
      [delta({ reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }), delta({ content: 'so' })],
    ],
    [
      'parts of the content',
      [
        delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        delta({ content: [{ type: 'text', text: 'so' }] }),
      ],
    ],
  ])('reasoning in %s is read, and gets a signature for this account', (_name, chunks) => {
    expect(decode(...chunks)).toEqual([
      { kind: 'reasoning', choice: 0, text: 'hm' },
      {
        kind: 'signature',
        choice: 0,
        signature: { wire: 'chat', origin: 'acct', kind: 'signature', data: '', id: null },
      },
      { kind: 'text', choice: 0, text: 'so' },
    ])
  })

  it('reasoning in parts with a summary is read, and is never sent back as `reasoning_content`', () => {
    const content = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm', signature: 's' }] },
      { type: 'text', text: 'so' },
    ]
    expect(decode(delta({ content }))).toEqual([
      { kind: 'reasoning', choice: 0, text: 'hm' },
      {
        kind: 'signature',
        choice: 0,
        signature: { wire: 'chat', origin: 'acct', kind: 'encrypted', data: '[]', id: null },
      },
      { kind: 'text', choice: 0, text: 'so' },
    ])
  })

  it('if the output maximum is reached before any text, the answer consists only of reasoning', () => {
    expect(decode(delta({ reasoning: 'hm' }), finish('length')).map(({ kind }) => kind)).toEqual([
      'reasoning',
      'signature',
      'finish',
    ])
  })

  it.each<[JsonObject, object]>([
    [
      { error: { code: 'rate_limited', message: 'x' } },
      { code: 'rate_limited', message: 'x', own: { code: 'rate_limited', message: 'x' } },
    ],
    [{ error: {} }, { code: null, own: {} }],
    [{ error: 'overloaded' }, { code: 'overloaded', message: 'overloaded', own: null }],
    [{ choices: [{ index: 0, finish_reason: 'error', error: { code: 502 } }] }, { status: 502, code: null }],
    [{ choices: [{ index: 0, finish_reason: 'error' }] }, { status: null, code: null }],
    [
      { choices: [{ index: 0, finish_reason: 'insufficient_system_resource' }] },
      { status: null, code: null },
    ],
    [{ choices: [{ index: 0, finish_reason: 'network_error' }] }, { status: null, code: null }],
    [
      { object: 'error', code: 'x' },
      { code: 'x', own: null },
    ],
  ])('%j is read as a failure that ends the answer', (chunk, error) => {
    expect(decode(chunk, delta({ content: 'x' }))).toMatchObject([{ kind: 'error', error }])
  })

  it('a usage that is reported together with an error is read', () => {
    const usage = { prompt_tokens: 43, completion_tokens: 10, total_tokens: 53 }
    const chunk = { error: { code: 400, message: 'Token limit reached' }, choices: [], usage }
    expect(decode(chunk)).toMatchObject([{ kind: 'error', usage: { input: 43, output: 10 } }])
    expect(decode({ error: { code: 400 } })[0]).not.toHaveProperty('usage')
  })

  it('the field `error: null` is not read as an error', () => {
    expect(decode({ ...delta({ content: 'x' }), error: null })).toMatchObject([{ kind: 'text' }])
  })

  it('an answer that a server sends in one chunk, as a message instead of a delta, is read', () => {
    const call = (id: string): JsonObject => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    })
    const message = { role: 'assistant', content: 'so', tool_calls: [call('a'), call('b')] }
    const events = decode({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
    expect(events).toContainEqual({ kind: 'text', choice: 0, text: 'so' })
    expect(callsOf(events)).toEqual(['a f {}', 'b f {}'])
  })

  it('a message that repeats the text so far next to each delta is not read', () => {
    const chunk = (content: string, all: string): JsonObject => ({
      choices: [{ index: 0, delta: { content }, message: { content: all } }],
    })
    expect(decode(chunk('a', 'a'), chunk('b', 'ab'))).toMatchObject([{ text: 'a' }, { text: 'b' }])
  })

  it('a message that repeats the answer at the end of a stream is not read, but its finish reason is', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const message = { role: 'assistant', content: 'so', reasoning_content: 'why', tool_calls: [call] }
    const events = decode(
      delta({ role: 'assistant' }),
      delta({ reasoning_content: 'why' }),
      delta({ content: 'so' }),
      delta({ tool_calls: [{ index: 0, ...call }] }),
      { choices: [{ index: 0, finish_reason: 'tool_calls', message }], usage: { prompt_tokens: 1 } },
    )
    expect(events.filter(({ kind }) => kind === 'reasoning' || kind === 'text')).toMatchObject([
      { text: 'why' },
      { text: 'so' },
    ])
    expect(callsOf(events)).toEqual(['a f {}'])
    expect(events).toContainEqual(expect.objectContaining({ kind: 'finish', reason: 'tool_calls' }))
  })

  it('the events of several choices are kept separate', () => {
    const events = decode(
      delta({ content: 'a' }, 0),
      delta({ content: 'b' }, 1),
      finish('length', 1),
      delta({ content: 'c' }, 0),
      finish('stop', 0),
    )
    expect(events).toMatchObject([
      { choice: 0, text: 'a' },
      { choice: 1, text: 'b' },
      { choice: 1, reason: 'max_output' },
      { choice: 0, text: 'c' },
      { choice: 0, reason: 'end' },
    ])
  })

  it('a character whose halves arrive in two chunks is read correctly', () => {
    const events = decode(delta({ content: '\ud83d' }), delta({ content: '\ude00' }))
    expect(events.map((event) => (event.kind === 'text' ? event.text : '')).join('')).toBe('😀')
  })

  it('the decoder never throws, for any object', () => {
    const keys = fc.constantFrom(
      'choices',
      'delta',
      'index',
      'id',
      'tool_calls',
      'function',
      'custom',
      'name',
      'arguments',
      'content',
      'usage',
      'finish_reason',
      'logprobs',
      'reasoning_details',
      'annotations',
      'audio',
      'type',
      'error',
      'text',
      'thinking',
    )
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(null, true, 0, 1, -1, 1.5, '', 'a', '{}', '{', 'stop'),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(keys, tie('tree'), { maxKeys: 5 }),
      ),
    }))
    fc.assert(
      fc.property(fc.array(fc.dictionary(keys, tree, { maxKeys: 5 }), { maxLength: 5 }), (chunks) => {
        decode(...chunks)
        for (const chunk of chunks) decodeChatAnswer(chunk, options)
      }),
      sampledRuns(5000),
    )
  })
})

describe('decodeChatAnswer', () => {
  it('a non-streaming chat answer gives the same events as its stream', () => {
    const message = {
      role: 'assistant',
      content: 'so',
      reasoning_content: 'hm',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', type: 'custom', custom: { name: 'g', input: 'text' } },
      ],
    }
    const usage = { prompt_tokens: 1, completion_tokens: 2 }
    const whole = decodeChatAnswer(
      { id: 'i', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage },
      options,
    )
    const streamed = decode(
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'so' }),
      calls({ index: 0, ...message.tool_calls[0] }),
      calls({ index: 1, ...message.tool_calls[1] }),
      finish('tool_calls'),
      { choices: [], usage },
    )
    expect(whole).toEqual([{ kind: 'start', id: 'i' }, ...streamed])
  })

  it('a complete chat body without a finish reason is read as finished, with the reason `other`', () => {
    expect(decodeChatAnswer({ choices: [{ message: { content: 'x' } }] }, options)?.at(-1)).toMatchObject({
      kind: 'finish',
      reason: 'other',
    })
  })

  const cutOff = { message: { content: 'x' }, finish_reason: 'stop' }

  it.each<[JsonObject]>([
    [{}],
    [{ error: { message: 'x' } }],
    [{ choices: 'x' }],
    [{ choices: [cutOff], error: { code: 502, message: 'x' } }],
    [{ choices: [{ ...cutOff, finish_reason: 'error', error: { code: 502 } }] }],
    [{ choices: [{ ...cutOff, finish_reason: 'insufficient_system_resource' }] }],
  ])('%j is not accepted as a chat answer', (body) => {
    expect(decodeChatAnswer(body, options)).toBeNull()
  })
})

describe('sources outside the message', () => {
  const cited = (url: string, title: string | null = null): object => ({
    kind: 'citation',
    choice: 0,
    citation: { url, title, start: null, end: null },
  })
  const kinds = (events: readonly NeutralEvent[]): readonly string[] => events.map(({ kind }) => kind)

  it('Perplexity repeats its sources in each chunk; each source is read once, before the finish', () => {
    const sources = {
      citations: ['https://a.test/', 'https://b.test/'],
      search_results: [{ url: 'https://a.test/', title: 'A', date: null }],
    }
    const events = decode(
      { ...delta({ content: 'x[1]' }), ...sources },
      { ...delta({ content: 'y[2]' }), ...sources },
      { ...finish('stop'), ...sources },
    )
    expect(kinds(events)).toEqual(['text', 'text', 'citation', 'citation', 'finish'])
    expect(events.slice(2, 4)).toEqual([cited('https://a.test/', 'A'), cited('https://b.test/')])
  })

  it('sources that arrive after the finish are read, and annotations are not repeated as sources', () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.test/', title: 'A' } }]
    const events = decode(delta({ content: 'x', annotations }), finish('stop'), {
      choices: [],
      citations: ['https://a.test/', 'https://b.test/', 5, ''],
    })
    expect(kinds(events)).toEqual(['text', 'citation', 'finish', 'citation'])
    expect(events.at(-1)).toEqual(cited('https://b.test/'))
  })

  it('the sources of a non-streaming response are read', () => {
    const body = {
      choices: [{ message: { content: 'x' }, finish_reason: 'stop' }],
      citations: ['https://a.test/'],
    }
    const events = decodeChatAnswer(body, options) ?? []
    expect(kinds(events)).toEqual(['start', 'text', 'citation', 'finish'])
    expect(events[2]).toEqual(cited('https://a.test/'))
  })
})
