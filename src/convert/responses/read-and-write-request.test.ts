import { parseObject, printValue, type JsonObject } from '#wire/text/json-values.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { RequestTarget } from '#convert/codec-interface.ts'
import type { NeutralRequest, Part } from '#convert/neutral-format.ts'
import { tagOf } from '#wire/tagged-reasoning-signatures.ts'
import { isFault } from '#wire/wire-request.ts'
import { responses } from './codec.ts'
import { parseResponsesRequest } from '#wire/responses/parse-request.ts'
import { writeResponsesRequest } from './write-request.ts'

const target: RequestTarget = {
  model: 'gpt-x',
  outputTokensMax: 100,
  outputTokensDefault: 4096,
  origin: 'openai-1',
  dialect: 'openai',
}

function read(body: JsonObject | string): NeutralRequest {
  const answer = tryRead(body)
  if (isFault(answer)) throw new Error(`${answer.code} ${answer.param}: ${answer.reason}`)
  return answer
}

function refused(body: JsonObject): string {
  const answer = tryRead(body)
  if (!isFault(answer)) throw new Error('it was accepted')
  return `${answer.code} ${answer.param}`
}

function tryRead(body: JsonObject | string): ReturnType<typeof responses.readRequest> {
  const text = typeof body === 'string' ? body : JSON.stringify({ model: 'm', ...body })
  const request = parseResponsesRequest(byteTextOf(text))
  return isFault(request) ? request : responses.readRequest(request)
}

const text = (said: string): Part => ({ kind: 'text', text: said, cache: null })
const signature = { wire: 'responses', origin: null, kind: 'encrypted', data: 'sealed', id: 'rs_1' } as const

describe('readResponsesRequest', () => {
  it('records of the provider’s searches are omitted and reported as lost, and the rest of the conversation is unchanged', () => {
    const hello = { role: 'user', content: 'hello' }
    const answer = { role: 'assistant', content: 'It rains.' }
    const searched = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'rain' } },
      { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['rain'] },
      { type: 'tool_search_call', id: 'ts_1', status: 'completed', arguments: { paths: ['rain'] } },
      { type: 'mcp_list_tools', id: 'ml_1', server_label: 's', tools: [] },
    ]
    const { others, turns } = read({ input: [hello, ...searched, answer] })
    expect(turns).toEqual(read({ input: [hello, answer] }).turns)
    expect(others).toEqual(searched.map(({ type }) => `input.${type}`))
  })

  it('tools that an item adds are read like the tools of the request, and a repeated name is read only once', () => {
    const tool = (name: string): JsonObject => ({ type: 'function', name, parameters: { type: 'object' } })
    for (const type of ['tool_search_output', 'additional_tools']) {
      const item = { type, id: 'i_1', tools: [tool('rain'), tool('snow')] }
      const { tools, turns } = read({
        tools: [tool('rain')],
        input: [item, { role: 'user', content: 'hello' }],
      })
      expect(tools).toEqual(read({ tools: [tool('rain'), tool('snow')], input: 'hello' }).tools)
      expect(turns).toEqual(read({ input: 'hello' }).turns)
    }
  })

  it('messages between agents are read as marked user text, in the order of the conversation', () => {
    const head = 'Message Type: NEW_TASK\nSender: /root\nPayload:\n'
    const image = 'data:image/png;base64,iVBORw0KGgo='
    const message = (...content: readonly object[]): JsonObject => ({
      type: 'agent_message',
      id: 'amsg_1',
      author: '/root',
      recipient: '/root/worker',
      content,
    })
    const { others, turns } = read({
      input: [
        { role: 'user', content: 'hello' },
        message(
          { type: 'input_text', text: head },
          // Codex sends a task here, which a model without encryption has written as plain text.
          { type: 'encrypted_content', encrypted_content: 'Count the files.' },
        ),
        { role: 'assistant', content: 'Five.' },
        message({ type: 'input_image', image_url: image }),
      ],
    })
    const mark = '<agent_message from="/root" to="/root/worker">\n'
    expect(turns).toMatchObject([
      {
        role: 'user',
        parts: [text('hello'), text(`${mark}${head}Count the files.\n</agent_message>`)],
      },
      { role: 'assistant' },
      { role: 'user', parts: [text(mark), { kind: 'image' }, text('\n</agent_message>')] },
    ])
    expect(others).toEqual(['input.agent_message'])
  })

  it('a message between agents that OpenAI has encrypted is rejected, because no other provider can read it', () => {
    const sealed = { type: 'encrypted_content', encrypted_content: `gAAAAAB${'x'.repeat(93)}==` }
    const body = {
      input: [{ type: 'agent_message', author: '/root', recipient: '/root/a', content: [sealed] }],
    }
    expect(refused(body)).toBe('unsupported_for_route input.0.content.0')
  })

  it('the output of a tool that no call requested is read as marked user text', () => {
    const event = { type: 'function_call_output', name: 'tick', namespace: 'timers', output: 'It is noon.' }
    const { others, turns } = read({ input: [{ role: 'user', content: 'hello' }, event] })
    const told = '<tool_result name="timers::tick">\nIt is noon.\n</tool_result>'
    expect(turns).toEqual([{ role: 'user', parts: [text('hello'), text(told)] }])
    expect(others).toEqual(['input.function_call_output'])
  })

  it('the last change of the effort and of the format in the conversation applies to the response', () => {
    const update = (fields: object): JsonObject => ({ type: 'configuration_update', ...fields })
    const schema = { type: 'object' }
    const format = { type: 'json_schema', name: 'city', schema }
    const input = [
      { role: 'user', content: 'one' },
      update({ reasoning: { effort: 'high' }, text: { format } }),
      { role: 'assistant', content: 'two' },
      update({ reasoning: { effort: 'low' } }),
      { role: 'user', content: 'three' },
    ]
    const body = { reasoning: { effort: 'medium', summary: 'auto' }, text: { verbosity: 'low' }, input }
    expect(read(body)).toMatchObject({
      reasoning: { effort: 'low', isShown: true },
      output: { kind: 'schema', schema },
      verbosity: 'low',
      others: [],
    })
    expect(
      read({ ...body, input: [...input, update({ text: { format: { type: 'text' } } })] }).output,
    ).toEqual({
      kind: 'text',
    })
    expect(read({ ...body, input: 'x' })).toMatchObject({ reasoning: { effort: 'medium' }, output: null })
  })

  it('a plain string is read as the user’s turn, and instructions are read from the field and from the first messages', () => {
    expect(read({ input: 'hello', instructions: 'Be kind.' })).toMatchObject({
      instructions: [{ text: 'Be kind.' }],
      turns: [{ role: 'user', parts: [text('hello')] }],
    })
    expect(
      read({
        instructions: 'One.',
        input: [
          { role: 'developer', content: 'Two.' },
          { role: 'system', content: [{ type: 'input_text', text: 'Three.' }] },
          { role: 'user', content: 'hi' },
          { role: 'developer', content: 'Later.' },
        ],
      }),
    ).toMatchObject({
      instructions: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
      turns: [{ role: 'user' }, { role: 'system', parts: [text('Later.')] }],
    })
  })

  it('items are grouped into turns: reasoning, text and calls, then tool results and the items that follow', () => {
    const { turns } = read({
      input: [
        { role: 'user', content: 'hi' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'Hm' }],
          encrypted_content: 'sealed',
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"n":9007199254740993}' },
        { type: 'custom_tool_call', call_id: 'b', name: 'g', input: '' },
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: '' }] },
        { type: 'function_call_output', call_id: 'nobody', output: '' },
        { role: 'user', content: 'go on' },
      ],
    })
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(turns[1]?.parts).toEqual([
      { kind: 'reasoning', text: 'Hm', signature },
      text('Wait.'),
      { kind: 'tool_call', id: 'a', name: 'f', arguments: '{"n":9007199254740993}', isCustom: false },
      { kind: 'tool_call', id: 'b', name: 'g', arguments: '', isCustom: true },
    ])
    expect(turns[2]?.parts).toMatchObject([
      { kind: 'tool_result', callId: 'a', name: 'f', parts: [text('one')], isCustom: false },
      { kind: 'tool_result', callId: 'b', name: 'g', parts: [], isCustom: true },
      // This result has no call.
      { kind: 'tool_result', callId: 'nobody', name: null, parts: [] },
      text('go on'),
    ])
  })

  it('signatures of another wire are restored, and reasoning without text and signature is omitted', () => {
    const foreign = { wire: 'messages', origin: 'a', kind: 'redacted', data: 'x', id: null } as const
    const { turns } = read({
      input: [
        { type: 'reasoning', summary: [], encrypted_content: tagOf(foreign) },
        { type: 'reasoning', summary: [] },
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'raw' }] },
      ],
    })
    expect(turns[0]?.parts).toEqual([
      { kind: 'reasoning', text: '', signature: foreign },
      { kind: 'reasoning', text: 'raw', signature: null },
    ])
  })

  it('images, files and cache marks are read', () => {
    const image = { type: 'input_image', image_url: 'data:image/PNG;x=1;base64,AAAA', detail: 'original' }
    const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' }
    const marked = {
      type: 'input_text',
      text: 'x',
      prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' },
    }
    expect(read({ input: [{ role: 'user', content: [image, file, marked] }] }).turns[0]?.parts).toEqual([
      {
        kind: 'image',
        source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' },
        detail: 'high',
        cache: null,
      },
      {
        kind: 'file',
        source: { kind: 'data', mediaType: 'application/pdf', data: 'BBBB' },
        name: 'a.pdf',
        cache: null,
      },
      { kind: 'text', text: 'x', cache: 'long' },
    ])
  })

  it('tools, sampling options, the output format, and the requested reasoning and log probabilities are read', () => {
    expect(
      read({
        input: 'x',
        tools: [
          { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
          { type: 'custom', name: 'g', format: { type: 'text' } },
        ],
        tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
        parallel_tool_calls: false,
        max_output_tokens: 50,
        temperature: 0,
        top_p: 1,
        text: {
          format: { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true },
          verbosity: 'low',
        },
        reasoning: { effort: 'xhigh', summary: 'detailed' },
        include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
        top_logprobs: 3,
        safety_identifier: 's',
        prompt_cache_key: 'k',
        metadata: { a: 'b' },
        service_tier: 'flex',
        stream: true,
      }),
    ).toMatchObject({
      tools: [
        { name: 'f', isStrict: true, custom: null },
        { name: 'g', custom: { format: { type: 'text' } }, parameters: null },
      ],
      toolChoice: { kind: 'subset', names: ['f'], isRequired: true },
      parallelTools: false,
      outputTokensMax: 50,
      sampling: { temperature: 0, topP: 1 },
      output: { kind: 'schema', name: 's', isStrict: true },
      verbosity: 'low',
      reasoning: { effort: 'xhigh', isShown: true },
      logprobs: 3,
      userId: 's',
      cacheKey: 'k',
      metadata: { a: 'b' },
      serviceTier: 'flex',
      isStream: true,
      others: [],
    })
  })

  it('fields that only OpenAI supports are reported, and fields without effect are ignored', () => {
    expect(
      read({
        input: [{ role: 'assistant', content: 'x', phase: 'commentary' }],
        truncation: 'auto',
        max_tool_calls: 3,
        store: true,
        include: ['web_search_call.results'],
        reasoning: { context: 'all_turns' },
        prompt_cache_retention: '24h',
      }).others,
    ).toEqual([
      'truncation',
      'max_tool_calls',
      'store',
      'prompt_cache_retention',
      'include',
      'reasoning.context',
      'input.phase',
    ])
    expect(read({ input: 'x', truncation: 'disabled', store: false, user: null }).others).toEqual([])
    const own = { async: true, defer_loading: true, output_schema: { type: 'object' } }
    const callers = { allowed_callers: ['direct', 'programmatic'] }
    const withTools = (tools: readonly JsonObject[]): readonly string[] => read({ input: 'x', tools }).others
    const tool = { type: 'function', name: 'f', parameters: {} }
    expect(withTools([{ ...tool, ...own, ...callers }])).toEqual([
      'tools.allowed_callers',
      'tools.async',
      'tools.defer_loading',
      'tools.output_schema',
    ])
    expect(withTools([{ type: 'namespace', name: 'n', tools: [{ ...tool, async: true }] }])).toEqual([
      'tools.async',
    ])
    const defaults = { async: false, defer_loading: false, output_schema: null, allowed_callers: ['direct'] }
    expect(withTools([{ ...tool, ...defaults }])).toEqual([])
    expect(read({ input: 'x', top_logprobs: 5 }).others).toEqual(['top_logprobs'])
    expect(read({ input: 'x', top_logprobs: 0 }).others).toEqual([])
    expect(
      read({ input: 'x', top_logprobs: 5, include: ['message.output_text.logprobs', 'x'] }).others,
    ).toEqual(['include'])
  })

  it.each([
    ['a shell', { input: 'x', tools: [{ type: 'local_shell' }] }, 'unsupported_for_route tools.0'],
    ['a patch', { input: [{ type: 'apply_patch_call', call_id: 'c' }] }, 'unsupported_for_route input.0'],
    ['a tool without a name', { input: 'x', tools: [{ type: 'function' }] }, 'invalid_request tools.0'],
    [
      'a choice of a hosted tool',
      { input: 'x', tool_choice: { type: 'web_search' } },
      'invalid_request tool_choice',
    ],
    ['a temperature of 3', { input: 'x', temperature: 3 }, 'invalid_request temperature'],
    [
      'a compaction',
      { input: [{ role: 'user', content: 'x' }, { type: 'compaction_trigger' }] },
      'unsupported_for_route input.1',
    ],
    ['an unknown role', { input: [{ role: 'robot', content: 'x' }] }, 'invalid_request input.0.role'],
    [
      'a call without a name',
      { input: [{ type: 'function_call', call_id: 'c' }] },
      'invalid_request input.0',
    ],
    [
      'a result without a call',
      { input: [{ type: 'function_call_output' }] },
      'invalid_request input.0.call_id',
    ],
    [
      'a picture without a URL',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png,xyz' }] }] },
      'invalid_request input.0.content.0.image_url',
    ],
    ['an invalid format', { input: 'x', text: { format: { type: 'xml' } } }, 'invalid_request text.format'],
  ])('a request is rejected if it contains %s', (_, body, expected) => {
    expect(refused(body)).toBe(expected)
  })
})

describe('writeResponsesRequest', () => {
  it('the request does not store the response, and requests encrypted reasoning', () => {
    const body = writeResponsesRequest(read({ input: 'hello', instructions: 'Be kind.' }), target)
    expect(body).toEqual({
      model: 'gpt-x',
      instructions: 'Be kind.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
      max_output_tokens: 100,
      include: ['reasoning.encrypted_content'],
      store: false,
    })
  })

  it('reasoning is sent only if the same account encrypted the reasoning and an item follows', () => {
    const reasoning = (origin: string | null, wire: 'responses' | 'messages'): Part => ({
      kind: 'reasoning',
      text: 'Hm',
      signature: { ...signature, wire, origin },
    })
    const written = (parts: readonly Part[]): unknown[] => {
      const { input } = writeResponsesRequest(
        { ...read({ input: 'x' }), turns: [{ role: 'assistant', parts }] },
        target,
      )
      return Array.isArray(input) ? input.map((item: JsonObject) => item.type) : []
    }
    expect(written([reasoning(null, 'responses'), text('a')])).toEqual(['reasoning', 'message'])
    expect(written([reasoning('openai-1', 'responses'), text('a')])).toEqual(['reasoning', 'message'])
    expect(written([reasoning('openai-2', 'responses'), text('a')])).toEqual(['message'])
    expect(written([reasoning('openai-1', 'messages'), text('a')])).toEqual(['message'])
    expect(written([{ kind: 'reasoning', text: 'Hm', signature: null }, text('a')])).toEqual(['message'])
    expect(written([text('a'), reasoning(null, 'responses')])).toEqual(['message'])
  })

  it('no stop sequences are sent, because the responses wire does not support them', () => {
    const body = writeResponsesRequest({ ...read({ input: 'x' }), stop: ['END'] }, target)
    expect(JSON.stringify(body)).not.toContain('END')
  })

  it('a tool result with an image is written as a list, and an empty result as an empty string', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }
    const output = [{ type: 'input_text', text: 'Look:' }, image]
    const items = [
      { type: 'function_call_output', call_id: 'a', output },
      { type: 'function_call_output', call_id: 'b', output: [] },
    ]
    expect(writeResponsesRequest(read({ input: items }), target).input).toEqual([
      items[0],
      { ...items[1], output: '' },
    ])
  })

  it('files without a name get a name, and tools without a schema get a schema', () => {
    const body = writeResponsesRequest(
      read({
        input: [
          { role: 'user', content: [{ type: 'input_file', file_data: 'data:application/pdf;base64,AA' }] },
        ],
        tools: [{ type: 'function', name: 'f' }],
      }),
      target,
    )
    expect(body).toMatchObject({
      input: [{ content: [{ type: 'input_file', filename: 'document.pdf' }] }],
      tools: [{ parameters: { type: 'object', properties: {} }, strict: false }],
    })
  })

  it('the grammar of a custom tool is a separate object on the chat wire, and no separate object on the responses wire', () => {
    const tool = {
      type: 'custom',
      name: 'g',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
    }
    const request = read({ input: 'x', tools: [tool] })
    expect(request.tools[0]?.custom?.format).toEqual({
      type: 'grammar',
      grammar: { syntax: 'lark', definition: 'start: "a"' },
    })
    expect(writeResponsesRequest(request, target).tools).toEqual([tool])
  })

  it('numbers in schemas are kept exactly as written', () => {
    const body =
      '{"model":"m","input":"x","tools":[{"type":"function","name":"f","parameters":{"maximum":1e400,"minimum":9007199254740993}}]}'
    expect(printValue(writeResponsesRequest(read(body), target))).toContain(
      '"maximum":1e400,"minimum":9007199254740993}',
    )
  })
})

describe('a request that is written and read again', () => {
  const id = fc.stringMatching(/^[a-z]{1,8}$/)
  const said = fc.string({ minLength: 1, unit: 'grapheme' })
  const cache = fc.constantFrom(null, 'short' as const, 'long' as const)
  const source = fc.constantFrom(
    { kind: 'data' as const, mediaType: 'image/png', data: 'AAAA' },
    { kind: 'url' as const, url: 'https://x/y.png' },
  )
  const textPart = fc.record({ kind: fc.constant('text' as const), text: said, cache })
  const content = fc.oneof(
    textPart,
    fc.record({
      kind: fc.constant('image' as const),
      source,
      detail: fc.constantFrom('low' as const, 'high' as const, 'auto' as const),
      cache,
    }),
  )
  const result = fc.record({
    kind: fc.constant('tool_result' as const),
    callId: id,
    name: fc.constant(null),
    parts: fc.array(content, { maxLength: 2 }),
    isError: fc.constant(false),
    isCustom: fc.boolean(),
    cache: fc.constant(null),
  })
  const written = fc.oneof(
    fc.record({ kind: fc.constant('text' as const), text: said, cache: fc.constant(null) }),
    fc.record({ kind: fc.constant('refusal' as const), text: said }),
    fc.record({
      kind: fc.constant('tool_call' as const),
      id: id.map((each) => `call_${each}`),
      name: id,
      arguments: fc.constantFrom('{}', '{"n":1e400}'),
      isCustom: fc.boolean(),
    }),
    fc.constant({ kind: 'reasoning' as const, text: 'Hm', signature }),
  )
  const last = fc.record({ kind: fc.constant('text' as const), text: said, cache: fc.constant(null) })
  const turns = fc
    .array(
      fc.tuple(
        fc.array(fc.oneof(content, result), { minLength: 1, maxLength: 4 }),
        fc.array(written, { maxLength: 4 }),
        last,
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((pairs) =>
      pairs.flatMap(([asked, answered, end]) => [
        { role: 'user' as const, parts: asked },
        { role: 'assistant' as const, parts: [...answered, end] },
      ]),
    )
  const instructions = fc.array(textPart, { maxLength: 3 })

  it('reading a written request returns the same request', () => {
    fc.assert(
      fc.property(instructions, turns, (told, conversation) => {
        const request = {
          ...read({ input: 'x' }),
          instructions: told,
          turns: conversation,
          outputTokensMax: 100,
        }
        const body = printValue(writeResponsesRequest(request, target))
        const again = read(body)
        expect(again.instructions).toEqual(told)
        expect(again.turns).toEqual(conversation)
        expect(parseObject(printValue(writeResponsesRequest(again, target)))).toEqual(parseObject(body))
      }),
      { numRuns: 500 },
    )
  })
})
