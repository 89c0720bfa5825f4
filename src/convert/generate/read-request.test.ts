import type { JsonObject } from '#wire/text/json-values.ts'
import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { NeutralRequest, Part } from '#convert/neutral-format.ts'
import { tagOf } from '#wire/tagged-reasoning-signatures.ts'
import { isFault } from '#wire/wire-request.ts'
import { generate } from './codec.ts'
import { parseGenerateRequest } from '#wire/generate/parse-request.ts'
import { schemaFromGenerate } from './json-schema-from-google-schema.ts'

function read(body: JsonObject | string): NeutralRequest | string {
  const text = byteTextOf(typeof body === 'string' ? body : JSON.stringify(body))
  const parsed = parseGenerateRequest(text, { model: 'm', isStream: true, isJsonArray: false })
  const request = isFault(parsed) ? parsed : generate.readRequest(parsed)
  return isFault(request) ? `${request.code} ${request.param}` : request
}

const hello = [{ role: 'user', parts: [{ text: 'hello' }] }]

function said(contents: unknown): readonly (readonly [string, Part])[] | string {
  const request = read({ contents })
  if (typeof request === 'string') return request
  return request.turns.flatMap(({ role, parts }) => parts.map((part) => [role, part] as const))
}

const text = (words: string): Part => ({ kind: 'text', text: words, cache: null })

describe('readGenerateRequest', () => {
  it('empty stop sequences are dropped, because the gateway itself may apply the stop sequences', () => {
    expect(read({ contents: hello, generationConfig: { stopSequences: ['', 'END'] } })).toMatchObject({
      stop: ['END'],
    })
  })

  it('all fields of a generate request are read, in camelCase and in snake_case', () => {
    const body = {
      system_instruction: { parts: [{ text: 'Be brief.' }, { text: '' }] },
      contents: hello,
      tools: [
        { function_declarations: [{ name: 'f', description: 'd', parameters: { type: 'OBJECT' } }] },
        { functionDeclarations: [{ name: 'g', parameters_json_schema: { $schema: 's', type: 'object' } }] },
      ],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: {
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        seed: 7,
        presence_penalty: 1,
        frequency_penalty: -1,
        stop_sequences: ['END'],
        max_output_tokens: 99,
        candidate_count: 2,
        response_logprobs: true,
        logprobs: 3,
        response_mime_type: 'application/json',
        response_json_schema: { type: 'object' },
        thinking_config: { thinking_budget: 512, include_thoughts: true },
        media_resolution: 'MEDIA_RESOLUTION_LOW',
      },
      labels: { team: 'a' },
      service_tier: 'flex',
      safety_settings: [{ category: 'x' }],
    }
    expect(read(body)).toEqual({
      instructions: [text('Be brief.')],
      turns: [{ role: 'user', parts: [text('hello')] }],
      tools: [
        {
          name: 'f',
          description: 'd',
          parameters: { type: 'object' },
          isStrict: null,
          custom: null,
          cache: null,
        },
        {
          name: 'g',
          description: null,
          parameters: { $schema: 's', type: 'object' },
          isStrict: null,
          custom: null,
          cache: null,
        },
      ],
      toolChoice: { kind: 'one', name: 'f' },
      parallelTools: null,
      outputTokensMax: 99,
      sampling: { temperature: 0.5, topP: 0.9, topK: 40, seed: 7, presencePenalty: 1, frequencyPenalty: -1 },
      stop: ['END'],
      output: { kind: 'schema', name: null, description: null, schema: { type: 'object' }, isStrict: null },
      reasoning: { effort: null, budgetTokens: 512, isShown: true },
      verbosity: null,
      choices: 2,
      logprobs: 3,
      logitBias: null,
      serviceTier: 'flex',
      metadata: { team: 'a' },
      userId: null,
      cacheKey: null,
      isStream: true,
      wantsUsage: true,
      others: ['safetySettings', 'generationConfig.mediaResolution'],
    })
  })

  it('the schema of a function’s response is reported as lost, in either spelling', () => {
    const withDeclaration = (fields: object): unknown => {
      const tools = [{ functionDeclarations: [{ name: 'f', ...fields }] }]
      const request = read({ contents: hello, tools })
      return typeof request === 'string' ? request : request.others
    }
    const schema = { type: 'object' }
    expect(withDeclaration({ response: schema })).toEqual(['tools.functionDeclarations.response'])
    expect(withDeclaration({ response_json_schema: schema })).toEqual([
      'tools.functionDeclarations.responseJsonSchema',
    ])
    expect(withDeclaration({ response: null, parameters: schema })).toEqual([])
  })

  it('a schema for a response type that is not JSON is reported as lost', () => {
    for (const name of ['responseSchema', 'responseJsonSchema']) {
      const generationConfig = { [name]: { type: 'object' } }
      expect(read({ contents: hello, generationConfig })).toMatchObject({
        output: null,
        others: [`generationConfig.${name}`],
      })
    }
  })

  it('the reader adds no fields that the client did not send', () => {
    expect(read({ contents: hello })).toMatchObject({
      instructions: [],
      tools: [],
      toolChoice: null,
      outputTokensMax: null,
      output: null,
      reasoning: null,
      logprobs: null,
      choices: 1,
      others: [],
    })
  })

  it.each([
    [{ mode: 'AUTO' }, { kind: 'auto' }],
    [{ mode: 'NONE' }, { kind: 'none' }],
    [{ mode: 'ANY' }, { kind: 'required' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
      { kind: 'subset', names: ['a', 'b'], isRequired: true },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['a'] },
      { kind: 'subset', names: ['a'], isRequired: false },
    ],
    [{ mode: 'MODE_UNSPECIFIED' }, null],
  ])('the function calling mode %j is read', (functionCallingConfig, toolChoice) => {
    expect(read({ contents: hello, toolConfig: { functionCallingConfig } })).toMatchObject({ toolChoice })
  })

  it.each([
    [{ thinkingBudget: 0 }, { effort: 'none', budgetTokens: null }],
    [{ thinkingBudget: -1 }, { effort: null, budgetTokens: null }],
    [{ thinkingLevel: 'MEDIUM' }, { effort: 'medium', budgetTokens: null }],
    [
      { thinkingLevel: 'low', includeThoughts: false },
      { effort: 'low', isShown: false },
    ],
  ])('the thinking settings %j are read', (thinkingConfig, reasoning) => {
    expect(read({ contents: hello, generationConfig: { thinkingConfig } })).toMatchObject({ reasoning })
  })

  it('consecutive contents of one role are joined, and so are pieces of a text from a stream', () => {
    expect(
      said([
        { parts: [{ text: 'a' }] },
        { role: 'user', parts: [{ text: 'b' }] },
        { role: 'model', parts: [{ text: 'c' }, { text: ' ' }] },
        { role: 'model', parts: [{ text: 'd' }] },
      ]),
    ).toEqual([
      ['user', text('a')],
      ['user', text('b')],
      ['assistant', text('c ')],
      ['assistant', text('d')],
    ])
  })

  it('tool results are matched with calls by ID, and results without an ID by their order within the function', () => {
    const call = (name: string, id?: string): JsonObject => ({ functionCall: { name, id, args: {} } })
    const result = (name: string, n: number, id?: string): JsonObject => ({
      functionResponse: { name, id, response: { output: `${n}` } },
    })
    const parts = said([
      ...hello,
      { role: 'model', parts: [call('f'), call('g'), call('f'), call('f', 'own'), call('f', 'call_0')] },
      {
        role: 'function',
        parts: [
          result('f', 1),
          result('f', 4, 'own'),
          result('f', 3),
          result('g', 2),
          result('f', 5, 'call_0'),
        ],
      },
    ])
    if (typeof parts === 'string') throw new Error(parts)
    const calls = parts.flatMap(([, part]) => (part.kind === 'tool_call' ? [part.id] : []))
    const results = parts.flatMap(([, part]) =>
      part.kind === 'tool_result' && part.parts[0]?.kind === 'text'
        ? [[part.callId, part.parts[0].text]]
        : [],
    )
    expect(new Set(calls).size).toBe(5)
    expect(Object.fromEntries(results)).toEqual(
      Object.fromEntries(
        [calls[0], calls[2], calls[1], calls[3], calls[4]].map((id, i) => [id, `${[1, 3, 2, 4, 5][i]}`]),
      ),
    )
  })

  it('results whose IDs the client generated are matched with calls that had no ID', () => {
    const parts = said([
      { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', id: 'made-up', response: {} } }] },
    ])
    expect(parts).toMatchObject([
      ['assistant', { kind: 'tool_call', id: 'call_0', arguments: '{}' }],
      ['user', { kind: 'tool_result', callId: 'call_0', name: 'f' }],
    ])
  })

  it('results whose name belongs to no function are matched with the calls in order', () => {
    const parts = said([
      { role: 'model', parts: [{ functionCall: { name: 'f' } }, { functionCall: { name: 'g' } }] },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'call-of-f', response: {} } },
          { functionResponse: { name: 'call-of-g', response: {} } },
          { functionResponse: { name: 'call-of-none', response: {} } },
        ],
      },
    ])
    if (typeof parts === 'string') throw new Error(parts)
    expect(parts.flatMap(([, part]) => (part.kind === 'tool_result' ? [part.callId] : []))).toEqual([
      'call_0',
      'call_1',
      'call_2',
    ])
  })

  it.each([
    [{ output: 'ok' }, 'ok', false],
    [{ output: { a: 1 } }, '{"a":1}', false],
    [{ error: 'no' }, 'no', true],
    [{ result: 1 }, '{"result":1}', false],
    [{ output: 'a', error: 'b' }, '{"output":"a","error":"b"}', false],
  ])('the tool result %j is read', (response, words, isError) => {
    expect(said([{ parts: [{ functionResponse: { name: 'f', response } }] }])).toMatchObject([
      ['user', { parts: [text(words)], isError }],
    ])
  })

  it('numbers in tool arguments are kept exactly as written', () => {
    const args = '{"big":9007199254740993,"one":1.0,"far":1e400}'
    const request = read(
      `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]}]}`,
    )
    expect(request).toMatchObject({ turns: [{ parts: [{ arguments: args }] }] })
  })

  it('signatures on thoughts, on tool calls and on text are read', () => {
    const own = (data: string): JsonObject => ({
      wire: 'generate',
      origin: null,
      kind: 'thought_signature',
      data,
      id: null,
    })
    expect(
      said([
        {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { text: '.', thought: true },
            { functionCall: { name: 'f' }, thought_signature: 'YQ==' },
            { functionCall: { name: 'g' }, thoughtSignature: 'Yg==' },
            { text: 'So.', thoughtSignature: 'Yw==' },
            { functionCall: { name: 'h' }, thoughtSignature: 'skip_thought_signature_validator' },
          ],
        },
      ]),
    ).toMatchObject([
      ['assistant', { kind: 'reasoning', text: 'Hm.', signature: own('YQ==') }],
      ['assistant', { kind: 'tool_call', name: 'f' }],
      ['assistant', { kind: 'reasoning', text: '', signature: own('Yg==') }],
      ['assistant', { kind: 'tool_call', name: 'g' }],
      ['assistant', text('So.')],
      ['assistant', { kind: 'reasoning', text: '', signature: own('Yw==') }],
      ['assistant', { kind: 'tool_call', name: 'h' }],
    ])
  })

  it('a tagged signature of another wire is read in either base64 alphabet', () => {
    const signature = { wire: 'messages', origin: 'a?>', kind: 'signature', data: '?>?>ÿ', id: null } as const
    const tag = tagOf(signature)
    for (const thoughtSignature of [tag, tag.replaceAll('-', '+').replaceAll('_', '/')]) {
      expect(
        said([
          {
            role: 'model',
            parts: [
              { text: 'Hm.', thought: true },
              { text: '', thoughtSignature },
            ],
          },
        ]),
      ).toEqual([['assistant', { kind: 'reasoning', text: 'Hm.', signature }]])
    }
  })

  it('a signature of another vendor on a text belongs to the thoughts before the text', () => {
    const signature = { wire: 'messages', origin: 'a', kind: 'signature', data: 's', id: null } as const
    const thoughtSignature = tagOf(signature)
    const call = { functionCall: { id: 'c', name: 'f', args: {} } }
    const before = [
      ['assistant', { kind: 'reasoning', text: '', signature }],
      ['assistant', text('So.')],
    ]
    expect(said([{ role: 'model', parts: [{ text: 'So.', thoughtSignature }] }])).toEqual(before)
    expect(
      said([{ role: 'model', parts: [{ text: 'S', thoughtSignature }, { text: 'o.' }, call] }]),
    ).toMatchObject([...before, ['assistant', { kind: 'tool_call', id: 'c' }]])
    expect(said([{ role: 'model', parts: [{ text: 'So.', thoughtSignature: 'c2ln' }] }])).toMatchObject([
      ['assistant', { kind: 'text' }],
      ['assistant', { kind: 'reasoning', signature: { wire: 'generate', data: 'c2ln' } }],
    ])
  })

  it('media is read, and converted to the base64 alphabet of other wires', () => {
    expect(
      said([
        {
          parts: [
            {
              inlineData: { mimeType: 'Image/PNG', data: 'A-_A' },
              mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
            },
            { inline_data: { mime_type: 'application/pdf', data: 'AAAA', display_name: 'a.pdf' } },
            { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
            {
              functionResponse: {
                name: 'f',
                response: {},
                parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
              },
            },
          ],
        },
      ]),
    ).toMatchObject([
      ['user', { kind: 'image', source: { mediaType: 'image/png', data: 'A+/A' }, detail: 'low' }],
      ['user', { kind: 'file', source: { mediaType: 'application/pdf' }, name: 'a.pdf' }],
      ['user', { kind: 'audio', mediaType: 'audio/wav', data: 'AAAA' }],
      ['user', { kind: 'tool_result', parts: [{ kind: 'image' }] }],
    ])
  })

  it.each([
    [{ contents: [{ role: 'robot', parts: [] }] }, 'invalid_request contents.0.role'],
    [
      { contents: [{ parts: [{ functionCall: {} }] }] },
      'invalid_request contents.0.parts.0.functionCall.name',
    ],
    [
      { contents: [{ parts: [{ functionResponse: {} }] }] },
      'invalid_request contents.0.parts.0.functionResponse.name',
    ],
    [
      { contents: hello, tools: [{ functionDeclarations: [{}] }] },
      'invalid_request tools.0.functionDeclarations',
    ],
    [
      {
        contents: hello,
        systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] },
      },
      'unsupported_for_route systemInstruction',
    ],
  ])('a request with %j is rejected', (body, expected) => {
    expect(read(body)).toBe(expected)
  })

  it('twenty thousand tool calls are matched without delay', () => {
    const parts = Array.from({ length: 10_000 }, () => ({ functionCall: { name: 'f' } }))
    const results = parts.map(() => ({ functionResponse: { name: 'f', response: {} } }))
    const turns = [
      { role: 'model', parts },
      { role: 'user', parts: results },
    ]
    expect(withinCpu(2000, () => said(turns))).toHaveLength(20_000)
  })
})

describe('schemaFromGenerate', () => {
  it('Google’s schema dialect is converted to JSON Schema', () => {
    expect(
      schemaFromGenerate({
        type: 'OBJECT',
        property_ordering: ['b', 'a'],
        properties: {
          max_items: { type: 'STRING', nullable: true, enum: ['x'] },
          list: { type: 'ARRAY', items: { type: 'INTEGER' }, max_items: '5', minItems: 1 },
          either: { any_of: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], example: 3 },
          any: { type: 'TYPE_UNSPECIFIED' },
        },
        required: ['max_items'],
      }),
    ).toEqual({
      type: 'object',
      properties: {
        max_items: { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] },
        list: { type: 'array', items: { type: 'integer' }, maxItems: 5, minItems: 1 },
        either: { anyOf: [{ type: 'number' }, { type: 'boolean' }], examples: [3] },
        any: {},
      },
      required: ['max_items'],
    })
  })
})
