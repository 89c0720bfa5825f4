import { describe, expect, test } from 'vitest'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'

const ask = (text: string, fields: object = {}) =>
  play('messages', { model: 'm', max_tokens: 4000, messages: [{ role: 'user', content: text }], ...fields })

const stream = { stream: true }

describe('non-streaming responses', () => {
  test('a response is a message with blocks, with tool arguments exactly as requested and a valid signature', () => {
    const { status, contentType, body, text } = ask(
      '[[reasoning=2 text=yes]] [[tool=f {"a": 1.0}]] [[tool=g]]',
    )
    expect([status, contentType]).toEqual([200, 'application/json'])
    expect(text).toContain('"input":{"a": 1.0}')
    expect(body).toMatchObject({
      id: 'msg_01call',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: expect.any(String), signature: expect.any(String) },
        { type: 'text', text: 'yes' },
        { type: 'tool_use', id: 'toolu_01call_0_0', name: 'f', input: { a: 1 } },
        { type: 'tool_use', id: 'toolu_01call_0_1', name: 'g', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
    })
  })

  test('the usage counts cached input separately from the rest of the input', () => {
    const { input_tokens: plain } = Object(ask('[[text=hi]]').body['usage'])
    const { usage } = ask('[[text=hi]] [[cached=4 written=3]]').body
    const added = Object(ask('[[text=hi]] [[cached=0 written=0]]').body['usage']).input_tokens - plain
    expect(usage).toEqual({
      input_tokens: plain + added - 7,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 4,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1,
      service_tier: 'standard',
    })
  })

  test.each([
    ['[[text=one two three]]', { stop_sequences: [' three', ' two'] }, 'stop_sequence', ' two', 'one'],
    ['[[tokens=9]]', { max_tokens: 4 }, 'max_tokens', null, null],
    ['[[tokens=9]]', { max_tokens: 0 }, 'max_tokens', null, null],
    ['[[tokens=9]]', { max_tokens: 9 }, 'end_turn', null, null],
    ['[[text=a stop b]] [[tool=f]]', { stop_sequences: ['stop'] }, 'stop_sequence', 'stop', 'a '],
  ])(
    'an answer to the directives %s with the settings %j ends with %s',
    (order, fields, reason, sequence, text) => {
      const { body } = ask(order, fields)
      expect(body).toMatchObject({ stop_reason: reason, stop_sequence: sequence })
      if (text !== null) expect(body['content']).toEqual([{ type: 'text', text }])
    },
  )

  test('the directive `no-usage` omits the usage, and `usage` replaces the output count', () => {
    expect(ask('[[no-usage]]').body).not.toHaveProperty('usage')
    expect(ask('[[usage=many]]').text).toContain('"output_tokens":"many"')
  })
})

describe('streams', () => {
  test('a stream opens, closes and numbers its blocks in Anthropic’s order', () => {
    const { events, frames, contentType } = ask(
      '[[reasoning=1 text=hi]] [[tool=f {"a":1}]] [[tool=g]]',
      stream,
    )
    expect(contentType).toBe('text/event-stream')
    const start = 'content_block_start'
    const delta = 'content_block_delta'
    const stop = 'content_block_stop'
    const blocks = [
      [start, 'ping', delta, delta, stop],
      [start, delta, stop],
      [start, delta, delta, delta, stop],
      [start, delta, stop],
    ]
    expect(events).toEqual(['message_start', ...blocks.flat(), 'message_delta', 'message_stop'])
    expect(frames.map(({ type }) => type)).toEqual(events)
    expect(frames.filter(({ type }) => type === start).map(({ index }) => index)).toEqual([0, 1, 2, 3])
    const inputs = frames.flatMap(({ delta: one }) => Object(one).partial_json ?? [])
    expect(inputs).toEqual(['', '{"a":', '1}', ''])
  })

  test('a stream contains the same content as the non-streaming response', () => {
    const order = '[[reasoning=5 tokens=40]] [[tool=f {"a":[1,2,{"b":{}}]}]]'
    const { frames } = ask(order, stream)
    const { body } = ask(order)
    const all = (field: string): string => frames.map(({ delta }) => Object(delta)[field] ?? '').join('')
    const [thinking, text, tool] = Object(body['content'])
    expect(all('thinking')).toBe(thinking.thinking)
    expect(all('signature')).toBe(thinking.signature)
    expect(all('text')).toBe(text.text)
    expect(JSON.parse(all('partial_json'))).toEqual(tool.input)
    const end = frames.find(({ type }) => type === 'message_delta')
    expect(end?.['delta']).toEqual({ stop_reason: 'tool_use', stop_sequence: null })
    const { cache_creation, service_tier, ...counted } = Object(body['usage'])
    expect([cache_creation.ephemeral_5m_input_tokens, service_tier]).toEqual([0, 'standard'])
    expect(end?.['usage']).toEqual(counted)
    expect(frames[0]).toMatchObject({
      message: { content: [], stop_reason: null, usage: { output_tokens: 1 } },
    })
  })

  test('a stream hides thoughts on request, and their signature is still valid', () => {
    const thinking = { type: 'adaptive', display: 'omitted' }
    const { text, frames } = ask('[[reasoning=5 text=hi]]', { ...stream, thinking })
    expect(text).not.toContain('thinking_delta')
    const signature = frames.map(({ delta }) => Object(delta).signature).find(Boolean)
    const messages = [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature },
          { type: 'text', text: 'hi' },
        ],
      },
      { role: 'user', content: '[[text=ok]]' },
    ]
    expect(ask('', { messages }).status).toBe(200)
  })

  test('a stream sends encrypted thoughts in one piece, which the client can send back', () => {
    const { frames } = ask('[[redacted reasoning=5 text=hi]]', stream)
    const block = frames[1]?.['content_block']
    expect(block).toEqual({ type: 'redacted_thinking', data: expect.stringMatching(/^c2ltLnJlZGFjdGVk/) })
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [block, { type: 'text', text: 'hi' }] },
      { role: 'user', content: '[[text=ok]]' },
    ]
    expect(ask('', { messages }).status).toBe(200)
  })

  test('a stream contains no thoughts if thinking is disabled', () => {
    const { body } = ask('[[reasoning=5 text=hi]]', { thinking: { type: 'disabled' } })
    expect(body['content']).toEqual([{ type: 'text', text: 'hi' }])
  })

  test.each([
    ['first', ['error']],
    ['early', ['message_start', 'error']],
  ])('a stream sends error=%s instead of an answer', (when, events) => {
    const played = ask(`[[error=${when}]]`, stream)
    expect(played.events).toEqual(events)
    expect(played.frames.at(-1)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } })
  })

  test('an error in the middle ends a stream', () => {
    const { events, end } = ask('[[tokens=4 error]]', stream)
    expect(events.filter((name) => name === 'content_block_delta')).toHaveLength(2)
    expect([events.at(-1), end]).toEqual(['error', 'end'])
  })

  test('directives cause cuts, hangs and broken events at the requested position of a stream', () => {
    expect(ask('[[tokens=9 cut=3]]', stream)).toMatchObject({ end: 'cut' })
    expect(ask('[[tokens=9 hang]]', stream)).toMatchObject({ end: 'hang' })
    const { text, frames } = ask('[[tokens=4 broken]]', stream)
    expect(text.split('data: ').length - 1).toBe(frames.length + 1)
  })

  test('in a stream, `no-usage` omits the usage of every event, and the value of `usage` is sent at the end', () => {
    expect(ask('[[no-usage]]', stream).text).not.toContain('usage')
    expect(ask('[[usage=-7]]', stream).frames.at(-2)).toMatchObject({ usage: { output_tokens: -7 } })
  })
})

test('token counting returns the number that a response reports', () => {
  const messages = [{ role: 'user', content: 'how long is this, with a tool?' }]
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  const body = { model: 'm', messages, tools, system: 'be brief' }
  const counted = play('messages', body, { purpose: 'count' })
  const { usage } = play('messages', { ...body, max_tokens: 9 }).body
  expect(counted.body).toEqual({ input_tokens: Object(usage).input_tokens })
})

test('a request with a schema gets a value that matches the schema, unless a directive sets the text', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 3 } },
    required: ['city', 'days'],
  }
  const output_config = { format: { type: 'json_schema', schema } }
  expect(ask('hello', { output_config }).body['content']).toEqual([
    { type: 'text', text: '{"city":"text","days":3}' },
  ])
  expect(ask('[[text=no]]', { output_config }).text).toContain('"no"')
})

test('a required tool is called once, and a request that allows one tool call gets only one', () => {
  const tools = ['f', 'g'].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }))
  const calls = (text: string, tool_choice: object) =>
    Object(ask(text, { tools, tool_choice }).body['content']).flatMap(
      (block: { name?: string }) => block.name ?? [],
    )
  expect(calls('hello', { type: 'any' })).toEqual(['f'])
  expect(calls('hello', { type: 'tool', name: 'g' })).toEqual(['g'])
  expect(calls('hello', { type: 'auto' })).toEqual([])
  expect(calls('[[tool=f]] [[tool=g]]', { type: 'auto' })).toEqual(['f', 'g'])
  expect(calls('[[tool=f]] [[tool=g]]', { type: 'auto', disable_parallel_tool_use: true })).toEqual(['f'])
})

test('a refusal has its own stop reason, with or without text', () => {
  const { body } = ask('[[refusal=I will not.]] [[tool=f]]')
  expect(body).toMatchObject({
    content: [{ type: 'text', text: 'I will not.' }],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal' },
  })
  expect(ask('[[refusal=]]', stream).events).toEqual(['message_start', 'message_delta', 'message_stop'])
})

test('a directive for tool arguments that are not an object is rejected', () => {
  expect(ask('[[tool=f [1]]]').text).toContain('must be an object')
})

describe('the requests that Anthropic rejects', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })
  const turn = (role: string, ...content: unknown[]) => ({ role, content })
  const text = { type: 'text', text: 'x' }
  const u = turn('user', text)
  const thinking = { type: 'thinking', thinking: 'why', signature: sealOf('signature', 'why') }
  const enabled = { type: 'enabled', budget_tokens: 1024 }

  test.each<[string, object, RegExp]>([
    ['no maximum', { max_tokens: undefined }, /max_tokens: Field required/],
    ['no messages', { messages: [] }, /at least one message/],
    ['a field of another wire', { stop: 'x' }, /stop: Extra inputs/],
    ['our own field', { svc: {} }, /svc: Extra inputs/],
    [
      'a conversation that starts with an assistant turn',
      { messages: [turn('assistant', text), u] },
      /first message must use/,
    ],
    ['a developer', { messages: [turn('developer', text)] }, /role: Input should be/],
    ['an empty text', { messages: [turn('user', { type: 'text', text: '' })] }, /must be non-empty/],
    ['white space', { messages: [turn('user', { type: 'text', text: ' \n' })] }, /non-whitespace/],
    ['an empty turn', { messages: [turn('user'), u] }, /non-empty content/],
    [
      'an answer prefix that ends in a space',
      { messages: [u, turn('assistant', { type: 'text', text: 'The ' })] },
      /trailing whitespace/,
    ],
    ['a result of no call', { messages: [turn('user', result('a'))] }, /unexpected `tool_use_id`/],
    ['a call without its result', { messages: [u, turn('assistant', use('a')), u] }, /without `tool_result`/],
    ['a call at the end', { messages: [u, turn('assistant', use('a'))] }, /without `tool_result`/],
    [
      'a text before the result',
      { messages: [u, turn('assistant', use('a')), turn('user', text, result('a'))] },
      /without `tool_result`/,
    ],
    [
      'one id twice',
      {
        messages: [u, turn('assistant', use('a')), turn('user', result('a')), turn('assistant', use('a')), u],
      },
      /must be unique/,
    ],
    ['an id with other characters', { messages: [u, turn('assistant', use('a:1')), u] }, /match pattern/],
    [
      'an input that is text',
      { messages: [u, turn('assistant', { ...use('a'), input: '{}' }), turn('user', result('a'))] },
      /valid dictionary/,
    ],
    [
      'thoughts that were changed',
      { messages: [u, turn('assistant', { ...thinking, thinking: 'how' }, text), u] },
      /Invalid `signature`/,
    ],
    [
      'a signature of another wire',
      { messages: [u, turn('assistant', { ...thinking, signature: sealOf('thought', 'why') }, text), u] },
      /Invalid `signature`/,
    ],
    [
      'redacted thoughts with an unknown signature',
      { messages: [u, turn('assistant', { type: 'redacted_thinking', data: 'AAAA' }, text), u] },
      /Invalid `data`/,
    ],
    ['thoughts of the user', { messages: [turn('user', thinking)] }, /does not match/],
    [
      'an image of another type',
      {
        messages: [
          turn('user', { type: 'image', source: { type: 'base64', media_type: 'image/heic', data: 'AAAA' } }),
        ],
      },
      /media_type/,
    ],
    [
      'a data URL for an image',
      {
        messages: [
          turn('user', {
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,AAAA' },
          }),
        ],
      },
      /invalid base64/,
    ],
    [
      'a tool of chat',
      { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: { type: 'any' } },
      /tools\.0: Input tag 'function'/,
    ],
    ['a tool without a schema', { tools: [{ name: 'f' }] }, /input_schema: Field required/],
    ['a schema of no object', { tools: [{ name: 'f', input_schema: { type: 'array' } }] }, /'object'/],
    ['a choice without tools', { tool_choice: { type: 'auto' } }, /while providing tools/],
    ['a choice of chat', { tool_choice: 'required' }, /tool_choice: Input tag/],
    [
      'a choice of no tool',
      { tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice: { type: 'tool', name: 'g' } },
      /'g' not found/,
    ],
    ['a small budget', { thinking: { ...enabled, budget_tokens: 1023 } }, /greater than or equal to 1024/],
    ['a budget of all', { thinking: enabled, max_tokens: 1024 }, /`max_tokens` must be greater/],
    ['heat while thinking', { thinking: enabled, temperature: 0.5 }, /may only be set to 1/],
    ['too much heat', { temperature: 1.5 }, /temperature: range/],
    ['a stop of white space', { stop_sequences: ['\n'] }, /non-whitespace/],
    [
      'a choice while thinking',
      {
        thinking: enabled,
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
        tool_choice: { type: 'any' },
      },
      /forces tool use/,
    ],
    [
      'last turns without their thoughts',
      { thinking: enabled, messages: [u, turn('assistant', use('a')), turn('user', result('a'))] },
      /Expected `thinking`/,
    ],
  ])('%s', (_, fields, message) => {
    const { status, body } = ask('x', fields)
    expect(status).toBe(400)
    expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(Object(body['error']).message).toMatch(message)
  })

  test('consecutive turns of one role, tool results in any order, thoughts before tool calls, and images are accepted', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const messages = [
      u,
      turn('user', image, text),
      turn('assistant', thinking, use('a')),
      turn('assistant', use('b')),
      turn('user', result('b')),
      turn('user', { ...result('a'), content: [image, text], is_error: true }, text),
    ]
    const { status, body } = ask('', { messages, thinking: enabled })
    expect(status).toBe(200)
    expect(Object(body['usage']).input_tokens).toBeGreaterThan(2 * 85)
  })

  test('system messages that change the effort or the tools, and records of searches for tools, are accepted', () => {
    const added = { type: 'tool_addition', tool: { type: 'tool_reference', tool_name: 'f' } }
    const found = { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: {} }
    const messages = [
      u,
      { role: 'system', content: [added] },
      turn('assistant', text, found),
      u,
      { role: 'system', content: [], output_config: { effort: 'low' } },
    ]
    expect(ask('', { messages }).status).toBe(200)
    expect(ask('', { messages: [u, { role: 'system', content: [] }] }).status).toBe(400)
  })

  test.each([
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [418, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('the directive fail=%i returns a %s', (status, type) => {
    const { body, retryAfterSeconds, ...played } = ask(`[[fail=${status}]]`)
    expect([played.status, retryAfterSeconds]).toEqual([status, status === 429 ? 2 : null])
    expect(body).toMatchObject({
      type: 'error',
      error: { type, message: expect.stringMatching(/simulated/) },
    })
  })
})
