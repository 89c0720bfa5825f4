import { describe, expect, test } from 'vitest'
import { play } from '#tests/fixtures/collect-simulated-actions.ts'
import { sealOf } from '#simulator/sign-simulated-thoughts.ts'

const user = (text: string) => ({ role: 'user', parts: [{ text }] })
const model = (...parts: object[]) => ({ role: 'model', parts })

const ask = (text: string, config: object = {}, fields: object = {}, isStream = false) =>
  play(
    'generate',
    { contents: [user(text)], generationConfig: config, ...fields },
    { model: 'g-1', isStream },
  )

const stream = (text: string, config: object = {}) => ask(text, config, {}, true)

const shown = { thinkingConfig: { includeThoughts: true } }

function partsOf(bodies: readonly object[], index = 0): Record<string, unknown>[] {
  return bodies
    .flatMap((body) => Object(body).candidates)
    .filter((candidate) => candidate.index === index)
    .flatMap((candidate) => candidate.content.parts ?? [])
}

describe('non-streaming responses', () => {
  test('a response has candidates with parts, marked thoughts, a signature on the first tool call, and all counts', () => {
    const { status, body, text } = ask('[[reasoning=2 text=yes]] [[tool=f {"a": 1.0}]] [[tool=g]]', shown)
    expect(status).toBe(200)
    expect(text).toContain('"args":{"a": 1.0}')
    expect(partsOf([body])).toEqual([
      { text: expect.any(String), thought: true },
      { text: 'yes' },
      {
        functionCall: { id: 'sig_01call_0_0', name: 'f', args: { a: 1 } },
        thoughtSignature: expect.stringMatching(/^c2ltLnRob3VnaHQu/),
      },
      { functionCall: { id: 'sig_01call_0_1', name: 'g', args: {} } },
    ])
    const prompt = Object(body['usageMetadata']).promptTokenCount
    expect(body).toMatchObject({
      candidates: [{ finishReason: 'STOP', index: 0, content: { role: 'model' } }],
      usageMetadata: { candidatesTokenCount: 6, thoughtsTokenCount: 2, totalTokenCount: prompt + 8 },
      modelVersion: 'g-1',
      responseId: '01call',
    })
  })

  test('thoughts are hidden unless the client requests them, and the text then has a signature', () => {
    const { body } = ask('[[reasoning=2 text=yes]]')
    expect(partsOf([body])).toEqual([{ text: 'yes', thoughtSignature: expect.any(String) }])
    expect(body).toMatchObject({ usageMetadata: { thoughtsTokenCount: 2 } })
    expect(
      partsOf([ask('[[reasoning=2 text=yes]]', { thinkingConfig: { thinkingBudget: 0 } }).body]),
    ).toEqual([{ text: 'yes' }])
  })

  test.each([
    ['[[tokens=9]]', { maxOutputTokens: 4 }, 'MAX_TOKENS', 4],
    ['[[tokens=9]]', { max_output_tokens: 9 }, 'STOP', 9],
    ['[[text=one two three]]', { stopSequences: [' three'] }, 'STOP', 2],
    ['[[tool=f]]', {}, 'STOP', 2],
    ['[[tokens=9]]', { candidateCount: 3 }, 'STOP', 27],
  ])(
    'an answer to the directives %s with the settings %j ends with %s after %i tokens',
    (order, config, reason, tokens) => {
      const { body } = ask(order, config)
      for (const { finishReason } of Object(body['candidates'])) expect(finishReason).toBe(reason)
      expect(body).toMatchObject({ usageMetadata: { candidatesTokenCount: tokens } })
    },
  )

  test('a response has no parts if thoughts have used up the maximum', () => {
    const { body } = ask('[[reasoning=9 text=yes]]', { maxOutputTokens: 5 })
    expect(Object(body['candidates'])[0]).toEqual({
      content: { role: 'model' },
      finishReason: 'MAX_TOKENS',
      index: 0,
    })
  })

  test('a response omits a tool call that the maximum truncated', () => {
    const { body } = ask('[[text=yes]] [[tool=f {"a":"one two three"}]]', { maxOutputTokens: 4 })
    expect(partsOf([body])).toEqual([{ text: 'yes' }])
  })

  test('directives set cached input, omit the usage, and report a false count', () => {
    expect(ask('[[cached=3]]').body).toMatchObject({ usageMetadata: { cachedContentTokenCount: 3 } })
    expect(ask('[[no-usage]]').body).not.toHaveProperty('usageMetadata')
    expect(ask('[[usage=0.5]]').text).toContain('"candidatesTokenCount":0.5,"totalTokenCount":0.5')
  })
})

describe('streams', () => {
  test('each chunk of a stream has the usage so far, and the last chunk has the finish reason', () => {
    const { text, frames, contentType } = stream('[[text=one two three]]')
    expect(contentType).toBe('text/event-stream')
    expect(text.match(/\r\n\r\n/g)).toHaveLength(4)
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    expect(text).not.toContain('[DONE]')
    const counts = frames.map((frame) => Object(frame['usageMetadata']).candidatesTokenCount)
    expect(counts).toEqual([1, 2, 3, 3])
    const reasons = frames.map((frame) => Object(frame['candidates'])[0].finishReason)
    expect(reasons).toEqual([undefined, undefined, undefined, 'STOP'])
    expect(partsOf(frames).map((part) => part['text'])).toEqual(['one', ' two', ' three', ''])
  })

  test('a stream contains the same content as the non-streaming response, with each tool call in one piece', () => {
    const order = '[[reasoning=3 tokens=20]] [[tool=f {"a":[1,2]}]] [[tool=g]]'
    const config = { ...shown, candidateCount: 2, seed: 5 }
    const { frames } = stream(order, config)
    const { body } = ask(order, config)
    for (const index of [0, 1]) {
      const whole = partsOf([body], index)
      const parts = partsOf(frames, index)
      const textOf = (list: typeof parts, isThought: boolean) => {
        const texts = list.filter((part) => (part['thought'] === true) === isThought).map(({ text }) => text)
        return texts.filter((text) => typeof text === 'string').join('')
      }
      for (const isThought of [true, false]) expect(textOf(parts, isThought)).toBe(textOf(whole, isThought))
      const callsOf = (list: typeof parts) => list.filter((part) => 'functionCall' in part)
      expect(callsOf(parts)).toEqual(callsOf(whole))
      expect(callsOf(parts)).toHaveLength(2)
    }
    expect(frames.at(-1)?.['usageMetadata']).toEqual(body['usageMetadata'])
  })

  test('if no tool call follows thoughts, their signature is on a separate part of the stream', () => {
    const { frames } = stream('[[reasoning=3 text=yes]]')
    expect(partsOf(frames).at(-1)).toEqual({ text: '', thoughtSignature: expect.any(String) })
    expect(frames[0]).toMatchObject({ usageMetadata: { thoughtsTokenCount: 3 } })
  })

  test.each([
    ['first', 1],
    ['early', 1],
  ])('a stream sends error=%s instead of an answer', (when, count) => {
    const { frames } = stream(`[[error=${when}]]`)
    expect(frames).toHaveLength(count)
    expect(frames[0]).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } })
  })

  test('directives cause errors, cuts, hangs and broken events in the middle of a stream', () => {
    expect(stream('[[tokens=4 error]]').frames).toHaveLength(3)
    expect(stream('[[tokens=9 cut=3]]')).toMatchObject({ end: 'cut' })
    expect(stream('[[tokens=9 hang]]')).toMatchObject({ end: 'hang' })
    const { text, frames } = stream('[[tokens=4 broken]]')
    expect(text.split('data: ').length - 1).toBe(frames.length + 1)
    expect(stream('[[no-usage]]').text).not.toContain('usageMetadata')
    expect(stream('[[usage=7 tokens=2]]').frames.at(-1)).toMatchObject({
      usageMetadata: { candidatesTokenCount: 7, totalTokenCount: 7 },
    })
  })
})

test('token counting accepts both request forms, and returns the number that a response reports', () => {
  const request = {
    contents: [user('how long is this?')],
    systemInstruction: { parts: [{ text: 'be brief' }] },
    tools: [{ functionDeclarations: [{ name: 'f' }] }],
  }
  const { body } = play('generate', request)
  const totalTokens = Object(body['usageMetadata']).promptTokenCount
  for (const form of [request, { generateContentRequest: { model: 'models/g-1', ...request } }]) {
    expect(play('generate', form, { purpose: 'count' }).body).toMatchObject({ totalTokens })
  }
})

test.each([
  { responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] } },
  { responseJsonSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
])('a request with the schema %j gets a value that matches the schema', (schema) => {
  const { body } = ask('hello', { ...schema, responseMimeType: 'application/json' })
  expect(partsOf([body])).toEqual([{ text: '{"a":"text"}' }])
})

test('a refusal has the finish reason `SAFETY`', () => {
  const { body } = ask('[[refusal=I will not.]]')
  expect(body).toMatchObject({ candidates: [{ finishReason: 'SAFETY' }] })
})

test('field names in camelCase and in snake_case are accepted', () => {
  const { status, body } = ask(
    '[[text=one two]]',
    { stop_sequences: [' two'], thinking_config: { include_thoughts: true } },
    {
      system_instruction: { parts: [{ text: 'x' }] },
      tools: [{ function_declarations: [{ name: 'f', parameters_json_schema: { type: 'object' } }] }],
      tool_config: { function_calling_config: { mode: 'AUTO' } },
    },
  )
  expect(status).toBe(200)
  expect(partsOf([body])).toEqual([{ text: 'one' }])
})

test('a function that the request requires is called', () => {
  const tools = [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }]
  const called = (config: object) =>
    partsOf([ask('hi', {}, { tools, toolConfig: { functionCallingConfig: config } }).body]).map(
      (part) => Object(part['functionCall']).name,
    )
  expect(called({ mode: 'ANY' })).toEqual(['f'])
  expect(called({ mode: 'ANY', allowedFunctionNames: ['g'] })).toEqual(['g'])
  expect(called({ mode: 'NONE' })).toEqual([undefined])
})

describe('the requests that Google rejects', () => {
  const call = (name: string, more: object = {}) => ({ functionCall: { name, args: {} }, ...more })
  const response = (name: string) => ({ functionResponse: { name, response: { output: 'ok' } } })
  const results = (...names: string[]) => ({ role: 'user', parts: names.map(response) })
  const signed = { functionCall: { id: 'sig_01call_0_0', name: 'f', args: {} } }
  const u = user('x')

  test.each<[string, object, RegExp]>([
    ['no contents', { contents: [] }, /contents is not specified/],
    ['a field of another wire', { messages: [] }, /Unknown name "messages"/],
    ['our own field', { svc: {} }, /Unknown name "svc"/],
    ['an assistant', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, /valid role/],
    ['no parts', { contents: [u, { role: 'model', parts: [] }] }, /must not be empty/],
    ['a part of nothing', { contents: [{ role: 'user', parts: [{ thought: true }] }] }, /oneof field/],
    [
      'arguments that are text',
      { contents: [u, model({ functionCall: { name: 'f', args: '{}' } }), results('f')] },
      /Struct/,
    ],
    [
      'a call without a response',
      { contents: [u, model(call('f')), u] },
      /number of function response parts/,
    ],
    ['a call at the end', { contents: [u, model(call('f'))] }, /immediately after a function call/],
    ['too few responses', { contents: [u, model(call('f'), call('g')), results('f')] }, /number of function/],
    ['a response to nothing', { contents: [results('f')] }, /number of function response parts/],
    [
      'a function response with another name',
      { contents: [u, model(call('f')), results('call_1')] },
      /no function call of that name/,
    ],
    ['a response without a name', { contents: [u, model(call('f')), results('')] }, /Name cannot be empty/],
    [
      'a conversation that starts with a function call',
      { contents: [model(call('f')), results('f')] },
      /comes immediately after a user turn/,
    ],
    [
      'an unknown signature',
      { contents: [u, model({ text: 'x', thoughtSignature: 'AAAA' }), u] },
      /signature is not valid/,
    ],
    [
      'a signature of another wire',
      { contents: [u, model({ text: 'x', thoughtSignature: sealOf('signature', 'x') }), u] },
      /signature is not valid/,
    ],
    [
      'a function call that lost its signature',
      { contents: [u, model(signed), results('f')] },
      /missing a thought_signature/,
    ],
    ['too many stops', { generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } }, /at most 5/],
    ['no room', { generationConfig: { maxOutputTokens: 0 } }, /must be positive/],
    ['too much heat', { generationConfig: { temperature: 2.1 } }, /range \[0, 2\]/],
    [
      'a name that starts with a digit',
      { tools: [{ functionDeclarations: [{ name: '1f' }] }] },
      /Invalid function name/,
    ],
    [
      'keywords that Google’s schema dialect does not have',
      {
        tools: [
          {
            functionDeclarations: [
              {
                name: 'f',
                parameters: {
                  type: 'object',
                  properties: { a: { type: 'object', additionalProperties: false } },
                },
              },
            ],
          },
        ],
      },
      /Unknown name "additionalProperties" at 'tools\[0\]\.function_declarations\[0\]\.parameters\.properties\[a\]'/,
    ],
    [
      'a schema of both kinds',
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: {}, parametersJsonSchema: {} }] }] },
      /only one of/,
    ],
    [
      'a schema for text',
      { generationConfig: { responseJsonSchema: { type: 'object' } } },
      /application\/json/,
    ],
    [
      'a choice of no function',
      { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } } },
      /not among the functions/,
    ],
    ['too many candidates', { generationConfig: { candidateCount: 9 } }, /candidateCount/],
  ])('%s', (_, fields, message) => {
    const { status, body } = ask('x', {}, fields)
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } })
    expect(Object(body['error']).message).toMatch(message)
  })

  test('the simulator accepts its own signatures, the placeholder for a lost signature, tool calls without IDs, and media', () => {
    const seal = { thoughtSignature: sealOf('thought', 'why') }
    for (const first of [
      { ...signed, ...seal },
      { ...signed, thoughtSignature: 'skip_thought_signature_validator' },
      { ...signed, thoughtSignature: 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=' },
      { ...signed, thoughtSignature: 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I' },
      { ...signed, thoughtSignature: 'context_engineering_is_the_way_to_go' },
      { ...signed, thoughtSignature: btoa('context_engineering_is_the_way_to_go') },
    ]) {
      const second = { functionCall: { id: 'sig_01call_0_1', name: 'g' } }
      const contents = [
        { parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        model({ text: 'so', ...seal }, first, second),
        results('g', 'f'),
        model(call('f')),
        { role: 'function', parts: [response('f')] },
      ]
      expect(play('generate', { contents }).status).toBe(200)
    }
  })

  test('models before Gemini 3 accept a function call that lost its signature', () => {
    const body = {
      contents: [u, model(signed), results('f')],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
    }
    expect(play('generate', body, { model: 'gemini-2.5-flash' }).status).toBe(200)
    expect(play('generate', body, { model: 'gemini-3-flash-preview' }).status).toBe(400)
    expect(play('generate', body, { model: 'gemini-20-pro' }).status).toBe(400)
  })

  test.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
  ])('the directive fail=%i returns %s', (code, status) => {
    const { body, retryAfterSeconds, ...played } = stream(`[[fail=${code}]]`)
    expect([played.status, retryAfterSeconds]).toEqual([code, null])
    expect(body).toMatchObject({ error: { code, status } })
    expect(JSON.stringify(body).includes('RetryInfo')).toBe(code === 429)
  })
})
