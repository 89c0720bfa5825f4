import { tagOf, type Signature } from '#wire/tagged-reasoning-signatures.ts'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { NeutralRequest, Part } from '#convert/neutral-format.ts'
import { plainRequest, readBody } from '#tests/fixtures/requests-for-messages-wire-tests.ts'
import { messages as codec } from './codec.ts'
import { parseMessagesRequest } from '#wire/messages/parse-request.ts'

const hello = [{ role: 'user', content: 'hello' }]

function read(body: object): NeutralRequest {
  const request = readBody({ messages: hello, ...body })
  if (typeof request === 'string') throw new Error(request)
  return request
}

function partsOf(...content: object[]): readonly Part[] {
  return read({ messages: [{ role: 'user', content }] }).turns[0]?.parts ?? []
}

describe('readMessagesRequest', () => {
  it('a plain messages request is read without adding fields that the client did not send', () => {
    expect(read({})).toEqual(plainRequest)
  })

  it('system text is read from a string and from blocks with cache marks, but the line for Anthropic’s billing is dropped', () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]
    expect(read({ system }).instructions).toEqual([
      { kind: 'text', text: 'a', cache: null },
      { kind: 'text', text: 'b', cache: 'long' },
    ])
    expect(read({ system: 'a' }).instructions).toEqual([{ kind: 'text', text: 'a', cache: null }])
  })

  it('consecutive turns of one role are merged, and system text stays at its position', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }] },
      { role: 'system', content: 'c' },
      { role: 'assistant', content: 'd' },
    ]
    expect(read({ messages }).turns).toEqual([
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'a', cache: null },
          { kind: 'text', text: 'b', cache: 'short' },
        ],
      },
      { role: 'system', parts: [{ kind: 'text', text: 'c', cache: null }] },
      { role: 'assistant', parts: [{ kind: 'text', text: 'd', cache: null }] },
    ])
  })

  it('system text that is cleared at the next user message is read only until that message', () => {
    const note = { role: 'system', content: 'now', clear_at: 'next_user_message' }
    const text = { kind: 'text', text: 'now', cache: null }
    const [user] = hello
    expect(read({ messages: [user, note] }).turns.at(-1)).toEqual({ role: 'system', parts: [text] })
    const later = [user, note, { role: 'assistant', content: 'a' }, user]
    expect(read({ messages: later }).turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const kept = [user, { ...note, clear_at: 'never' }, { role: 'assistant', content: 'a' }, user]
    expect(read({ messages: kept }).turns).toHaveLength(4)
  })

  it('a system message sets the effort from the next user turn with new input, or for the turn before it', () => {
    const set = (effort: string): object => ({ role: 'system', content: [], output_config: { effort } })
    const [user] = hello
    const assistant = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] }
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] }
    const effortOf = (...messages: readonly (object | undefined)[]): unknown =>
      read({ messages, output_config: { effort: 'high' } }).reasoning?.effort
    expect(effortOf(user)).toBe('high')
    expect(effortOf(user, set('low'))).toBe('low')
    expect(effortOf(user, assistant, set('low'), user)).toBe('low')
    expect(effortOf(user, assistant, set('low'), result)).toBe('high')
    expect(effortOf(user, assistant, result, set('low'))).toBe('high')
    expect(effortOf(user, assistant, set('low'), result, assistant, user)).toBe('low')
    expect(effortOf(user, set('low'), assistant, set('max'), user)).toBe('max')
    expect(read({ messages: [user, set('low')] }).turns).toEqual(read({}).turns)
  })

  it('tool calls and their results are read, with names, errors and content of all kinds', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/PNG', data: 'AA==' } }
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            is_error: true,
            content: [{ type: 'text', text: 'x' }, image],
          },
          { type: 'tool_result', tool_use_id: 't2', content: '' },
          { type: 'tool_result', tool_use_id: 't3' },
        ],
      },
    ]
    const [calls, results] = read({ messages }).turns
    expect(calls?.parts).toEqual([
      { kind: 'tool_call', id: 't1', name: 'look', arguments: '{"a":1}', isCustom: false },
    ])
    const result = {
      kind: 'tool_result',
      name: null,
      parts: [],
      isError: false,
      isCustom: false,
      cache: null,
    }
    expect(results?.parts).toEqual([
      {
        ...result,
        callId: 't1',
        name: 'look',
        isError: true,
        parts: [
          { kind: 'text', text: 'x', cache: null },
          {
            kind: 'image',
            source: { kind: 'data', mediaType: 'image/png', data: 'AA==' },
            detail: null,
            cache: null,
          },
        ],
      },
      { ...result, callId: 't2' },
      { ...result, callId: 't3' },
    ])
  })

  it('numbers in tool arguments are never reformatted', () => {
    const input = '{"a":9007199254740993,"b":1e400,"c":1.0,"d":-0,"e":0.1}'
    const text = `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":${input}}]}]}`
    const request = parseMessagesRequest(byteTextOf(text))
    if ('kind' in request) throw new Error(request.reason)
    expect(codec.readRequest(request)).toMatchObject({ turns: [{ parts: [{ arguments: input }] }] })
  })

  it('images and documents from every source are read', () => {
    expect(partsOf({ type: 'image', source: { type: 'url', url: 'https://x/y' } })).toMatchObject([
      { kind: 'image', source: { kind: 'url', url: 'https://x/y' } },
    ])
    const document = { type: 'document', title: 'T' }
    const data = { type: 'base64', media_type: 'application/pdf', data: 'AA==' }
    expect(partsOf({ ...document, source: data })).toEqual([
      {
        kind: 'file',
        source: { kind: 'data', mediaType: 'application/pdf', data: 'AA==' },
        name: 'T',
        cache: null,
      },
    ])
    const file = { kind: 'file', source: { kind: 'text', text: 'abc' }, name: 'T', cache: null }
    expect(partsOf({ ...document, source: { type: 'text', media_type: 'text/plain', data: 'abc' } })).toEqual(
      [file],
    )
    expect(partsOf({ ...document, source: { type: 'content', content: 'abc' } })).toEqual([file])
    expect(
      partsOf({ ...document, source: { type: 'content', content: [{ type: 'text', text: 'abc' }] } }),
    ).toEqual([file])
  })

  it('a search result is read as text, with its source', () => {
    const content = [{ type: 'text', text: 'c' }]
    expect(partsOf({ type: 'search_result', title: 't', source: 's', content })).toEqual([
      { kind: 'text', text: 't\ns\nc', cache: null },
    ])
  })

  it('thoughts are read with their signatures: signatures of the wire itself, tagged signatures of other wires, and redacted or omitted thoughts', () => {
    const foreign: Signature = {
      wire: 'generate',
      origin: 'o',
      kind: 'thought_signature',
      data: 'zzz',
      id: null,
    }
    const content = [
      { type: 'thinking', thinking: 'a', signature: 'sig1' },
      { type: 'redacted_thinking', data: 'red' },
      { type: 'thinking', thinking: '', signature: 'sig2' },
      { type: 'thinking', thinking: 'b', signature: tagOf(foreign) },
      { type: 'redacted_thinking', data: tagOf(foreign) },
      { type: 'thinking', thinking: 'c', signature: '' },
    ]
    const own = { wire: 'messages', origin: null, id: null }
    expect(read({ messages: [{ role: 'assistant', content }] }).turns[0]?.parts).toEqual([
      { kind: 'reasoning', text: 'a', signature: { ...own, kind: 'signature', data: 'sig1' } },
      { kind: 'reasoning', text: '', signature: { ...own, kind: 'redacted', data: 'red' } },
      { kind: 'reasoning', text: '', signature: { ...own, kind: 'signature', data: 'sig2' } },
      { kind: 'reasoning', text: 'b', signature: foreign },
      { kind: 'reasoning', text: '', signature: foreign },
      { kind: 'reasoning', text: 'c', signature: null },
    ])
  })

  it('tools of a messages request are read, with schemas unchanged', () => {
    const schema = {
      $schema: 'x',
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      propertyNames: {},
    }
    const tools = [
      {
        name: 'a',
        description: 'd',
        input_schema: schema,
        strict: true,
        cache_control: { type: 'ephemeral' },
      },
      { type: 'custom', name: 'b', input_schema: {}, defer_loading: true },
    ]
    const request = read({ tools })
    expect(request.tools).toEqual([
      { name: 'a', description: 'd', parameters: schema, isStrict: true, custom: null, cache: 'short' },
      { name: 'b', description: null, parameters: {}, isStrict: null, custom: null, cache: null },
    ])
    expect(request.others).toEqual(['tools.defer_loading'])
  })

  it.each([
    [{ type: 'auto' }, { kind: 'auto' }, null],
    [{ type: 'any', disable_parallel_tool_use: true }, { kind: 'required' }, false],
    [{ type: 'none' }, { kind: 'none' }, null],
    [{ type: 'tool', name: 'a', disable_parallel_tool_use: false }, { kind: 'one', name: 'a' }, null],
  ])('the tool choice %j and its option for parallel calls are read', (choice, expected, parallelTools) => {
    expect(read({ tool_choice: choice })).toMatchObject({ toolChoice: expected, parallelTools })
  })

  it.each([
    [{ thinking: { type: 'disabled' } }, { effort: 'none', budgetTokens: null, isShown: null }],
    [
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      { effort: null, budgetTokens: 2000, isShown: null },
    ],
    [
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
      { effort: 'xhigh', budgetTokens: null, isShown: true },
    ],
    [
      { thinking: { type: 'adaptive', display: 'omitted' } },
      { effort: null, budgetTokens: null, isShown: false },
    ],
    [{ output_config: { effort: 'low' } }, { effort: 'low', budgetTokens: null, isShown: null }],
    [{}, null],
  ])('the thinking settings in %j are read', (body, reasoning) => {
    expect(read(body).reasoning).toEqual(reasoning)
  })

  it('sampling, stop sequences, schema, user and service tier are read', () => {
    const schema = { type: 'object' }
    expect(
      read({
        temperature: 0,
        top_p: 0.5,
        top_k: 4,
        stop_sequences: ['a', '', ' '],
        output_config: { format: { type: 'json_schema', schema } },
        metadata: { user_id: 'u' },
        speed: 'fast',
        stream: true,
      }),
    ).toMatchObject({
      sampling: { temperature: 0, topP: 0.5, topK: 4 },
      stop: ['a', ' '],
      output: { kind: 'schema', schema },
      userId: 'u',
      serviceTier: 'fast',
      isStream: true,
    })
    expect(read({ output_format: { type: 'json_schema', schema } }).output).toMatchObject({ schema })
  })

  it('the API version in a body for `invoke` is not reported as lost, because it does not change the answer', () => {
    expect(read({ anthropic_version: 'bedrock-2023-05-31' }).others).toEqual([])
  })

  it('fields that no other wire supports are reported', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }
    const { others } = read({
      cache_control: { type: 'ephemeral' },
      diagnostics: null,
      user_profile_id: 'p',
      new_thing: 1,
      output_config: { effort: 'low', task_budget: { type: 'tokens', total: 9000 }, other: null },
      svc: { outcome: 'a', outcome_id: 'b' },
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'text', data: 'x' },
              context: 'c',
              citations: { enabled: true },
            },
            { ...image, transformations: { oversized_image: 'downsize' } },
            { ...image, transformations: { oversized_image: 'error' } },
          ],
        },
      ],
    })
    expect(others).toEqual([
      'cache_control',
      'user_profile_id',
      'new_thing',
      'output_config.task_budget',
      'document.context',
      'document.citations',
      'messages.content.image.transformations',
    ])
  })

  it.each([
    ['a warm-up', { max_tokens: 0 }, 'unsupported_for_route max_tokens'],
    ['a role that is none', { messages: [{ role: 'tool' }] }, 'invalid_request messages.0.role'],
    ['invalid content', { messages: [{ role: 'user', content: 5 }] }, 'invalid_request messages.0.content'],
    [
      'an invalid text',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      'invalid_request messages.0.content.0.text',
    ],
    [
      'an image in system',
      { system: [{ type: 'image', source: { type: 'url', url: 'x' } }] },
      'invalid_request system',
    ],
    [
      'a call without id',
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'a' }] }] },
      'invalid_request messages.0.content.0',
    ],
    [
      'a result without a call ID',
      { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
      'invalid_request messages.0.content.0.tool_use_id',
    ],
    [
      'a call within a result',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_use', id: 'a', name: 'b' }] },
            ],
          },
        ],
      },
      'invalid_request messages.0.content.0.content',
    ],
    [
      'a vendor’s tool',
      { tools: [{ type: 'bash_20250124', name: 'bash' }] },
      'unsupported_for_route tools.0',
    ],
    ['a tool without name', { tools: [{ input_schema: {} }] }, 'invalid_request tools.0.name'],
    ['a choice that is none', { tool_choice: { type: 'tool' } }, 'invalid_request tool_choice'],
    ['stops that are no texts', { stop_sequences: [1] }, 'invalid_request stop_sequences'],
  ])('a request with %s is rejected', (_, body, expected) => {
    expect(readBody({ messages: hello, ...body })).toBe(expected)
  })
})
