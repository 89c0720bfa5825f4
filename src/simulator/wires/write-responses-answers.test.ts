import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'
import { faultsOfResponse } from '#tests/fixtures/check-open-responses-schema.ts'

const ask = (input: unknown, fields: object = {}) => play('responses', { model: 'm', input, ...fields })

const stream = { stream: true }
const shown = { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] }

describe('non-streaming responses', () => {
  test('a response consists of items and repeats fields of the request', () => {
    const { status, body } = ask('[[reasoning=2 text=yes]] [[tool=f {"a": 1.0}]]', {
      ...shown,
      metadata: { k: 'v' },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'resp_01call',
      object: 'response',
      status: 'completed',
      created_at: 1_800_000_000,
      model: 'm',
      output: [
        {
          id: 'rs_01call',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: expect.any(String) }],
          encrypted_content: expect.stringMatching(/^c2ltLmVuY3J5cHRl/),
        },
        {
          id: 'msg_01call',
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'yes' }],
        },
        { type: 'function_call', call_id: 'call_01call_0_0', name: 'f', arguments: '{"a": 1.0}' },
      ],
      reasoning: { summary: 'auto', effort: null },
      metadata: { k: 'v' },
      tools: [],
      error: null,
      incomplete_details: null,
    })
    const { usage } = body
    expect(usage).toEqual({
      input_tokens: Object(usage).input_tokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 6,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: Object(usage).input_tokens + 6,
    })
  })

  test('a response contains only the requested parts of thoughts', () => {
    const [item] = Object(ask('[[reasoning=2 text=yes]]').body['output'])
    expect(item).toEqual({ id: 'rs_01call', type: 'reasoning', summary: [] })
    const off = ask('[[reasoning=2 text=yes]]', { reasoning: { effort: 'none' } })
    expect(Object(off.body['output'])).toHaveLength(1)
  })

  test('a response is incomplete if the maximum truncated it', () => {
    const { body } = ask('[[tokens=9]]', { max_output_tokens: 4 })
    expect(body).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
      usage: { output_tokens: 4 },
    })
  })

  test('directives set cached input, omit the usage, and report a false count', () => {
    expect(ask('[[cached=3 written=2]]').body).toMatchObject({
      usage: { input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 } },
    })
    expect(ask('[[no-usage]]').body['usage']).toBeNull()
    expect(ask('[[usage=many]]').text).toContain('"output_tokens":"many"')
  })
})

describe('streams', () => {
  test('a stream numbers its events and opens and closes every item, in OpenAI’s order', () => {
    const { events, frames } = ask('[[reasoning=1 text=hi]] [[tool=f]]', { ...stream, ...shown })
    expect(events).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(frames.map(({ type }) => type)).toEqual(events)
    expect(frames.map((frame) => frame['sequence_number'])).toEqual(frames.map((_, index) => index))
  })

  test('stream events are padded so that their lengths reveal nothing, unless the client disables padding', () => {
    const paddings = (fields: object): unknown[] =>
      ask('[[text=one one one one one one one one]]', { ...stream, ...fields })
        .frames.filter(({ type }) => type === 'response.output_text.delta')
        .map((frame) => frame['obfuscation'])
    expect(new Set(paddings({}).map((padding) => String(padding).length)).size).toBeGreaterThan(3)
    const plain = paddings({ stream_options: { include_obfuscation: false } })
    expect(new Set(plain)).toEqual(new Set([undefined]))
  })

  test('a stream ends with the complete response', () => {
    const order = '[[reasoning=5 tokens=30]] [[tool=f {"a":[1]}]] [[tool=g]]'
    const { frames } = ask(order, { ...stream, ...shown })
    expect(frames.at(-1)?.['response']).toEqual(ask(order, shown).body)
    const done = frames.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    expect(done).toEqual(Object(frames.at(-1)?.['response']).output)
  })

  test('a stream sends the final encrypted thoughts at the end of their item', () => {
    const { frames } = ask('[[reasoning=5 text=hi]]', { ...stream, ...shown })
    const [added, done] = ['added', 'done'].map((end) =>
      frames.find(({ type }) => type === `response.output_item.${end}`),
    )
    const sealOfItem = (frame: typeof added) => Object(frame?.['item']).encrypted_content
    expect(sealOfItem(added)).not.toBe(sealOfItem(done))
  })

  test('custom tools are called with text', () => {
    const tools = [{ type: 'custom', name: 'patch' }]
    const { frames, events } = ask('[[tool=patch "*** Begin"]]', { ...stream, tools })
    expect(events).toContain('response.custom_tool_call_input.delta')
    expect(Object(frames.at(-1)?.['response']).output).toEqual([
      {
        id: 'ctc_01call_0',
        type: 'custom_tool_call',
        status: 'completed',
        call_id: 'call_01call_0_0',
        name: 'patch',
        input: '*** Begin',
      },
    ])
  })

  test.each([
    ['first', ['error', 'response.failed']],
    ['early', ['response.created', 'response.in_progress', 'error', 'response.failed']],
  ])('the directive error=%s sends an error instead of an answer', (when, events) => {
    const played = ask(`[[error=${when}]]`, stream)
    expect(played.events).toEqual(events)
    expect(played.frames.at(-2)).toMatchObject({ error: { code: 'server_error' } })
    expect(played.frames.at(-1)).toMatchObject({
      response: { status: 'failed', error: { code: 'server_error' } },
    })
  })

  test('errors, cuts, hangs and broken events occur in the middle of a stream', () => {
    expect(ask('[[tokens=4 error]]', stream).events.slice(-2)).toEqual(['error', 'response.failed'])
    expect(ask('[[tokens=9 cut=3]]', stream)).toMatchObject({ end: 'cut' })
    expect(ask('[[tokens=9 hang]]', stream)).toMatchObject({ end: 'hang' })
    const { text, frames } = ask('[[tokens=4 broken]]', stream)
    expect(text.split('\ndata: ').length - 1).toBe(frames.length + 1)
  })
})

test('a refusal is a content part with its own type', () => {
  const { events, frames } = ask('[[refusal=I will not.]]', stream)
  expect(events).toContain('response.refusal.done')
  expect(events.join()).not.toContain('output_text')
  expect(frames.at(-1)?.['response']).toMatchObject({
    status: 'completed',
    output: [{ content: [{ type: 'refusal', refusal: 'I will not.' }] }],
  })
})

test('token counting returns the number that a response reports', () => {
  const fields = { instructions: 'be brief', tools: [{ type: 'function', name: 'f', parameters: {} }] }
  const counted = play('responses', { model: 'm', input: 'how long?', ...fields }, { purpose: 'count' })
  const { usage } = ask('how long?', fields).body
  expect(counted.body).toEqual({ object: 'response.input_tokens', input_tokens: Object(usage).input_tokens })
})

test('a request with a schema gets a value that matches the schema', () => {
  const schema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/A' } },
    required: ['a'],
    additionalProperties: false,
    $defs: { A: { enum: ['x', 'y'] } },
  }
  const format = { type: 'json_schema', name: 'answer', schema, strict: true }
  const { body } = ask('hello', { text: { format } })
  expect(Object(body['output'])[0].content[0].text).toBe('{"a":"x"}')
})

describe('the requests that OpenAI rejects', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c', output: 'ok' }
  const u = { role: 'user', content: 'x' }
  const thoughts = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content: sealOf('encrypted', 'why'),
  }
  const tool = (parameters: object, strict = true) => [{ type: 'function', name: 'f', parameters, strict }]

  test.each<[string, object, RegExp, string | null]>([
    ['no input', { input: undefined }, /'input'/, 'missing_required_parameter'],
    ['a field of another wire', { stop: ['x'] }, /Unknown parameter: 'stop'/, 'unknown_parameter'],
    ['messages', { messages: [] }, /Unknown parameter: 'messages'/, 'unknown_parameter'],
    ['our own field', { svc: {} }, /Unknown parameter: 'svc'/, 'unknown_parameter'],
    ['a stored answer', { previous_response_id: 'resp_1' }, /not found/, 'previous_response_not_found'],
    ['a stored item', { input: [{ type: 'item_reference', id: 'i' }] }, /'i' not found/, null],
    ['a role of tool', { input: [{ role: 'tool', content: 'x' }] }, /Supported values/, 'invalid_value'],
    [
      'a part of chat',
      { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      /'text'/,
      'invalid_value',
    ],
    [
      'input of the assistant',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      /'output_text'/,
      'invalid_value',
    ],
    ['a call without its output', { input: [u, call] }, /No tool output found for function call c/, null],
    ['an output of no call', { input: [output] }, /No tool call found/, null],
    ['two outputs of one call', { input: [call, output, output] }, /No tool call found/, null],
    [
      'arguments that are an object',
      { input: [{ ...call, arguments: {} }, output] },
      /arguments/,
      'invalid_type',
    ],
    ['thoughts at the end', { input: [u, thoughts] }, /without its required following item/, null],
    ['thoughts before a user', { input: [thoughts, u] }, /without its required following item/, null],
    [
      'thoughts with an unknown signature',
      { input: [{ ...thoughts, encrypted_content: 'gAAAA' }, call, output] },
      /could not be verified/,
      'invalid_encrypted_content',
    ],
    [
      'a seal of another wire',
      { input: [{ ...thoughts, encrypted_content: sealOf('signature', 'why') }, call, output] },
      /could not be verified/,
      'invalid_encrypted_content',
    ],
    [
      'a tool of chat',
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      /tools\[0\].name/,
      'missing_required_parameter',
    ],
    ['a long name', { tools: [{ type: 'function', name: 'f'.repeat(65) }] }, /pattern/, 'invalid_value'],
    [
      'an open schema, strictly',
      { tools: tool({ type: 'object', properties: {} }) },
      /additionalProperties/,
      'invalid_function_parameters',
    ],
    [
      'an optional property, strictly',
      {
        tools: tool({
          type: 'object',
          properties: {
            list: {
              type: 'array',
              items: { type: 'object', properties: { a: {} }, required: [], additionalProperties: false },
            },
          },
          required: ['list'],
          additionalProperties: false,
        }),
      },
      /In context=\('properties', 'list', 'items'\), .* Missing 'a'/,
      'invalid_function_parameters',
    ],
    [
      'a choice of no tool',
      { tools: tool({}, false), tool_choice: { type: 'function', name: 'g' } },
      /not found in 'tools'/,
      null,
    ],
    [
      'JSON without the word',
      { text: { format: { type: 'json_object' } } },
      /must contain the word 'json'/,
      null,
    ],
    [
      'a schema without a name',
      { text: { format: { type: 'json_schema', schema: {} } } },
      /text\.format\.name/,
      'missing_required_parameter',
    ],
    ['heat', { temperature: 3 }, /<= 2/, 'decimal_above_max_value'],
    ['cold', { temperature: -1 }, /Expected a value >= 0/, 'decimal_below_min_value'],
  ])('%s', (_, fields, message, code) => {
    const { status, body } = ask('x', fields)
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { type: 'invalid_request_error', code } })
    expect(Object(body['error']).message).toMatch(message)
  })

  test('tool results in another order than their calls, thoughts before calls, images, and several roles are accepted', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }
    const input = [
      { role: 'developer', content: 'x' },
      { role: 'user', content: [image, { type: 'input_text', text: 'x' }] },
      thoughts,
      call,
      { ...call, call_id: 'd' },
      { ...output, call_id: 'd', output: [image] },
      output,
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'so' }] },
    ]
    const { status, body } = ask(input)
    expect(status).toBe(200)
    expect(Object(body['usage']).input_tokens).toBeGreaterThan(2 * 85)
  })

  test('the output of a tool without a call is accepted if it has the name of the tool', () => {
    const lone = { type: 'function_call_output', output: 'It is noon.' }
    const user = { role: 'user', content: 'x' }
    expect(ask([user, { ...lone, name: 'tick' }]).status).toBe(200)
    expect(ask([user, lone]).status).toBe(400)
  })
})

describe('the official client', () => {
  const client = new OpenAI({
    apiKey: 'sk-none',
    maxRetries: 0,
    fetch: async (url, init) => {
      const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '{}')
      const path = new URL(url instanceof Request ? url.url : url).pathname
      const { status, contentType, text } = play('responses', Object(body), {
        purpose: path.endsWith('/input_tokens') ? 'count' : 'answer',
      })
      return new Response(text, { status, headers: { 'content-type': contentType } })
    },
  })
  const order = '[[reasoning=3 text=hello there]] [[tool=f {"a":[1]}]] [[tool=g]]'

  test('the official client reads a non-streaming response', async () => {
    const answer = await client.responses.create({ model: 'm', input: order })
    expect(answer.output_text).toBe('hello there')
  })

  test('the official client strictly parses a stream', async () => {
    const answer = await client.responses
      .stream({ model: 'm', input: order, reasoning: { summary: 'auto' } })
      .finalResponse()
    expect(answer.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ])
    expect(answer.output_text).toBe('hello there')
    expect(answer.usage?.output_tokens_details.reasoning_tokens).toBe(3)
  })

  test('the official client raises an error that is sent inside a stream', async () => {
    const failed = client.responses.stream({ model: 'm', input: '[[tokens=4 error]]' }).finalResponse()
    await expect(failed).rejects.toBeInstanceOf(OpenAI.APIError)
  })

  test('the official client counts tokens', async () => {
    const { input_tokens } = await client.responses.inputTokens.count({ model: 'm', input: 'hello' })
    expect(input_tokens).toBeGreaterThan(0)
  })
})

test('all simulated responses satisfy the schema of Open Responses', () => {
  for (const input of ['x', '[[reasoning=2]] [[tool=f {}]]', '[[tokens=9]]']) {
    for (const fields of [{}, { tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] }]) {
      const asked = { model: 'm', input, max_output_tokens: 6, ...fields }
      expect(faultsOfResponse(play('responses', asked).body)).toEqual([])
      const { frames } = play('responses', { ...asked, stream: true }, { isStream: true })
      const responses = frames.flatMap((frame) => ('response' in frame ? [Object(frame['response'])] : []))
      expect(responses).toHaveLength(3)
      expect(responses.flatMap(faultsOfResponse)).toEqual([])
    }
  }
})
