import { chat as chatWire } from '#wire/chat/wire.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { NeutralRequest } from '#convert/neutral-format.ts'
import { tagOf } from '#wire/tagged-reasoning-signatures.ts'
import { isFault, type RequestFault } from '#wire/wire-request.ts'
import { chat } from './codec.ts'

const path = { model: null, isStream: false, isJsonArray: false }

function read(body: JsonObject | string): NeutralRequest | RequestFault {
  const text = typeof body === 'string' ? body : JSON.stringify({ model: 'm', ...body })
  const request = chatWire.parseRequest(byteTextOf(text), path)
  return isFault(request) ? request : chat.readRequest(request)
}

function good(body: JsonObject | string): NeutralRequest {
  const request = read(body)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  return request
}

const text = (value: string): JsonObject => ({ kind: 'text', text: value, cache: null })
const hello = { role: 'user', content: 'hello' }

describe('readChatRequest', () => {
  it('leading system and developer messages are read as instructions, and later messages as turns', () => {
    const request = good({
      messages: [
        { role: 'system', content: 'a' },
        {
          role: 'developer',
          content: [{ type: 'text', text: 'b', prompt_cache_breakpoint: { ttl: '12h' } }],
        },
        hello,
        { role: 'system', content: 'c' },
        hello,
      ],
    })
    expect(request.instructions).toEqual([text('a'), { kind: 'text', text: 'b', cache: 'long' }])
    expect(request.turns.map(({ role }) => role)).toEqual(['user', 'system', 'user'])
  })

  it('a cache mark of a message applies to its last part that can have a mark', () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const url = 'data:image/png;base64,AAAA'
    const request = good({
      messages: [
        { role: 'system', content: 's', cache_control: { type: 'ephemeral', ttl: '1h' } },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hello' },
            { type: 'image_url', image_url: { url } },
          ],
          ...mark,
        },
        { role: 'assistant', content: 'said', tool_calls: [call], ...mark },
        { role: 'tool', tool_call_id: 'a', content: 'result', ...mark },
      ],
    })
    const marks = request.turns.map(({ parts }) => parts.map((part) => ('cache' in part ? part.cache : '')))
    expect(request.instructions).toEqual([
      { kind: 'text', text: 's', cache: 'long', cacheField: 'messages.cache_control' },
    ])
    expect(marks).toEqual([[null, 'short'], ['short', ''], ['short']])
    expect(request.others).toEqual([])
  })

  it('a cache mark of a message that has only tool calls is reported as lost', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const { others, turns } = good({
      messages: [
        hello,
        { role: 'assistant', content: '', tool_calls: [call], cache_control: { type: 'ephemeral' } },
      ],
    })
    expect(others).toEqual(['messages.cache_control'])
    expect(turns[1]?.parts.map(({ kind }) => kind)).toEqual(['tool_call'])
  })

  it('a tool result can contain images, which some servers of this wire accept', () => {
    const url = 'data:image/png;base64,AAAA'
    const { turns } = good({
      messages: [
        { role: 'user', content: 'look' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        {
          role: 'tool',
          tool_call_id: 'a',
          content: [
            { type: 'text', text: 'r' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    })
    expect(turns[2]?.parts).toMatchObject([
      { kind: 'tool_result', parts: [{ kind: 'text', text: 'r' }, { kind: 'image' }] },
    ])
  })

  it('functions of the old API are read as tools, with their calls and results', () => {
    const request = good({
      functions: [{ name: 'f', description: 'd', parameters: { type: 'object' } }, { name: 'g' }],
      function_call: { name: 'f' },
      messages: [
        hello,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
        { role: 'function', name: 'f', content: 'one' },
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'two' },
      ],
    })
    expect(request.tools).toMatchObject([
      { name: 'f', description: 'd', parameters: { type: 'object' } },
      { name: 'g', parameters: null },
    ])
    expect(request.toolChoice).toEqual({ kind: 'one', name: 'f' })
    expect(request).toMatchObject({ parallelTools: false, usesFunctions: true, others: [] })
    const parts = request.turns.flatMap((turn) => turn.parts)
    const ids = parts.flatMap((part) => (part.kind === 'tool_call' ? part.id : []))
    expect(new Set(ids).size).toBe(2)
    expect(parts.filter(({ kind }) => kind === 'tool_result')).toMatchObject([
      { callId: ids[0], name: 'f', parts: [text('one')] },
      { callId: ids[1], name: 'f', parts: [text('two')] },
    ])
    expect(read({ messages: [hello, { role: 'function', name: 'f', content: 'x' }] })).toMatchObject({
      code: 'invalid_request',
      param: 'messages.1',
    })
  })

  it('Mistral’s thinking is read as reasoning, and its inline documents, images and audio are read', () => {
    const { turns } = good({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document_url',
              document_url: 'data:application/pdf;base64,AAAA',
              document_name: 'a.pdf',
            },
            { type: 'file_url', file_url: { url: 'data:application/pdf;base64,AAAA' } },
            { type: 'image_url', image_url: 'data:image/png;base64,AAAA' },
            { type: 'input_audio', input_audio: 'AAAA' },
          ],
        },
        {
          role: 'assistant',
          content: [
            {
              type: 'thinking',
              thinking: [
                { type: 'text', text: 'hm' },
                { type: 'text', text: ', so' },
              ],
            },
            { type: 'text', text: 'yes' },
          ],
        },
      ],
    })
    const pdf = { kind: 'data', mediaType: 'application/pdf', data: 'AAAA' }
    expect(turns[0]?.parts).toMatchObject([
      { kind: 'file', source: pdf, name: 'a.pdf' },
      { kind: 'file', source: pdf, name: null },
      { kind: 'image', source: { ...pdf, mediaType: 'image/png' } },
      { kind: 'audio', mediaType: 'audio/wav', data: 'AAAA' },
    ])
    expect(turns[1]?.parts).toEqual([{ kind: 'reasoning', text: 'hm, so', signature: null }, text('yes')])
  })

  it('Databricks’ reasoning in the content is read as reasoning', () => {
    const summary = ['hm', ', so'].map((piece) => ({ type: 'summary_text', text: piece, signature: 's' }))
    const content = [
      { type: 'reasoning', summary },
      { type: 'text', text: 'yes' },
    ]
    const { turns } = good({ messages: [hello, { role: 'assistant', content }, hello] })
    expect(turns[1]?.parts).toEqual([{ kind: 'reasoning', text: 'hm, so', signature: null }, text('yes')])
  })

  it.each([[null], ['']])(
    'if an assistant message has tool calls and the content %j, the turn contains only the tool calls',
    (content) => {
      const call = {
        id: 'c1',
        type: 'function',
        function: { name: 'f', arguments: '{"n":9007199254740993}' },
      }
      const { turns } = good({
        messages: [
          hello,
          { role: 'assistant', content, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1', content: '' },
          { role: 'user', content: 'go on' },
        ],
      })
      expect(turns).toEqual([
        { role: 'user', parts: [text('hello')] },
        {
          role: 'assistant',
          parts: [
            { kind: 'tool_call', id: 'c1', name: 'f', arguments: '{"n":9007199254740993}', isCustom: false },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              kind: 'tool_result',
              callId: 'c1',
              name: 'f',
              parts: [],
              isError: false,
              isCustom: false,
              cache: null,
            },
            text('go on'),
          ],
        },
      ])
    },
  )

  it('a tool result without a call has no tool name', () => {
    const { turns } = good({ messages: [hello, { role: 'tool', tool_call_id: 'x', content: 'r' }] })
    expect(turns[0]?.parts[1]).toMatchObject({ kind: 'tool_result', callId: 'x', name: null })
  })

  it('tool arguments that are an object are read as JSON, with numbers as written', () => {
    const { turns } = good(
      '{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":1.0,"b":1e400}}}]}]}',
    )
    expect(turns[0]?.parts[0]).toMatchObject({ arguments: '{"a":1.0,"b":1e400}' })
  })

  it('numbers in schemas are kept exactly as written', () => {
    const { tools } = good(
      '{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"maximum":1e400,"multipleOf":1.0}}}]}',
    )
    expect(JSON.stringify(tools[0]?.parameters)).toBe('{"maximum":1e400,"multipleOf":1.0}')
  })

  it('images are read from URLs and from data, with any parameters in their media type', () => {
    const image = (url: string): JsonObject => ({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] }],
    })
    expect(good(image('https://x.test/a.png')).turns[0]?.parts[0]).toMatchObject({
      source: { kind: 'url', url: 'https://x.test/a.png' },
      detail: 'low',
    })
    expect(good(image('data:IMAGE/png;name=a.png;base64,AAAA')).turns[0]?.parts[0]).toMatchObject({
      source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' },
    })
    for (const url of ['data:image/svg+xml,<svg/>', 'file:///etc/passwd', 'AAAA', '']) {
      expect(read(image(url))).toMatchObject({ kind: 'fault', param: 'messages.0.content.0.image_url.url' })
    }
  })

  it('a file without a name is read, and plain base64 data is read as a PDF', () => {
    const file = (data: string): JsonObject => ({
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: data } }] }],
    })
    for (const data of ['AAAA', 'data:application/pdf;base64,AAAA']) {
      expect(good(file(data)).turns[0]?.parts[0]).toEqual({
        kind: 'file',
        source: { kind: 'data', mediaType: 'application/pdf', data: 'AAAA' },
        name: null,
        cache: null,
      })
    }
  })

  it.each<[unknown, readonly string[]]>([
    [null, []],
    ['a', ['a']],
    [
      ['a', '', 'b'],
      ['a', 'b'],
    ],
    ['', []],
  ])('the field `stop` with the value %j is read as %j', (stop, wanted) => {
    expect(good({ messages: [hello], stop }).stop).toEqual(wanted)
  })

  it('if a request sets two fields for the maximum output, the larger value is used, in the converted request and in the hold', () => {
    expect(good({ messages: [hello], max_tokens: 5, max_completion_tokens: 7 }).outputTokensMax).toBe(7)
  })

  it.each<[JsonObject, string]>([
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -0.1 }, 'top_p'],
    [{ seed: 1.5 }, 'seed'],
    [{ presence_penalty: 3 }, 'presence_penalty'],
    [{ stop: [1] }, 'stop'],
    [{ logprobs: true, top_logprobs: 21 }, 'top_logprobs'],
    [{ response_format: { type: 'json_schema' } }, 'response_format'],
    [{ response_format: { type: 'xml' } }, 'response_format'],
    [{ tool_choice: { type: 'web' } }, 'tool_choice'],
    [{ tools: [{ type: 'function' }] }, 'tools.0'],
    [{ functions: [{ description: 'x' }] }, 'functions.0'],
    [{ function_call: 'maybe' }, 'tool_choice'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ audio: { voice: 'a', format: 'wav' } }, 'audio'],
    [{ messages: [{ role: 'function', name: 'f', content: 'x' }] }, 'messages.0'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages.0.content.0.text'],
    [{ messages: [{ role: 'system', content: [{ type: 'refusal', refusal: 'x' }] }] }, 'messages.0.content'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.tool_call_id'],
    [{ messages: [{ role: 'assistant', audio: { id: 'a' } }] }, 'messages.0.audio'],
    [{ messages: [{ role: 'assistant', function_call: {} }] }, 'messages.0.function_call'],
    [{ messages: [{ role: 'assistant', tool_calls: [{ id: 1 }] }] }, 'messages.0.tool_calls.0'],
  ])('the request %j is rejected, and the error names the field', (fields, param) => {
    expect(read({ messages: [hello], ...fields })).toMatchObject({ kind: 'fault', param })
  })

  it('sampling, output, reasoning, cache and user fields are read, and fields without a neutral form are reported', () => {
    expect(
      good({
        messages: [hello],
        temperature: 0,
        top_p: 0.5,
        top_k: 7,
        seed: -3,
        frequency_penalty: 0.25,
        n: 2,
        logprobs: true,
        top_logprobs: 3,
        logit_bias: { 5: -100 },
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'r', strict: true, schema: { type: 'object' } },
        },
        reasoning_effort: 'xhigh',
        verbosity: 'low',
        parallel_tool_calls: false,
        service_tier: 'flex',
        metadata: { a: 'b' },
        user: 'u',
        safety_identifier: 's',
        prompt_cache_key: 'k',
        stream: true,
        store: false,
        prediction: { type: 'content', content: 'x' },
        x_unknown: 1,
      }),
    ).toMatchObject({
      sampling: {
        temperature: 0,
        topP: 0.5,
        topK: 7,
        seed: -3,
        frequencyPenalty: 0.25,
        presencePenalty: null,
      },
      choices: 2,
      logprobs: 3,
      logitBias: { 5: -100 },
      output: { kind: 'schema', name: 'r', isStrict: true, schema: { type: 'object' } },
      reasoning: { effort: 'xhigh', budgetTokens: null, isShown: null },
      verbosity: 'low',
      parallelTools: false,
      serviceTier: 'flex',
      metadata: { a: 'b' },
      userId: 's',
      cacheKey: 'k',
      isStream: true,
      wantsUsage: false,
      others: ['prediction', 'x_unknown'],
    })
  })

  it.each([
    [{ enabled: false }, null],
    [{ enabled: false, effort: 'high' }, null],
    [{ enabled: false, max_tokens: 2_000, exclude: true }, false],
  ])('the field `reasoning` with the value %j turns reasoning off', (reasoning, isShown) => {
    const off = { effort: 'none', budgetTokens: null, isShown }
    expect(good({ messages: [hello], reasoning })).toMatchObject({ reasoning: off })
    expect(good({ messages: [hello], reasoning, reasoning_effort: 'low' })).toMatchObject({ reasoning: off })
  })

  it('reasoning that is not turned off keeps the requested effort and number of tokens', () => {
    const reasoning = { enabled: true, effort: 'low', max_tokens: 2_000 }
    expect(good({ messages: [hello], reasoning })).toMatchObject({
      reasoning: { effort: 'low', budgetTokens: 2_000, isShown: null },
    })
  })

  it('signatures that a client sends with a tool call are read', () => {
    const seal = { wire: 'messages', origin: 'o', kind: 'signature', data: 'sig', id: null } as const
    const own = { wire: 'generate', origin: null, kind: 'thought_signature', data: 'AAAA', id: null }
    const call = (id: string, extra: JsonObject): JsonObject => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      extra_content: extra,
    })
    const { turns } = good({
      messages: [
        hello,
        {
          role: 'assistant',
          content: 'said',
          reasoning_content: 'thought',
          tool_calls: [
            call('a', { tollgate: { reasoning: [{ text: 'thought', seal: tagOf(seal) }, { seal: 'x' }] } }),
            call('b', { google: { thought_signature: 'AAAA' } }),
          ],
        },
      ],
    })
    expect(turns[1]?.parts).toMatchObject([
      { kind: 'reasoning', text: 'thought', signature: seal },
      { kind: 'text', text: 'said' },
      { kind: 'tool_call', id: 'a' },
      { kind: 'reasoning', text: '', signature: own },
      { kind: 'tool_call', id: 'b' },
    ])
  })
})
