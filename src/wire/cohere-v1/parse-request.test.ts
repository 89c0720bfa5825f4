import { describe, expect, it, test } from 'vitest'
import { randomFrom, seedOfRun, type Random } from '#tests/support/seeded-random.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { listOf, objectOf, type JsonObject, type JsonValue } from '#wire/text/json-values.ts'
import { bodyOf, isFault, requestLimits, type RequestFault, type WireRequest } from '#wire/wire-request.ts'
import { parseCohereV1 } from './parse-request.ts'

const path = { model: null, isStream: false, isJsonArray: false } as const

function found(body: object | string): WireRequest | RequestFault {
  return parseCohereV1(byteTextOf(typeof body === 'string' ? body : JSON.stringify(body)), path)
}

function read(body: object | string): WireRequest {
  const request = found(body)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  return request
}

const asked = { model: 'acme/any', message: 'Hi é' }
const weather = { name: 'weather', parameters: { city: 'Paris' } }
const sunny = { call: weather, outputs: [{ sky: 'sunny' }] }
const calledIn = (...calls: readonly (readonly [id: string, city: string])[]): object[] =>
  calls.map(([id, city]) => ({
    id,
    type: 'function',
    function: { name: 'weather', arguments: JSON.stringify({ city }) },
  }))
const toldIn = (id: string): object => ({
  role: 'tool',
  tool_call_id: id,
  content: [{ type: 'document', document: { data: { sky: 'sunny' } } }],
})

describe('the body of version 2 for a body of version 1', () => {
  test('the history, the preamble and the message become messages, and the settings are kept as written', () => {
    const body = `{"model":"acme/any","message":"Hi é","preamble":"Be brief","temperature":1.0,"p":0.50,"k":3,
      "max_tokens":40,"seed":9007199254740993,"stop_sequences":["."],"stream":true,"num_generations":1,
      "frequency_penalty":0.1,"presence_penalty":null,"connectors":[],"search_queries_only":false,"conversation_id":null,"tools":null,"documents":[],
      "chat_history":[{"role":"User","message":"a"},{"role":"CHATBOT","message":"b","tool_calls":null},
      {"role":"System","message":"c"}]}`
    const request = read(body)
    expect(request).toMatchObject({ wire: 'cohere', model: 'acme/any', isStream: true, outputTokensMax: 40 })
    expect(textOf(request.text)).toContain('"temperature":1.0,"p":0.50,')
    expect(textOf(request.text)).toContain('"seed":9007199254740993,')
    expect(JSON.parse(textOf(request.text))).toEqual({
      model: 'acme/any',
      temperature: 1,
      p: 0.5,
      k: 3,
      max_tokens: 40,
      // oxlint-disable-next-line no-loss-of-precision -- JSON.parse rounds the number too
      seed: 9007199254740993,
      stop_sequences: ['.'],
      stream: true,
      frequency_penalty: 0.1,
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'system', content: 'c' },
        { role: 'user', content: 'Hi é' },
      ],
    })
  })

  test('the parameters of a tool become a JSON Schema', () => {
    const types = {
      a: 'str',
      b: 'List[int]',
      c: 'Dict[str, Any]',
      d: 'Optional[float]',
      e: 'any',
      f: 'boolean',
    }
    const defined = Object.entries(types).map(([name, type]) => [name, { type, required: name < 'c' }])
    const tool = {
      name: 'weather',
      description: 'Tells.',
      parameter_definitions: Object.fromEntries(defined),
    }
    expect(bodyOf(read({ ...asked, tools: [tool, { name: 'now', description: 'Time' }] })).tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'Tells.',
          parameters: {
            type: 'object',
            properties: {
              a: { type: 'string' },
              b: { type: 'array', items: { type: 'integer' } },
              c: { type: 'object' },
              d: { type: 'number' },
              e: {},
              f: { type: 'boolean' },
            },
            required: ['a', 'b'],
          },
        },
      },
      {
        type: 'function',
        function: {
          name: 'now',
          description: 'Time',
          parameters: { type: 'object', properties: {}, required: [] },
        },
      },
    ])
  })

  test('a type with any number of nested types is rejected without an exception', () => {
    const typed = (type: string) =>
      found({ ...asked, tools: [{ name: 'f', parameter_definitions: { a: { type } } }] })
    expect(typed(`${'list['.repeat(40)}str${']'.repeat(40)}`)).toMatchObject({ wire: 'cohere' })
    for (const depth of [50, 100_000]) {
      const type = `${'list['.repeat(depth)}str${']'.repeat(depth)}`
      expect(typed(type)).toMatchObject({
        code: 'invalid_request',
        param: 'tools.0.parameter_definitions.a.type',
      })
    }
  })

  test('documents, the response format and options get their new names', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const body = {
      ...asked,
      documents: [
        { title: 't', text: 'x' },
        { id: 'own', text: 'y' },
      ],
      response_format: { type: 'json_object', schema },
      citation_quality: 'accurate',
      safety_mode: 'NONE',
      prompt_truncation: 'OFF',
    }
    const request = read(body)
    expect(bodyOf(request)).toMatchObject({
      documents: [
        { id: 'doc_0', data: { title: 't', text: 'x' } },
        { id: 'own', data: { text: 'y' } },
      ],
      response_format: { type: 'json_object', json_schema: schema },
      citation_options: { mode: 'ACCURATE' },
      safety_mode: 'OFF',
    })
    expect(request.lost).toBeUndefined()
    expect(read({ ...body, prompt_truncation: 'AUTO' }).lost).toEqual(['prompt_truncation'])
  })

  test('an assistant message with the calls of tool results follows the question', () => {
    const tools = [{ name: 'weather', description: 'Tells.' }]
    const body = { ...asked, tools, tool_results: [sunny] }
    const rewritten = bodyOf(read(body))
    expect(rewritten.messages).toEqual([
      { role: 'user', content: 'Hi é' },
      { role: 'assistant', tool_calls: calledIn(['call_0', 'Paris']) },
      toldIn('call_0'),
    ])
    expect(rewritten.tool_choice).toBeUndefined()
    expect(bodyOf(read({ ...body, force_single_step: true })).tool_choice).toBe('NONE')
    expect(bodyOf(read({ ...asked, tools, force_single_step: true })).tool_choice).toBeUndefined()
  })

  test('each result gets the ID of the open call with the same arguments', () => {
    const oslo = { name: 'weather', parameters: { city: 'Oslo' } }
    const history = [
      { role: 'USER', message: 'Where is it sunny?' },
      { role: 'CHATBOT', message: 'I will look.', tool_calls: [weather, oslo] },
    ]
    const results = [{ ...sunny, call: oslo }, sunny, { ...sunny, call: { ...weather, name: 'other' } }]
    const request = read({ ...asked, message: '', chat_history: history, tool_results: results })
    const other = { name: 'other', arguments: '{"city":"Paris"}' }
    const messages = [
      { role: 'user', content: 'Where is it sunny?' },
      {
        role: 'assistant',
        tool_plan: 'I will look.',
        tool_calls: calledIn(['call_0', 'Paris'], ['call_1', 'Oslo']),
      },
      toldIn('call_1'),
      toldIn('call_0'),
      { role: 'assistant', tool_calls: [{ id: 'call_2', type: 'function', function: other }] },
      toldIn('call_2'),
    ]
    expect(bodyOf(request).messages).toEqual(messages)
    const late = [...history, { role: 'TOOL', tool_results: results.slice(2) }]
    const answered = listOf(bodyOf(read({ ...asked, chat_history: late, tool_results: [sunny] })).messages)
    const idsOfResults = answered.map((message) => objectOf(message).tool_call_id).filter(Boolean)
    expect(idsOfResults).toEqual(['call_2', 'call_3'])
    const more = read({ ...asked, chat_history: history, tool_results: [sunny] })
    expect(listOf(bodyOf(more).messages).map((message) => objectOf(message).role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })
})

it.each<readonly [field: string, body: object]>([
  ['model', { message: 'Hi' }],
  ['message', { model: 'm' }],
  ['message', { ...asked, message: [] }],
  ['preamble', { ...asked, preamble: 1 }],
  ['connectors', { ...asked, connectors: [{ id: 'web-search' }] }],
  ['conversation_id', { ...asked, conversation_id: 'c' }],
  ['search_queries_only', { ...asked, search_queries_only: true }],
  ['raw_prompting', { ...asked, raw_prompting: true }],
  ['num_generations', { ...asked, num_generations: 2 }],
  ['max_input_tokens', { ...asked, max_input_tokens: 9 }],
  ['base_url', { ...asked, base_url: 'https://other.example' }],
  ['messages', { ...asked, messages: [{ role: 'user', content: 'Hi' }] }],
  ['max_tokens', { ...asked, max_tokens: 1.5 }],
  ['prompt_truncation', { ...asked, prompt_truncation: 'SOME' }],
  ['citation_quality', { ...asked, citation_quality: 'good' }],
  ['safety_mode', { ...asked, safety_mode: 'OFF' }],
  ['documents.0', { ...asked, documents: ['text'] }],
  ['documents.0._excludes', { ...asked, documents: [{ text: 'x', _excludes: ['text'] }] }],
  ['chat_history', { ...asked, chat_history: {} }],
  ['chat_history.0.role', { ...asked, chat_history: [{ role: 'assistant', message: 'x' }] }],
  ['chat_history.0.message', { ...asked, chat_history: [{ role: 'USER' }] }],
  ['chat_history.0.image', { ...asked, chat_history: [{ role: 'USER', message: 'x', image: 'y' }] }],
  [
    'chat_history.0.tool_calls',
    { ...asked, chat_history: [{ role: 'USER', message: 'x', tool_calls: [weather] }] },
  ],
  ['tool_results.0.call', { ...asked, tool_results: [{ outputs: [] }] }],
  ['tool_results.0.outputs', { ...asked, tool_results: [{ call: weather }] }],
  ['tools.0.name', { ...asked, tools: [{}] }],
  ['tools.0.type', { ...asked, tools: [{ name: 'x', type: 'function' }] }],
  [
    'tools.0.parameter_definitions.a.type',
    { ...asked, tools: [{ name: 'x', parameter_definitions: { a: { type: 'Foo' } } }] },
  ],
  [
    'tools.0.parameter_definitions.a.enum',
    { ...asked, tools: [{ name: 'x', parameter_definitions: { a: { type: 'str', enum: ['b'] } } }] },
  ],
])('a request is rejected, and the error names the field %s', (field, body) => {
  expect(found(body)).toMatchObject({ kind: 'fault', param: field })
})

test.each(['constructor', '__proto__'])('the unknown field %s is rejected with a reason', (field) => {
  const body = `{"model":"m","message":"Hi","${field}":1}`
  expect(found(body)).toMatchObject({ param: field, reason: expect.stringContaining('has no such field') })
})

test('a repeated field and a body that is not an object are rejected', () => {
  expect(found('{"message":"a","model":"m","message":"b"}')).toMatchObject({ param: 'message' })
  for (const body of ['[]', '"x"', '{']) expect(isFault(found(body))).toBe(true)
})

test('a large body is parsed again in steps, and keeps its history', () => {
  const json = parseJson(byteTextOf(JSON.stringify({ ...asked, prompt_truncation: 'AUTO' })), requestLimits)
  if ('reason' in json) throw new Error(json.reason)
  const first = parseCohereV1(json, path)
  if (!isFault(first) || typeof first.instead?.text !== 'string')
    throw new Error('the body is not parsed again')
  const again = first.instead.parse?.(first.instead.text, path)
  expect(again).toEqual(read({ ...asked, prompt_truncation: 'AUTO' }))
})

function randomBody(random: Random): { readonly body: JsonObject; readonly texts: readonly string[] } {
  const texts: string[] = []
  const text = (): string => {
    const word = `${texts.length}:${random.pick(['é', '𝄞', '"', '\\', 'word ', '\n'])}`
    texts.push(word)
    return word
  }
  const call = (): JsonObject => ({
    name: random.pick(['weather', 'now']),
    parameters: random.chance(0.5) ? {} : { city: random.pick(['Paris', 'Oslo']) },
  })
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: random.whole(0, most) }, make)
  const results = (): JsonObject[] =>
    some(3, () => ({ call: call(), outputs: some(2, () => ({ sky: text() })) }))
  const history = some(6, () =>
    random.pick<() => JsonObject>([
      () => ({ role: 'USER', message: text() }),
      () => ({ role: 'SYSTEM', message: text() }),
      () => ({ role: 'CHATBOT', message: text(), ...(random.chance(0.5) && { tool_calls: some(3, call) }) }),
      () => ({ role: 'TOOL', tool_results: results() }),
    ])(),
  )
  return { body: { model: 'm', chat_history: history, tool_results: results(), message: text() }, texts }
}

const seed = seedOfRun()
test(`every text is in the rewritten body, every result answers a call before it, and no ID is repeated (seed ${seed})`, () => {
  const random = randomFrom(seed)
  for (let run = 0; run < 400; run++) {
    const { body, texts } = randomBody(random)
    const request = read(body)
    const messages = listOf(bodyOf(request).messages).map(objectOf)
    const written = JSON.stringify(messages)
    for (const text of texts) expect(written.split(JSON.stringify(text))).toHaveLength(2)
    const ids = new Set<JsonValue>()
    let open = new Set<JsonValue>()
    for (const message of messages) {
      if (message.role === 'tool') {
        expect(open.delete(message.tool_call_id)).toBe(true)
        continue
      }
      open = new Set(listOf(message.tool_calls).map((made) => objectOf(made).id))
      for (const id of open) {
        expect(ids.has(id)).toBe(false)
        ids.add(id)
      }
    }
    // A client that sends the returned history again gets the same messages again.
    const again = read({ model: 'm', chat_history: request.chatHistory, message: 'More' })
    expect(listOf(bodyOf(again).messages)).toEqual([...messages, { role: 'user', content: 'More' }])
  }
})
