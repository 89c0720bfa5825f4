import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type { UpstreamCall, UpstreamFailure, UpstreamHeaders } from '#domain/provider-upstream-interface.ts'
import { deadlineSweep } from '#domain/calls/deadline-sweep.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { simulator } from './simulator.ts'
import { countTokens } from './count-simulated-tokens.ts'

describe('non-streaming responses', () => {
  test('without directives, the answer is short, describes itself, and repeats nothing of the prompt', async () => {
    const { head, body } = await ask('What is the zygomorphic capital?')
    expect(head).toEqual([200, { contentType: 'application/json', retryAfterSeconds: null }])
    const content: string = body.choices[0].message.content
    expect(content).toMatch(/simulator/)
    expect(content).not.toMatch(/zygomorphic/)
    expect(body).toEqual({
      id: 'chatcmpl-01call',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'some-model',
      system_fingerprint: 'fp_simulator',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 3 + 3 + countTokens('What is the zygomorphic capital?'),
        completion_tokens: countTokens(content),
        total_tokens: 6 + countTokens('What is the zygomorphic capital?') + countTokens(content),
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
    expect(body.usage.completion_tokens).toBeLessThan(100)
  })

  test('the directive `tokens` sets the exact number of tokens, and the same call always gets the same words', async () => {
    const { body } = await ask('[[tokens=200]]')
    expect(body.usage.completion_tokens).toBe(200)
    expect(countTokens(body.choices[0].message.content)).toBe(200)
    expect((await ask('[[tokens=200]]')).body).toEqual(body)
    const other = await ask('[[tokens=200]]', {}, { callId: '02call' })
    expect(other.body.choices[0].message.content).not.toBe(body.choices[0].message.content)
    const seeded = await ask('[[tokens=200]]', { seed: 7 }, { callId: '03call' })
    const again = await ask('[[tokens=200]]', { seed: 7 }, { callId: '04call' })
    expect(again.body.choices).toEqual(seeded.body.choices)
  })

  test.each([
    [{ max_tokens: 5 }, '[[tokens=9]]', 5, 'length'],
    [{ max_completion_tokens: 5, max_tokens: 7 }, '[[tokens=9]]', 5, 'length'],
    [{ max_tokens: 9 }, '[[tokens=9]]', 9, 'stop'],
    [{ max_tokens: 5 }, '[[tokens=9 ignore-max]]', 9, 'stop'],
    [{ max_tokens: 5 }, '[[tokens=9 reasoning=3]]', 5, 'length'],
    [{ n: 3 }, '[[tokens=9]]', 27, 'stop'],
    [{ n: 3, max_tokens: 4 }, '[[tokens=9]]', 12, 'length'],
  ])(
    'a request with %j and %s gets %i tokens and ends with %s',
    async (fields, text, tokens, finishReason) => {
      const { body } = await ask(text, fields)
      expect(body.usage.completion_tokens).toBe(tokens)
      for (const choice of body.choices) expect(choice.finish_reason).toBe(finishReason)
      expect(body.choices).toHaveLength('n' in fields ? 3 : 1)
    },
  )

  test('a request for an answer that would fill the memory is rejected before the answer is created', async () => {
    const { head, body } = await ask('[[tokens=100000]]', { n: 128, max_tokens: 1 })
    expect(head?.[0]).toBe(400)
    expect(body.error.message).toMatch(/at most 200000 tokens/)
    expect((await ask(`[[text=${'é'.repeat(200_001)}]]`)).head?.[0]).toBe(400)
    expect((await ask('[[tokens=100000]]')).body.usage.completion_tokens).toBe(100_000)
  })

  test('the choices of an answer differ and are numbered', async () => {
    const { body } = await ask('[[tokens=50]]', { n: 2 })
    expect(body.choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1])
    expect(body.choices[0].message.content).not.toBe(body.choices[1].message.content)
  })

  test('the directive `text` sets the answer, which ends before a stop sequence', async () => {
    expect(await contentOf('[[text=one two three]]')).toBe('one two three')
    expect(await contentOf('[[text=one two three]]', { stop: ' three' })).toBe('one two')
    expect(await contentOf('[[text=one two three]]', { stop: ['zero', 'two', 'three', ''] })).toBe('one ')
    const { body } = await ask('[[text=one two three]]', { stop: 'two' })
    expect(body.choices[0].finish_reason).toBe('stop')
    expect(body.usage.completion_tokens).toBe(countTokens('one '))
  })

  test('a refusal replaces the answer and its tool calls', async () => {
    const order = '[[refusal=I will not.]] [[tool=f]]'
    const { body } = await ask(order)
    expect(body.choices[0]).toMatchObject({
      message: { content: null, refusal: 'I will not.' },
      finish_reason: 'stop',
    })
    const { frames } = await ask(order, { stream: true })
    const deltas = frames.map(({ choices }) => choices[0]?.delta)
    expect(deltas.map((delta) => delta?.refusal ?? '').join('')).toBe('I will not.')
    expect(deltas.map((delta) => delta?.tool_calls).filter(Boolean)).toEqual([])
  })

  test('thoughts are sent separately from the answer and are included in the usage', async () => {
    const { body } = await ask('[[reasoning=4 text=yes]]')
    expect(body.choices[0].message.content).toBe('yes')
    expect(countTokens(body.choices[0].message.reasoning_content)).toBe(4)
    expect(body.usage).toMatchObject({
      completion_tokens: 5,
      completion_tokens_details: { reasoning_tokens: 4 },
    })
  })

  test('tool calls have their arguments exactly as the directive writes them', async () => {
    const { body } = await ask('[[tool=weather {"city": "Bern", "days": 1.0}]] [[tool=now]]')
    expect(body.choices[0]).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [
          {
            id: 'call_01call_0_0',
            type: 'function',
            function: { name: 'weather', arguments: '{"city": "Bern", "days": 1.0}' },
          },
          { id: 'call_01call_0_1', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    })
    const calls = countTokens('{"city": "Bern", "days": 1.0}') + countTokens('{}') + 2
    expect(body.usage.completion_tokens).toBe(calls)
  })

  test('a tool whose result is in the conversation is not called again', async () => {
    const user = { role: 'user', content: '[[tool=now]]' }
    const messages = [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'x', content: 'noon' },
    ]
    const { body } = await ask('', { messages })
    expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: /simulator/ } })
    expect((await ask('', { messages: [...messages, user] })).body.choices[0].finish_reason).toBe(
      'tool_calls',
    )
  })

  test('directives are read only from the user’s last text, whether it is a string or a list of parts', async () => {
    const messages = [
      { role: 'system', content: '[[nonsense]]' },
      { role: 'user', content: '[[nonsense]]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[[text=' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'text', text: 'parts]]' },
        ],
      },
      { role: 'assistant', content: '[[nonsense]]' },
    ]
    const { body } = await ask('', { messages })
    expect(body.choices[0].message.content).toBe('\nparts')
    const texts = 3 * countTokens('[[nonsense]]') + countTokens('[[text=\nparts]]')
    expect(body.usage.prompt_tokens).toBe(3 + 4 * 3 + texts + 85)
  })

  test('the tools of a request count as input', async () => {
    const tools = [{ type: 'function', function: { name: 'now', parameters: {} } }]
    const plain = await ask('hi')
    const withTools = await ask('hi', { tools })
    const added = withTools.body.usage.prompt_tokens - plain.body.usage.prompt_tokens
    expect(added).toBe(countTokens(JSON.stringify(tools)))
  })

  test.each([
    ['[[usage=1000000000000000]]', '1000000000000000'],
    ['[[usage=-7]]', '-7'],
    ['[[usage=0.5]]', '0.5'],
    ['[[usage=many]]', '"many"'],
    ['[[usage=0]]', '0'],
    ['[[usage=null]]', 'null'],
  ])('the directive %s replaces the reported number of output tokens', async (text, lie) => {
    const { text: json } = await ask(text)
    expect(json).toContain(`"completion_tokens":${lie},"total_tokens":${lie},`)
  })

  test('the directive `no-usage` omits the usage', async () => {
    expect((await ask('[[no-usage]]')).body).not.toHaveProperty('usage')
  })

  test('the directive `broken` sends truncated JSON and then ends the response normally', async () => {
    const { text, failure } = await ask('[[broken]]')
    expect(failure).toBeNull()
    expect(() => JSON.parse(text)).toThrow(/JSON/)
  })

  test('the directive `cut` breaks the connection in the middle of a response', async () => {
    const { head, text, failure } = await ask('[[cut=1]]')
    expect(head?.[0]).toBe(200)
    expect(text).not.toBe('')
    expect(failure).toMatchObject({ phase: 'reset', isTimeout: false })
  })
})

describe('the conversations that OpenAI rejects', () => {
  const call = (id: string, fields: object = { function: { name: 'f', arguments: '{}' } }) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', ...fields }],
  })
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
  const user = { role: 'user', content: 'x' }
  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }

  test.each<[string, object, RegExp]>([
    [
      'a field of another wire',
      { max_output_tokens: 5 },
      /Unrecognized request argument supplied: max_output_tokens/,
    ],
    ['our own field', { svc: {} }, /svc/],
    ['a role of another wire', { messages: [{ role: 'model', content: 'x' }] }, /Supported values are/],
    ['a result of no call', { messages: [user, result('a')] }, /must be a response to a preceeding message/],
    ['a call without its result', { messages: [call('a'), user] }, /did not have response messages: a/],
    ['a call at the end', { messages: [user, call('a')] }, /did not have response messages: a/],
    [
      'a result behind others',
      { messages: [call('a'), result('a'), user, result('a')] },
      /must be a response/,
    ],
    [
      'an id that is too long',
      { messages: [call('a'.repeat(41)), result('a'.repeat(41))] },
      /maximum length 40/,
    ],
    [
      'arguments that are an object',
      { messages: [call('a', { function: { name: 'f', arguments: {} } }), result('a')] },
      /expected a string, but got object/,
    ],
    [
      'an image from a tool',
      {
        messages: [call('a'), { ...result('a'), content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
      },
      /'image_url'. Supported values are: 'text'/,
    ],
    [
      'a part of another wire',
      { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'x' }] }] },
      /'input_text'/,
    ],
    ['a user who says nothing', { messages: [{ role: 'user', content: null }] }, /got null/],
    ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, /maximum length 4/],
    ['too much heat', { temperature: 2.5 }, /<= 2, but got 2.5/],
    [
      'a tool of another wire',
      {
        tools: [{ name: 'f', input_schema: {} }],
        tool_choice: { type: 'function', function: { name: 'f' } },
      },
      /Missing required parameter: 'tools\[0\].type'/,
    ],
    ['a name with a dot', { tools: [{ type: 'function', function: { name: 'a.b' } }] }, /pattern/],
    [
      'an open schema, strictly',
      {
        tools: [
          {
            type: 'function',
            function: { name: 'f', strict: true, parameters: { type: 'object', properties: {} } },
          },
        ],
      },
      /additionalProperties/,
    ],
    ['a choice without tools', { tool_choice: 'auto' }, /only allowed when 'tools'/],
    ['one at a time of none', { parallel_tool_calls: false }, /only allowed when 'tools'/],
    ['JSON without the word', { response_format: { type: 'json_object' } }, /must contain the word 'json'/],
    [
      'a schema without a name',
      { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
      /json_schema.name/,
    ],
  ])('%s', async (_, fields, message) => {
    const { head, body } = await ask('x', fields)
    expect(head?.[0]).toBe(400)
    expect(body.error.type).toBe('invalid_request_error')
    expect(body.error.message).toMatch(message)
  })

  // zod's own list type passes an issue for each element as an argument of one function call, which overflows the
  // stack.
  test('a list of invalid parts of any length is rejected in the same way as one invalid part', async () => {
    const { head, body } = await ask('', { messages: [{ role: 'user', content: Array(150_000).fill(0) }] })
    expect(head?.[0]).toBe(400)
    expect(body.error).toMatchObject({ code: 'invalid_type', param: 'messages[0].content' })
  })

  test('tool results in any order, custom tools, refusals and late system messages are accepted', async () => {
    const messages = [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
      },
      { role: 'system', content: [{ type: 'text', text: 'x' }] },
      {
        ...call('a'),
        tool_calls: [
          ...call('a').tool_calls,
          { id: 'b', type: 'custom', custom: { name: 'patch', input: 'text' } },
        ],
      },
      result('b'),
      result('a'),
    ]
    const fields = { messages, tools: [tool], tool_choice: 'auto', parallel_tool_calls: true }
    expect((await ask('', fields)).head?.[0]).toBe(200)
  })

  test('a tool that the request requires is called, and a custom tool receives text', async () => {
    const tools = [tool, { type: 'custom', custom: { name: 'patch' } }]
    const callsOf = async (text: string, tool_choice: unknown) =>
      (await ask(text, { tools, tool_choice })).body.choices[0].message.tool_calls
    expect(await callsOf('hi', 'required')).toMatchObject([{ function: { name: 'f', arguments: '{}' } }])
    expect(await callsOf('hi', { type: 'custom', custom: { name: 'patch' } })).toMatchObject([
      { type: 'custom', custom: { name: 'patch', input: 'text' } },
    ])
    const allowed = { mode: 'required', tools: [{ type: 'custom', custom: { name: 'patch' } }] }
    expect(await callsOf('hi', { type: 'allowed_tools', allowed_tools: allowed })).toHaveLength(1)
    expect(await callsOf('hi', 'auto')).toBeUndefined()
    expect(await callsOf('[[tool=patch "*** Begin"]]', 'auto')).toMatchObject([
      { custom: { input: '*** Begin' } },
    ])
  })

  test('a request with a schema gets a value that matches the schema, and a request for any JSON gets an object', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' }, b: {} }, required: ['a'] }
    const json_schema = { name: 'answer', schema }
    expect(await contentOf('hi', { response_format: { type: 'json_schema', json_schema } })).toBe('{"a":0}')
    expect(await contentOf('hi in json', { response_format: { type: 'json_object' } })).toBe('{}')
  })

  test('tokens read from the cache and written to it are included in the prompt tokens', async () => {
    const { body } = await ask('[[cached=4 written=2]]')
    expect(body.usage.prompt_tokens_details).toEqual({ cached_tokens: 4, cache_write_tokens: 2 })
    expect((await ask('[[cached=9999]]')).body.usage).toMatchObject({
      prompt_tokens: 6 + countTokens('[[cached=9999]]'),
      prompt_tokens_details: { cached_tokens: 6 + countTokens('[[cached=9999]]') },
    })
  })

  test.each([
    ['[[error=first]]', 1],
    ['[[error=early]]', 2],
    ['[[tokens=4 error]]', 4],
  ])('the directive %s sends an error as event %i, which is the last event', async (order, count) => {
    const { frames, text, failure } = await ask(order, { stream: true })
    expect(frames).toHaveLength(count)
    expect(frames.at(-1)).toMatchObject({ error: { type: 'server_error' } })
    expect(text).not.toContain('[DONE]')
    expect(failure).toBeNull()
    expect((await ask(order)).body).toMatchObject({ error: { type: 'server_error' } })
  })
})

describe('errors', () => {
  test.each([
    [400, 'invalid_request_error', null, null],
    [401, 'invalid_request_error', 'invalid_api_key', null],
    [404, 'invalid_request_error', 'model_not_found', null],
    [418, 'invalid_request_error', null, null],
    [429, 'requests', 'rate_limit_exceeded', 2],
    [500, 'server_error', null, null],
    [529, 'server_error', null, null],
  ])(
    'the directive fail=%i returns this status with the error that OpenAI sends for it',
    async (status, type, code, retryAfterSeconds) => {
      for (const stream of [false, true]) {
        const { head, body } = await ask(`[[fail=${status}]]`, { stream })
        expect(head).toEqual([status, { contentType: 'application/json', retryAfterSeconds }])
        expect(body).toEqual({
          error: { message: expect.stringMatching(/simulated/), type, param: null, code },
        })
      }
    },
  )

  test('an unknown directive is rejected with the list of known directives', async () => {
    const { head, body } = await ask('[[tokns=5]]')
    expect(head?.[0]).toBe(400)
    expect(body.error.message).toMatch(
      /no directive \[\[tokns\]\]\. Available directives: tokens=200, .*ignore-max/,
    )
  })

  test.each([
    ['not JSON', '{"model":'],
    ['no object', '[]'],
    ['no model', '{"messages":[{"role":"user","content":"x"}]}'],
    ['no messages', '{"model":"m"}'],
    ['empty messages', '{"model":"m","messages":[]}'],
    ['no choices', '{"model":"m","n":0,"messages":[{}]}'],
    ['too many choices', '{"model":"m","n":129,"messages":[{}]}'],
    ['no room', '{"model":"m","max_tokens":0,"messages":[{}]}'],
    ['a fraction of a token', '{"model":"m","max_completion_tokens":1.5,"messages":[{}]}'],
  ])('a request with the fault "%s" is rejected as OpenAI rejects it', async (_, json) => {
    const { head, body } = await play(json)
    expect(head?.[0]).toBe(400)
    expect(body.error).toMatchObject({ type: 'invalid_request_error' })
  })
})

describe('streams', () => {
  const stream = { stream: true, stream_options: { include_usage: true } }

  test('a stream has an opening chunk, a chunk for each token, an end chunk, and a usage chunk', async () => {
    const { head, frames, text } = await ask('[[text=one two three]]', stream)
    expect(head).toEqual([200, { contentType: 'text/event-stream', retryAfterSeconds: null }])
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    const base = {
      id: 'chatcmpl-01call',
      object: 'chat.completion.chunk',
      created: 1_800_000_000,
      model: 'some-model',
      system_fingerprint: 'fp_simulator',
      obfuscation: expect.any(String),
    }
    const chunk = (delta: object, finishReason: string | null = null) => ({
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      usage: null,
    })
    expect(frames).toEqual([
      chunk({ role: 'assistant', content: '', refusal: null }),
      chunk({ content: 'one' }),
      chunk({ content: ' two' }),
      chunk({ content: ' three' }),
      chunk({}, 'stop'),
      {
        ...base,
        choices: [],
        usage: {
          prompt_tokens: 6 + countTokens('[[text=one two three]]'),
          completion_tokens: 3,
          total_tokens: 9 + countTokens('[[text=one two three]]'),
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      },
    ])
  })

  test('stream chunks are padded so that their lengths reveal nothing, unless the client disables padding', async () => {
    const order = '[[text=one one one one one one one one one one]]'
    const { frames } = await ask(order, stream)
    expect(new Set(frames.map(({ obfuscation }) => obfuscation?.length)).size).toBeGreaterThan(4)
    expect((await ask(order, stream)).frames).toEqual(frames)
    const plain = { ...stream, stream_options: { include_obfuscation: false } }
    for (const frame of (await ask(order, plain)).frames) expect(frame).not.toHaveProperty('obfuscation')
  })

  test('if the client does not request `include_usage`, no stream chunk contains usage', async () => {
    const { frames } = await ask('[[text=hi]]', { stream: true })
    expect(frames).toHaveLength(3)
    for (const frame of frames) expect(frame).not.toHaveProperty('usage')
  })

  test('in a stream, `no-usage` omits the usage chunk, and the value of `usage` is sent unchanged', async () => {
    const silent = await ask('[[no-usage text=hi]]', stream)
    expect(silent.frames.map((frame) => frame.usage)).toEqual([null, null, null])
    const { text } = await ask('[[usage=1000000000000000 text=hi]]', stream)
    expect(text).toContain('"completion_tokens":1000000000000000,')
  })

  test('a stream contains the same content as the non-streaming response', async () => {
    const order = '[[reasoning=5 tokens=40]] [[tool=f {"a":[1,2,3]}]]'
    const { frames } = await ask(order, { ...stream, n: 2 })
    const { body } = await ask(order, { n: 2 })
    for (const index of [0, 1]) {
      const deltas = frames.flatMap(({ choices }) => choices).filter((choice) => choice.index === index)
      const all = (pick: (delta: Delta) => string | undefined): string =>
        deltas.map(({ delta }) => pick(delta) ?? '').join('')
      const { message, finish_reason } = body.choices[index]
      expect(all((delta) => delta.content)).toBe(message.content)
      expect(all((delta) => delta.reasoning_content)).toBe(message.reasoning_content)
      expect(all((delta) => delta.tool_calls?.[0]?.function.arguments)).toBe(
        message.tool_calls[0].function.arguments,
      )
      expect(all((delta) => delta.tool_calls?.[0]?.function.name)).toBe('f')
      expect(all((delta) => delta.role)).toBe('assistant')
      expect(deltas.at(-1)?.finish_reason).toBe(finish_reason)
    }
    expect(frames.at(-1)?.usage).toEqual(body.usage)
  })

  test('a stream of only tool calls opens with the first call, and names each tool once', async () => {
    const { frames } = await ask('[[tool=f {"a":1}]] [[tool=g]]', stream)
    const deltas = frames.flatMap(({ choices }) => choices).map(({ delta }) => delta)
    expect(deltas[0]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { index: 0, id: 'call_01call_0_0', type: 'function', function: { name: 'f', arguments: '' } },
      ],
    })
    expect(deltas.filter(({ tool_calls }) => tool_calls?.[0]?.id !== undefined)).toHaveLength(2)
    expect(deltas.filter(({ role }) => role !== undefined)).toHaveLength(1)
  })

  test('the directive `cut` breaks the connection after the given number of tokens, or after all tokens', async () => {
    const early = await ask('[[tokens=9 cut=4]]', stream)
    expect(early.frames).toHaveLength(5)
    expect(early.failure).toMatchObject({ phase: 'reset', isTimeout: false })
    const late = await ask('[[tokens=9 cut=40]]', stream)
    expect(late.frames).toHaveLength(10)
    expect(late.text).not.toContain('[DONE]')
    expect(late.failure).toMatchObject({ phase: 'reset' })
    expect((await ask('[[tokens=9 cut=0]]', stream)).frames).toHaveLength(1)
  })

  test('the directive `broken` inserts an event with invalid JSON between valid events', async () => {
    const { text } = await ask('[[tokens=4 broken]]', stream)
    const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {'))
    const broken = frames.filter((frame) => !frame.endsWith('}'))
    expect(broken).toHaveLength(1)
    expect(frames).toHaveLength(4 + 3 + 1)
  })
})

describe('time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('the directive `delay` waits before each token of a stream', async () => {
    const { sink } = start('[[tokens=3 delay=20ms]]', { stream: true })
    await vi.advanceTimersByTimeAsync(5)
    expect(sink.pieces).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(20)
    expect(sink.pieces).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(40)
    expect(sink.isEnded).toBe(true)
  })

  test('a non-streaming response takes as long as its stream would, and an error as long as one token', async () => {
    const whole = start('[[tokens=3 delay=20ms]]').sink
    const refusal = start('[[fail=500 delay=20ms]]').sink
    await vi.advanceTimersByTimeAsync(19)
    expect([refusal.head, whole.head]).toEqual([null, null])
    await vi.advanceTimersByTimeAsync(5)
    expect(refusal.isEnded).toBe(true)
    await vi.advanceTimersByTimeAsync(30)
    expect(whole.head).toBeNull()
    await vi.advanceTimersByTimeAsync(10)
    expect(whole.isEnded).toBe(true)
  })

  test('the directive `wait` delays the head of any response', async () => {
    const sinks = [
      start('[[wait=300ms tokens=3]]').sink,
      start('[[wait=300ms tokens=3]]', { stream: true }).sink,
      start('[[wait=300ms fail=500]]').sink,
    ]
    await vi.advanceTimersByTimeAsync(295)
    for (const { head } of sinks) expect(head).toBeNull()
    await vi.advanceTimersByTimeAsync(10)
    for (const { isEnded } of sinks) expect(isEnded).toBe(true)
  })

  test('the directive `trickle` sends one byte at a time', async () => {
    const { sink } = start('[[text=é trickle]]')
    expect(sink.head).toBeNull()
    const trickle = start('[[trickle delay=10]] [[text=é]]').sink
    await vi.advanceTimersByTimeAsync(505)
    expect(trickle.pieces.every((piece) => piece.length === 1)).toBe(true)
    expect(trickle.pieces.length).toBeGreaterThan(40)
    expect(trickle.pieces.length).toBeLessThan(60)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(JSON.parse(trickle.text)).toMatchObject({ choices: [{ message: { content: 'é' } }] })
  })

  test.each([
    ['[[hang=headers]]', false, 'first_byte'],
    ['[[hang=headers]]', true, 'first_byte'],
    ['[[hang]]', false, 'idle'],
    ['[[hang]]', true, 'idle'],
    ['[[trickle]]', true, 'total'],
    ['[[tokens=1000 delay=1s]]', false, 'first_byte'],
  ])('the response to %s (stream: %s) ends at the deadline %s of the call', async (text, stream, phase) => {
    const deadlines = { firstByteMs: 3000, idleMs: 1000, totalMs: 5000 }
    const { sink } = start(text, { stream }, { deadlines })
    await vi.advanceTimersByTimeAsync(6000)
    expect(sink.failure).toMatchObject({ phase, isTimeout: true })
    const count = sink.pieces.length
    await vi.advanceTimersByTimeAsync(6000)
    expect(sink.pieces).toHaveLength(count)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('the directive `hang` stops a stream in the middle', async () => {
    const { sink } = start('[[tokens=10 hang]]', { stream: true })
    await vi.advanceTimersByTimeAsync(1000)
    expect(sink.pieces).toHaveLength(6)
    expect(sink.isEnded).toBe(false)
  })

  test('a paused reader receives nothing until it resumes', async () => {
    const { sink, call } = start('[[tokens=100]]', { stream: true })
    sink.isTaking = false
    await vi.advanceTimersByTimeAsync(1000)
    expect(sink.pieces).toHaveLength(1)
    call.resume()
    call.resume()
    await vi.advanceTimersByTimeAsync(1000)
    expect(sink.pieces).toHaveLength(2)
    sink.isTaking = true
    call.resume()
    await vi.advanceTimersByTimeAsync(1000)
    expect(sink.isEnded).toBe(true)
    expect(sink.pieces).toHaveLength(103)
  })

  test('a reader that is paused and resumed inside `onData` continues to receive data', async () => {
    const { sink, call } = start('[[tokens=100]]', { stream: true })
    sink.isTaking = false
    sink.onPiece = () => call.resume()
    await vi.advanceTimersByTimeAsync(1000)
    expect(sink.isEnded).toBe(true)
  })

  test('a reader that resumes during a delay does not shorten the delay', async () => {
    const { sink, call } = start('[[tokens=3 delay=100ms]]', { stream: true })
    sink.isTaking = false
    await vi.advanceTimersByTimeAsync(10)
    call.resume()
    await vi.advanceTimersByTimeAsync(50)
    call.resume()
    await vi.advanceTimersByTimeAsync(30)
    expect(sink.pieces).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30)
    expect(sink.pieces).toHaveLength(2)
  })

  test('no callback is called after an abort before the start, inside a callback or during a wait', async () => {
    const unborn = start('hello')
    unborn.call.abort()
    const inside = start('[[tokens=10]]', { stream: true })
    inside.sink.onPiece = () => inside.call.abort()
    const waiting = start('[[tokens=10 delay=1s]]', { stream: true })
    await vi.advanceTimersByTimeAsync(1500)
    waiting.call.abort()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(unborn.sink.head).toBeNull()
    expect(inside.sink.pieces).toHaveLength(1)
    expect(waiting.sink.pieces).toHaveLength(2)
    for (const { sink } of [unborn, inside, waiting]) {
      expect([sink.failure, sink.isEnded]).toEqual([null, false])
    }
    expect(vi.getTimerCount()).toBe(0)
  })
})

test.each(['onHead', 'onData', 'onEnd'] as const)(
  'a reader that throws in %s ends only its own call',
  async (method) => {
    const { sink } = start('hello')
    Object.assign(sink, { [method]: breakDown })
    await sink.over
    expect(sink.failure).toMatchObject({ phase: 'reset', cause: { message: 'bug' } })
  },
)

describe('the official client', () => {
  const client = new OpenAI({
    apiKey: 'sk-none',
    maxRetries: 0,
    fetch: async (_, init) => {
      const { head, text } = await play(typeof init?.body === 'string' ? init.body : '')
      const [status, { contentType }] = head ?? [0, { contentType: '' }]
      return new Response(text, { status, headers: { 'content-type': contentType } })
    },
  })
  test('the official client reads a non-streaming response', async () => {
    const answer = await client.chat.completions.create(ordering('[[text=hello there]]'))
    expect(answer.choices[0]?.message.content).toBe('hello there')
  })

  test('the official client strictly parses a stream with text, several choices and tool calls', async () => {
    const request = { ...ordering('[[text=hello there]] [[tool=f {"a":[1]}]] [[tool=g]]'), n: 2 }
    const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } })
    const { choices, usage } = await stream.finalChatCompletion()
    expect(choices.map(({ message, finish_reason }) => [finish_reason, message.content])).toEqual([
      ['tool_calls', 'hello there'],
      ['tool_calls', 'hello there'],
    ])
    const called = choices[1]?.message.tool_calls?.map(
      (call) => call.type === 'function' && [call.function.name, call.function.arguments],
    )
    expect(called).toEqual([
      ['f', '{"a":[1]}'],
      ['g', '{}'],
    ])
    expect(usage?.completion_tokens).toBeGreaterThan(0)
  })

  test('the official client reads a stream that contains only a tool call', async () => {
    const { choices } = await client.chat.completions
      .stream(ordering('[[tool=f {"a":1}]]'))
      .finalChatCompletion()
    expect(choices[0]?.message).toMatchObject({ role: 'assistant', content: null })
  })

  test('the official client raises its typed error for a rejected request', async () => {
    const refused = client.chat.completions.create(ordering('[[fail=429]]'))
    await expect(refused).rejects.toBeInstanceOf(OpenAI.RateLimitError)
  })
})

test('during a long answer, the process can do other work', async () => {
  const { sink } = start('[[tokens=5000]]', { stream: true })
  let turns = 0
  while (!sink.isEnded) {
    await new Promise(setImmediate)
    turns++
  }
  expect(turns).toBeGreaterThan(5000 / 64)
})

function breakDown(): never {
  throw new Error('bug')
}

function ordering(content: string) {
  return { model: 'some-model', messages: [{ role: 'user' as const, content }] }
}

interface Delta {
  role?: string
  refusal?: string | null
  content?: string
  reasoning_content?: string
  tool_calls?: { id?: string; function: { name?: string; arguments: string } }[]
}

interface Frame {
  choices: { index: number; delta: Delta; finish_reason: string | null }[]
  usage?: unknown
  obfuscation?: string
}

interface Options {
  callId?: string
  deadlines?: Partial<Deadlines>
}

function requestWith(text: string, fields: object): string {
  return JSON.stringify({ model: 'some-model', messages: [{ role: 'user', content: text }], ...fields })
}

function start(
  text: string,
  fields: object = {},
  options: Options = {},
): { sink: ReturnType<typeof collector>; call: UpstreamCall } {
  return send(requestWith(text, fields), options)
}

function send(json: string, { callId = '01call', deadlines = {} }: Options = {}) {
  const provider = simulator({
    sweep: deadlineSweep(() => Date.now()),
    nowMs: () => 1_800_000_000_500,
    cleaner: (said) => said,
  })
  const sink = collector()
  const call = provider.send(
    {
      account: {
        id: 'simulator',
        organizationId: 'org_1',
        label: 'simulator',
        kind: 'simulator',
        baseUrl: null,
        sealedCredential: null,
      },
      model: 'some-model',
      wire: 'chat',
      purpose: 'answer',
      headers: [],
      query: '',
      body: byteTextOf(json),
      isStream: false,
      callId,
      deadlines: { connectMs: 1e9, firstByteMs: 1e9, idleMs: 1e9, totalMs: 1e9, ...deadlines },
    },
    sink,
  )
  return { sink, call }
}

function ask(text: string, fields: object = {}, options: Options = {}): ReturnType<typeof play> {
  return play(requestWith(text, fields), options)
}

async function contentOf(text: string, fields: object = {}): Promise<string> {
  return (await ask(text, fields)).body.choices[0].message.content
}

async function play(json: string, options: Options = {}) {
  const { sink } = send(json, options)
  await sink.over
  const { head, text, failure } = sink
  const frames: Frame[] = text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {') && frame.endsWith('}'))
    .map((frame) => JSON.parse(frame.slice(6)))
  const isJson = head?.[1].contentType === 'application/json' && text.endsWith('}')
  return { head, text, failure, frames, body: isJson ? JSON.parse(text) : null }
}

function collector() {
  const over = Promise.withResolvers<void>()
  const sink = {
    head: null as [number, UpstreamHeaders] | null,
    pieces: [] as Buffer[],
    failure: null as UpstreamFailure | null,
    isEnded: false,
    isTaking: true,
    onPiece: (): void => {},
    over: over.promise,
    get text(): string {
      return Buffer.concat(sink.pieces).toString()
    },
    onHead(status: number, headers: UpstreamHeaders): void {
      sink.head = [status, headers]
    },
    onData(bytes: Uint8Array): boolean {
      sink.pieces.push(Buffer.from(bytes))
      sink.onPiece()
      return sink.isTaking
    },
    onEnd(): void {
      sink.isEnded = true
      over.resolve()
    },
    onFailure(failure: UpstreamFailure): void {
      sink.failure = failure
      over.resolve()
    },
  }
  return sink
}
